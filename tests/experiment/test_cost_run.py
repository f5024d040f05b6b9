# SPDX-License-Identifier: Apache-2.0
"""The cost of the electronics from end to end, on the program that users run, beside closed forms.

test_cost_run.py RUN_PROGRAM
"""

import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001
from cost_numbers import CASE_HEAD
from cost_parts import OTHER, PARTS
from drive_file import load_drive
from one_cost_run import STAGES

PROGRAM = ""  # from the command line
EAGLE = load_drive(ROOT / "sim/drives/eagle.toml")
SECTORS = 8  # of 4 KB
PARTS_HEAD = f"| {' | '.join([*CASE_HEAD, 'all', *PARTS, OTHER])} |"
DECLARATION = """
title = "a small one"
report = "cost"
drive = "eagle"
seeds = [1, 2]
requests = 60
[platforms]
ideal = { platform = { kind = "native", ideal_electronics = true } }
bus = { platform = { kind = "native", access_price = 0 }, settings = { predictor_margin_us = 0 } }
margin = { platform = { kind = "native", access_price = 0 } }
accesses = { platform = { kind = "native", access_price = 3 } }
charged = { platform = "vp" }
[[sweep]]
name = "stream"
policy = ["fcfs"]
platform = ["ideal", "charged"]
depth = [1, 4]
size_kb = [4]
pattern = "stream"
[[sweep]]
name = "depth"
policy = ["fcfs"]
platform = ["ideal", "bus", "margin", "accesses", "charged"]
depth = [1, 4]
size_kb = [4]
deadline_ms = [1, 60]
[[sweep]]
name = "size"
policy = ["fcfs"]
platform = ["ideal", "charged"]
depth = [1]
size_kb = [4, 8, 16]
[[sweep]]
name = "ledger"
policy = ["fcfs"]
platform = ["charged"]
depth = [1]
size_kb = [4]
settings = ["observe.ledger=true", "observe.accesses=true"]
[[question]]
says = "A stream without a cache takes much longer."
sweep = "stream"
measure = "request_ms"
at_least = "much"
"""


class Cost(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "small.toml").write_text(DECLARATION)
        line = [sys.executable, "-B", ROOT / "host/experiment/experiment.py", PROGRAM, cls.folder / "small.toml"]
        cls.done = subprocess.run(
            [*line, "--out", cls.folder / "out", "--cache", cls.folder / "cache", "--jobs", "1"], capture_output=True, text=True, check=False
        )
        if cls.done.returncode == 0:
            with open(cls.folder / "out/results.csv", encoding="utf-8", newline="") as file:
                cls.rows = list(csv.DictReader(file))

    def setUp(self) -> None:
        self.assertEqual(self.done.returncode, 0, self.done.stderr)

    def values(self, column: str, sweep: str, platform: str, load: int) -> list[float]:
        return [
            float(row[column]) for row in self.rows if (row["sweep"], row["electronics"], int(row["load"])) == (f"{sweep} on eagle", platform, load)
        ]

    # The Eagle has no skew, and its heads switch in no time. So its sectors pass one after the other, 67 in a revolution. A drive that
    # asks for the next block after its first sector has passed waits for the rest of a revolution.
    def test_a_stream_without_a_cache_loses_a_revolution_a_request(self) -> None:
        transfer_ms = EAGLE.transfer_ms(SECTORS)
        for ideal, charged in zip(*(self.values("request_ms", "stream", platform, 1) for platform in ("ideal", "charged")), strict=True):
            self.assertAlmostEqual(ideal, transfer_ms, delta=0.002 * transfer_ms)
            self.assertAlmostEqual(charged, EAGLE.revolution_ms + transfer_ms, delta=0.002 * EAGLE.revolution_ms)

    # fcfs does not predict, so it leaves out no sector.
    def test_the_margin_changes_nothing_for_fcfs(self) -> None:
        self.assertEqual(self.values("request_ms", "depth", "bus", 1), self.values("request_ms", "depth", "margin", 1))

    # The platter's angle at a request depends on all that the drive did before. So single rotations become longer and shorter, and
    # only what firmware and bus do is compared.
    def test_each_other_step_adds_time_to_the_stages_of_firmware_and_bus(self) -> None:
        ladder = ["ideal", "bus", "accesses", "charged"]
        means = [
            sum(sum(self.values(f"{stage}_ms", "depth", platform, 1)) for stage in ("issued", "selection", "command", "queued", "chosen", "status"))
            for platform in ladder
        ]
        self.assertEqual(means, sorted(means))
        self.assertEqual(len(set(means)), len(ladder))

    def test_stages_sum_to_the_response(self) -> None:
        for row in self.rows:
            self.assertAlmostEqual(sum(float(row[f"{stage}_ms"]) for stage in STAGES), float(row["response_mean_ms"]), delta=1e-6)

    # With one outstanding, deadlines of 1 to 60 ms after a submission are missed more often than not if a response takes 29 ms.
    def test_deadlines_that_pass_are_counted(self) -> None:
        missed = self.values("missed_percent", "depth", "charged", 1)
        expected = [100 * (mean - 1) / 59 for mean in self.values("response_mean_ms", "depth", "charged", 1)]
        # The deviation of a share of 60 is sqrt(0.5 * 0.5 / 60) = 6.5 %.
        for one, other in zip(missed, expected, strict=True):
            self.assertAlmostEqual(one, other, delta=4 * 6.5)

    # Each access takes three cycles at least, and an instruction one.
    def test_a_ledger_has_the_cycles_of_the_requests(self) -> None:
        for row in (row for row in self.rows if row["sweep"].startswith("ledger")):
            cycles, accesses = int(row["cycles"]), int(row["register_accesses"])
            self.assertLess(cycles, int(row["firmware_cycles"]), "without those of the start")
            self.assertLessEqual(int(row["instructions"]), cycles)
            self.assertGreater(accesses, 0)
            self.assertLess(3 * accesses, cycles)

    # All functions have a source in firmware/, but for the compiler's division.
    def test_the_parts_of_the_firmware_are_the_whole(self) -> None:
        lines = (self.folder / "out/report.md").read_text(encoding="utf-8").splitlines()
        head, _, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[lines.index(PARTS_HEAD) :][:3])
        cycles = {name: float(cell.split(" ")[0]) for name, cell in zip(head[4:], row[4:], strict=True)}
        whole = cycles.pop("all")
        self.assertAlmostEqual(sum(cycles.values()), whole, delta=len(cycles))
        self.assertLess(cycles["other"], 0.02 * whole)

    def test_the_page_has_its_sections_and_pictures(self) -> None:
        page = (self.folder / "out/report.md").read_text(encoding="utf-8")
        for title in ("## In short", "## Questions", "## How much longer", "## Which part", "## In which stage", "## What the core does"):
            self.assertIn(title, page)
        self.assertEqual({file.name for file in (self.folder / "out").glob("*.png")}, {"depth.png", "size.png", "parts.png", "cycles.png"})


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
