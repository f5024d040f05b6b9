# SPDX-License-Identifier: Apache-2.0
"""The rows of mode pages and log pages (firmware/unit/modes.def, firmware/device/logs.def), as pages and tests read them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parents[1]
# Headers whose constants the rows use, below firmware/.
HEADERS = ("unit/mode_values.h", "device/log_page.h", "queue/write_buffer.h", "queue/policy_stream.h")
ANY = 0xFFFFFFFF
CALL = re.compile(r"^(\w+)\(", re.MULTILINE)
STRING = re.compile(r'"(?:\\.|[^"\\])*"')


class RowError(ValueError):
    """A row that cannot be read; the text names file and row."""


@dataclass(frozen=True)
class Field:
    """A field of a page or of a descriptor. Bytes and bits count as in modes.def."""

    name: str
    byte: int
    bit: int
    bits: int
    count: int  # of an array; else 1
    unit: str
    least: int
    most: int
    beyond: str
    default: str  # an expression in C
    changes: bool
    meaning: str

    @property
    def last_byte(self) -> int:
        """The last byte, with all elements of an array."""
        return self.byte + (self.bits + 7) // 8 * self.count - 1


@dataclass(frozen=True)
class Page:
    """A page or subpage. The fields of a subpage are those of its descriptors."""

    code: int
    subpage: int  # 0: none
    bytes: int
    saved: str
    title: str
    clause: str
    at: int = 0  # first byte of the descriptors of a subpage
    count: int = 0  # number of descriptors
    fields: list[Field] = field(default_factory=list)
    flags: list[tuple[str, int, str]] = field(default_factory=list)  # field, bit and meaning

    def find(self, name: str) -> Field:
        """Raises RowError for a name that is no field."""
        for one in self.fields:
            if one.name == name:
                return one
        raise RowError(f"{self.title}: no field {name}")


@dataclass(frozen=True)
class LogPage:
    """A log page, with its parameters: code, or text for several, and meaning."""

    code: int
    subpage: int
    form: str
    counted: str
    contents: str
    parameters: list[tuple[str, str]] = field(default_factory=list)


def _columns(text: str) -> list[str]:
    """The arguments of a macro. A comma inside quotes or parentheses separates nothing; strings lose their quotes."""
    words, depth, begin = [], 0, 0
    plain = STRING.sub(lambda match: "_" * len(match[0]), text)
    for at, letter in enumerate(plain):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            words.append(text[begin:at])
            begin = at + 1
    words.append(text[begin:])
    return [word.strip().strip('"').replace('\\"', '"') for word in words]


def calls(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each row's macro and columns. Raises RowError."""
    text = re.sub(r"^(//|#).*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    plain = STRING.sub(lambda match: "_" * len(match[0]), text)
    for match in CALL.finditer(plain):
        depth, at = 1, match.end()
        while depth and at < len(plain):
            depth += {"(": 1, ")": -1}.get(plain[at], 0)
            at += 1
        if depth:
            raise RowError(f"{path.name}: {match[1]} without its end")
        yield match[1], _columns(text[match.end() : at - 1])


def constants() -> dict[str, int]:
    """Numbers that HEADERS define, and enumerators."""
    found = {"ANY": ANY}
    for header in HEADERS:
        text = re.sub(r"//.*", "", (FIRMWARE / header).read_text(encoding="utf-8"))
        for name, number in re.findall(r"^#define (\w+) (0x[0-9A-Fa-f]+|\d+)U?$", text, re.MULTILINE):
            found[name] = int(number, 0)
        for body in re.findall(r"\benum \w+ \{([^}]*)\}", text):
            value = -1
            for name, number in re.findall(r"(\w+)(?: = (0x[0-9A-Fa-f]+|\d+))?,?", re.sub(r"#.*", "", body)):
                value = int(number, 0) if number else value + 1
                found[name] = value
    return found


def value_of(text: str, known: dict[str, int]) -> int:
    """The number of an expression: a number, a constant, or one of them minus a number. Raises RowError."""
    first, _, less = text.partition(" - ")
    if re.fullmatch(r"(0x[0-9A-Fa-f]+|\d+)U?", first):
        number = int(first.removesuffix("U"), 0)
    elif first in known:
        number = known[first]
    else:
        raise RowError(f"{text}: not known; name its header in firmware/tools/page_rows.py")
    return number - (int(less) if less else 0)


def _field(columns: list[str], known: dict[str, int]) -> Field:
    name, byte, bit, bits, unit, least, most, beyond, default, change, meaning = columns[2:]
    return Field(name, int(byte), int(bit), int(bits), 1, unit, value_of(least, known), value_of(most, known), beyond, default,
                 change == "CHANGES", meaning)


def mode_pages(path: Path = FIRMWARE / "unit/modes.def") -> list[Page]:
    """All pages, in the order of MODE SENSE, subpages of descriptors last. Raises RowError."""
    known = constants()
    pages: dict[str, Page] = {}
    fields: dict[str, list[Field]] = {}
    sizes: dict[str, int] = {}
    subpages: list[tuple[str, list[str]]] = []
    for macro, columns in calls(path):
        if macro == "MODE_PAGE":
            name, code, subpage, size, saved, title, clause = columns
            pages[name] = Page(int(code, 0), int(subpage, 0), int(size), saved, title, clause, fields=fields.setdefault(name, []))
        elif macro == "MODE_DESCRIPTOR":
            sizes[columns[0]] = int(columns[1])
        elif macro in ("MODE_FIELD", "MODE_DESCRIPTOR_FIELD"):
            fields.setdefault(columns[0], []).append(_field(columns, known))
        elif macro == "MODE_ARRAY":
            _, _, name, byte, bits, count, unit, meaning = columns
            one = Field(name, int(byte), 7, int(bits), int(count), unit, 0, ANY, "REFUSED", "0", True, meaning)
            fields.setdefault(columns[0], []).append(one)
        elif macro == "MODE_FLAG":
            pages[columns[0]].flags.append((columns[1].lower(), int(columns[3]), columns[4]))
        elif macro == "MODE_SUBPAGE":
            subpages.append((columns[0], columns[1:]))
        else:
            raise RowError(f"{path.name}: {macro} is not known")
    for name, (code, subpage, at, descriptor, count, saved, title, clause) in subpages:
        size = int(at) + int(count) * sizes[descriptor]
        pages[name] = Page(int(code, 0), int(subpage, 0), size, saved, title, clause, int(at), int(count), fields[descriptor])
    return list(pages.values())


def _label(macro: str, code: str, index: int) -> str:
    """What names a parameter, or the value `index` of a list."""
    if macro == "LOG_TALLY":
        return f"value {index}"
    number = f"{int(code, 0):04X}h"
    return f"from {number} on" if macro in ("LOG_COUNTERS", "LOG_LISTS") else number


def log_pages(path: Path = FIRMWARE / "device/logs.def") -> list[LogPage]:
    """All pages in ascending order. Raises RowError."""
    known = constants()
    pages: dict[str, LogPage] = {}
    for macro, columns in calls(path):
        if macro == "LOG_PAGE":
            name, code, subpage, form, counted, contents = columns
            pages[name] = LogPage(int(code, 0), value_of(subpage, known), form, counted, contents)
            continue
        # The rows of the error counters hold for all their pages.
        mine = [
            page for name, page in pages.items()
            if name == columns[0] or (name.startswith(columns[0] + "_") and page.form == "COUNTERS")
        ]
        if not mine:
            raise RowError(f"{path.name}: {columns[1]}: no page {columns[0]}")
        for page in mine:
            page.parameters.append((_label(macro, columns[2], len(page.parameters)), columns[-1]))
    return list(pages.values())
