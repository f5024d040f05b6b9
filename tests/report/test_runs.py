"""Reports of runs that the simulator left: they agree with its summary and its event log, and change nothing.

test_runs.py RUN_PROGRAM
"""

import hashlib
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from support import ROOT, run_report  # noqa: I001
from cylinders import Cylinders
from event_log import bus_share
from measures import load_commands, measure
from run_folder import RunFolder, open_runs
from spread import PS_PER_MS

PROGRAM = ""  # from the command line
REQUESTS = 150


def write_trace(file: Path) -> None:
    """Reads and writes all over a Cheetah, now and then a long one, at a rate that builds a queue."""
    chance = random.Random(11)
    at_us = 0.0
    with open(file, "w", encoding="ascii") as out:
        out.write("headstack-trace 1\ntime-unit us\nrequests\n")
        for number in range(REQUESTS):
            at_us += chance.expovariate(1 / 6000)
            operation = "W" if chance.random() < 0.3 else "R"
            blocks = 900 if number % 20 == 3 else 8
            out.write(f"{at_us:.3f} {operation} {chance.randrange(17_900_000)} {blocks} -\n")


class Runs(unittest.TestCase):
    """One drive, two policies, on fast models."""

    folder: Path
    runs: list[RunFolder]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        write_trace(cls.folder / "trace")
        for policy in ("fcfs", "stf"):
            subprocess.run(
                [PROGRAM, "--platform", "vp", "--drive", "cheetah_9lp", "--trace", cls.folder / "trace", "--policy",
                 policy, "--event-log", "--out", cls.folder / policy],
                env={**os.environ, "HEADSTACK_ROOT": str(ROOT), "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"},
                check=True, capture_output=True,
            )
        cls.runs = open_runs([cls.folder / "fcfs", cls.folder / "stf"])

    def test_agrees_with_the_summary(self) -> None:
        for run in self.runs:
            commands = load_commands(run)
            found = measure(run, commands, (commands.end - commands.begin) // 50, np.array([], dtype=np.int64))
            result = run.result
            with self.subTest(run=run.label):
                self.assertAlmostEqual(found.response.mean, result["response_ps"]["mean"] / PS_PER_MS, places=6)
                for ours, theirs in (("p50", "p50"), ("p99", "p99"), ("maximum", "max")):
                    self.assertEqual(getattr(found.response, ours), result["response_ps"][theirs] / PS_PER_MS)
                self.assertEqual(commands.end - commands.begin, result["elapsed_ps"])
                self.assertAlmostEqual(found.stage_share("media_transfer"), result["utilization"], places=9)
                for stage, total in result["stage_totals"].items():
                    mean = found.stage_ms[stage.removesuffix("_ps")]
                    self.assertAlmostEqual(mean, total / PS_PER_MS / REQUESTS, places=6)
                # Little's law, over the course: the mean of the means is what the summary says.
                outstanding = found.series.outstanding * found.series.grid.width / result["elapsed_ps"]
                self.assertAlmostEqual(float(outstanding.sum()), result["mean_outstanding"], places=6)
                self.assertEqual(sum(band.count for band in found.bands), REQUESTS)

    def test_the_arm_goes_where_the_event_log_says(self) -> None:
        run = self.runs[1]
        design = run.design()
        assert design is not None
        cylinders = Cylinders(design)
        self.assertEqual(cylinders.capacity, 17_918_387)
        seeks = [int(line.split()[2], 16) >> 8 for line in run.event_log.read_text().splitlines() if "SEEK_START" in line]
        records = [line.split(",") for line in run.records.read_text().splitlines()[1:]]
        for begin in (int(line[2]) for line in records):
            self.assertIn(int(cylinders.of(np.array([begin]))[0]), seeks)

    def test_the_bus_is_used_for_more_than_the_stages_show(self) -> None:
        for run in self.runs:
            commands = load_commands(run)
            share = bus_share(run.event_log, commands.begin, commands.end)
            assert share is not None
            on_the_bus = ("selection", "command", "bus_data", "status")
            shown = sum(run.result["stage_totals"][f"{name}_ps"] for name in on_the_bus)
            with self.subTest(run=run.label):
                self.assertGreater(share, shown / run.result["elapsed_ps"])
                self.assertLess(share, 1)

    def test_reading_changes_no_file(self) -> None:
        before = self.hashes()
        done = run_report(*(run.folder for run in self.runs), "-o", self.folder / "page.html")
        self.assertEqual(done.status, 0, done.stderr)
        self.assertEqual(self.hashes(), before)

    def hashes(self) -> dict[str, str]:
        """Of every file of the runs."""
        return {
            str(file): hashlib.sha256(file.read_bytes()).hexdigest()
            for run in self.runs
            for file in sorted(run.folder.iterdir())
        }

    def test_compare_puts_the_summaries_side_by_side(self) -> None:
        program = [sys.executable, "-B", str(ROOT / "host/report/compare.py")]
        done = subprocess.run([*program, *(run.folder for run in self.runs)], capture_output=True, text=True, check=True)
        rows = {line[:26].strip(): line[26:].split() for line in done.stdout.splitlines()[2:]}
        self.assertEqual(rows["policy"], ["fcfs", "stf"])
        self.assertEqual(rows["response, 99 %"],
                         [f"{run.result['response_ps']['p99'] / PS_PER_MS:.3f}" for run in self.runs])
        wrong = subprocess.run([*program, self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 1)
        self.assertRegex(wrong.stderr, r"^compare: error: .*summary\.json: .*; give folders that 'headstack run --out' left")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
