# SPDX-License-Identifier: Apache-2.0
"""Small experiments from end to end, on the program that users run.

test_experiment.py RUN_PROGRAM
"""

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from support import ROOT  # noqa: I001
from campaign import carry_out_depths
from deadline_load import make_requests, write_requests
from deadline_model import AS_DEFINED
from drive_file import Drive, load_drive
from eagle_theory import fcfs_io_ms, fcfs_utilization
from execute.places import LOCAL
from execute.simulator import Simulator
from execute.store import Store
from interval import interval
from one_depth_run import BLOCKS, unit_ms_of
from runner import Runner
from sweep import Sweep, load_sweep
from traces import layout_on, random_blocks

PROGRAM = ""  # from the command line
EAGLE = load_drive(ROOT / "sim/drives/eagle.toml")
SECONDS_AT_MOST = 120.0

DECLARATION = """
title = "a small one"
report = "{report}"
seeds = [1, 2, 3, 4, 5, 6]
saturation = 60
[scenario]
drive = "{drive}"
[requests]
sectors = 8
per_queued = 1
at_least = {requests}
[names]
ideal = {{ kind = "native", ideal_electronics = true }}
nonsense = "nonsense:x=1"
[[sweep]]
name = "queue"
policy = {policies}
platform = ["ideal"]
depth = {depths}
"""
OPEN = """
[[sweep]]
name = "rate"
policy = ["fcfs", "sstf"]
platform = ["ideal"]
rate = [10, 80]
requests = 200
"""
TERMINALS = """
[[sweep]]
name = "terminals"
policy = ["fcfs"]
platform = ["ideal"]
terminals = 2
length = [4]
rate = [10, 80]
requests = 1200
"""


def papers_rule(drive: Drive, lbas: np.ndarray, queue: int, policy: str) -> tuple[list[int], float]:
    """The paper's simulator, section 3.1, by brute force: order of service, and ms elapsed after the first request.

    Turns count from the first request's end. A wait that a rounding error makes a whole turn is none. wstf's M is 0.6 s. By
    footnote 4 it is one and a half times fcfs's mean I/O time, for each that waited at the last choice. Its weight is at least
    the drive's floor.
    """
    cylinders, starts = (lbas // drive.sectors_per_cylinder, lbas % drive.sectors_per_track / drive.sectors_per_track)
    seeks, turn, transfer = (
        [drive.seek_ms(d) for d in range(drive.cylinders)],
        drive.revolution_ms,
        drive.transfer_ms(8),
    )
    now, cylinder, end_of_first = 0.0, int(cylinders[0]), starts[0] + transfer / turn
    order, waiting, coming = [0], list(range(1, queue + 1)), iter(range(queue + 1, len(lbas)))
    arrived, fcfs_ms, m_ms = dict.fromkeys(waiting, 0.0), drive.mean_seek_ms() + turn / 2 + transfer, 600.0
    while waiting:
        prices = []
        for request in waiting:
            distance = abs(int(cylinders[request]) - cylinder)
            wait = (starts[request] - end_of_first - (now + seeks[distance]) / turn) % 1
            access = seeks[distance] + (0.0 if wait > 1 - 1e-7 else wait * turn)
            price = {"fcfs": 0.0, "sstf": float(distance), "stf": round(access, 6)}.get(policy)
            if price is None:
                price = max((m_ms - (now - arrived[request])) / m_ms, 0.01) * (access + transfer)
            prices.append((price, request, access))
        _, chosen, access = min(prices)
        if "m_per_request" in policy:
            m_ms = 1.5 * fcfs_ms * len(waiting)
        now += access + transfer
        cylinder = int(cylinders[chosen])
        order.append(chosen)
        waiting.remove(chosen)
        waiting += [one for one in [next(coming, None)] if one is not None]
        arrived.setdefault(waiting[-1] if waiting else -1, now)
    return order, now


STUDY = """
title = "a small study"
report = "which-policy"
seeds = [1, 2]
policies = ["fcfs", "stf"]
drive = [{ name = "cheetah_9lp", access_ms = 9 }]
kind = [{ name = "random", words = "Anywhere." }]
[requests]
at_least = 100
per_queued = 10
[[load]]
name = "chooses"
kind = "random"
synth = "--pattern uniform --sizes 8 --arrivals closed"
depth = 32
[[load]]
name = "judges"
kind = "random"
judges = true
trace = "measured/ext4-git-sqlite.trace"
requests = 100
parts = 4
depth = 16
"""


class PapersRule(unittest.TestCase):
    # The firmware's policies on the whole simulated drive, against an independent rule. The order is the same, and so is each
    # request's time within a clock of 25 ns. Ages that count from the arrival are an access too old: then the order is another
    # one.
    def test_the_drive_serves_in_the_order_of_the_papers_simulator(self):
        queue, requests, layout = 10, 1000, layout_on(EAGLE, 8)
        policies = ["fcfs", "sstf", "stf", "wstf:m=0.6,age=choice", "wstf:m_per_request,age=choice", "wstf:m=0.6"]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "s.toml").write_text(
                DECLARATION.format(policies=json.dumps(policies), depths=[queue + 1], requests=requests, report="eagle", drive="eagle")
            )
            sweep = load_sweep(folder / "s.toml", seeds=[1])
            results = carry_out_depths(Simulator(Path(PROGRAM), ROOT), sweep, Store(folder / "store"), folder, LOCAL, 1)
        lbas = layout.first_sector(random_blocks(layout, requests + 1, (1, BLOCKS, queue)))
        for policy, result in zip(policies, results, strict=True):
            order, elapsed_ms = papers_rule(EAGLE, lbas, queue, policy)
            papers_order = zlib.crc32(lbas[order].astype("<i8").tobytes())
            if policy == "wstf:m=0.6":
                self.assertNotEqual(result["order"], papers_order)
                continue
            self.assertEqual(result["order"], papers_order, policy)
            self.assertAlmostEqual(result["elapsed_ms"], elapsed_ms, delta=25e-6 * requests, msg=policy)


class Experiment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out, self.cache = self.folder / "out", self.folder / "cache"

    def declare(
        self,
        policies: str,
        depths: str = "[2, 11]",
        requests: int = 300,
        report: str = "eagle",
        drive: str = "eagle",
        more: str = "",
    ) -> None:
        (self.folder / "small.toml").write_text(
            DECLARATION.format(policies=policies, depths=depths, requests=requests, report=report, drive=drive) + more
        )

    def line(self, *options: str) -> list[str]:
        return [
            sys.executable,
            "-B",
            str(ROOT / "host/experiment/experiment.py"),
            PROGRAM,
            str(self.folder / "small.toml"),
            "--out",
            str(self.out),
            "--cache",
            str(self.cache),
            "--jobs",
            "1",
            *options,
        ]

    def run_it(self, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run(self.line(*options), capture_output=True, text=True, check=False)

    def rows(self) -> list[dict[str, str]]:
        with open(self.out / "results.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def values(self, column: str, label: str, load: int, kind: str = "queue") -> list[float]:
        return [float(row[column]) for row in self.rows() if row["label"] == label and int(row[kind]) == load]

    # The deviation of one request's time is that of a seek (6.6 ms at most, of 0 .. 34.8) and of a uniform turn
    # (16.67 / sqrt 12 = 4.81 ms): 8.2 ms, so 0.19 ms for the mean of 6 * 300.
    def test_fcfs_is_its_closed_form_and_everything_is_fcfs_with_one_waiting(self):
        self.declare('["fcfs", "stf"]')
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        for queue in (1, 10):
            io_ms = interval(self.values("io_ms", "fcfs", queue))
            self.assertAlmostEqual(io_ms.mean, fcfs_io_ms(EAGLE, 8), delta=4 * 0.19)
        utilization = interval(self.values("utilization", "fcfs", 10)).mean
        self.assertAlmostEqual(utilization, fcfs_utilization(EAGLE, 8), delta=0.0689 * 4 * 0.19 / 28.9)
        self.assertEqual(self.values("elapsed_ms", "stf", 1), self.values("elapsed_ms", "fcfs", 1))
        # FCFS with ten waiting: everybody waits for ten services.
        response = interval(self.values("response_mean_ms", "fcfs", 10)).mean
        self.assertAlmostEqual(response / interval(self.values("io_ms", "fcfs", 10)).mean, 10, delta=0.3)
        for stf, fcfs in zip(self.values("io_ms", "stf", 10), self.values("io_ms", "fcfs", 10), strict=True):
            self.assertLess(stf, 0.75 * fcfs)
        self.assertIn("every policy equals FCFS", (self.out / "report.md").read_text())
        self.assertTrue((self.out / "figure-2.png").exists())

    # One of ten 4 KB blocks goes on on the next track. A drive that cannot catch it there, or thinks so, leaves those
    # blocks until nothing else waits, and stf ends below sstf.
    def test_stf_is_well_above_sstf(self):
        self.declare('["sstf", "stf"]', "[101]", 2000)
        done = self.run_it("--seeds", "1,2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(
            min(self.values("utilization", "stf", 100)), 1.2 * max(self.values("utilization", "sstf", 100))
        )

    def test_the_same_declaration_gives_the_same_files_and_makes_no_run_twice(self):
        self.declare('["fcfs"]', "[11]", 50)
        self.assertEqual(self.run_it().returncode, 0)
        names = [file.name for file in sorted(self.out.iterdir())]
        first = [file.read_bytes() for file in sorted(self.out.iterdir())]
        kept = {file: file.stat().st_mtime_ns for file in self.cache.iterdir()}
        self.assertEqual(len(kept), 6)
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual([file.name for file in sorted(self.out.iterdir())], names)
        self.assertEqual([file.read_bytes() for file in sorted(self.out.iterdir())], first)
        self.assertEqual({file: file.stat().st_mtime_ns for file in self.cache.iterdir()}, kept)
        self.declare('["fcfs"]', "[11]", 51)
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(len(list(self.cache.iterdir())), 12)

    # Two commands of the README repeat a run of the study: the trace of its seed, and the drive that serves it.
    def test_a_study_of_policies_has_the_numbers_of_the_commands_that_its_page_names(self):
        (self.folder / "small.toml").write_text(STUDY, encoding="utf-8")
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        # Two short parts of a recorded load may not confirm the choice.
        taken = r"(`stf`|`fcfs` \(`stf` was not confirmed\))"
        self.assertRegex((self.out / "report.md").read_text(), r"\*\*random\.\*\* Anywhere\. \| mean response \| " + taken + r" \|")
        trace, folder = self.folder / "again.trace", self.folder / "again"
        options = ["--pattern", "uniform", "--sizes", "8", "--arrivals", "closed", "--drive", "cheetah_9lp"]
        program = Path(PROGRAM).with_name("headstack")
        subprocess.run([program, "trace", "synth", *options, "--count", "320", "--seed", "2", "-o", trace], check=True)
        words = ["platform=vp", "drive=cheetah_9lp", "depth=32", "policy=stf", "--out", folder]
        subprocess.run([PROGRAM, "--trace", trace, *words], check=True, capture_output=True)
        with open(folder / "records.csv", encoding="utf-8", newline="") as file:
            responses = [int(row["response_ps"]) / 1e9 for row in csv.DictReader(file)]
        [row] = [row for row in self.rows() if (row["sweep"], row["label"], row["seed"]) == ("chooses", "stf", "2")]
        self.assertEqual(int(row["commands"]), len(responses))
        # The table has nine digits.
        self.assertAlmostEqual(float(row["mean_ms"]), sum(responses) / len(responses), delta=1e-8 * max(responses))
        self.assertAlmostEqual(float(row["longest_ms"]), max(responses), delta=1e-8 * max(responses))

    def test_arrivals_by_themselves_saturate_where_they_should(self):
        self.declare('["fcfs", "sstf"]', "[11]", 50, "movable-head", "mvax_71mb", OPEN)
        done = self.run_it("--seeds", "1,2,3")
        self.assertEqual(done.returncode, 0, done.stderr)
        # At 10 of 60 the queue is short, at 80 of 60 it grows with every request: 200 of them.
        low, high = (self.values("waiting_mean_ms", "fcfs", rate, "rate") for rate in (10, 80))
        self.assertGreater(min(high), 10 * max(low))
        self.assertIn("formula", (self.out / "report.md").read_text())

    # Interactive response time law: N terminals, throughput X, response R and think time Z have N / X = R + Z. The mean of 1,200
    # exponential think times has a standard error of 1 / sqrt(1200) = 2.9 %; the test allows three of these.
    def test_terminals_obey_the_interactive_response_time_law(self):
        self.declare('["fcfs"]', "[11]", 50, "movable-head", "mvax_71mb", TERMINALS)
        done = self.run_it("--seeds", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for rate in (10, 80):
            (io_ms,), (response_ms,) = (self.values(name, "fcfs", rate, "rate") for name in ("io_ms", "response_mean_ms"))
            think_ms = 2 * unit_ms_of(load_drive(ROOT / "sim/drives/mvax_71mb.toml"), 60, 4) / rate
            self.assertAlmostEqual(2 * io_ms / (response_ms + think_ms), 1, delta=0.09)
        self.assertTrue((self.out / "report.md").exists())

    def test_a_policy_that_the_drive_refuses_is_named(self):
        self.declare('["fcfs", "nonsense"]', "[11]", 50)
        done = self.run_it()
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown policy 'nonsense'", done.stderr)
        self.assertIn("--only", done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse((self.out / "report.md").exists())
        self.assertEqual(self.run_it("--only", "fcfs").returncode, 0)

    def test_an_unknown_experiment_is_refused_with_the_known_ones(self):
        done = subprocess.run(
            [sys.executable, "-B", str(ROOT / "host/experiment/experiment.py"), PROGRAM, "egle"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("use one of: admission, deadlines, ", done.stderr)

    def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(self):
        self.declare('["fcfs", "stf"]', "[11]", 20_000)
        process = subprocess.Popen(self.line(), stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + SECONDS_AT_MOST
        while not (self.cache.is_dir() and any(self.cache.glob("*.json"))) and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGINT)
        message = process.communicate(timeout=SECONDS_AT_MOST)[1]
        self.assertEqual(process.returncode, 130, message)
        self.assertRegex(message, r"interrupted with \d+ of 12 runs done; they are kept")
        self.assertNotIn("Traceback", message)
        kept = len(list(self.cache.glob("*.json")))
        self.assertTrue(1 <= kept < 12, kept)
        self.assertFalse(list(self.cache.glob("*.part")))


class Refusals(unittest.TestCase):
    """What is refused before anything runs."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def refused(self, *words: str, status: int) -> str:
        line = [sys.executable, "-B", str(ROOT / "host/experiment/experiment.py"), PROGRAM, "eagle", "--out", str(self.folder), *words]
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=SECONDS_AT_MOST)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertRegex(done.stderr, r"^headstack: error: [^\n]*\n$")
        return done.stderr

    def test_seeds_that_are_too_many_and_names_that_are_none(self) -> None:
        for seeds in ("0-99999999999", f"0-{1 << 63}", f"1,{1 << 70}", "5-1", "-3"):
            self.assertIn("give different whole numbers, such as 1-5", self.refused(f"--seeds={seeds}", status=2))
        for only in ("", "fcfs,", ","):
            self.assertIn("--only: give names of policies", self.refused("--only", only, status=2))
        self.assertIn("--only takes of: ", self.refused("--only", "fcf", status=1))

    def test_files_that_no_experiment_wrote_stay(self) -> None:
        for name in ("report.md", "results.csv", "figure-2.png"):
            file = self.folder / name
            file.write_text("# mine\n", encoding="ascii")
            said = self.refused("--quick", status=1)
            self.assertIn(f"{file}: exists", said)
            self.assertIn("give another folder with --out, or move the file away", said)
            self.assertEqual(file.read_text(encoding="ascii"), "# mine\n")
            file.unlink()


DEADLINES = """
title = "a small one with deadlines"
report = "deadlines"
drive = "{drive}"
seeds = [1, 2]
[requests]
sectors = {sectors}
places = 16
[policies]
fcfs = "fcfs"
edf = "edf"
scan = "scan"
dscan = "dscan"
sstf = "sstf"
fdscan = "fdscan"
"sstf(B)" = "sstf"
[write_thresholds]
"sstf(B)" = "space:{{below}}"
edf = "time:{{writes}}:{{scale}}"
dscan = "time:{{writes}}:{{scale}}"
fdscan = "time:{{writes}}:{{scale}}"
[[sweep]]
name = "6.2"
policies = ["fcfs", "edf", "scan", "dscan", "sstf", "fdscan"]
reads = [22, 40]
electronics = ["ideal"]
requests = 300
[[sweep]]
name = "7.1"
policies = ["sstf", "sstf(B)", "edf", "dscan", "fdscan"]
reads = [14]
writes = [10]
frames = [{frames}]
electronics = ["ideal"]
requests = 300
"""
PAGE_DRIVE = ROOT / "host/experiment/drives/abstract_1000_track_page.toml"


class Deadlines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out, self.file = self.folder / "out", self.folder / "small.toml"

    def declare(self, drive: str = str(PAGE_DRIVE), sectors: int = 1, frames: int = 10) -> Sweep:
        self.file.write_text(DEADLINES.format(drive=drive, sectors=sectors, frames=frames))
        return load_sweep(self.file)

    def run_it(self, *options: str) -> subprocess.CompletedProcess:
        line = [sys.executable, "-B", str(ROOT / "host/experiment/experiment.py"), PROGRAM, str(self.file)]
        line += ["--out", str(self.out), "--cache", str(self.folder / "cache"), "--jobs", "1", *options]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    # The firmware on the whole drive against an independent simulator of the paper, at loads where no write waits outside. The
    # order is the same, request for request, and so are the misses.
    def test_the_drive_serves_what_the_papers_simulator_serves(self):
        sweep = self.declare()
        models = tuple(replace(run, electronics="model", reading=AS_DEFINED) for run in sweep.runs)
        runner = Runner(Path(PROGRAM), ROOT, replace(sweep, runs=sweep.runs + models), self.folder)
        for run, model in zip(sweep.runs, models, strict=True):
            on_drive, by_hand = runner.finish(run, runner.run(run)), runner.finish(model, runner.run(model))
            for name in ("order", "reads_served", "reads_missed", "writes_missed", "band_missed"):
                self.assertEqual(on_drive[name], by_hand[name], (run.describe(), run.threshold, name))
            # Each command costs less than four clocks of 25 ns.
            self.assertAlmostEqual(on_drive["response_mean_ms"], by_hand["response_mean_ms"], delta=0.01)

    def test_from_end_to_end_with_a_page_claims_and_pictures(self):
        self.declare()
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.out / "report.md").read_text()
        self.assertIn("### Figure 6-3", page)
        self.assertIn("| 6.2, figure 6-4 | FD-SCAN has the highest mean tardy time", page)
        self.assertIn("not measured", page)
        self.assertTrue((self.out / "figure-6-3.png").exists() and not (self.out / "figure-7-7.png").exists())
        with open(self.out / "results.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2 * (6 * 2 + 5))
        self.assertEqual({row["threshold"] for row in rows if row["label"] == "fdscan"}, {"none", "time:10:1"})
        # Every run is kept by itself: of another seed only that is made.
        kept = len(list((self.folder / "cache").glob("*.json")))
        self.assertEqual(kept, len(rows))
        self.assertEqual(self.run_it("--seeds", "2,3").returncode, 0)
        self.assertEqual(len(list((self.folder / "cache").glob("*.json"))), kept + len(rows) // 2)

    # 16 frames of 64 blocks are twice the buffer of 512. The drive would round them.
    def test_frames_that_do_not_fit_are_an_error(self):
        self.declare(str(ROOT / "sim/drives/abstract_1000_track.toml"), sectors=4, frames=16)
        self.assertEqual(self.run_it("--only", "fdscan").returncode, 0)
        text = self.file.read_text().replace("sectors = 4", "sectors = 64").replace("places = 16", "places = 2")
        self.file.write_text(text)
        done = self.run_it("--only", "fdscan")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "fdscan, 14 reads/s, 10 writes/s, 16 frames.*: 16 frames for writes: .*no room")
        self.assertNotIn("Traceback", done.stderr)


class Batches(unittest.TestCase):
    """Many runs in one process."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        requests = make_requests({"reads": 30, "writes": 10, "slack_ms": [10, 100], "access_ms": 26}, 1000, 200, 1)
        write_requests(self.folder / "trace", requests, 8, 1)

    def words(self, policy: str, platform: str, out: str) -> list[str]:
        options = ["platform.ideal_electronics=true"] if platform == "native" else []
        drive = "abstract_1000_track" if platform == "native" else "cheetah_9lp"
        words = ["--drive", drive, "--trace", str(self.folder / "trace"), "--policy", policy]
        words += ["--cache", "read-write:segments=10,segment-blocks=8", "settings.write_threshold=time", *options]
        return [*words, "--deadlines", "message", "--platform", platform, "--out", str(self.folder / out)]

    def run_batch(self, lines: list[str]) -> subprocess.CompletedProcess:
        (self.folder / "batch").write_text("".join(f"{line}\n" for line in lines))
        line = [PROGRAM, "--batch", str(self.folder / "batch")]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    # But for how long a run took, which no result depends on.
    def test_a_batch_leaves_what_single_runs_leave(self):
        runs = [(policy, kind) for policy in ("fdscan", "sstf", "stfd") for kind in ("native", "vp", "native")]
        words = [self.words(*run, f"batch-{number}") for number, run in enumerate(runs)]
        done = self.run_batch([json.dumps(line) for line in words])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for number, run in enumerate(runs):
            single = subprocess.run([PROGRAM, *self.words(*run, f"single-{number}")], capture_output=True, check=False)
            self.assertEqual(single.returncode, 0)
            one, other = (self.folder / f"{kind}-{number}" for kind in ("batch", "single"))
            for name in ("records.csv", "drive.toml"):
                self.assertEqual((one / name).read_bytes(), (other / name).read_bytes(), (run, name))
            summaries = [json.loads((folder / "summary.json").read_text()) for folder in (one, other)]
            self.assertEqual(*summaries)

    def test_a_batch_ends_with_the_first_run_that_fails_and_names_it(self):
        good, bad = self.words("fdscan", "native", "a"), self.words("nonsense", "native", "b")
        done = self.run_batch([json.dumps(good), json.dumps(bad), json.dumps(self.words("fdscan", "native", "c"))])
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonsense", done.stderr)
        self.assertIn("line 2 failed; the lines after it were not run", done.stderr)
        self.assertTrue((self.folder / "a/records.csv").exists() and not (self.folder / "c").exists())

    def test_a_line_that_is_none_and_a_run_that_wants_its_own_process_are_refused(self):
        done = self.run_batch(["not JSON"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("line 1: not a JSON array of texts", done.stderr)
        done = self.run_batch([json.dumps(self.words("fdscan", "rtl", "a"))])
        self.assertEqual(done.returncode, 1)
        self.assertIn("start this run without --batch", done.stderr)
        missing = subprocess.run([PROGRAM, "--batch", "/dev/null/none"], capture_output=True, text=True, check=False)
        self.assertEqual(missing.returncode, 1)
        self.assertIn("cannot be read", missing.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    os.environ["HEADSTACK_ROOT"] = str(ROOT)
    os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
    unittest.main(argv=sys.argv[:1])
