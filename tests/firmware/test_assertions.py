# SPDX-License-Identifier: Apache-2.0
"""firmware/tools/assertions.py: the texts of assertions, with the lines by which the firmware reports them."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "firmware/tools"))

from assertions import FILE, assertions, table  # noqa: E402

SOURCE = """\
#define ASSERT(condition) none
/* ASSERT(in a comment) */  // ASSERT(in another)
STATIC_ASSERT(sizeof(int) == 4, "not at run time");
void f(void) {
  ASSERT(a == (b & 3) && is_right(c[')']));
  ASSERT(first_condition_that_is_long &&
         second_condition(")"));  ASSERT(d);
  default: ASSERT_UNREACHABLE();
  assert_failed(ASSERT_CODE(1, 2));
}
"""


class Assertions(unittest.TestCase):
    def test_each_has_its_lines_and_its_condition(self) -> None:
        self.assertEqual(
            list(assertions(SOURCE)),
            [
                (5, 5, "a == (b & 3) && is_right(c[')'])"),
                (6, 7, 'first_condition_that_is_long && second_condition(")")'),
                (7, 7, "d"),
                (8, 8, "this cannot be reached"),
            ],
        )

    def test_the_table_has_every_assertion_of_the_firmware(self) -> None:
        lines = table(ROOT).splitlines()
        files = FILE.findall((ROOT / "firmware/kernel/file_ids.def").read_text())
        words = re.compile(r"^\s*(?:default: |case \w+: |if \([^\n]*\) |else )?ASSERT(?:_UNREACHABLE)?\(", re.MULTILINE)
        self.assertGreaterEqual(len(lines), sum(len(words.findall((ROOT / file).read_text())) for file in files))
        self.assertGreater(len(lines), 100)
        for line in lines:
            file, first, last, condition = line.split(" ", 3)
            text = (ROOT / file).read_text().splitlines()[int(first) - 1 : int(last)]
            self.assertIn("ASSERT", text[0], line)
            self.assertTrue(condition, line)

    def test_no_header_asserts(self) -> None:
        """A header's line would be reported with the number of the file that includes it."""
        for header in (ROOT / "firmware").rglob("*.h"):
            if header.name != "assert.h":
                self.assertEqual(list(assertions(header.read_text())), [], header)


if __name__ == "__main__":
    unittest.main()
