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
from commands import load_commands
from cylinders import Cylinders
from event_log import bus_share
from measures import measure
from run_folder import RunFolder, open_runs
from spread import PS_PER_MS

PROGRAM = ""  # from the command line
REQUESTS = 150


def write_trace(file: Path) -> None:
    """Reads and writes all over a Cheetah, now and then a long one, at a rate that builds a queue.

    Two in three have a deadline, of which every second is best effort's.
    """
    chance = random.Random(11)
    at_us = 0.0
    with open(file, "w", encoding="ascii") as out:
        out.write("headstack-trace 4\ntime-unit us\ncolumns time operation lba blocks deadline class stream priority\n")
        out.write("requests\n")
        for number in range(REQUESTS):
            at_us += chance.expovariate(1 / 6000)
            operation = "W" if chance.random() < 0.3 else "R"
            blocks = 900 if number % 20 == 3 else 8
            urgency = ("- - - 0", f"{3000 * number} real-time {number % 5} 1", "9000000 best-effort - 0")[number % 3]
            out.write(f"{at_us:.3f} {operation} {chance.randrange(17_900_000)} {blocks} {urgency}\n")


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
                told = result["deadlines"]["classes"]
                self.assertEqual({one.service_class: one.count for one in found.deadlines},
                                 {"real-time": REQUESTS // 3, "best-effort": REQUESTS // 3})
                for one in found.deadlines:
                    self.assertEqual(one.missed, told[one.service_class]["missed"])
                    self.assertAlmostEqual(one.late_mean_ms,
                                           told[one.service_class]["tardiness_ps"]["mean"] / PS_PER_MS, places=6)
                    self.assertEqual(one.late_max_ms, told[one.service_class]["tardiness_ps"]["max"] / PS_PER_MS)
                self.assertGreater(sum(one.missed for one in found.deadlines), 0)
                self.assertLess(sum(one.missed for one in found.deadlines), 2 * REQUESTS // 3)

    def test_the_arm_goes_where_the_event_log_says(self) -> None:
        run = self.runs[1]
        design = run.design()
        assert design is not None
        cylinders = Cylinders(design)
        self.assertEqual(cylinders.capacity, 17_918_387)
        events = [line.split() for line in run.event_log.read_text(encoding="ascii").splitlines()]
        seeks = [int(argument, 16) >> 8 for _, name, argument in events if name == "SEEK_START"]
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
        folders = [run.folder for run in self.runs]
        done = subprocess.run([*program, *folders], capture_output=True, text=True, check=True)
        rows = {line[:26].strip(): line[26:].split() for line in done.stdout.splitlines()[2:]}
        self.assertEqual(rows["policy"], ["fcfs", "stf"])
        self.assertEqual(rows["response, 99 %"],
                         [f"{run.result['response_ps']['p99'] / PS_PER_MS:.3f}" for run in self.runs])
        self.assertEqual(rows["deadlines missed, %"],
                         [f"{100 * run.result['deadlines']['missed_share']:.2f}" for run in self.runs])
        self.assertEqual(rows["deadlines told by"], ["none", "none"])
        wrong = subprocess.run([*program, self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 1)
        self.assertRegex(wrong.stderr, r"^compare: error: .*summary\.json: .*; give folders that 'headstack run --out'")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
