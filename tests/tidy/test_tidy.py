# SPDX-License-Identifier: Apache-2.0
"""clang-tidy finds nothing in the firmware, nor in sim/ and host/ (.clang-tidy: which checks, and why not the others).

test_tidy.py BUILD [--all] [--jobs N] [unittest's words]

BUILD is a folder that is built: compile_commands.json says how each source is compiled, and generated headers are there. By itself
the program looks at all of the firmware, without the checks that follow paths (clang-analyzer). Of sim/ and host/ it looks at a few
sources (FEW). With --all it asks all checks of the firmware, and looks at all of sim/ and host/.
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
EXACT = False  # whether --all is given
JOBS = 1  # from the command line
FIRMWARE = ("firmware",)
WORLD = ("sim", "host")
# What each run looks at of sim/ and host/. Together they include 216 of the 270 headers there, and each kind of source is among them.
FEW = (
    "host/run/run.cpp",  # the program of runs: its options, the session, records
    "host/session/vp_platform.cpp",  # the drive as transactions
    "host/session/rtl_platform.cpp",  # the drive on SystemC
    "host/cli/main.cpp",  # command lines
    "host/cli/trace_copy_commands.cpp",  # readers of traces
    "sim/drive/import.cpp",  # files of TOML and JSON
    "sim/mechanics/access.cpp",  # arithmetic alone
)

# What gcc's command lines have and clang does not read: its precompiled headers. A library's headers come without.
_PRECOMPILED = re.compile(r" -include \S+cmake_pch\.hx*h*\b| -Winvalid-pch| -fpch-preprocess")
_GCC_ALONE = ("-Wno-unknown-warning-option", "-Wno-unknown-attributes", "-Wno-ignored-optimization-argument")


def tool() -> str:
    found = shutil.which(TOOL)
    if found is None:
        raise FileNotFoundError(f"{TOOL} is not installed. Remedy: ./headstack setup (.ci/apt-packages names it)")
    return found


def commands(build: Path, folders: Sequence[str]) -> list[dict[str, str]]:
    """The first compile command of each source in the folders: some are compiled for several programs."""
    all_commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found: dict[str, dict[str, str]] = {}
    for one in all_commands:
        file = Path(one["file"])
        if file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in folders:
            found.setdefault(one["file"], {**one, "command": _PRECOMPILED.sub("", one["command"])})
    return [found[file] for file in sorted(found)]


def own_headers(folders: Sequence[str], root: Path = ROOT) -> str:
    """The headers of these folders of the tree, for the tool. Firmware's are C, and have the rules of C where they are included."""
    return f"--header-filter=^{re.escape(str(root))}/({'|'.join(folders)})/"


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

        # Few at a time, so that all jobs are busy to the end.
        parts = [[one["file"] for one in compiled[at : at + 8]] for at in range(0, len(compiled), 8)]
        with ThreadPoolExecutor(JOBS) as pool:
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
    def look(self, compiled: Sequence[dict[str, str]], folders: Sequence[str], *words: str) -> dict[Key, str]:
        """What is found, once each: a header's finding comes with every source that includes it."""
        found = dict(findings(complaints(compiled, own_headers(folders), *words)))
        known = reviewed()
        new = [text for key, text in found.items() if key not in known]
        self.assertFalse(new, "\n" + "".join(new) + "\nremedy: mend it; what is no fault gets a row in tests/tidy/reviewed.toml")
        return found

    def no_row_is_stale(self, found: dict[Key, str], folders: Sequence[str]) -> None:
        stale = [key for key in reviewed() if key[0].split("/")[0] in folders and key not in found]
        self.assertEqual([], stale, "these lines have no such finding any more: take them out of tests/tidy/reviewed.toml")

    def test_nothing_is_found_in_the_firmware(self) -> None:
        compiled = commands(BUILD, FIRMWARE)
        self.assertGreater(len(compiled), 120, "the build folder does not compile them")
        found = self.look(compiled, FIRMWARE, *(() if EXACT else ("--checks=-clang-analyzer-*",)))
        if EXACT:
            self.no_row_is_stale(found, FIRMWARE)

    def test_nothing_is_found_in_sim_and_host(self) -> None:
        compiled = commands(BUILD, WORLD)
        self.assertGreater(len(compiled), 230, "the build folder does not compile them")
        if not EXACT:
            compiled = [one for one in compiled if str(Path(one["file"]).relative_to(ROOT)) in FEW]
            self.assertEqual(len(FEW), len(compiled), "FEW names a source that is not compiled")
        found = self.look(compiled, WORLD)
        if EXACT:
            self.no_row_is_stale(found, WORLD)


class Tool(unittest.TestCase):
    """It finds what is wrong with a source of this test, by the project's own configuration."""

    def setUp(self) -> None:
        # Below the tree, whose configuration is looked for upwards.
        folder = ROOT / "build" / "tidy-test"
        folder.mkdir(parents=True, exist_ok=True)
        held = tempfile.TemporaryDirectory(dir=folder)
        self.addCleanup(held.cleanup)
        self.place = Path(held.name)

    def written(self, text: str, name: str = "a.cpp") -> dict[str, str]:
        """How a source of this text is compiled."""
        file = self.place / name
        file.write_text(text, encoding="utf-8")
        command = f"{'c++ -std=gnu++17' if name.endswith('.cpp') else 'cc -std=gnu17'} -c {file}"
        return {"directory": str(self.place), "file": str(file), "command": command}

    def said(self, text: str, *words: str, name: str = "a.cpp") -> str:
        return complaints([self.written(text, name)], *words)

    def as_firmware(self) -> None:
        shutil.copy(ROOT / "firmware" / ".clang-tidy", self.place)

    def test_a_good_source_is_good(self) -> None:
        self.assertEqual("", self.said("int twice(int number) { return 2 * number; }\n"))

    def test_a_copy_in_a_loop_is_told(self) -> None:
        text = "#include <string>\n#include <vector>\nunsigned long all(const std::vector<std::string>& names) {\n"
        text += "  unsigned long sum = 0;\n  for (const std::string name : names) sum += name.size();\n  return sum;\n}\n"
        self.assertIn("performance-for-range-copy", self.said(text))

    def test_a_suspicious_semicolon_is_told(self) -> None:
        text = "int first(int number) {\n  if (number > 0);\n    return 1;\n  return 0;\n}\n"
        self.assertIn("bugprone-suspicious-semicolon", self.said(text))

    def test_a_null_pointer_on_some_path_is_told_of_firmware_by_all_checks_alone(self) -> None:
        text = "int read(int number);\nint read(int number) {\n  int* at = 0;\n  if (number > 3) at = &number;\n  return *at;\n}\n"
        self.as_firmware()
        self.assertIn("clang-analyzer-core.NullDereference", self.said(text, name="a.c"))
        self.assertEqual("", self.said(text, "--checks=-clang-analyzer-*", name="a.c"))

    def test_what_was_moved_away_is_told_when_it_is_used(self) -> None:
        text = "#include <string>\n#include <utility>\nstd::string twice(std::string text) {\n"
        text += "  std::string first = std::move(text);\n  return first + text;\n}\n"
        self.assertIn("bugprone-use-after-move", self.said(text))

    def test_a_wrong_name_is_told(self) -> None:
        names = {
            "const double kFactor = 2.5;": "",
            "const double factor = 2.5;": "",
            "const double Factor = 2.5;": "Factor",
            "constexpr double factor = 2.5;": "factor",
            "template <int kCount> int twice() { return 2 * kCount; }": "",
            "template <int count> int twice() { return 2 * count; }": "count",
            "int Twice(int number) { return 2 * number; }": "Twice",
        }
        for text, wrong in names.items():
            said = self.said(text + "\n")
            self.assertEqual(bool(wrong), "readability-identifier-naming" in said and f"'{wrong}'" in said, (text, said))

    def test_a_header_is_looked_at_when_it_is_of_the_folders(self) -> None:
        for folder, told in (("sim", True), ("host", True), ("firmware", False)):
            (self.place / folder).mkdir()
            (self.place / folder / "a.hpp").write_text("inline int Twice(int number) { return 2 * number; }\n", encoding="utf-8")
            source = self.written(f'#include "{folder}/a.hpp"\nint four() {{ return Twice(2); }}\n')
            said = complaints([source], own_headers(WORLD, self.place))
            self.assertEqual(told, "Twice" in said, (folder, said))

    def test_what_is_found_and_not_reviewed_fails(self) -> None:
        source = self.written("int Twice(int number) { return 2 * number; }\n")
        with self.assertRaisesRegex(AssertionError, "Twice"):
            Tidy().look([source], WORLD)

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
    global BUILD, EXACT, JOBS
    parser = argparse.ArgumentParser(description="Does clang-tidy find anything?")
    parser.add_argument("build", type=Path, help="a folder that is built")
    parser.add_argument("--all", action="store_true", help="all checks and all sources: long")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="how many at a time; all processors by default")
    given, rest = parser.parse_known_args(words)
    if given.jobs < 1:
        parser.error(f"--jobs {given.jobs}: give 1 or more")
    BUILD, EXACT, JOBS = given.build.resolve(), given.all, given.jobs
    unittest.main(argv=["test_tidy.py", *rest])


if __name__ == "__main__":
    main(sys.argv[1:])
