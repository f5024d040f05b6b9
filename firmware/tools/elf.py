"""ELF files of the drive's core, as far as a report needs them: 32 bits, low byte first."""

import struct
from pathlib import Path
from typing import NamedTuple

SECTION_SYMBOLS = 2
SECTION_RELOCATIONS = 4
SECTION_NO_BITS = 8
FLAG_IN_MEMORY = 2
SYMBOL_OBJECT = 1
SYMBOL_FUNCTION = 2
SYMBOL_FILE = 4


class Section(NamedTuple):
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int  # of relocations: the section that they are about


class Symbol(NamedTuple):
    name: str
    value: int
    size: int
    type: int
    is_local: bool
    section: int
    file: str  # of a local one: the source file's name


class Relocation(NamedTuple):
    type: int
    symbol: Symbol


class Elf:
    """One file; everything is read at once."""

    def __init__(self, path: Path):
        self.path = path
        self._bytes = path.read_bytes()
        if self._bytes[:6] != b"\x7fELF\x01\x01":
            raise ValueError(f"{path}: not a 32-bit ELF file with the low byte first")
        self.sections = self._read_sections()
        self.symbols = self._read_symbols()

    def _text(self, offset: int) -> str:
        return self._bytes[offset : self._bytes.index(b"\0", offset)].decode()

    def _read_sections(self) -> list[Section]:
        (at,) = struct.unpack_from("<I", self._bytes, 0x20)
        entry_bytes, count, names_index = struct.unpack_from("<3H", self._bytes, 0x2E)
        rows = [
            struct.unpack_from("<10I", self._bytes, at + i * entry_bytes) for i in range(count)
        ]
        names_at = rows[names_index][4]
        return [
            Section(self._text(names_at + r[0]), r[1], r[2], r[3], r[4], r[5], r[6], r[7])
            for r in rows
        ]

    def _read_symbols(self) -> list[Symbol]:
        symbols = []
        for section in self.sections:
            if section.type != SECTION_SYMBOLS:
                continue
            names_at = self.sections[section.link].offset
            file = ""
            for at in range(section.offset, section.offset + section.size, 16):
                name, value, size, info, _, index = struct.unpack_from("<3I2BH", self._bytes, at)
                is_local = info >> 4 == 0
                text = self._text(names_at + name)
                if info & 15 == SYMBOL_FILE:
                    file = text
                symbols.append(
                    Symbol(text, value, size, info & 15, is_local, index, file if is_local else "")
                )
        return symbols

    def relocations(self) -> list[Relocation]:
        """Those of sections that end up in memory."""
        found = []
        for section in self.sections:
            if section.type != SECTION_RELOCATIONS:
                continue
            if not self.sections[section.info].flags & FLAG_IN_MEMORY:
                continue
            for at in range(section.offset, section.offset + section.size, 12):
                _, info, _ = struct.unpack_from("<2Ii", self._bytes, at)
                found.append(Relocation(info & 0xFF, self.symbols[info >> 8]))
        return found
