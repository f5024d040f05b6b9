# SPDX-License-Identifier: Apache-2.0
"""The parts of the firmware to which functions of the ledger belong: the folders of their sources, by the program's debug information."""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "regress"))

from source_lines import SourceLines  # noqa: E402

# What each folder of the firmware does, in the order of the page.
PARTS = {
    "start": "start, main loop",
    "target": "bus: connections, messages, status",
    "device": "commands, task management",
    "unit": "mode pages, sense data",
    "queue": "task set, policy, search",
    "motion": "places of blocks, prediction",
    "transfer": "arm, media, buffer, cache",
    "hal": "drivers of the registers",
    "kernel": "alarms, memory",
}
OTHER = "other"
_FOLDER = re.compile(r"(?:^|/)firmware/(?:(\w+)/)?[^/]+\.[chS]$")
TOP = "start"  # sources beside the folders, such as drive.c: the main loop


class FirmwareParts:
    """The parts of one program. Threads may share it."""

    def __init__(self, elf: Path, root: Path) -> None:
        self._lines = SourceLines(elf, root)
        self._known: dict[str, str] = {}

    def part_of(self, function: str) -> str:
        """The part of a function of the ledger; OTHER for library code, and for all if the program has no debug information."""
        if function not in self._known:
            self._known[function] = part_of_source(self._lines.place_of_function(self._lines.name_of(function)).file)
        return self._known[function]


def part_of_source(file: str) -> str:
    """The part of a source file, from its path."""
    found = _FOLDER.search(file)
    if not found:
        return OTHER
    folder = found[1] or TOP
    return folder if folder in PARTS else OTHER
