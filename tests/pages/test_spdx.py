# SPDX-License-Identifier: Apache-2.0
"""Each source names its licence in its first three lines. spdx.py says what a source is, and inserts the lines."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import spdx
from page import ROOT

APACHE = "\n        Apache License\n    Version 2.0, January 2004\n"
LINE = "SPDX-License-Identifier: Apache-2.0"


class OfTheTree(unittest.TestCase):
    def test_each_source_names_its_licence(self) -> None:
        self.assertGreater(len(spdx.sources(ROOT)), 1500, "the files were not found")
        found = [f"{file.relative_to(ROOT)}" for file in spdx.missing(ROOT)]
        self.assertEqual([], found, "remedy: build/venv/bin/python tests/pages/spdx.py --write")

    def test_exceptions_exist(self) -> None:
        for beginning in spdx.EXCEPTIONS:
            self.assertTrue(any(ROOT.glob(f"{beginning}*")), f"{beginning}: remove it from EXCEPTIONS")


class OfAFolder(unittest.TestCase):
    """A tree of this test, in a temporary folder."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.put("LICENSE", APACHE)

    def put(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file

    def names(self, files: list[Path]) -> list[str]:
        return [f"{file.relative_to(self.root)}" for file in files]

    def written(self, name: str, text: str) -> str:
        """What --write makes of a file."""
        file = self.put(name, text)
        self.assertEqual([file], spdx.write(self.root))
        self.assertEqual([], spdx.write(self.root), "the second time it finds the line")
        return file.read_bytes().decode()

    def test_the_line_is_a_comment_of_the_language_at_the_top(self) -> None:
        for name in ("a.c", "a.h", "a.cpp", "a.hpp", "a.sv", "a.rdl", "a.def", "a.vlt"):
            self.assertEqual(f"// {LINE}\n/// Text.\n", self.written(name, "/// Text.\n"), name)
        for name in ("CMakeLists.txt", "b.cmake", "b.cmake.in", "b.py", "b.sh", "b.toml", ".b.toml", "b.S"):
            self.assertEqual(f"# {LINE}\nx = 1\n", self.written(name, "x = 1\n"), name)
        self.assertEqual(f"/* {LINE} */\nENTRY(a)\n", self.written("a.ld", "ENTRY(a)\n"))
        self.assertEqual(f"# {LINE}\n", self.written("__init__.py", ""))

    def test_it_stands_behind_the_interpreter_and_the_encoding(self) -> None:
        self.assertEqual(f"#!/bin/sh\n# {LINE}\nls\n", self.written("run", "#!/bin/sh\nls\n"))
        self.assertEqual(f"#!/usr/bin/env bash\n# {LINE}\n", self.written("run.in", "#!/usr/bin/env bash\n"))
        both = "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"
        self.assertEqual(f'{both}# {LINE}\n"""Text."""\n', self.written("run.py", f'{both}"""Text."""\n'))

    def test_all_else_of_a_file_stays(self) -> None:
        file = self.put("run", "#!/bin/sh\nls")
        file.chmod(0o755)
        self.assertEqual([file], spdx.write(self.root))
        self.assertEqual((f"#!/bin/sh\n# {LINE}\nls", 0o755), (file.read_text(), file.stat().st_mode & 0o777))
        self.assertEqual(f"// {LINE}\r\nint a;\r\n", self.written("dos.c", "int a;\r\n"))

    def test_only_the_first_three_lines_count(self) -> None:
        self.put("third.c", f"// One\n// Two\n// {LINE}\n")
        fourth = self.put("fourth.c", f"// One\n// Two\n// Three\n// {LINE}\n")
        string = self.put("string.py", f'LINE = "{LINE}"\n')
        self.assertEqual([fourth, string], spdx.missing(self.root))

    def test_builds_data_and_other_files_are_no_sources(self) -> None:
        for name in ("build/a.c", ".git/hook.py", "tests/golden/a/scenario.toml", "a.md", "a.json", ".gitignore", "requirements.in", "sample"):
            self.put(name, "text\n")
        self.put("binary", "\0\n")
        (self.root / "link.c").symlink_to("nowhere")
        self.assertEqual([], self.names(spdx.sources(self.root)))

    def test_another_licence_is_told_and_nothing_is_written(self) -> None:
        first = self.put("a.c", "int a;\n")
        self.put("b.c", "// SPDX-License-Identifier: MIT\n")
        with self.assertRaisesRegex(spdx.SpdxError, "b.c: its line says MIT, and LICENSE is Apache-2.0; mend the line"):
            spdx.write(self.root)
        self.assertEqual("int a;\n", first.read_text())

    def test_the_licence_is_that_of_the_file_LICENSE(self) -> None:
        self.put("LICENSE", "MIT License\n\nCopyright\n")
        self.assertEqual("MIT", spdx.licence(self.root))
        self.put("LICENSE", "All rights reserved.\n")
        with self.assertRaisesRegex(spdx.SpdxError, "LICENSE: a licence without an identifier here; add it to"):
            spdx.licence(self.root)
        (self.root / "LICENSE").unlink()
        with self.assertRaisesRegex(spdx.SpdxError, "LICENSE: No such file or directory"):
            spdx.licence(self.root)

    def run_program(self, *words: str) -> tuple[int, str, str]:
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
            status = spdx.main([*words, "--root", f"{self.root}"])
        return status, out.getvalue(), error.getvalue()

    def test_the_program_lists_writes_and_tells(self) -> None:
        file = self.put("a.c", "int a;\n")
        self.assertEqual((1, "a.c\n", ""), self.run_program())
        self.assertEqual("int a;\n", file.read_text())
        self.assertEqual((0, "a.c\n", ""), self.run_program("--write"))
        self.assertEqual((0, "", ""), self.run_program())
        self.put("latin.c", "// ").write_bytes(b"// \xe4\n")
        status, _, error = self.run_program()
        self.assertEqual(2, status)
        self.assertRegex(error, "spdx.py: error: .*latin.c: 'utf-8' codec can't decode")


if __name__ == "__main__":
    unittest.main()
