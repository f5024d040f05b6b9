#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A firmware's use of the drive's RAM: memory map, code size, worst-case stack.

    report.py --elf drive.elf --objects FILE... --table report.toml --objdump OBJDUMP --out FILE

Writes FILE and prints its summary. Fails with one line when the stack does not fit, or cannot be known. Reasons are an unlisted
call through a pointer, recursion without a limit, or a frame without a fixed size.

The stack's worst case is the sum of three: the program, the interrupt handler on top of it, and an exception on top of both. The
handler's own interrupts are off. The compiler's records (.ci) stand beside the object files; those made from assembly have none.
The table: firmware/report.toml.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from call_graph import (
    Chain,
    Function,
    ReportError,
    check_addresses_taken,
    deepest,
    read_compiler_records,
    read_disassembly,
    resolve_pointers,
)
from elf import FLAG_IN_MEMORY, SYMBOL_FUNCTION, SYMBOL_OBJECT, Elf

LARGEST_OBJECTS = 6
# Where code of no source is, and constants of a program that is optimised as a whole.
ELSEWHERE = "(compiler's)"


def column_of_rows(file: Path, column: str) -> list[str]:
    """What stands in a column of the rows MACRO(...) of a table, once each; not every kind of row has it.

    Comments of the form "// MACRO(column, column, ...)" at the table's head name the columns.
    """
    text = file.read_text()
    kinds = {m[1]: m[2].split(", ") for m in re.finditer(r"^// (\w+)\((.*)\)$", text, re.MULTILINE)}
    rows = re.findall(r"^(\w+)\(([^)]*)\)", text, re.MULTILINE)
    if not any(column in names for names in kinds.values()):
        raise ReportError(f"{file.name}: the comment at its head names no column '{column}'")
    return sorted(
        {re.split(r",\s*", cells)[kinds[kind].index(column)] for kind, cells in rows if column in kinds[kind]}
    )


def expand_names(names: list[str], folder: Path) -> list[str]:
    """@FILE:COLUMN replaced by what stands in that column."""
    expanded = []
    for name in names:
        file, _, column = name.removeprefix("@").partition(":")
        expanded += column_of_rows(folder / file, column) if name.startswith("@") else [name]
    return expanded


class Firmware:
    """The linked program with all that is known of it."""

    def __init__(self, arguments: argparse.Namespace):
        self.table = tomllib.loads(arguments.table.read_text())
        self.folder = arguments.table.parent
        pointers = self.table["pointers"]
        for pointer, names in pointers.items():
            pointers[pointer] = expand_names(names, arguments.table.parent)
        self.elf = Elf(arguments.elf)
        self.objects = [Elf(path) for path in arguments.objects]
        records = [path.with_suffix(".ci") for path in arguments.objects]
        self.functions = read_compiler_records([path for path in records if path.exists()])
        self._add_assembly(arguments.objdump)
        resolve_pointers(self.functions, self.table["pointers"])
        check_addresses_taken(self.functions, self.objects, self.table["pointers"])

    def _add_assembly(self, objdump: str) -> None:
        """What the linked program has beyond the compiler's records."""
        known = {f.symbol for f in self.functions.values()}
        roots = set(self.table["roots"].values())
        wanted = {
            s.value: s.name
            for s in self.elf.symbols
            if s.name and s.name not in known and (s.type == SYMBOL_FUNCTION or s.name in roots)
        }
        text = subprocess.run(
            [objdump, "-d", "--no-show-raw-insn", self.elf.path],
            check=True, capture_output=True, text=True,
        ).stdout
        self.functions.update(read_disassembly(text, wanted))

    def symbol(self, name: str) -> int:
        return next(s.value for s in self.elf.symbols if s.name == name)

    def chain(self, root: str) -> Chain:
        limits = {name: row["times"] for name, row in self.table["limits"].items()}
        return deepest(self.functions, self.table["roots"][root], limits)

    def folders(self) -> dict[str, list[int]]:
        """Bytes of code and of constants by folder of the sources, largest first."""
        units = {Path(f.unit).name: f.unit for f in self.functions.values() if f.unit}
        of_function = {f.symbol: f.unit for f in self.functions.values() if f.is_of_whole}
        of_global = {
            symbol.name: units.get(_source(file), "")
            for file in self.objects
            for symbol in file.symbols
            if symbol.section and not symbol.is_local
        }
        sizes: dict[str, list[int]] = {}
        for symbol in self.elf.symbols:
            is_sized = symbol.type in (SYMBOL_FUNCTION, SYMBOL_OBJECT) and symbol.size > 0
            if not is_sized or self.elf.sections[symbol.section].name not in (".text", ".rodata"):
                continue
            is_constant = self.elf.sections[symbol.section].name == ".rodata"
            unit = (
                units.get(symbol.file, "")
                or of_function.get(symbol.name, "")
                or of_global.get(symbol.name, "")
            )
            row = sizes.setdefault(Path(unit).parent.name if unit else ELSEWHERE, [0, 0])
            row[is_constant] += symbol.size
        return dict(sorted(sizes.items(), key=lambda item: -sum(item[1])))


def _source(file: Elf) -> str:
    """Name of the source file that an object was made of."""
    return next((s.file for s in file.symbols if s.file), "")


def memory_map(firmware: Firmware) -> list[str]:
    rows = [
        (s.address, s.size, s.name)
        for s in firmware.elf.sections
        if s.flags & FLAG_IN_MEMORY and s.size
    ]
    end, top, ram_end = map(firmware.symbol, ("__data_end", "__stack_top", "__ram_end"))
    rows.append((end, top - end, "stack room"))
    if ram_end > top:
        rows.append((top, ram_end - top, firmware.table["memory"]["above_the_stack"]))
    lines = [f"  0x{address:05x} {size:9,}  {name}" for address, size, name in sorted(rows)]
    objects = sorted(
        (s for s in firmware.elf.symbols if s.type == SYMBOL_OBJECT), key=lambda s: -s.size
    )
    lines += ["", "Largest objects", ""]
    lines += [f"  0x{s.value:05x} {s.size:9,}  {s.name}" for s in objects[:LARGEST_OBJECTS]]
    return lines


def chain_lines(title: str, chain: Chain) -> list[str]:
    def line(function: Function) -> str:
        return f"    {function.frame_bytes:5}  {function.name}"

    return [f"  {title}: {chain.bytes:,} bytes", *map(line, chain.functions), ""]


def loop_lines(table: Path) -> list[str]:
    """The bounds of loop_bounds.def, which a test holds the firmware to."""
    rows = re.findall(r'^LOOP_(BOUND|CHOICE)\((\w+), (\d+), "([^"]*)"\)$', table.read_text(), re.MULTILINE)
    if not rows:
        raise ReportError(f"{table.name} has no rows")
    return [
        f"  {int(cycles):7,}{' for each candidate' if kind == 'CHOICE' else ''}  {name.lower()}: {text}"
        for kind, name, cycles, text in rows
    ]


def report(firmware: Firmware) -> tuple[list[str], str, bool]:
    """The report, its summary in one line, and whether the stack fits."""
    room = firmware.symbol("__stack_top") - firmware.symbol("__data_end")
    chains = {name: firmware.chain(name) for name in firmware.table["roots"]}
    need = sum(chain.bytes for chain in chains.values())
    sections = {s.name: s.size for s in firmware.elf.sections}
    code = sections.get(".vectors", 0) + sections.get(".text", 0)
    data = sum(sections.get(name, 0) for name in (".data", ".bss", ".noinit"))
    summary = (
        f"{firmware.elf.path.name}: code {code:,}, constants {sections.get('.rodata', 0):,}, "
        f"data {data:,} bytes; stack {need:,} of {room:,} at worst"
    )
    ram, free = firmware.symbol("__ram_end"), room - need
    headroom = f"RAM {ram:,} bytes: {free:,} of them ({free / ram:.0%}) free, the stack at its worst"
    lines = [summary, headroom, "", "Memory map", "", *memory_map(firmware), ""]
    lines += ["Code and constants by folder, bytes", ""]
    for folder, (code_bytes, constant_bytes) in firmware.folders().items():
        lines.append(f"  {code_bytes:7,} {constant_bytes:7,}  {folder}")
    lines += ["", "Stack at worst", ""]
    for name, chain in chains.items():
        lines += chain_lines(name, chain)
    lines.append(f"  {need:,} bytes in all, of {room:,}: {room - need:,} to spare")
    if "main_loop" in firmware.table:
        lines += ["", "Cycles between two returns to the main loop, at most", ""]
        lines += loop_lines(firmware.folder / firmware.table["main_loop"]["bounds"])
    return lines, summary, need <= room


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elf", type=Path, required=True)
    parser.add_argument("--objects", type=Path, nargs="+", required=True)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--objdump", required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        lines, summary, fits = report(Firmware(arguments))
    except ReportError as error:
        print(f"{arguments.elf.name}: error: {error}", file=sys.stderr)
        return 1
    arguments.out.write_text("\n".join(lines) + "\n")
    print(f"{summary}\n  details: {arguments.out}")
    if not fits:
        print(f"{arguments.elf.name}: error: the stack does not fit", file=sys.stderr)
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
