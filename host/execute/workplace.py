# SPDX-License-Identifier: Apache-2.0
"""Where a piece of work is done: what it finds there."""

from dataclasses import dataclass
from pathlib import Path

from .simulator import Simulator


@dataclass(frozen=True)
class Workplace:
    """On this machine, or on another one with the same files."""

    simulator: Simulator
    files: dict[str, Path]  # those that specs name, beside what the simulator has
    scratch: Path  # for folders of work that is going on
