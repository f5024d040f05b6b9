#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes the chip and each block alone, and holds what they take against the table of a page.

    area.py --bin VENV/bin --out FOLDER --page PAGE.md [--only NAME,...] [--write] FILE... [-y FOLDER]... [-I FOLDER]...

The table stands between <!-- area --> and <!-- end of area -->. Its first column has names of modules, and their parameters as
NAME=VALUE. `drive_chip` is placed
with its pins, any other without. A figure that differs by more than 5 % from the page's is an error. Where the change is worth
it, --write brings the page up to date. FOLDER/NAME has the reports.

MHz is that of the slowest path from register to register, all clocks taken as one. Placement is repeatable: the same netlist and
seed give the same figures. A small change of a netlist may move MHz by some percent.

Exit status: 0; 1 where a figure differs; 2 where a tool failed, or the page has no such table.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synth import CELLS, CHIP

SYNTH = Path(__file__).with_name("synth.py")
BEGIN, END = "<!-- area -->", "<!-- end of area -->"
COLUMNS = ("LUT4", "flip-flops", "distributed RAMs", "block RAMs", "MHz")
AT_MOST = 0.05
FEW = 5  # Of so few cells, 5 % are none.
NO_PATH = "no such path"


class AreaError(Exception):
    """The page has no table of that kind, or a tool failed."""


@dataclass(frozen=True)
class Figures:
    """What a module takes: cells by COLUMNS, and MHz; None where no path goes from register to register."""

    cells: tuple[int, ...]
    mhz: float | None

    def row(self, name: str) -> str:
        mhz = NO_PATH if self.mhz is None else f"{self.mhz:.1f}"
        return " | ".join([f"| `{name}`", *(f"{count:,}" for count in self.cells), f"{mhz} |"])


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read_table(page: str) -> dict[str, Figures]:
    """Of a page's text: figures by module."""
    if BEGIN not in page or END not in page:
        raise AreaError(f"no table between '{BEGIN}' and '{END}'")
    lines = [line for line in page.split(BEGIN)[1].split(END)[0].splitlines() if line.startswith("|")]
    if not lines or tuple(cells_of(lines[0])[1:]) != COLUMNS:
        raise AreaError(f"the table's columns must be a module and {', '.join(COLUMNS)}")
    rows = {}
    for line in lines[2:]:
        name, *counts, mhz = cells_of(line)
        try:
            rows[name.strip("`")] = Figures(tuple(int(count.replace(",", "")) for count in counts),
                                            None if mhz == NO_PATH else float(mhz))  # fmt: skip
        except ValueError as error:
            raise AreaError(f"row '{name}': {error}") from error
    return rows


def write_table(page: str, rows: dict[str, Figures]) -> str:
    """The page's text with these rows."""
    before, rest = page.split(BEGIN)
    head = ["", f"| | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    return before + BEGIN + "\n".join([*head, *(figures.row(name) for name, figures in rows.items()), END]) + rest.split(END)[1]


def figures_of(cells: dict[str, int], timing: dict) -> Figures:
    """Of yosys's count of cells by type, and nextpnr's report."""
    by_name = {CELLS[cell]: count for cell, count in cells.items() if cell in CELLS}
    slowest = max((sum(step["delay"] for step in path["path"]) for path in timing["critical_paths"]
                   if all(re.match("posedge|negedge", path[end]) for end in ("from", "to"))), default=0)  # fmt: skip
    return Figures(tuple(by_name.get(name, 0) for name in COLUMNS[:-1]), 1000 / slowest if slowest else None)


def is_far(one: float | None, other: float | None) -> bool:
    """More than 5 % from each other, and more than a few cells."""
    if one is None or other is None:
        return one is not other
    return abs(one - other) > max(AT_MOST * other, FEW)


def differences(name: str, found: Figures, told: Figures) -> list[str]:
    """What differs too much, a line each."""
    pairs = zip(COLUMNS, (*found.cells, found.mhz), (*told.cells, told.mhz), strict=True)
    return [f"{name}: {column} {is_}, the page has {was}" for column, is_, was in pairs if is_far(is_, was)]


def synthesize(name: str, arguments: argparse.Namespace) -> Figures:
    """Runs synth.py for one module."""
    top, *parameters = name.split()
    out = arguments.out / top
    words = [f"-{letter}{folder}" for letter, folders in (("y", arguments.library), ("I", arguments.include)) for folder in folders]
    files = [file for file in arguments.files if top == CHIP or file.stem != CHIP]
    more = [word for parameter in parameters for word in ("--parameter", parameter)]
    done = subprocess.run([sys.executable, "-B", SYNTH, "--bin", arguments.bin, "--out", out, "--top", top, *more, *files, *words],
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode != 0:
        raise AreaError(f"{name}: {done.stderr.strip()}")
    return figures_of(json.loads((out / "cells.json").read_text())["design"]["num_cells_by_type"],
                      json.loads((out / "timing.json").read_text()))  # fmt: skip


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True, help="folder of YoWASP's programs")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--page", type=Path, required=True)
    parser.add_argument("--only", metavar="NAME,...", help="modules of the table to which the run is limited")
    parser.add_argument("--write", action="store_true", help="update the page")
    parser.add_argument("-y", dest="library", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("-I", dest="include", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("files", type=Path, nargs="+")
    arguments = parser.parse_args(words)
    arguments.out = arguments.out.resolve()
    try:
        page = arguments.page.read_text(encoding="utf-8")
        rows = read_table(page)
        names = arguments.only.split(",") if arguments.only else list(rows)
        unknown = [name for name in names if name not in rows]
        if unknown:
            raise AreaError(f"--only: the table has no '{unknown[0]}'; it has {', '.join(rows)}")
        complaints = []
        for name in names:
            found = synthesize(name, arguments)
            print(found.row(name), flush=True)
            complaints += differences(name, found, rows[name])
            rows[name] = found
    except AreaError as error:
        print(f"area: error: {arguments.page}: {error}", file=sys.stderr)
        return 2
    if arguments.write:
        arguments.page.write_text(write_table(page, rows), encoding="utf-8")
        return 0
    for line in complaints:
        print(f"area: error: {line}; --write if that is as it should be", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
