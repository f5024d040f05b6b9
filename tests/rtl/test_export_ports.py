#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reader of hdl/ports against Verilator's own reading; what it refuses; the C++ header against the order of members.

    test_export_ports.py COMPILER
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

PORTS = Path(__file__).resolve().parents[2] / "hdl/ports"
sys.path[:0] = [str(PORTS)]

import export_ports

PACKAGES = sorted(PORTS.glob("*_pkg.sv"))
COMPILER = "c++"


def structs() -> dict[str, export_ports.Struct]:
    return {f"{path.stem}::{name}": one for path in PACKAGES for name, one in export_ports.structs(path).items()}


class Reader(unittest.TestCase):
    def test_structs_are_those_that_verilator_reads(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            top, out = Path(folder, "top.sv"), Path(folder, "top.xml")
            ports = ", ".join(f"input {name} port{number}" for number, name in enumerate(structs()))
            top.write_text(f"module top ({ports});\nendmodule\n", encoding="utf-8")
            command = ["verilator", "--xml-only", "--xml-output", str(out), "-Wno-fatal", "--top-module", "top"]
            subprocess.run([*command, *map(str, PACKAGES), str(top)], check=True, capture_output=True)
            types = {one.get("id"): one for one in ElementTree.parse(out).iter() if one.tag.endswith("dtype")}

        def bits(number: str | None) -> int:
            one = types[number]
            if one.tag == "structdtype":
                return sum(bits(member.get("sub_dtype_id")) for member in one)
            if one.tag == "basicdtype":
                return int(one.get("left") or 0) - int(one.get("right") or 0) + 1
            return bits(one.get("sub_dtype_id"))

        theirs = {
            one.get("name"): [(member.get("name"), bits(member.get("sub_dtype_id"))) for member in one]
            for one in types.values() if one.tag == "structdtype"
        }  # fmt: skip
        self.assertEqual(theirs, {name: [(member.name, member.bits) for member in one.members] for name, one in structs().items()})

    def refused(self, members: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a_pkg.sv")
            path.write_text(f"package a_pkg;\n  typedef struct packed {{\n{members}\n  }} a_t;\nendpackage\n", encoding="utf-8")
            with self.assertRaises(export_ports.PortsError) as caught:
                export_ports.structs(path)
            return str(caught.exception)

    def test_what_it_does_not_know_is_an_error_with_its_line(self) -> None:
        self.assertIn("a_pkg.sv:3: no member that this reader knows: logic [3:1] odd;", self.refused("logic [3:1] odd;"))
        self.assertIn("a_pkg.sv:3: no member", self.refused("other_t of_another_package;"))
        self.assertIn("a_pkg.sv:4: a_t has 65 bits", self.refused("logic [64:0] wide;"))



class Header(unittest.TestCase):
    def test_a_word_is_the_members_in_their_order_the_last_one_lowest(self) -> None:
        """Values worked out by hand, from the packages and IEEE 1800, 7.2.1."""
        claims = (
            "ChannelIn{true, false, false, 0xA5, true}.word() == (1U << 11 | 0xA5U << 1 | 1U)",
            "ChannelIn::of(0x54B).nrz == 0xA5 && ChannelIn::of(0x54B).index_pulse && !ChannelIn::of(0x54B).sector_pulse",
            "HdaOut{false, 0x7FFFFF, 0, false, false, false, true}.word() == (0x7FFFFFULL << 12 | 1U)",
            "HdaOut::of(0x7FFFFF000).seek_cylinder == 0x7FFFFF && HdaOut::of(0x7FFFFF000).seek_head == 0",
            "HdaOut{true, 0xFFFFFFFF, 0, false, false, false, false}.word() == (1ULL << 35 | 0x7FFFFFULL << 12)",
            "DiskToBuffer{{true, 0x80, false}, false, true}.word() == (1U << 11 | 0x80U << 3 | 1U)",
            "DiskToBuffer::of(0xFFF).bytes.wr_data == 0xFF && !DiskToBuffer::of(0x7FF).bytes.wr_valid",
            "sizeof(DiskToBuffer{}.word()) == 2 && sizeof(HdaOut{}.word()) == 8 && sizeof(Pins{}.word()) == 4",
        )
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "hdl_ports.hpp").write_text(export_ports.header(PACKAGES), encoding="utf-8")
            lines = ['#include "hdl_ports.hpp"', "using namespace headstack::ports;"]
            lines += [f'static_assert({claim}, "{number}");' for number, claim in enumerate(claims)]
            for struct in structs().values():
                name = export_ports.camel(struct.name)
                for bit in range(struct.bits):
                    lines.append(f"static_assert({name}::of(1ULL << {bit}).word() == 1ULL << {bit});")
            source = Path(folder, "claims.cpp")
            source.write_text("\n".join(lines), encoding="utf-8")
            command = [COMPILER, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Werror", str(source)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual("", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        COMPILER = sys.argv.pop(1)
    unittest.main()
