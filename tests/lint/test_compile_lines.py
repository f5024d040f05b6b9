# SPDX-License-Identifier: Apache-2.0
"""No definition on a compile line has a path of the checkout: the compiler's cache serves every checkout.

test_compile_lines.py BUILD

ccache makes the paths of files and folders relative (CCACHE_BASEDIR), but not the text of a definition.
"""

import json
import re
import shlex
import sys
import unittest
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path()  # from the command line


def tied(lines: Iterable[dict[str, str]], root: Path, build: Path) -> list[str]:
    """Each source and definition that has a path of the checkout or of its build."""
    path = re.compile("|".join(re.escape(str(folder)) + r"(?![\w.-])" for folder in (root, build)))
    found = set()
    for line in lines:
        for word in shlex.split(line["command"]):
            if word.startswith("-D") and path.search(word):
                found.add(f"{line['file']}: {word}")
    return sorted(found)


class CompileLines(unittest.TestCase):
    def test_none_is_tied_to_its_checkout(self) -> None:
        lines = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
        self.assertGreater(len(lines), 500, "the build folder does not compile the project")
        found = tied(lines, ROOT, BUILD)
        self.assertEqual([], found, "remedy: take the path from tests/paths.hpp when the test runs")

    def test_a_path_in_a_definition_is_told(self) -> None:
        root, build = Path("/work/a"), Path("/elsewhere/b")
        names = {
            "root": r"-DPLACE=\"/work/a\"",
            "below": r"-DPLACE=\"/work/a/sim\"",
            "build": r"'-DLINE=\"c++ -I/elsewhere/b/x\"'",
            "other": r"-DPLACE=\"/work/another\"",
            "relative": r"-DPLACE=\"a/b\"",
            "folder": "-I/work/a/sim",
        }
        lines = [{"file": name, "command": f"c++ {word} -c {name}.cpp"} for name, word in names.items()]
        self.assertEqual(["below", "build", "root"], [one.split(":")[0] for one in tied(lines, root, build)])


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
