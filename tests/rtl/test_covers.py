#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the tests of the blocks reach the cover properties in hdl/: each state and each error.

    test_covers.py HDL PROGRAM[=FILTER]...

Runs the test programs; with a filter, the tests that match it, each in a process of its own. The programs sum the counts of their
Verilated blocks. It prints each cover property that no test reached, with its file and line. An assertion, assumption or cover
property without a name is an error, too: a name is what a failing run shows. A property counts as reached when one of its
module's instances reached it.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROPERTY = re.compile(r"^\s*(?:initial\s+)?(?:if \([^)]*\) )?(?:(?P<name>\w+) : )?(?P<kind>assert|assume|cover)\b", re.MULTILINE)
# What a name begins with, by kind.
PREFIX = {"assert": "a_", "assume": "m_", "cover": "c_"}
POINT = re.compile(r"^C '(?P<keys>.*)' (?P<count>\d+)$")


def properties(hdl: Path) -> tuple[dict[tuple[str, str], int], list[str]]:
    """The cover properties below `hdl`, as line by (file name, name), and what is wrong with the properties there."""
    covers: dict[tuple[str, str], int] = {}
    faults = []
    for path in sorted(hdl.glob("*/*.sv")):
        text = path.read_text()
        for match in PROPERTY.finditer(text):
            line = text.count("\n", 0, match.start("kind")) + 1
            kind, name = match["kind"], match["name"]
            if name is None or not name.startswith(PREFIX[kind]):
                faults.append(f"{path}:{line}: {kind} without a name; give it one that begins with {PREFIX[kind]}")
            elif kind == "cover":
                covers[path.name, name] = line
    return covers, faults


def counts(path: Path) -> dict[tuple[str, str], int]:
    """How often each cover property was reached, by (file name, name), of Verilator's coverage data in `path`."""
    sums: dict[tuple[str, str], int] = {}
    for line in path.read_text().splitlines():
        match = POINT.match(line)
        if match is None:
            continue
        keys = dict(part.split("\x02", 1) for part in match["keys"].split("\x01") if part)
        point = (Path(keys["f"]).name, keys["o"])
        sums[point] = sums.get(point, 0) + int(match["count"])
    return sums


def processes(program: str) -> list[list[str]]:
    """The command lines that run a PROGRAM[=FILTER]."""
    path, _, pattern = program.partition("=")
    if not pattern:
        return [[path]]
    listed = subprocess.run([path, f"--gtest_filter={pattern}", "--gtest_list_tests"], capture_output=True, text=True, check=True)
    suite, tests = "", []
    for line in listed.stdout.splitlines():
        name = line.split("#")[0].rstrip()
        if re.fullmatch(r"[\w/]+\.", name):
            suite = name
        elif suite and re.fullmatch(r"  [\w/]+", name):
            tests.append([path, f"--gtest_filter={suite}{name.strip()}"])
    return tests


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hdl", type=Path)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()

    covers, faults = properties(arguments.hdl)
    reached: dict[tuple[str, str], int] = {}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "counts.dat"
        for program in arguments.programs:
            commands = processes(program)
            if not commands:
                faults.append(f"{program}: no test matches")
            for command in commands:
                run = subprocess.run([*command, "--gtest_brief=1"], env=os.environ | {"HEADSTACK_COVERAGE": str(data)},
                                     stdout=subprocess.DEVNULL, check=False)
                if run.returncode != 0:
                    faults.append(f"'{' '.join(command)}' fails")
                for point, count in counts(data).items():
                    reached[point] = reached.get(point, 0) + count
    for (file, name), line in covers.items():
        if reached.get((file, name), 0) == 0:
            faults.append(f"{file}:{line}: {name} is reached by no test")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(covers)} cover properties, {len(faults)} faults")
    return 1 if faults or not covers else 0


if __name__ == "__main__":
    sys.exit(main())
