# SPDX-License-Identifier: Apache-2.0
"""The predictor's default margin covers the firmware's own time.

    test_margin.py RUN_PROGRAM

A policy that knows the angle chooses a sector only if the arm can be there in time. The margin stands for what the firmware does
between two accesses (firmware/drive.h). So no choice misses its sector while the margin covers that time. The drives, seeds and
loads here are others than those of `headstack bench margin`, by which the default was set.
"""

import csv
import sys
import tempfile
import tomllib
import unittest
from dataclasses import replace
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bench_margin import Load, RunOf, measure  # noqa: E402
from bench_replay import set_environment  # noqa: E402

PROGRAM = Path(sys.argv.pop(1)).resolve()
COMMANDS = 4500
# The three causes that are left (docs/firmware-timing.md, "Missed revolutions"): a search that takes longer than the one before, work
# for the bus, and the end of a task that others wait for. With 200 waiting, close together, 40 seeds miss 1.7 on average.
MOST = 3  # of 1,000 commands
SHORT_US = 20  # less than the firmware needs to start the arm
DRIVES = ("hp_c2247a", "hp_c2490a", "cheetah_4lp", "eagle")


class DefaultMargin(unittest.TestCase):
    """The default margin on four drives, with requests all over them and close together."""

    def test_no_choice_misses_its_sector(self) -> None:
        source = Random(20261127)
        of_all = 0.0
        set_environment()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for drive in DRIVES:
                for part in (1.0, 0.01 * source.randint(1, 5)):
                    load = Load(drive, "stf", source.choice((24, 48, 96, 200)), source.choice((0.0, 0.3, 0.6)), part)
                    run = RunOf(PROGRAM, folder, COMMANDS, seed=source.randrange(2**32))
                    with self.subTest(load=load.describe(), seed=run.seed):
                        self.assertLessEqual(measure(run, load, None)[1], MOST)
                        # A policy that knows the angle hardly ever chooses to wait for nearly a turn, but for a write's data, or
                        # among the last few. So most such reads are misses, and each miss is such a read.
                        missed = measure(run, replace(load, writes=0.0), SHORT_US)[1]
                        waits = long_waits(folder / "run")
                        self.assertGreaterEqual(1.1 * missed + MOST, sum(waits[: -2 * load.depth]) * 1000 / COMMANDS)
                        self.assertLessEqual(missed, sum(waits) * 1000 / COMMANDS + MOST)
                        of_all += missed / (2 * len(DRIVES))
        self.assertGreater(of_all, 20, "with so short a margin there must be some")


def long_waits(results: Path) -> list[bool]:
    """For each command of a run, whether it waited for its sector for nine tenths of a revolution or more."""
    turn_ps = 60e12 / tomllib.loads((results / "drive.toml").read_text())["design"]["rpm"]
    with open(results / "records.csv", newline="", encoding="ascii") as file:
        return [int(record["rotation_ps"]) >= 0.9 * turn_ps for record in csv.DictReader(file)]


if __name__ == "__main__":
    unittest.main()
