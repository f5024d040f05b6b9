# SPDX-License-Identifier: Apache-2.0
"""Streams from end to end, on the program that users run: declarations, reference schedulers, and a quick look.

test_streams_run.py RUN_PROGRAM
"""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001
from stream_load import make_requests, write_requests
from stream_records import load_cylinders, read_records
from workload import load_workload

PROGRAM = ""  # from the command line
DRIVE = ROOT / "host/experiment/drives/gscan.toml"
SECONDS_AT_MOST = 300.0
OWN = """
title = "two random streams, near saturation"
[[stream]]
name = "rt"
class = "real-time"
pattern = "random"
gap_ms = 15
deadline_ms = [30, 70]
size_kb = [4, 4]
file_mb = 100
[[stream]]
name = "be"
class = "best-effort"
pattern = "random"
gap_ms = 15
size_kb = [4, 4]
file_mb = 100
"""
DECLARATION = f"""
title = "a small one"
report = "gscan"
drive = "{DRIVE}"
seeds = [1, 2]
[requests]
sectors = 8
[policies]
gscan = "gscan"
edf = "edf"
cscan = "cscan"
opt-d = "opt-d"
opt-g = "opt-g"
[[sweep]]
name = "workload own"
policies = ["gscan", "edf", "cscan", "opt-d", "opt-g"]
workload = "own.toml"
electronics = ["ideal"]
requests = 400
"""


def experiment(*words: str | Path) -> subprocess.CompletedProcess:
    line = [sys.executable, "-B", ROOT / "host/experiment/experiment.py", PROGRAM, *words]
    return subprocess.run(line, capture_output=True, text=True, timeout=SECONDS_AT_MOST, check=False)


def program(*words: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=SECONDS_AT_MOST, check=False)


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_declaration_with_a_workload_of_ones_own(self):
        (self.folder / "own.toml").write_text(OWN)
        (self.folder / "e.toml").write_text(DECLARATION)
        for out, jobs in (("one", "1"), ("two", "2")):
            words = (self.folder / "e.toml", "--out", self.folder / out, "--cache", self.folder / f"cache-{out}", "--jobs", jobs)
            done = experiment(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
        texts = [(self.folder / out / "results.csv").read_text() for out in ("one", "two")]
        self.assertEqual(*texts)
        rows = list(csv.DictReader(texts[0].splitlines()))
        self.assertEqual(len(rows), 10)
        missed = {}
        for row in rows:
            self.assertEqual(int(row["stream_0_requests"]) + int(row["stream_1_requests"]), 400)
            self.assertEqual(row["stream_0_missed"], row["rt_missed"])
            self.assertEqual(row["units_mean"] != "", row["label"] == "gscan")
            missed[row["label"]] = missed.get(row["label"], 0) + int(row["rt_missed"])
        # Deadlines reach the drive: who knows them misses far fewer than who does not.
        self.assertGreater(missed["cscan"], 20)
        for label in ("edf", "opt-d"):
            self.assertLess(missed[label] * 2, missed["cscan"], missed)

    # Two streams of different places: gss visits one after the other only if it is told of them. Stream 1 is best effort.
    def test_streams_reach_the_drive(self):
        trace = self.folder / "t"
        head = "headstack-trace 4\ntime-unit us\nloop open\ncolumns time operation lba blocks deadline class stream\nrequests\n"
        lines = [f"0 R {100_000 * place} 8 - best-effort {place % 2}\n" for place in range(8)]
        orders = []
        for drop in (False, True):
            told = [line.rsplit(" ", 1)[0] + " 0\n" if drop else line for line in lines]
            trace.write_text(head + "".join(told))
            out = self.folder / f"out-{drop}"
            words = ("--drive", DRIVE, "--trace", trace, "--policy", "gss:q=2", "--platform", "native", "platform.ideal_electronics=true")
            done = program(*words, "--deadlines", "message", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            orders.append(read_records(out / "records.csv")["command"].tolist())
        self.assertNotEqual(*orders)
        self.assertEqual(orders[1], sorted(orders[1]))
        # After the first, which alone was there: two of each stream in turn.
        self.assertEqual([sum(number % 2 for number in orders[0][at : at + 2]) for at in (1, 3, 5)], [2, 0, 2])

    def test_a_reference_chooses_alone_and_natively(self):
        cylinders = load_cylinders(DRIVE)
        requests = make_requests(load_workload(ROOT / "host/experiment/workloads/1.toml").spec(), cylinders.blocks, 50, 1, 1.0)
        write_requests(self.folder / "t", requests)
        words = ("--drive", DRIVE, "--trace", self.folder / "t", "--deadlines", "message")
        native = ("--platform", "native", "platform.ideal_electronics=true")
        done = program(*words, *native, "platform.reference=opt-g", "--out", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "out/summary.json").read_text())["policy"], "opt-g")
        for more, said in (
            ((*native, "platform.reference=opt-x"), "opt-x"),
            ((*native, "platform.reference=opt-g", "--policy", "edf"), "leave settings.policy out"),
            (("--platform", "vp", "platform.reference=opt-g"), "platform.reference: does not work on vp"),
        ):
            done = program(*words, *more, "--out", self.folder / "no")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)

    def test_a_quick_look(self):
        words = ("gscan", "--quick", "--seeds", "1", "--only", "gscan,cscan,tau(64)")
        done = experiment(*words, "--out", self.folder / "quick", "--cache", self.folder / "cache")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.folder / "quick/report.md").read_text()
        self.assertIn("A quick look: shorter runs than the paper's, so conclude nothing from it.", page)
        self.assertTrue((self.folder / "quick/figure-5.png").stat().st_size > 10_000)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
