# SPDX-License-Identifier: Apache-2.0
"""Converts firmware_layout.o to a C++ header.

A constant field_STRUCT_NAME has the bits of one member set. They become a FieldPlace: its first bit, counted from the structure's
beginning, low bit first, and its number of bits. A constant number_NAME becomes a number.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "firmware" / "tools"))

from elf import SYMBOL_OBJECT, Elf, Symbol  # noqa: E402

HEAD = """// Made by host/observe/firmware_layout.py from the firmware's headers.
#pragma once

#include <cstdint>

namespace headstack::observe::layout {

/// A member: its first bit from the structure's beginning on, low bits first, and how many it has.
struct FieldPlace {
  std::uint32_t first_bit;
  std::uint32_t bits;
};

"""


def camel(name: str) -> str:
    """task_lba becomes kTaskLba."""
    return "k" + "".join(word.capitalize() for word in name.split("_"))


def content(elf: Elf, symbol: Symbol) -> int:
    """The constant's bytes as one number, low byte first."""
    data = elf.sections[symbol.section].data
    return int.from_bytes(data[symbol.value : symbol.value + symbol.size], "little")


def line(elf: Elf, symbol: Symbol) -> str:
    """A constant as C++."""
    kind, _, name = symbol.name.partition("_")
    value = content(elf, symbol)
    if kind == "number":
        return f"constexpr std::uint32_t {camel(name)} = {value};"
    bits = value.bit_count()
    first = (value & -value).bit_length() - 1
    if bits == 0 or value >> first != (1 << bits) - 1:
        raise SystemExit(f"{elf.path}: {symbol.name} is not one run of bits")
    return f"constexpr FieldPlace {camel(name)} = {{{first}, {bits}}};"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("object", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    elf = Elf(arguments.object)
    symbols = [s for s in elf.symbols if s.type == SYMBOL_OBJECT]
    lines = [line(elf, symbol) for symbol in sorted(symbols)]
    arguments.out.write_text(HEAD + "\n".join(lines) + "\n\n}  // namespace headstack::observe::layout\n")


if __name__ == "__main__":
    main()
