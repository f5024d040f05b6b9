# SPDX-License-Identifier: Apache-2.0
"""Small sweeps from end to end, on the program that users run: test_sweep_run.py RUN_PROGRAM"""

import csv
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest
from pathlib import Path
from typing import Any

from support import ROOT  # noqa: I001
from axes import Axis, Declaration, Value
from execute import kit
from execute.errors import ExecuteError
from execute.simulator import Simulator
from execute.workplace import Workplace
from inputs import Inputs
from one_point import make, make_run
from scenarios import Schema
from sweep_command import SHORT_FLAGS
from sweep_errors import WRONG_COMMAND_LINE, SweepError
from sweep_runs import carry_out_plan, carry_out_plans, declaration_of, make_plan, sweep
from execute.store import Store

PROGRAM = ""  # set from the command line
FILES = ["sweep.csv", "sweep.json", "sweep.md", "sweep.png", "sweep.toml", "sweep.txt"]
TRACE = ROOT / "traces/measured/ext4-git-sqlite.trace"
PATIENCE_S = 120
INTERRUPTED = 130
T_975_TWO_DEGREES = 4.303  # Fisher and Yates, Statistical Tables, table III
ENVIRONMENT = {**os.environ, "HEADSTACK_ROOT": str(ROOT), "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
LOAD = "load.synthetic.requests=100"


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out, self.store = self.folder / "out", self.folder / "store"

    def line(self, *words: object, out: Path | None = None, store: Path | None = None) -> list[str]:
        script = ROOT / "host/sweep/sweep_command.py"
        line = [sys.executable, "-B", script, PROGRAM, *words, "--out", out or self.out, "--store", store or self.store]
        return list(map(str, line))

    def call(self, *words: object, **places: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.line(*words, **places), capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=self.folder
        )

    def good(self, *words: object, **places: Path) -> str:
        """The standard output of a sweep that succeeds."""
        done = self.call(*words, **places)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, status: int, sentence: str, *words: object) -> None:
        """Expects one line of error and no files."""
        done = self.call(*words)
        told = [line for line in done.stderr.splitlines() if line.startswith("headstack: error: ")]
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(sentence, told[0])
        self.assertEqual(sorted(self.out.glob("*")), [])

    def rows(self) -> list[dict[str, str]]:
        with open(self.out / "sweep.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def json(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.out / "sweep.json").read_text(encoding="utf-8"))
        return read

    def run_alone(self, *settings: str) -> tuple[dict[str, Any], list[int]]:
        """The same run by `headstack run`. Returns its summary, and the response times of its records."""
        out = self.folder / "alone"
        line = [PROGRAM, *settings, "--out", str(out), "--force"]
        subprocess.run(line, check=True, capture_output=True, env=ENVIRONMENT)
        with open(out / "records.csv", encoding="utf-8", newline="") as file:
            responses = [int(row["response_ps"]) for row in csv.DictReader(file)]
        return json.loads((out / "summary.json").read_text(encoding="utf-8")), responses


class Numbers(InAFolder):
    def test_each_row_is_what_the_run_itself_says(self) -> None:
        self.good("drive=cheetah_9lp", "policy=fcfs,stf", "depth=1,8", "seeds=3", LOAD)
        rows = self.rows()
        self.assertEqual(len(rows), 12)
        for row in rows:
            seed = row["load.synthetic.seed"]
            summary, responses = self.run_alone(
                "drive=cheetah_9lp", f"policy={row['policy']}", f"depth={row['depth']}", LOAD, f"load.synthetic.seed={seed}"
            )
            result = summary["result"]
            self.assertEqual(int(float(row["mean_ms"]) * 1e9 + 1e-3), result["response_ps"]["mean"])  # the summary rounds down
            self.assertAlmostEqual(float(row["mean_ms"]), statistics.fmean(responses) / 1e9, places=9)
            self.assertAlmostEqual(float(row["p99_ms"]) * 1e9, result["response_ps"]["p99"], delta=1)
            # The 95th percentile is the value of rank 95 of 100: an order statistic, and no estimate.
            self.assertAlmostEqual(float(row["p95_ms"]) * 1e9, sorted(responses)[94], delta=1)
            self.assertEqual(float(row["commands_per_second"]), result["commands_per_second"])

    def test_cells_are_means_of_the_rows_with_students_intervals_and_paired_differences(self) -> None:
        text = self.good("drive=cheetah_9lp", "policy=fcfs,stf", "depth=1,8", "seeds=3", LOAD)
        by_cell: dict[tuple[str, str], list[float]] = {}
        for row in self.rows():
            by_cell.setdefault((row["policy"], row["depth"]), []).append(float(row["mean_ms"]))
        for cell in self.json()["cells"]:
            policy, depth = cell["settings"]["policy"], cell["settings"]["depth"]
            means = by_cell[policy, depth]
            self.assertAlmostEqual(cell["mean_ms"]["mean"], statistics.fmean(means), places=9)
            self.assertAlmostEqual(cell["mean_ms"]["half"], T_975_TWO_DEGREES * statistics.stdev(means) / 3**0.5, places=9)
            if policy == "stf":
                pairs = [mine - first for mine, first in zip(means, by_cell["fcfs", depth], strict=True)]
                self.assertAlmostEqual(cell["difference"]["mean_ms"]["mean"], statistics.fmean(pairs), places=9)
                half = T_975_TWO_DEGREES * statistics.stdev(pairs) / 3**0.5
                self.assertAlmostEqual(cell["difference"]["mean_ms"]["half"], half, places=9)
        self.assertIn("Student's t over 3 seeds", text)
        self.assertEqual(text, (self.out / "sweep.txt").read_text(encoding="utf-8"))

    def test_with_one_outstanding_command_a_policy_has_no_choice(self) -> None:
        """With one command, the policy changes the drive's time only by the firmware's cycles, which are microseconds."""
        self.good("policy=fcfs,sstf,stf", "depth=1", "seeds=2", LOAD)
        for cell in self.json()["cells"][1:]:
            self.assertLess(abs(cell["difference"]["mean_ms"]["mean"]), 0.05)

    def test_a_trace_has_single_values(self) -> None:
        text = self.good("policy=fcfs,stf", "--trace", TRACE, "--limit", 60)
        self.assertNotIn("±", text)
        self.assertIn("One run for each line", text)
        summary, _ = self.run_alone("policy=stf", f"trace={TRACE}", "limit=60")
        row = self.rows()[1]
        self.assertEqual((row["policy"], row["load.synthetic.seed"]), ("stf", ""))
        self.assertEqual(float(row["commands_per_second"]), summary["result"]["commands_per_second"])
        self.assertIsNone(self.json()["cells"][0]["mean_ms"]["half"])

    def test_traces_are_an_axis_and_the_same_content_is_the_same_run(self) -> None:
        for name, count in (("a.trace", 30), ("b.trace", 40)):
            (self.folder / name).write_text(TRACE.read_text(encoding="utf-8"), encoding="utf-8")
            self.good(f"trace={name},{TRACE}", f"limit={count}", "--force")
        self.assertEqual(len(list(self.store.iterdir())), 2)


class Words(InAFolder):
    def test_known_words_are_asked_of_the_simulator(self) -> None:
        simulator = Simulator(Path(PROGRAM), ROOT)
        for words, expected in (
            (["policy=fcfs,gstf:group=210,frozen,stf"], ["fcfs", "gstf:group=210,frozen", "stf"]),
            (["cache=off,read:segments=4,blocks=64"], ["off", "read:segments=4,blocks=64"]),
            (["hosts.bus=async,sync:100:8,fast"], ["async", "sync:100:8", "fast"]),
            (["load.synthetic.gap=1ms..4ms"], ["1ms", "2ms", "4ms"]),
            (["load.synthetic.deadline=10ms..50ms"], []),
        ):
            with self.subTest(words):
                axes = declaration_of(simulator, words).axes
                self.assertEqual([value.text for axis in axes for value in axis.values], expected)

    def test_short_flags_are_those_of_the_schema(self) -> None:
        keys = subprocess.run([PROGRAM, "--keys"], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout
        known = re.findall(r"^  \S+ \((\w+)\)$", keys, re.MULTILINE)
        # Waves belong to a single run.
        self.assertEqual(sorted(name for name, _, _ in SHORT_FLAGS), sorted(set(known) - {"wave"}))

    def test_keys_that_name_files_are_those_of_the_schema(self) -> None:
        schema = (ROOT / "host/scenario/schema.hpp").read_text(encoding="utf-8")
        names = re.findall(r"v\.files?\(\s*\{\"(\w+)\"", schema)
        self.assertEqual(sorted(path.rpartition(".")[2] for path in Schema(Simulator(Path(PROGRAM), ROOT)).keys().files), sorted(names))

    def test_a_flag_is_an_axis_at_its_place(self) -> None:
        done = self.call("--policy", "fcfs,stf", "depth=1..4", LOAD, "--verify", "--drive=eagle")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([axis["key"] for axis in self.json()["axes"]], ["policy", "depth"])
        scenario = tomllib.loads((self.out / "sweep.toml").read_text(encoding="utf-8"))
        self.assertEqual((scenario["drive"]["name"], scenario["hosts"]["verify"]), ("eagle", True))

    def test_the_values_are_told_before_the_first_run(self) -> None:
        done = self.call("policy=fcfs,stf", "depth=1..16", "seeds=2", LOAD)
        self.assertEqual(
            done.stderr.splitlines()[:3],
            ["headstack: policy: fcfs, stf", "headstack: depth: 1, 2, 4, 8, 16", "headstack: 20 runs of 10 scenarios, with 2 seeds each"],
        )
        done = self.call("depth=1..50+1", LOAD, "--force")
        shown = ", ".join(map(str, range(1, 41)))
        self.assertEqual(done.stderr.splitlines()[0], f"headstack: depth: {shown}, ..., 50 (50 values)")

    def test_seeds_alone_make_a_random_load(self) -> None:
        self.good("policy=fcfs,stf", "seeds=2", "load.limit=50")
        self.assertEqual([row["commands"] for row in self.rows()], ["50"] * 4)

    def test_seeds_alone_are_a_sweep(self) -> None:
        self.good("policy=stf", "seeds=3", LOAD)
        self.assertEqual([cell["runs"] for cell in self.json()["cells"]], [3])

    def test_json_on_standard_output_is_the_file(self) -> None:
        text = self.good("policy=fcfs,stf", LOAD, "--json")
        self.assertEqual(text, (self.out / "sweep.json").read_text(encoding="utf-8"))
        row = re.search(r"^\| `sweep` \| (.*) \|$", (ROOT / "host/command/README.md").read_text(encoding="utf-8"), re.MULTILINE)
        assert row is not None
        self.assertEqual(list(json.loads(text)), re.findall(r"`(\w+)`", row[1]))


class Refusals(InAFolder):
    def test_wrong_words_are_told_once_in_the_simulators_words_and_nothing_is_run(self) -> None:
        for words, status, sentence in (
            (["dept=1..4", LOAD], 2, "(command line): dept: unknown key; did you mean 'depth'?"),
            (["depth=1,64,9999", LOAD], 2, "hosts.depth: 9999 is out of range"),
            (["policy=fcfs,sttf", LOAD], 2, "unknown policy 'sttf'"),
            (["policy=gstf:group=210,frozn,stf", LOAD], 2, "'frozn' is unknown; did you mean 'frozen'?"),
            (["depth=1,2", "load.synthetic.requests=0"], 2, "load.synthetic.requests: 0 is out of range"),
            (["none.toml", "depth=1,2", LOAD], 1, "none.toml: cannot be read"),
            (["depth=1,2"], 2, "load: there are no requests; give load.trace, load.synthetic or load.requests; for random reads"),
            (["policy=stf", LOAD], 2, "there is one run, so there is nothing to compare; give a key several values"),
            (["depth=1..90+1", "load.limit=1..2000+1", LOAD], 2, "180,000 runs; give fewer values or seeds: 100,000 runs are the most"),
            ([f"trace={TRACE}", "depth=1,2", "seeds=2"], 2, "seeds: load.trace has the same requests with any seed"),
            (['load.requests=[[["r", 0, 8]]]', "depth=1,2", "seeds=2"], 2, "seeds: load.requests has the same requests with any seed"),
            (["trace=-", "depth=1,2"], 1, "load.trace: standard input can be read once, and each run reads it; name a file"),
            (["trace=none.trace", "depth=1,2"], 1, "load.trace: none.trace: No such file or directory; name a file that is there"),
            (["drive.media=m", "depth=1,2", LOAD], 1, "drive.media: m is written by each run"),
            (["policy=fcfs,fcfs", LOAD], 2, "policy: 'fcfs' is there twice; leave one out"),
            (["load.synthetic.gap=1ms,1000us", LOAD], 2, "are the same scenario; leave one of the values out"),
            (["depth=1,2", "--polcy", "x"], 2, "unknown option '--polcy'; did you mean '--policy'?"),
        ):
            with self.subTest(words):
                self.refused(status, sentence, *words)
        self.assertEqual(list(self.store.glob("*")), [])

    def test_an_error_in_a_file_names_its_line(self) -> None:
        (self.folder / "s.toml").write_text("[hosts]\ndept = 4\n", encoding="utf-8")
        self.refused(1, "s.toml:2: hosts.dept: unknown key; did you mean 'depth'?", "s.toml", "policy=fcfs,stf", LOAD)

    def test_without_a_folder_the_command_line_is_wrong(self) -> None:
        line = self.line("depth=1,2", LOAD)
        done = subprocess.run(line[: line.index("--out")], capture_output=True, text=True, check=False, env=ENVIRONMENT)
        self.assertEqual(done.returncode, WRONG_COMMAND_LINE)
        self.assertIn("--out", done.stderr)

    def test_another_sweeps_results_stay_without_force(self) -> None:
        self.good("policy=fcfs,stf", LOAD)
        before = {file.name: file.read_bytes() for file in self.out.iterdir()}
        done = self.call("policy=fcfs,sstf", LOAD)
        self.assertEqual(done.returncode, 1)
        self.assertIn("sweep.txt: exists; give another folder with --out, or --force to replace what is there", done.stderr)
        self.assertEqual({file.name: file.read_bytes() for file in self.out.iterdir()}, before)
        self.good("policy=fcfs,sstf", LOAD, "--force")
        self.assertIn("sstf", (self.out / "sweep.txt").read_text(encoding="utf-8"))

    def test_somebody_elses_file_stays(self) -> None:
        self.out.mkdir()
        (self.out / "sweep.csv").write_text("mine\n", encoding="utf-8")
        self.assertEqual(self.call("policy=fcfs,stf", LOAD).returncode, 1)
        self.assertEqual((self.out / "sweep.csv").read_text(encoding="utf-8"), "mine\n")


class Failures(InAFolder):
    def test_a_failed_run_is_told_with_its_settings_and_the_others_are_kept(self) -> None:
        done = self.call("drive=eagle,eagel", "policy=fcfs,stf", "seeds=2", LOAD)
        self.assertEqual(done.returncode, 1)
        self.assertIn(
            "headstack: error: drive=eagel policy=fcfs load.synthetic.seed=1 (and 3 more): no drive named 'eagel'; did you mean 'eagle'?",
            done.stderr,
        )
        self.assertEqual(done.stderr.count("no drive named"), 1)
        self.assertEqual([row["drive"] for row in self.rows()], ["eagle"] * 4)
        self.assertIn("4 runs failed, and are not in the table.", done.stdout)
        self.assertEqual(len(self.json()["failures"]), 4)
        # A failed run is not kept, and is tried again.
        self.assertEqual(len(list(self.store.iterdir())), 4)

    def test_a_run_that_the_simulator_fails_has_no_row(self) -> None:
        done = self.call("load.synthetic.requests=40,50", "load.expect=50")
        self.assertEqual(done.returncode, 1)
        self.assertIn("headstack: error: load.synthetic.requests=40: ", done.stderr)
        self.assertEqual([row["load.synthetic.requests"] for row in self.rows()], ["50"])

    def test_without_a_run_that_ended_well_there_is_no_table(self) -> None:
        done = self.call("depth=1,2", "drive=nosuch", LOAD)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("headstack: error: no run ended well, so there is no table", done.stderr)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_a_run_without_a_measured_command_is_a_failure(self) -> None:
        done = self.call("depth=1,2", LOAD, "stop.allow_empty=true", "load.warm_up=100s")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("depth=1 (and 1 more): no command was measured; raise load.synthetic.requests or load.limit", done.stderr)

    def test_a_warning_of_runs_is_told_once_and_kept_with_them(self) -> None:
        lines = TRACE.read_text(encoding="utf-8").splitlines(keepends=True)
        (self.folder / "bad.trace").write_text("".join([*lines[:30], "nonsense\n", *lines[30:40]]), encoding="utf-8")
        for _ in range(2):
            done = self.call("trace=bad.trace", "load.on_bad=skip", "depth=1,2")
            self.assertEqual(done.returncode, 0, done.stderr)
            warnings = [line for line in done.stderr.splitlines() if "warning" in line]
            self.assertEqual(len(warnings), 1)
            self.assertRegex(warnings[0], r"^headstack: warning: depth=1 \(and 1 more\): left out: bad.trace:31: .*; 1 bad line left out$")

    def test_a_broken_trace_is_named_as_its_user_knows_it(self) -> None:
        (self.folder / "bad.trace").write_text("# headstack trace\nnonsense\n", encoding="utf-8")
        done = self.call("trace=bad.trace", "depth=1,2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.trace", done.stderr)
        self.assertNotRegex(done.stderr, r"[0-9a-f]{64}|/scratch-")


class Again(InAFolder):
    WORDS = ("drive=cheetah_9lp", "policy=fcfs,stf,gstf:group=210,frozen", "depth=1,4", "seeds=2", LOAD)

    def files(self, folder: Path) -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}

    def test_the_number_of_jobs_changes_no_byte(self) -> None:
        one, two = self.folder / "one", self.folder / "two"
        self.good(*self.WORDS, "--jobs", 1, out=one, store=self.folder / "s1")
        self.good(*self.WORDS, "--jobs", 2, out=two, store=self.folder / "s2")
        self.assertEqual(list(self.files(one)), FILES)
        self.assertEqual(self.files(one), self.files(two))

    def test_no_run_is_made_twice(self) -> None:
        self.good(*self.WORDS)
        first, kept = self.files(self.out), {file: file.stat().st_mtime_ns for file in self.store.iterdir()}
        self.assertEqual(len(kept), 12)
        self.good(*self.WORDS)
        self.assertEqual(self.files(self.out), first)
        self.assertEqual({file: file.stat().st_mtime_ns for file in self.store.iterdir()}, kept)

    def test_the_scenario_beside_the_table_repeats_it(self) -> None:
        (self.folder / "t.trace").write_bytes(TRACE.read_bytes())
        self.good("trace=t.trace", "policy=fcfs,gstf:group=210,frozen", "depth=1..4", "limit=50")
        first = (self.out / "sweep.toml").read_text(encoding="utf-8").splitlines()[0]
        self.assertEqual(first, "# headstack sweep sweep.toml 'policy=[\"fcfs\", \"gstf:group=210,frozen\"]' 'depth=[1, 2, 4]' --out DIR")
        kept = len(list(self.store.iterdir()))
        done = subprocess.run(
            self.line("sweep.toml", 'policy=["fcfs", "gstf:group=210,frozen"]', "depth=[1, 2, 4]", out=self.folder / "again"),
            capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=self.out,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "again/sweep.csv").read_bytes(), (self.out / "sweep.csv").read_bytes())
        self.assertEqual(len(list(self.store.iterdir())), kept)

    def test_a_title_changes_no_run(self) -> None:
        for title in ("one", "two"):
            text = self.good("policy=fcfs,stf", LOAD, f'title="{title}, and more"', "--force")
            self.assertEqual(text.splitlines()[0], f"{title}, and more")
        self.assertEqual(len(list(self.store.iterdir())), 2)

    def test_a_changed_file_is_another_run(self) -> None:
        trace = self.folder / "t.trace"
        lines = TRACE.read_text(encoding="utf-8").splitlines(keepends=True)
        trace.write_text("".join(lines[:60]), encoding="utf-8")
        self.good(f"trace={trace}", "depth=1,2")
        trace.write_text("".join(lines[:50]), encoding="utf-8")
        self.good(f"trace={trace}", "depth=1,2")
        self.assertEqual(len(list(self.store.iterdir())), 4)

    def test_an_interrupted_sweep_leaves_what_is_done_and_continues(self) -> None:
        words = ("policy=fcfs,sstf,stf", "depth=16..128", "seeds=4", "load.synthetic.requests=5000")
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                out, store = self.folder / f"out-{number}", self.folder / f"store-{number}"
                process = subprocess.Popen(
                    self.line(*words, "--jobs", 1, out=out, store=store), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    text=True, env=ENVIRONMENT, cwd=self.folder,
                )  # fmt: skip
                begin = time.monotonic()
                while len(list(store.glob("*.json"))) < 5:
                    self.assertLess(time.monotonic() - begin, PATIENCE_S)
                    self.assertIsNone(process.poll(), "it ended before it was interrupted")
                    time.sleep(0.01)
                process.send_signal(number)
                table, told = process.communicate(timeout=PATIENCE_S)
                self.assertEqual(process.returncode, INTERRUPTED, told)
                self.assertRegex(told, r"interrupted with \d+ of 48 runs done; .* has what is done, and the same command continues")
                self.assertIn("0 of 4", table)
                self.out = out
                before = self.rows()
                self.assertGreaterEqual(len(before), 5)
                self.assertLess(len(before), 48)
                self.assertFalse(self.json()["complete"])
                kept = {file: file.stat().st_mtime_ns for file in store.glob("*.json")}
                self.good(*words, out=out, store=store)
                self.assertEqual({file: file.stat().st_mtime_ns for file in kept}, kept)
                self.assertEqual(self.rows()[: len(before)], before)
                whole = self.folder / f"whole-{number}"
                self.good(*words, out=whole, store=store)
                self.assertEqual(self.files(whole), self.files(out))


class AsALibrary(InAFolder):
    def test_a_sweep_is_a_function(self) -> None:
        simulator = Simulator(Path(PROGRAM), ROOT)
        declared = declaration_of(simulator, ["policy=fcfs,stf", "seeds=2", LOAD])
        table = sweep(simulator, declared, store=Store(self.store), scratch=self.folder, jobs=1)
        self.assertTrue(table.is_complete)
        self.assertEqual([(row.places, row.seed) for row in table.rows], [((0,), 1), ((0,), 2), ((1,), 1), ((1,), 2)])

    def test_a_build_beside_the_sweep_ends_it_before_anything_is_stored(self) -> None:
        """A new program's result would be kept under the old program's hash."""
        simulator = Simulator(Path(PROGRAM), ROOT)
        trace = self.folder / "t.trace"
        trace.write_bytes(TRACE.read_bytes())

        def change(spec: dict[str, Any], workplace: Workplace) -> dict[str, Any]:
            trace.write_bytes(TRACE.read_bytes() + b"\n")
            return make(spec, workplace)

        plan = make_plan(simulator, declaration_of(simulator, [f"trace={trace}", "depth=1,2", "limit=40"]))
        with self.assertRaisesRegex(SweepError, f"^{trace} has changed since the sweep began; run the same command again"):
            carry_out_plan(simulator, plan, store=Store(self.store), scratch=self.folder, jobs=1, work=change)
        self.assertEqual(list(self.store.iterdir()), [])

    def made(self, counts: list[int], seeds: tuple[int, ...]) -> Declaration:
        """Two policies, over an axis that is no key of a scenario: the number of requests."""
        policies = Axis("policy", "settings.policy", (Value("first", '"fcfs"'), Value("nearest", '"sstf"')))
        count = Axis("count", "", tuple(Value(str(one), "") for one in counts))
        return Declaration("", ("drive=eagle", policies, count), seeds, lambda places: {"count": counts[places[1]]})

    def make_of_load(self, spec: dict[str, Any], workplace: Workplace) -> dict[str, Any]:
        """Makes a run of as many reads as the load has, from block 1000 x seed on. Its figures are the blocks in the
        order of completion.
        """
        lines = "".join(f"- R {1000 * spec['seed'] + 8 * number} 8 -\n" for number in range(spec["load"]["count"]))

        def blocks(ended: Any) -> dict[str, Any]:
            with open(ended.folder / "records.csv", encoding="utf-8", newline="") as file:
                return {"blocks": [int(row["lba"]) for row in csv.DictReader(file)]}

        return make_run(
            spec, workplace, blocks,
            lambda file: file.write_text(f"headstack-trace 1\ntime-unit us\nloop closed\nrequests\n{lines}", encoding="ascii"),
        )  # fmt: skip

    def test_a_work_makes_the_load_of_each_run_by_point_and_seed(self) -> None:
        simulator = Simulator(Path(PROGRAM), ROOT)
        plans = [make_plan(simulator, self.made([3, 5], (4, 9))), make_plan(simulator, self.made([2], (1,)))]
        asked = {"store": Store(self.store), "scratch": self.folder, "jobs": 1, "work": self.make_of_load}
        tables = carry_out_plans(simulator, plans, **asked)
        self.assertEqual([row.name for row in tables[0].rows[:2]], ["policy=first count=3 seed=4", "policy=first count=3 seed=9"])
        for table, counts in zip(tables, ([3, 5], [2]), strict=True):
            self.assertTrue(table.is_complete)
            for row in table.rows:
                expected = [1000 * row.seed + 8 * number for number in range(counts[row.places[1]])]
                self.assertEqual(row.figures, {"blocks": expected}, row.name)
        # There are 2 policies x 2 counts x 2 seeds, and 2 policies. The load's parameters are part of the address.
        self.assertEqual(len(list(self.store.iterdir())), 10)
        self.assertEqual(carry_out_plans(simulator, plans, **asked), tables)
        self.assertEqual(len(list(self.store.iterdir())), 10)

    def test_a_work_that_raises_ends_the_sweep_with_the_settings_of_its_run(self) -> None:
        simulator = Simulator(Path(PROGRAM), ROOT)

        def fail(spec: dict[str, Any], workplace: Workplace) -> dict[str, Any]:
            raise ExecuteError("no")

        with self.assertRaisesRegex(SweepError, "^policy=first count=3 seed=4: no$"):
            carry_out_plan(
                simulator, make_plan(simulator, self.made([3], (4,))), store=Store(self.store), scratch=self.folder, jobs=1, work=fail
            )

    def test_a_file_that_is_written_anew_with_the_same_content_changes_nothing(self) -> None:
        file = self.folder / "file"
        file.write_bytes(b"one")
        inputs = Inputs()
        inputs.hash(file)
        file.write_bytes(b"one")
        os.utime(file, ns=(1, 1))
        self.assertIsNone(inputs.changed())
        file.write_bytes(b"two")
        self.assertEqual(inputs.changed(), file)
        file.unlink()
        self.assertEqual(inputs.changed(), file)

    def test_another_machine_makes_the_same_figures_of_a_kit(self) -> None:
        """The files that a Dask worker unpacks, and the process that it starts (host/execute/kit.py, child.py)."""
        simulator = Simulator(Path(PROGRAM), ROOT)
        (self.folder / "t.trace").write_bytes(TRACE.read_bytes())
        specs = []

        def keep(spec: dict[str, Any], workplace: Workplace) -> dict[str, Any]:
            specs.append((spec, workplace))
            return make(spec, workplace)

        plan = make_plan(simulator, declaration_of(simulator, [f"trace={self.folder / 't.trace'}", "depth=1,2", "limit=40"]))
        table = carry_out_plan(simulator, plan, store=Store(self.store), scratch=self.folder, jobs=1, work=keep)
        spec, workplace = specs[0]
        other = self.folder / "elsewhere"
        kit.unpack(kit.pack(kit.files_of(simulator, workplace.files)), other)
        (self.folder / "t.trace").unlink()
        scratch = other / "scratch"
        scratch.mkdir()
        line = [sys.executable, "-B", str(other / "host/execute/child.py"), str(scratch), "sweep/one_point.py:make"]
        done = subprocess.run(line, input=json.dumps(spec), capture_output=True, text=True, check=False, env=ENVIRONMENT)
        self.assertEqual(json.loads(done.stdout), {"result": table.rows[0].figures}, done.stderr)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
