# SPDX-License-Identifier: Apache-2.0
"""The place where a piece of work is done, and its files."""

from dataclasses import dataclass
from pathlib import Path

from .simulator import Simulator


@dataclass(frozen=True)
class Workplace:
    """A place on this machine, or on another one with the same files."""

    simulator: Simulator
    files: dict[str, Path]  # files that specs name, beside those of the simulator
    scratch: Path  # for folders of work in progress
