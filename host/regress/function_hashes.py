# SPDX-License-Identifier: Apache-2.0
"""Hashes of a program's functions, which do not depend on their places in memory.

They are made from the objects of the final link, so they contain no address. An object has a section for each function. Its
hash is of the section's bytes and relocations as (offset, type, symbol, addend). The map that the linker leaves beside the
program names the objects. A program from elsewhere has none, so its functions are not known.
"""

import hashlib
import json
import re
import struct
import sys
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from errors import RegressError

sys.path.append(str(Path(__file__).resolve().parents[2] / "firmware/tools"))

from elf import FLAG_IN_MEMORY, SECTION_NO_BITS  # noqa: E402
from source_lines import source_name  # noqa: E402

MAP = "drive.map"
_LOADED = re.compile(r"^LOAD (.+\.o)$", re.M)
VERSION = 1  # increased when hashes of the same objects change
# Rows of ELF's tables (System V ABI, Elf32_Sym and Elf32_Rela), and values of their fields.
_SYMBOL, _RELOCATION = struct.Struct("<IIIBBH"), struct.Struct("<IIi")
_LOCAL, _FUNCTION, _FILE = 0, 2, 4


@dataclass(frozen=True)
class Functions:
    """Hashes of each function's parts and copies, by NAME, or NAME@FILE for a static function; and one hash of all else in
    memory.
    """

    hashes: dict[str, tuple[str, ...]]
    data: str

    def text(self) -> str:
        """The hashes as JSON."""
        return json.dumps({"version": VERSION, "data": self.data, "functions": self.hashes}, indent=0, sort_keys=True)


@dataclass(frozen=True)
class Changed:
    """The differences between two programs."""

    names: frozenset[str]  # names as in Functions
    data: bool

    def among(self, ran: Collection[str]) -> "Changed":
        """The changed functions among those that ran, by the names of a ledger. A name without a file is that of any such
        function.
        """
        known = {f"{source_name(name)}{''.join(name.partition('@')[1:])}" for name in ran}
        return Changed(frozenset(name for name in self.names if name in known or name.partition("@")[0] in known), self.data)

    @property
    def functions(self) -> list[str]:
        """The functions' names for messages."""
        return sorted({name.partition("@")[0] for name in self.names})


def read_functions(text: str) -> Functions | None:
    """Reads Functions.text(); None if it is of another version, or no such text."""
    try:
        table = json.loads(text)
        if table["version"] != VERSION:
            return None
        return Functions({name: tuple(hashes) for name, hashes in table["functions"].items()}, str(table["data"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def changed_functions(before: Functions, after: Functions) -> Changed:
    """The functions that are in one program only, or have different code."""
    names = {*before.hashes, *after.hashes}
    return Changed(frozenset(n for n in names if before.hashes.get(n) != after.hashes.get(n)), before.data != after.data)


def functions_of(elf: Path) -> Functions | None:
    """The functions of a program whose objects are there and older than it; otherwise None."""
    map_file = elf.with_name(MAP)
    try:
        objects = [Path(name) for name in _LOADED.findall(map_file.read_text(encoding="utf-8", errors="replace"))]
        built = elf.stat().st_mtime
        if not objects or any(file.stat().st_mtime > built for file in objects):
            return None
        return hash_functions(objects)
    except (OSError, RegressError):
        return None


def hash_functions(objects: list[Path]) -> Functions:
    """The hashes of objects in any order. Raises OSError, and RegressError for a file that is no object."""
    hashes: dict[str, list[str]] = defaultdict(list)
    data: list[str] = []
    for file in objects:
        with file.open("rb") as stream:
            try:
                _add_object(ELFFile(stream), hashes, data)
            except ELFError as error:
                raise RegressError(f"{file}: not an object of the firmware: {error}") from None
    return Functions({name: tuple(sorted(ones)) for name, ones in hashes.items()}, _digest(sorted(data)))


def _digest(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()


class _Symbols:
    """The symbol table of an object. Tables are read as arrays: objects have 100,000 rows, most of them of the debug
    information.
    """

    def __init__(self, elf: ELFFile, sections: list[Any]) -> None:
        table = elf.get_section_by_name(".symtab")
        self._rows = list(_SYMBOL.iter_unpack(table.data())) if table else []
        self._names = sections[table["sh_link"]].data() if table else b""
        self._sections = [section.name for section in sections]

    def _name(self, offset: int) -> str:
        return self._names[offset : self._names.index(b"\0", offset)].decode()

    def functions(self) -> dict[int, set[str]]:
        """Names of functions by the number of their section."""
        names: dict[int, set[str]] = defaultdict(set)
        file = ""
        for name, _, _, info, _, section in self._rows:
            if info & 15 == _FILE:
                file = self._name(name)
            elif info & 15 == _FUNCTION:
                function = source_name(self._name(name))
                names[section].add(f"{function}@{file}" if info >> 4 == _LOCAL else function)
        return names

    def place(self, number: int) -> tuple[str, int]:
        """The section and offset of a symbol. Names of local symbols would not do: the compiler numbers its labels anew each
        time.
        """
        name, value, _, info, _, section = self._rows[number]
        if info >> 4 == _LOCAL and 0 < section < len(self._sections):
            return self._sections[section], value
        return source_name(self._name(name)), 0


def _add_object(elf: ELFFile, hashes: dict[str, list[str]], data: list[str]) -> None:
    sections = list(elf.iter_sections())
    in_memory = {number for number, section in enumerate(sections) if section["sh_flags"] & FLAG_IN_MEMORY and section["sh_size"]}
    if not in_memory:  # the compiler's own code, of which it makes another object
        return
    symbols = _Symbols(elf, sections)
    names = symbols.functions()
    relocations: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for section in sections:
        if isinstance(section, RelocationSection) and section["sh_info"] in in_memory:
            rows = _RELOCATION.iter_unpack(section.data())
            relocations[section["sh_info"]] = sorted((at, what & 255, *symbols.place(what >> 8), addend) for at, what, addend in rows)
    for number in sorted(in_memory):
        section = sections[number]
        content = section["sh_size"] if section["sh_type"] == SECTION_NO_BITS else section.data()
        if number in names:
            digest = _digest((content, relocations[number]))
            for name in names[number]:
                hashes[name].append(digest)
        else:
            data.append(_digest((source_name(section.name.lstrip(".")), content, relocations[number])))
