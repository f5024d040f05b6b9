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
name = "listing"
words = "listing"
[[map]]
name = "16 popularity as served"
words = "--method popularity --energy transfer --unit 16"
learns = "stf"
walkers = 8
[[map]]
name = "16 popularity one walk as served"
words = "--method popularity --energy transfer --unit 16"
learns = "stf"
walkers = 8
one_walk = true
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
[[sweep]]
name = "stf, one walk"
policies = ["stf"]
maps = ["unmapped", "16 popularity one walk as served"]
walkers = [8]
closed = true
electronics = ["ideal"]
requests = 1500
[[sweep]]
name = "table 1"
policies = ["fcfs"]
maps = ["unmapped", "pipe organ", "listing"]
chain = "estimated fitted"
electronics = ["ideal"]
requests = 1500
[[sweep]]
name = "12 sectors"
policies = ["fcfs"]
maps = ["unmapped"]
chain = "estimated fitted"
sectors = 12
seek_scale = 1.25
electronics = ["ideal"]
requests = 1500
[[sweep]]
name = "own controller"
policies = ["fcfs"]
maps = ["unmapped"]
controller = "own"
electronics = ["ideal"]
requests = 1500
[[sweep]]
name = "rate"
policies = ["fcfs", "stf"]
maps = ["unmapped"]
rates = [30]
electronics = ["ideal"]
requests = 1500
"""

# The drive moves its blocks, or the map is applied to the requests. And two ways to count a day.
MOVES = """
title = "moves"
report = "remap-moves"
drive = "paper_179mb"
seeds = [1]
[requests]
sectors = 16
day = 3000
[policies]
fcfs = "fcfs"
[[map]]
name = "unmapped"
[[map]]
name = "hot"
words = "--method popularity --energy transfer --unit 16 --hottest 40"
[[map]]
name = "counted"
words = "--method popularity --energy transfer --unit 16 --hottest 40"
learns = "fcfs"
walkers = 1
bounded = true
[[sweep]]
name = "applied"
policies = ["fcfs"]
maps = ["unmapped", "hot", "counted"]
electronics = ["ideal"]
requests = 600
[[sweep]]
name = "settled"
policies = ["fcfs"]
maps = ["unmapped", "hot"]
moves = "settled"
electronics = ["ideal"]
requests = 600
[[sweep]]
name = "share"
policies = ["fcfs"]
maps = ["unmapped", "hot"]
moves = "share:50"
electronics = ["ideal"]
requests = 600
"""
TRACES = """
title = "traces"
report = "remap-traces"
drive = "paper_179mb"
seeds = [1, 2]
[requests]
sectors = 16
[policies]
fcfs = "fcfs"
stf = "stf"
[[trace]]
name = "own"
file = "own.trace"
parts = 2
[[trace]]
name = "other"
file = "other.trace"
[[map]]
name = "unmapped"
[[map]]
name = "hot"
words = "--method popularity --energy transfer --unit 16"
[[sweep]]
name = "ajw"
trace = "own"
policies = ["fcfs"]
maps = ["unmapped", "hot"]
electronics = ["ideal"]
[[sweep]]
name = "ajw, stf"
trace = "own"
policies = ["stf"]
maps = ["unmapped", "hot"]
walkers = [32]
electronics = ["ideal"]
[[sweep]]
name = "ext4"
trace = "other"
policies = ["fcfs"]
maps = ["unmapped"]
electronics = ["ideal"]
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
        self.assertEqual(len(rows), 2 * (3 * 2 + 3 + 2 + 3 + 1 + 1 + 2))
        service: dict[str, float] = {}
        for row in rows:
            at = f"{row['sweep']}, {row['label']}"
            service[at] = service.get(at, 0) + float(row["service_ms"])
            self.assertEqual(row["map_energy"] == "", row["label"] == "unmapped")
        # Each map saves a tenth at least (REMAPPING: 10 to 22 %), under either policy.
        better = (("gap", "pipe organ"), ("gap", "16 popularity"), ("stf", "16 popularity"), ("stf", "16 popularity as served"),
                  ("stf, one walk", "16 popularity one walk as served"), ("table 1", "pipe organ"))  # fmt: skip
        for sweep, label in better:
            self.assertLess(service[f"{sweep}, {label}"], 0.9 * service[f"{sweep}, unmapped"], label)
        self.check_other_loads({(row["sweep"], row["label"], row["seed"]): row for row in rows})
        page = (self.folder / "one/report.md").read_text()
        self.assertIn("| pipe organ |", page)
        self.assertIn("## Table 1, beside the paper's", page)
        self.assertIn("## Policies without a map", page)

        # All is there, so nothing is made.
        kept = {one.name: one.stat().st_mtime_ns for one in (self.folder / "cache-one").iterdir()}
        again = experiment(file, "--out", self.folder / "three", "--cache", self.folder / "cache-one")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual({one.name: one.stat().st_mtime_ns for one in (self.folder / "cache-one").iterdir()}, kept)
        self.assertEqual((self.folder / "three/results.csv").read_text(), texts[0])

    def check_other_loads(self, rows: dict[tuple[str, str, str], dict[str, str]]) -> None:
        """Lengths, seek times, the controller, arrivals and the listing, seed by seed."""
        for seed in ("1", "2"):
            long, short = (rows[sweep, "unmapped", seed] for sweep in ("table 1", "12 sectors"))
            # The same places. A request that is 4 sectors longer also seeks at the end of a cylinder of 155 sectors or more: in 2.6 %
            # of the requests at most. More than half of all requests seek.
            self.assertTrue(0.95 * 1.25 < float(short["settle_ms"]) / float(long["settle_ms"]) < 1.25)
            # Twelve of sixteen sectors, at the same speed.
            self.assertAlmostEqual(float(short["media_transfer_ms"]) / float(long["media_transfer_ms"]), 12 / 16, delta=0.02)
            # sim/drives/paper_179mb.toml: 1 ms before each seek, of which the drive itself takes some.
            gap, own = float(rows["gap", "unmapped", seed]["service_ms"]), float(rows["own controller", "unmapped", seed]["service_ms"])
            self.assertTrue(0.5 < gap - own < 1.5, (gap, own))
            # Nearer requests first: less waiting than in the order of arrival.
            fcfs, stf = (float(rows[f"rate, {policy}", "unmapped", seed]["waiting_mean_ms"]) for policy in ("fcfs", "stf"))
            self.assertLess(stf, 0.8 * fcfs)
            # The listing ends between the pipe organ and no map, and a day of order 1 rejects order 0.
            organ, listing = rows["table 1", "pipe organ", seed], rows["table 1", "listing", seed]
            self.assertTrue(float(organ["map_energy"]) < float(listing["map_energy"]) < float(listing["identity_energy"]))
            self.assertGreater(float(listing["z_first_seen"]), 100)
            self.assertLess(float(organ["independent_energy"]), float(listing["independent_energy"]))

    def rows_of(self, text: str, *words: str | Path) -> list[dict[str, str]]:
        """The rows of results.csv."""
        file = self.folder / "e.toml"
        file.write_text(text)
        done = experiment(file, "--out", self.folder / "out", "--cache", self.folder / "cache", "--jobs", "1", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stderr
        return list(csv.DictReader((self.folder / "out/results.csv").read_text().splitlines()))

    def test_the_drive_moves_its_blocks_to_where_requests_were_sent(self) -> None:
        rows = {(row["sweep"], row["label"]): row for row in self.rows_of(MOVES)}
        service = {at: float(row["service_ms"]) for at, row in rows.items()}
        # The drive's own moves, and the same map applied by the host: docs/remapping.md has the same times, to the microsecond.
        self.assertAlmostEqual(service["settled", "hot"], service["applied", "hot"], delta=0.002)
        self.assertEqual(service["settled", "unmapped"], service["applied", "unmapped"])
        # A day fits into the drive's memory, so it counts what all accesses are.
        self.assertEqual(service["applied", "counted"], service["applied", "hot"])
        settled, share = rows["settled", "hot"], rows["share", "hot"]
        self.assertEqual((settled["moving_left"], settled["moving_waits"]), ("0", "0"))
        self.assertGreater(int(settled["moving_moves"]), 40)
        # Among requests, hosts wait for moves; with half of the media's time for them, less than twice as long.
        self.assertGreater(int(share["moving_waits"]), 0)
        self.assertGreater(float(share["response_mean_ms"]), service["settled", "unmapped"])
        self.assertIn("| hot |", (self.folder / "out/report.md").read_text())

    def test_a_trace_is_learned_on_one_half_and_served_on_the_other(self) -> None:
        """Two far places take turns: on the media they come next to each other."""
        lines = "".join(f"{100 * i} R {(8, 340_008)[i % 2] + i % 4 // 2 * 16} 16 -\n" for i in range(800))
        (self.folder / "own.trace").write_text(f"headstack-trace 1\ntime-unit us\nloop open\nsource test\nrequests\n{lines}")
        rows = self.rows_of(TRACES, "--traces", self.folder)
        self.assertEqual({row["sweep"] for row in rows}, {"ajw", "ajw, stf"})
        self.assertIn("left out: trace 'other': no other.trace in", self.said)
        self.assertIn("Left out: trace 'other'", (self.folder / "out/report.md").read_text())
        for row in rows:
            self.assertEqual((row["requests"], row["trace"]), ("200", "own"))
            if row["label"] == "unmapped" and row["sweep"] == "ajw":
                self.assertGreater(float(row["seek_ms"]) + float(row["settle_ms"]), 25)  # a seek over all cylinders is 29 ms
            if row["label"] == "hot":
                # The grid is learned: no request is cut. And nothing seeks far any more.
                self.assertEqual(float(row["split"]), 0)
                self.assertLess(float(row["seek_ms"]) + float(row["settle_ms"]), 4)
        alone = experiment(self.folder / "e.toml", "--out", self.folder / "none", "--traces", self.folder / "nowhere")
        self.assertEqual((alone.returncode, alone.stdout), (1, ""))
        self.assertIn("trace 'own': no own.trace in", alone.stderr)

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
