#!/usr/bin/env python3
"""How drive.elf is built: the same on any number of processors, and a run does not wait for its report.

    test_build.py BUILD_FOLDER
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path()  # from the command line


def commands(target: str) -> list[str]:
    """What ninja would run for a target, from nothing."""
    line = ["ninja", "-C", str(BUILD), "-t", "commands", target]
    return subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


class Build(unittest.TestCase):
    def test_the_whole_is_the_same_by_one_job_and_by_many(self):
        making = next(one for one in commands("drive") if "lto-partitions" in one)
        step = next(step for step in making.split(" && ") if "lto-partitions" in step)
        made = []
        # One folder, whose name the compiler writes into what it makes.
        with tempfile.TemporaryDirectory(dir=BUILD) as folder:
            for jobs in ("1", "3"):
                words = re.sub(r" -o \S+", " -o whole.o", step).replace("-flto=auto ", f"-flto={jobs} ").split()
                subprocess.run(words, cwd=folder, check=True, stderr=subprocess.DEVNULL)
                made.append((Path(folder) / "whole.o").read_bytes())
        self.assertEqual(made[0], made[1])

    def test_a_run_does_not_wait_for_the_report(self):
        self.assertFalse([one for one in commands("host/headstack-run") if "report.py" in one])

    def test_a_build_of_everything_makes_it(self):
        self.assertTrue([one for one in commands("all") if "report.py" in one])


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
