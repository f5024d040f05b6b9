# SPDX-License-Identifier: Apache-2.0
"""clang-tidy finds nothing in the firmware (.clang-tidy: which checks, and why not the others).

test_tidy.py BUILD [--all] [unittest's words]

BUILD is a configured build folder, whose compile_commands.json says how each source is compiled. By itself the program asks all checks
but those that follow paths through functions (clang-analyzer): seconds. With --all it asks these, too: minutes.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = "clang-tidy-14"
REVIEWED = Path(__file__).with_name("reviewed.toml")
BUILD = Path()  # from the command line
FOLDERS = ("firmware",)
EXACT = False  # whether --all is given

# What gcc's command lines have and clang does not read: its precompiled headers. A library's headers come without.
_PRECOMPILED = re.compile(r" -include \S+cmake_pch\.hx*h*\b| -Winvalid-pch| -fpch-preprocess")
_GCC_ALONE = ("-Wno-unknown-warning-option", "-Wno-unknown-attributes", "-Wno-ignored-optimization-argument")


def tool() -> str:
    found = shutil.which(TOOL)
    if found is None:
        raise FileNotFoundError(f"{TOOL} is not installed. Remedy: ./headstack setup (.ci/apt-packages names it)")
    return found


def commands(build: Path, folders: Sequence[str]) -> list[dict[str, str]]:
    """Of each source in the folders, how it is compiled first: some are compiled for several programs."""
    all_commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found: dict[str, dict[str, str]] = {}
    for one in all_commands:
        file = Path(one["file"])
        if file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in folders:
            found.setdefault(one["file"], {**one, "command": _PRECOMPILED.sub("", one["command"])})
    return [found[file] for file in sorted(found)]


def complaints(compiled: Sequence[dict[str, str]], *words: str) -> str:
    """What the tool says of sources; "" for good ones. Raises when it could not run."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "compile_commands.json").write_text(json.dumps(list(compiled)), encoding="utf-8")
        flags = [f"--extra-arg={flag}" for flag in _GCC_ALONE]

        def of(files: Sequence[str]) -> str:
            line = [tool(), "--quiet", "-p", folder, *flags, *words, *files]
            done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1):
                raise RuntimeError(f"{TOOL}: {done.stderr}")
            # A status without a complaint is an error of the tool's own, whose words are on stderr.
            return done.stdout + (done.stderr if done.returncode and not done.stdout.strip() else "")

        # Few at a time, so that all processors are busy to the end.
        parts = [[one["file"] for one in compiled[at : at + 8]] for at in range(0, len(compiled), 8)]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return "".join(pool.map(of, parts))


Key = tuple[str, str, str]  # file, check, and the line that it is about, without its indent


def findings(said: str) -> list[tuple[Key, str]]:
    """One by one, each with its notes. Raises RuntimeError for words that are none."""
    parts = re.split(r"^(?=\S+:\d+:\d+: (?:error|warning): )", said, flags=re.MULTILINE)
    if parts[0].strip():
        raise RuntimeError(f"{TOOL}: {parts[0]}")
    found = []
    for part in parts[1:]:
        match = re.match(r"(\S+?):(\d+):\d+: .*\[([\w.-]+)[^\]]*\]$", part.split("\n", 1)[0])
        if match is None:
            raise RuntimeError(f"{TOOL}: {part}")
        file, line, check = match.groups()
        path = Path(file)
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else file
        text = path.read_text(encoding="utf-8").splitlines()[int(line) - 1].strip()
        found.append(((name, check, text), part))
    return found


def reviewed() -> dict[Key, str]:
    """What was looked at and is no fault, each with its reason."""
    rows = tomllib.loads(REVIEWED.read_text(encoding="utf-8"))["finding"]
    return {(row["file"], row["check"], row["line"]): row["reason"] for row in rows}


class Tidy(unittest.TestCase):
    def test_nothing_is_found(self) -> None:
        compiled = commands(BUILD, FOLDERS)
        self.assertGreater(len(compiled), 120, "the build folder does not compile them")
        words = () if EXACT else ("--checks=-clang-analyzer-*",)
        found = findings(complaints(compiled, *words))
        known = reviewed()
        new = [text for key, text in found if key not in known]
        self.assertFalse(new, "\n" + "".join(new) + "\nremedy: mend it; what is no fault gets a row in tests/tidy/reviewed.toml")
        if EXACT:
            stale = [key for key in known if key not in {key for key, _ in found}]
            self.assertEqual([], stale, "these lines have no such finding any more: take them out of tests/tidy/reviewed.toml")


class Tool(unittest.TestCase):
    """It finds what is wrong with a source of this test, by the project's own configuration."""

    def said(self, text: str, *words: str, name: str = "a.cpp") -> str:
        # Below the tree, whose configuration is looked for upwards.
        folder = ROOT / "build" / "tidy-test"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            file = Path(place) / name
            file.write_text(text, encoding="utf-8")
            command = f"{'c++ -std=gnu++17' if name.endswith('.cpp') else 'cc -std=gnu17'} -c {file}"
            return complaints([{"directory": place, "file": str(file), "command": command}], *words)

    def test_a_good_source_is_good(self) -> None:
        self.assertEqual("", self.said("int twice(int number) { return 2 * number; }\n"))

    def test_a_copy_in_a_loop_is_told(self) -> None:
        text = "#include <string>\n#include <vector>\nunsigned long all(const std::vector<std::string>& names) {\n"
        text += "  unsigned long sum = 0;\n  for (const std::string name : names) sum += name.size();\n  return sum;\n}\n"
        self.assertIn("performance-for-range-copy", self.said(text))

    def test_a_suspicious_semicolon_is_told(self) -> None:
        text = "int first(int number) {\n  if (number > 0);\n    return 1;\n  return 0;\n}\n"
        self.assertIn("bugprone-suspicious-semicolon", self.said(text))

    def test_a_null_pointer_on_some_path_is_told_by_all_checks_alone(self) -> None:
        text = "int read(int number) {\n  int* at = nullptr;\n  if (number > 3) at = &number;\n  return *at;\n}\n"
        self.assertIn("clang-analyzer-core.NullDereference", self.said(text))
        self.assertEqual("", self.said(text, "--checks=-clang-analyzer-*"))

    def test_a_source_that_does_not_compile_is_told(self) -> None:
        self.assertIn("clang-diagnostic-error", self.said("int twice(int number) { return twice_of(number); }\n"))

    def test_a_finding_is_named_by_file_check_and_line(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "a.c"
            file.write_text("int a;\n  if (a);\n", encoding="utf-8")
            first = f"{file}:2:9: error: potentially unintended semicolon [bugprone-suspicious-semicolon,-warnings-as-errors]\n  if (a);\n"
            note = f"{file}:1:5: note: declared here\n"
            other = f"{file}:1:5: warning: unused [misc-unused]\n"
            self.assertEqual(
                [((str(file), "bugprone-suspicious-semicolon", "if (a);"), first + note), ((str(file), "misc-unused", "int a;"), other)],
                findings(first + note + other))  # fmt: skip
        with self.assertRaisesRegex(RuntimeError, "no such file"):
            findings("no such file\n")

    def test_what_was_reviewed_says_why(self) -> None:
        for (file, check, line), reason in reviewed().items():
            self.assertIn(line, [one.strip() for one in (ROOT / file).read_text(encoding="utf-8").splitlines()], (file, check))
            self.assertGreater(len(reason.split()), 4, (file, check))

    def test_a_source_is_looked_at_once_and_without_precompiled_headers(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            source = str(ROOT / "host/cli/main.cpp")
            line = f"c++ -Winvalid-pch -include {place}/cmake_pch.hxx -fpch-preprocess -O1 -c {source}"
            row = {"directory": place, "file": source, "command": line}
            other = {**row, "file": str(ROOT / "tests/unit/test_cli.cpp")}
            Path(place, "compile_commands.json").write_text(json.dumps([row, row, other]), encoding="utf-8")
            self.assertEqual([{**row, "command": f"c++ -O1 -c {source}"}], commands(Path(place), ["host"]))


def main(words: Sequence[str]) -> None:
    global BUILD, EXACT
    parser = argparse.ArgumentParser(description="Does clang-tidy find anything?")
    parser.add_argument("build", type=Path, help="a configured build folder")
    parser.add_argument("--all", action="store_true", help="all checks: minutes")
    given, rest = parser.parse_known_args(words)
    BUILD, EXACT = given.build.resolve(), given.all
    unittest.main(argv=["test_tidy.py", *rest])


if __name__ == "__main__":
    main(sys.argv[1:])
