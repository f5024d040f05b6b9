# SPDX-License-Identifier: Apache-2.0
"""assertions.py ROOT --out FILE: the texts of the firmware's assertions, for the simulator's reports.

A line each: file, first and last line, condition. The image has only file and line (firmware/kernel/assert.h). The files are
those of firmware/kernel/file_ids.def.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FILE = re.compile(r'^ASSERTING_FILE\(\d+, \w+, "([^"]+)"\)', re.MULTILINE)
ASSERT = re.compile(r"\bASSERT(_UNREACHABLE)?\(")
# Where a parenthesis is none.
NO_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.DOTALL)


def end_of(code: str, begin: int) -> int:
    """Where the parenthesis that is open at `begin` is closed. Raises ValueError."""
    depth = 1
    for at in range(begin, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    raise ValueError("an assertion without its end")


def assertions(text: str) -> Iterator[tuple[int, int, str]]:
    """First line, last line and condition of each."""
    code = NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in ASSERT.finditer(code):
        if "#define" in code[code.rfind("\n", 0, match.start()) + 1 : match.start()]:
            continue
        end = end_of(code, match.end())
        condition = " ".join(text[match.end() : end].split()) or "this cannot be reached"
        yield text.count("\n", 0, match.start()) + 1, text.count("\n", 0, end) + 1, condition


def table(root: Path) -> str:
    """All of a tree."""
    lines = []
    for file in FILE.findall((root / "firmware/kernel/file_ids.def").read_text(encoding="utf-8")):
        text = (root / file).read_text(encoding="utf-8")
        lines += [f"{file} {first} {last} {condition}\n" for first, last, condition in assertions(text)]
    return "".join(lines)


def main() -> int:
    """Writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_text(table(options.root), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
