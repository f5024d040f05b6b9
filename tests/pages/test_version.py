# SPDX-License-Identifier: Apache-2.0
"""The version is defined once, in CMakeLists.txt; what else names it agrees. CITATION.cff has what its format asks for."""

import re
import subprocess
import unittest

from page import ROOT


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def defined() -> str:
    """The project's version."""
    found = re.findall(r"^project\(headstack VERSION (\d+\.\d+\.\d+)\b", text("CMakeLists.txt"), re.M)
    assert len(found) == 1, found
    return found[0]


class Version(unittest.TestCase):
    def test_the_changes_begin_with_it(self) -> None:
        versions = re.findall(r"^## (\S+)(?: \((.*)\))?$", text("CHANGELOG.md"), re.M)
        self.assertEqual(defined(), versions[0][0])
        self.assertTrue(all(re.fullmatch(r"unreleased|\d{4}-\d\d-\d\d", day) for _, day in versions), versions)

    def test_the_citation_has_it(self) -> None:
        """Keys that the schema of CFF 1.2.0 requires, and no date of a release that was not made."""
        keys = dict(re.findall(r"^([a-z-]+): *(.*)$", text("CITATION.cff"), re.M))
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(keys))
        self.assertEqual(("1.2.0", defined()), (keys["cff-version"], keys["version"]))
        self.assertIn("Apache License", text("LICENSE"))
        self.assertEqual("Apache-2.0", keys["license"])
        self.assertEqual("(unreleased)" not in text("CHANGELOG.md"), "date-released" in keys)

    def test_the_command_line_prints_it(self) -> None:
        line = [str(ROOT / "headstack"), "version"]
        printed = subprocess.run(line, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
        self.assertRegex(printed, rf"^headstack {re.escape(defined())}\b")


if __name__ == "__main__":
    unittest.main()
