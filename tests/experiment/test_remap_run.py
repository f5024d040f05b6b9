# SPDX-License-Identifier: Apache-2.0
"""Maps from end to end, on the programs that users run: learned, arranged, applied, tested; and a run that goes on.

test_remap_run.py RUN_PROGRAM      the front end stands beside it
"""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001

sys.path.insert(0, str(ROOT / "host"))

from remap.arrangement import pipe_organ
from remap.counts import read_counts
from remap.markov import energy_of

PROGRAM = ""  # from the command line
SECONDS_AT_MOST = 300.0
DECLARATION = """
title = "a small one"
report = "remap"
drive = "paper_179mb"
seeds = [1, 2]
[requests]
sectors = 16
day = 20000
[policies]
fcfs = "fcfs"
stf = "stf"
[[map]]
name = "unmapped"
[[map]]
name = "pipe organ"
words = "--method organ --energy distance --whole-groups"
[[map]]
name = "16 popularity"
words = "--method popularity --energy transfer --unit 16"
[[map]]
name = "16 popularity as served"
words = "--method popularity --energy transfer --unit 16"
learns = "stf"
walkers = 8
[[sweep]]
name = "gap"
policies = ["fcfs"]
maps = ["unmapped", "pipe organ", "16 popularity"]
gaps = ["0", "2"]
electronics = ["ideal"]
requests = 1500
[[sweep]]
name = "stf"
policies = ["stf"]
maps = ["unmapped", "16 popularity", "16 popularity as served"]
walkers = [8]
electronics = ["ideal"]
requests = 1500
"""


def experiment(*words: str | Path) -> subprocess.CompletedProcess:
    line = [sys.executable, "-B", ROOT / "host/experiment/experiment.py", PROGRAM, *words]
    return subprocess.run(line, capture_output=True, text=True, timeout=SECONDS_AT_MOST, check=False)


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_maps_are_made_and_tested(self) -> None:
        """Made of a short day: the maps are worth a little less."""
        file = self.folder / "e.toml"
        file.write_text(DECLARATION)
        for out, jobs in (("one", "1"), ("two", "2")):
            done = experiment(file, "--out", self.folder / out, "--cache", self.folder / f"cache-{out}", "--jobs", jobs)
            self.assertEqual(done.returncode, 0, done.stderr)
        texts = [(self.folder / out / "results.csv").read_text() for out in ("one", "two")]
        self.assertEqual(*texts)
        rows = list(csv.DictReader(texts[0].splitlines()))
        self.assertEqual(len(rows), 3 * 2 * 2 + 3 * 2)
        service: dict[str, float] = {}
        for row in rows:
            at = f"{row['sweep']}, {row['label']}"
            service[at] = service.get(at, 0) + float(row["service_ms"])
            self.assertEqual(row["map_energy"] == "", row["label"] == "unmapped")
        # Each map saves a tenth at least (REMAPPING: 10 to 22 %), under either policy.
        for sweep, label in (("gap", "pipe organ"), ("gap", "16 popularity"), ("stf", "16 popularity"), ("stf", "16 popularity as served")):
            self.assertLess(service[f"{sweep}, {label}"], 0.9 * service[f"{sweep}, unmapped"], label)
        self.assertIn("| pipe organ |", (self.folder / "one/report.md").read_text())

        # All is there, so nothing is made.
        kept = {one.name: one.stat().st_mtime_ns for one in (self.folder / "cache-one").iterdir()}
        again = experiment(file, "--out", self.folder / "three", "--cache", self.folder / "cache-one")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual({one.name: one.stat().st_mtime_ns for one in (self.folder / "cache-one").iterdir()}, kept)
        self.assertEqual((self.folder / "three/results.csv").read_text(), texts[0])

    def test_words_that_are_no_arrangement(self) -> None:
        file = self.folder / "e.toml"
        file.write_text(DECLARATION.replace("--method organ", "--method orgen"))
        done = experiment(file, "--out", self.folder / "out", "--cache", self.folder / "cache")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn("map '--method orgen --energy distance --whole-groups': --method", done.stderr)

    def test_the_drives_pipe_organ_is_the_analysis_one(self) -> None:
        """Two implementations: of the firmware in C, and of host/remap."""
        front_end = Path(PROGRAM).with_name("headstack")
        trace, counts, made = (self.folder / name for name in ("day", "counts.json", "map.json"))
        for script, words in (
            ("synth", ["--groups", "2181", "--count", "5000", "-o", trace]),
            ("analyse", [trace, "--drive", "paper_179mb", "-o", counts]),
        ):
            subprocess.run([sys.executable, "-B", ROOT / f"host/remap/{script}.py", front_end, *words], check=True, capture_output=True)
        line = [front_end, "remap", "arrange", ROOT / "sim/drives/paper_179mb.toml", "--counts", counts, "--out", made, "--json",
                "--method", "organ", "--energy", "distance", "--whole-groups"]  # fmt: skip
        report = json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
        learned = read_counts(counts)
        organ = pipe_organ(learned.visits)
        slots = json.loads(made.read_text())["slots"]
        parts = len(slots) // learned.groups
        self.assertEqual([slot // parts for slot in slots[::parts]], organ.tolist())
        # The firmware's mean is over the pairs that were counted, so the last access does not count.
        places = [energy_of(learned, one) for one in (organ, organ * 0 + range(learned.groups))]
        self.assertAlmostEqual(report["result_mean"], places[0], delta=0.01 * places[0])
        self.assertAlmostEqual(report["identity_mean"], places[1], delta=0.01 * places[1])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
