# SPDX-License-Identifier: Apache-2.0
"""Checks that the firmware of another commit can run on today's simulator: registers, events, design and RAM must agree."""

import re
import sys
from pathlib import Path

from errors import RegressError

sys.path.append(str(Path(__file__).resolve().parents[2] / "firmware/tools"))

from elf import Elf  # noqa: E402

REGISTERS = "hdl/include"  # folder of generated headers, below a build
HEADERS = {"firmware/events.h": "events", "firmware/drive_design.h": "the layout of the drive's design"}
# Symbols of start/soc.ld and firmware/CMakeLists.txt.
SIZES = {"__ram_end": "the RAM's size", "__ram_top": "the top of the RAM"}
REMEDY = "compare with a later commit, or run both commits' own builds"


def require_same_interface(source: Path, build: Path, elf: Path, root: Path, program: Path) -> None:
    """Raises RegressError with all differences. `program` is today's simulator, in its build's folder host."""
    today = program.parent.parent
    elf_today = today / "firmware/drive.elf"
    differing = []
    registers, found = (_contents(folder / REGISTERS) for folder in (build, today))
    if not found:
        raise RegressError(f"--against: {today / REGISTERS}: there are no register headers; run ./headstack build")
    names = sorted(name for name in {*registers, *found} if registers.get(name) != found.get(name))
    if names:
        differing.append(f"registers ({', '.join(names)})")
    for header, what in HEADERS.items():
        if _code(source / header) != _code(root / header):
            differing.append(f"{what} ({header})")
    before, after = _symbols(elf), _symbols(elf_today)
    differing += [what for symbol, what in SIZES.items() if before.get(symbol) != after.get(symbol)]
    if differing:
        raise RegressError(f"--against: its firmware does not fit today's simulator, because these differ: {'; '.join(differing)}; {REMEDY}")


def _code(file: Path) -> list[str]:
    """The words of a header without its comments; none if there is no such file."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL).split()


def _contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*_regs.h"))}


def _symbols(elf: Path) -> dict[str, int]:
    try:
        return {symbol.name: symbol.value for symbol in Elf(elf).symbols if symbol.name in SIZES}
    except (OSError, ValueError) as error:
        raise RegressError(f"--against: {elf}: {error}; run ./headstack build") from None
