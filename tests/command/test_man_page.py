# SPDX-License-Identifier: Apache-2.0
"""The man page: every command and every option is on it, and it is good roff."""

import re
import shutil
import subprocess
import unittest

import click
from support import headstack

import description  # noqa: E402
from man_page import commands_below, escaped, man_page  # noqa: E402
from programs import PROGRAMS  # noqa: E402
from tree import make_tree  # noqa: E402


class ManPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.tree = make_tree()
        cls.page = man_page(cls.tree)

    def test_every_program_has_described_itself(self) -> None:
        for program in PROGRAMS:
            self.assertEqual(description.load(program) is not None, program.describes, program.command)

    def test_every_command_and_every_option_is_on_it(self) -> None:
        lines = self.page.splitlines()
        count = 0
        for path, command in commands_below(self.tree, "headstack"):
            if path != "headstack":
                self.assertEqual(lines.count(f'.SS "{escaped(path)}"'), 1, path)
            for option in command.params:
                if isinstance(option, click.Option):
                    count += 1
                    for name in option.opts:
                        self.assertTrue(f"\\fB{escaped(name)}\\fR" in self.page, f"{path} {name}")
        self.assertGreater(count, 200)

    def test_what_a_program_helps_with_is_on_it(self) -> None:
        """The description is whole: each option of the program's own --help."""
        for words in (["run"], ["drive", "access"], ["trace", "synth"], ["regress"], ["wave", "shot"]):
            with self.subTest(words):
                section = self.page.split(f'.SS "headstack {" ".join(words)}"\n')[1].split("\n.S")[0].replace("\\-", "-")
                helped = headstack(*words, "--help").stdout
                options = set(re.findall(r"^ +(?:-\w,? ?(?:\w+, )?)?(--[a-z][a-z-]+)", helped, re.MULTILINE)) - {"--help"}
                self.assertGreater(len(options), 3)
                for option in options:
                    self.assertIn(f"\\fB{option}\\fR", section)

    def test_values_that_are_not_given_are_on_it(self) -> None:
        for section, option, text in (("fuzz traces", "seconds", "Duration for each format, in seconds. (8)"),
                                      ("drive access", "blocks", "number of blocks (8)"),
                                      ("drive plot", "format", "picture format: png or svg (png)")):  # fmt: skip
            page = self.page.split(f'.SS "headstack {section}"\n')[1].split("\n.S")[0]
            self.assertIn(text, page.split(f"\\-\\-{option}")[1])

    def test_the_policies_stand_behind_the_options_of_a_run(self) -> None:
        self.assertIn("\n  gstf ", self.page)

    def test_a_text_cannot_be_a_request(self) -> None:
        self.assertEqual(escaped(".so x\n'y\n-a\\b"), "\\&.so x\n\\(aqy\n\\-a\\eb")

    def test_man_shows_it(self) -> None:
        if shutil.which("man") is None:
            self.skipTest("no man here: apt-get install man-db")
        for width in ("60", "80", "130"):
            done = subprocess.run(["man", "-l", "--warnings", "-"], input=self.page, capture_output=True, text=True, check=False,
                                  env={"PATH": "/usr/bin:/bin", "MANWIDTH": width, "LC_ALL": "C.UTF-8"})  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, ""), width)
            self.assertIn("headstack drive locate", done.stdout)
            self.assertIn("--policy", done.stdout)

    def test_mandoc_finds_nothing(self) -> None:
        if shutil.which("mandoc") is None:
            self.skipTest("no mandoc here: apt-get install mandoc")
        # The day of a tree that is not in git is unknown.
        done = subprocess.run(["mandoc", "-Tlint", "-Wwarning"], input=self.page, capture_output=True, text=True, check=False)
        self.assertEqual([line for line in done.stdout.splitlines() if "missing date" not in line], [])

    def test_the_source_can_be_kept(self) -> None:
        done = headstack("man", "--roff")
        self.assertEqual((done.returncode, done.stdout), (0, self.page), done.stderr)


if __name__ == "__main__":
    unittest.main()
