#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How drive.elf is built: no run starts a program whose stack does not fit.

    test_build.py BUILD_FOLDER
"""

import subprocess
import sys
import unittest
from pathlib import Path

BUILD = Path()  # from the command line


def commands(target: str) -> list[str]:
    """What ninja would run for a target, from nothing."""
    line = ["ninja", "-C", str(BUILD), "-t", "commands", target]
    return subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


class Build(unittest.TestCase):
    def test_a_run_waits_for_the_report(self):
        """It fails where the worst-case stack is larger than the room for it (firmware/tools/report.py)."""
        self.assertTrue([one for one in commands("host/headstack-run") if "report.py" in one and "drive.report.txt" in one])

    def test_a_run_has_the_texts_of_assertions(self):
        self.assertTrue([one for one in commands("host/headstack-run") if "assertions.py" in one])

    def test_a_build_of_everything_makes_it(self):
        self.assertTrue([one for one in commands("all") if "report.py" in one])


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
