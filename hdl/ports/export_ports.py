#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C++ header of the packed structs of packages, for what connects to the ports of Verilated modules.

    export_ports.py hdl/ports/*_pkg.sv -o build/hdl/include/hdl_ports.hpp

Verilator gives a port of a packed struct as one integer. The header has, in namespace headstack::ports, a struct for each of
them: channel_in_t becomes ChannelIn, with the same members. word() is the integer, and of(word) the struct.

The reader takes only the style of hdl/ports: one member a line, `logic`, `logic [7:0]` or another struct, a comment behind or
above it. Widths are numbers or parameters of the package. Anything else is an error.
"""

import argparse
import dataclasses
import re
import sys
from pathlib import Path

_PARAMETER = re.compile(r"parameter\s+(?:int unsigned\s+)?(\w+)\s*=\s*(\d+);")
_MEMBER = re.compile(r"^(?P<type>[\w:]+)(?:\s*\[(?P<high>\w+)(?P<less>-1)?:0\])?\s+(?P<name>\w+);\s*(?://\s*(?P<comment>.*))?$")
_END = re.compile(r"^\}\s*(\w+)_t;$")
# The widest integer that Verilator uses for a port without an array of words.
MOST_BITS = 64


class PortsError(Exception):
    """A package in a form that this reader does not accept: file, line, and the text there."""


@dataclasses.dataclass(frozen=True)
class Member:
    """A member of a packed struct."""

    name: str
    type: str  # as the source has it
    bits: int
    comment: str


@dataclasses.dataclass(frozen=True)
class Struct:
    """A packed struct; its first member has the highest bits."""

    package: str
    name: str  # without _t
    members: tuple[Member, ...]
    comment: str

    @property
    def bits(self) -> int:
        return sum(member.bits for member in self.members)


def structs(path: Path) -> dict[str, Struct]:
    """The packed structs of a package, by the names of their types."""
    text = path.read_text(encoding="utf-8")
    numbers = {name: int(value) for name, value in _PARAMETER.findall(text)}
    found: dict[str, Struct] = {}
    members: list[Member] | None = None
    comment: list[str] = []
    above: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if words.startswith("//"):
            above.append(words.removeprefix("//").strip())
            continue
        if words == "typedef struct packed {":
            members, comment = [], above
        elif members is not None and (end := _END.match(words)):
            struct = Struct(path.stem, end[1], tuple(members), " ".join(comment))
            if struct.bits > MOST_BITS:
                raise PortsError(f"{path}:{number}: {end[1]}_t has {struct.bits} bits, more than an integer of C++")
            found[f"{end[1]}_t"] = struct
            members = None
        elif members is not None:
            match = _MEMBER.match(words)
            if not match or (match["type"] != "logic" and match["type"] not in found):
                raise PortsError(f"{path}:{number}: no member that this reader knows: {words}")
            kind, bits = match["type"], 1
            if kind != "logic":
                bits = found[kind].bits
            elif high := match["high"]:
                bits = (numbers[high] if high in numbers else int(high)) + (0 if match["less"] else 1)
                kind = f"logic [{bits - 1}:0]"
            members.append(Member(match["name"], kind, bits, match["comment"] or " ".join(above)))
        above = []
    return found


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _integer(bits: int) -> str:
    """Verilator's type of a port of so many bits."""
    return f"std::uint{next(width for width in (8, 16, 32, 64) if bits <= width)}_t"


def _cpp(struct: Struct) -> list[str]:
    fields, packed, unpacked = [], [], []
    low = struct.bits
    for member in struct.members:
        low -= member.bits
        at = f" << {low}" if low else ""
        down = f"(word >> {low})" if low else "word"
        if not member.type.startswith("logic"):
            kind, initial = camel(member.type.removesuffix("_t")), ""
            packed.append(f"std::uint64_t{{{member.name}.word()}}{at}")
            unpacked.append(f"{kind}::of({down})")
        elif member.bits == 1:
            kind, initial = "bool", " = false"
            packed.append(f"std::uint64_t{{{member.name}}}{at}")
            unpacked.append(f"({down} & 1U) != 0")
        else:
            kind, initial = _integer(member.bits), " = 0"
            mask = f"0x{(1 << member.bits) - 1:X}U"
            packed.append(f"(std::uint64_t{{{member.name}}} & {mask}){at}")
            unpacked.append(f"static_cast<{kind}>({down} & {mask})")
        fields.append(f"  {kind} {member.name}{initial};" + (f"  ///< {member.comment}" if member.comment else ""))
    word, name = _integer(struct.bits), camel(struct.name)
    comment = f"{struct.package}::{struct.name}_t." + (f" {struct.comment}" if struct.comment else "")
    return [
        f"/// {comment}", f"struct {name} {{", *fields, "",
        f"  constexpr {word} word() const {{", f"    return static_cast<{word}>({' | '.join(packed)});", "  }",
        f"  static constexpr {name} of(std::uint64_t word) {{", f"    return {{{', '.join(unpacked)}}};", "  }",
        "};", "",
    ]  # fmt: skip


def header(paths: list[Path]) -> str:
    """The C++ header. Raises PortsError."""
    lines = ["// Made by hdl/ports/export_ports.py.", "#pragma once", "", "#include <cstdint>", ""]
    lines += ["namespace headstack::ports {", ""]
    for path in paths:
        found = structs(path)
        if not found:
            raise PortsError(f"{path}: no packed struct")
        for struct in found.values():
            lines += _cpp(struct)
    return "\n".join([*lines, "}  // namespace headstack::ports", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("packages", type=Path, nargs="+")
    arguments = parser.parse_args()
    try:
        text = header(arguments.packages)
    except (OSError, PortsError) as error:
        print(f"export_ports: error: {error}", file=sys.stderr)
        return 1
    arguments.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
