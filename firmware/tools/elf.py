# SPDX-License-Identifier: Apache-2.0
"""ELF files of the drive's core, as far as reports need them: pyelftools' tables as plain rows."""

from pathlib import Path
from typing import NamedTuple

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

FLAG_IN_MEMORY = SH_FLAGS.SHF_ALLOC
SECTION_NO_BITS = "SHT_NOBITS"
SYMBOL_OBJECT = "STT_OBJECT"
SYMBOL_FUNCTION = "STT_FUNC"
SYMBOL_FILE = "STT_FILE"


class Section(NamedTuple):
    name: str
    type: str
    flags: int
    address: int
    size: int
    data: bytes  # zeros for one without bits in the file


class Symbol(NamedTuple):
    name: str
    value: int
    size: int
    type: str
    is_local: bool
    section: int  # 0: in none
    file: str  # of a local one: the source file's name


class Relocation(NamedTuple):
    type: int
    symbol: Symbol


class Elf:
    """One file; everything is read at once.

    Raises OSError, and ValueError with the file's name when it is not one of 32 bits, low byte first.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            with path.open("rb") as stream:
                file = ELFFile(stream)
                if file.elfclass != 32 or not file.little_endian:
                    raise ELFError("it is for another machine")
                self._read(file)
        except ELFError as error:
            raise ValueError(
                f"{path}: not a 32-bit ELF file with the low byte first ({error}); build it again"
            ) from None

    def _read(self, file: ELFFile) -> None:
        tables = list(file.iter_sections())
        self.sections = [
            Section(t.name, t["sh_type"], t["sh_flags"], t["sh_addr"], t["sh_size"], t.data())
            for t in tables
        ]
        self.symbols: list[Symbol] = []
        for table in tables:
            if isinstance(table, SymbolTableSection):
                self.symbols += _symbols(table)
        # Of sections that end up in memory.
        self.relocations = [
            Relocation(row["r_info_type"], self.symbols[row["r_info_sym"]])
            for table in tables
            if isinstance(table, RelocationSection)
            and self.sections[table["sh_info"]].flags & FLAG_IN_MEMORY
            for row in table.iter_relocations()
        ]


def _symbols(table: SymbolTableSection) -> list[Symbol]:
    """Each local one belongs to the source file whose symbol comes before it."""
    symbols, file = [], ""
    for row in table.iter_symbols():
        kind, section = row["st_info"]["type"], row["st_shndx"]
        is_local = row["st_info"]["bind"] == "STB_LOCAL"
        if kind == SYMBOL_FILE:
            file = row.name
        symbols.append(
            Symbol(
                row.name,
                row["st_value"],
                row["st_size"],
                kind,
                is_local,
                section if isinstance(section, int) else 0,
                file if is_local else "",
            )
        )
    return symbols
