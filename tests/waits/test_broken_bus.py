# SPDX-License-Identifier: Apache-2.0
"""Builds of the drive that lack one of its rules for the bus: the wait graph names the circle that the rule prevents.

    test_broken_bus.py FOLDER

FOLDER has the programs headstack-fuzz-RULE. broken/RULE.c says what each of them lacks. Storylines about the bus find
the circle.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path()  # set from the command line
CASES = 120

# The nodes of each circle, from the bus back to the bus.
CIRCLES = {
    "suspended_holder_waits": r"bus: held by (task \d+ \([^)]*suspended\)) > \1: is suspended > media: are idle > bus",
    "holder_behind_reports": r"bus: held by (task \d+ \([^)]*\)) > \1: must not begin yet > (task \d+ \([^)]*reported[^)]*\)): .* > bus",
    "holder_without_room": r"bus: held by (task \d+ \([^)]*\)) > \1: waits for room in the buffer > task .* > (bus|\1)",
}


class BrokenBus(unittest.TestCase):
    def test_each_rule_that_is_missing_shows_as_its_circle(self) -> None:
        self.assertEqual(sorted(file.stem for file in (ROOT / "tests/waits/broken").glob("*.c")), sorted(CIRCLES))
        for rule, circle in CIRCLES.items():
            with self.subTest(rule=rule), tempfile.TemporaryDirectory() as out:
                line = [FOLDER / f"headstack-fuzz-{rule}", "--theme", "bus", "--seed", "3", "--cases", str(CASES),
                        "--jobs", "1", "--findings", "1", "--tries", "1", "--out", out]  # fmt: skip
                done = subprocess.run(line, capture_output=True, text=True, check=False, env={**os.environ, "HEADSTACK_ROOT": str(ROOT)})
                self.assertEqual(done.returncode, 1, done.stderr)
                found = re.search(r"^FINDING deadlock\n  what +(.*)$", done.stdout + done.stderr, re.MULTILINE)
                assert found is not None, done.stdout[-2000:]
                self.assertRegex(found[1], circle)


if __name__ == "__main__":
    FOLDER = Path(sys.argv.pop()).resolve()
    unittest.main()
