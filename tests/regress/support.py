# SPDX-License-Identifier: Apache-2.0
"""Paths of host/regress for its tests, and small runs written by hand."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/regress"))

CASE = """title = "a small one"
drive = "eagle"
{more}
[load.synthetic]
pattern = "uniform"
requests = 10
span = 1000
"""
RECORD_HEAD = (
    "command,operation,lba,blocks,submitted_ps,completed_ps,response_ps,status,issued_ps,queued_ps,seek_ps,rotation_ps,"
    "search_exposed_ps\n"
)


class InAFolder(unittest.TestCase):
    """Tests that each have a folder of their own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write_case(self, name: str = "small", more: str = "") -> Path:
        """Writes a folder with a scenario.toml."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "scenario.toml").write_text(CASE.format(more=more), encoding="utf-8")
        return folder


def write_elf(file: Path) -> None:
    """Writes a RISC-V program without sections: its header alone (System V ABI, figure 4-3)."""
    file.parent.mkdir(parents=True, exist_ok=True)
    kind, machine = b"\2\0", b"\xf3\0"
    sizes = b"\x34\0\x20\0\0\0\x28\0\0\0\0\0"
    file.write_bytes(b"\x7fELF\1\1\1" + bytes(9) + kind + machine + b"\1\0\0\0" + bytes(16) + sizes)


def records_text(*rows: tuple[int, int, int, int, int, int]) -> str:
    """The text of records.csv for rows of command, submitted, issued, queued, seek, rotation; ps."""
    lines = []
    for command, submitted, issued, queued, seek, rotation in rows:
        response = issued + queued + seek + rotation
        lines.append(
            f"{command},read,{command * 8},8,{submitted},{submitted + response},{response},0,{issued},{queued},{seek},"
            f"{rotation},0\n"
        )
    return RECORD_HEAD + "".join(lines)


def with_sense(text: str, **endings: tuple[int, str]) -> str:
    """The same text with a column of sense: status and sense of a command, by `cN`; others end with GOOD."""
    lines = []
    for place, line in enumerate(text.splitlines()):
        fields = line.split(",")
        status, sense = ("status", "sense") if place == 0 else endings.get(f"c{fields[0]}", (0, ""))
        lines.append(",".join([*fields[:7], str(status), sense, *fields[8:]]) + "\n")
    return "".join(lines)
