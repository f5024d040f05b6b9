# SPDX-License-Identifier: Apache-2.0
"""Errors of experiments, as sentences: what is wrong, where, and the remedy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.errors import ExecuteError  # noqa: E402


class ExperimentError(ExecuteError):
    """The experiment cannot go on; the text names the thing and the remedy."""


def mistake(where: str, what: str, remedy: str) -> ExperimentError:
    """The error for a mistake in a declaration: its place, what is wrong, and what to do instead."""
    return ExperimentError(f"{where}: {what}; {remedy}")
