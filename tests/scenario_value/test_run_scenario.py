# SPDX-License-Identifier: Apache-2.0
"""headstack run with a scenario: files, settings and short flags.

    test_run_scenario.py RUN_PROGRAM
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = Path(sys.argv.pop(1)).resolve()
TRACE = "".join(f"- {'W' if i % 3 == 0 else 'R'} {7919 * i % 100_000} 8 -\n" for i in range(40))
WORDS = ["--drive", "hp_c3323a", "--platform", "vp", "--policy", "sstf", "--depth", "8", "--verify", "observe.events=true",
         "hosts.every.head_of_queue=7", "--cache", "read-write"]  # fmt: skip
SCENARIO = """
drive = "hp_c3323a"
load.trace = "load.trace"
hosts = { depth = 4, verify = true, every.head_of_queue = 7 }
settings = { policy = "sstf", cache = "read-write" }
observe.events = true
"""


class RunScenario(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        (self.folder / "load.trace").write_text("headstack-trace 1\ntime-unit us\nloop closed\nrequests\n" + TRACE)
        (self.folder / "s.toml").write_text(SCENARIO)

    def run_with(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(PROGRAM), *words], cwd=self.folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, env={**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"})  # fmt: skip

    def good(self, *words: str) -> str:
        ended = self.run_with(*words)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), words)
        return ended.stdout

    def result(self, folder: str) -> dict[str, bytes]:
        return {name: (self.folder / folder / name).read_bytes() for name in ("records.csv", "events.txt", "drive.toml")}

    def test_file_and_setting_are_the_run_of_words_alone(self) -> None:
        self.good("--trace", "load.trace", *WORDS, "--out", "words")
        self.good("s.toml", "depth=8", "--out", "scenario")
        self.assertEqual(self.result("scenario"), self.result("words"))
        self.good("s.toml", "--depth", "8", "--out", "short")
        self.assertEqual(self.result("short"), self.result("words"))
        summary = json.loads((self.folder / "scenario/summary.json").read_text())
        self.assertEqual(summary["result"]["commands"], 40)

    def test_printed_scenario_is_the_same_run(self) -> None:
        text = self.good("s.toml", "depth=8", "--print-scenario")
        self.assertIn("depth = 8", text)
        (self.folder / "mine.toml").write_text(text)
        self.assertEqual(self.good("mine.toml", "--print-scenario"), text)
        self.assertGreater(len(self.good("mine.toml", "--print-scenario", "--all")), len(text))
        self.good("s.toml", "depth=8", "--out", "of_file")
        self.good("mine.toml", "--out", "of_print")
        self.assertEqual(self.result("of_print"), self.result("of_file"))

    def test_order_of_words_does_not_matter(self) -> None:
        text = self.good("s.toml", "depth=8", "hosts=2", "--print-scenario")
        self.assertEqual(self.good("--print-scenario", "--hosts", "2", "depth=8", "s.toml"), text)
        self.assertEqual(self.good("--hosts", "2", "s.toml", "--depth=8", "--print-scenario"), text)

    def test_flag_of_a_list_is_given_again(self) -> None:
        text = self.good("s.toml", "--policy", "fcfs", "--policy", "stf", "hosts.every.policy=5", "--print-scenario")
        self.assertIn('policy = ["fcfs", "stf"]', text)

    def test_several_run_one_after_another(self) -> None:
        (self.folder / "t.toml").write_text(SCENARIO.replace("sstf", "fcfs"))
        ended = self.run_with("s.toml", "t.toml", "depth=8", "--out", "both")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        for name in "st":
            self.good(f"{name}.toml", "depth=8", "--out", f"{name}_alone")
            self.assertEqual(self.result(f"both/{name}"), self.result(f"{name}_alone"))
        failing = self.run_with("s.toml", "t.toml", "depth=8", "stop.watchdog=1us", "--out", "neither")
        self.assertEqual(failing.returncode, 1)
        self.assertTrue((self.folder / "neither/t/summary.json").exists(), "the second runs all the same")

    def test_interruption_ends_the_run_and_those_after_it(self) -> None:
        (self.folder / "t.toml").write_text(SCENARIO)
        long = "load.synthetic={requests=2000000}"
        runs = subprocess.Popen([str(PROGRAM), "s.toml", "t.toml", long, "verify=false", "--out", "cut"], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
        while not (self.folder / "cut/s/records.csv").exists():
            self.assertIsNone(runs.poll(), "it ended before it was interrupted")
            time.sleep(0.02)
        os.killpg(runs.pid, signal.SIGINT)
        self.assertEqual(runs.wait(timeout=60), 128 + signal.SIGINT)
        self.assertTrue(json.loads((self.folder / "cut/s/summary.json").read_text())["interrupted"])
        self.assertFalse((self.folder / "cut/t").exists())

    def test_torture_has_flags_of_its_own(self) -> None:
        ended = self.run_with("--torture", "s.toml", "--every", "5", "--cuts", "3", "--jobs", "1", "--whole", "0", "--out", "cuts")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(json.loads((self.folder / "cuts/summary.json").read_text())["torture"]["cuts"], 3)
        self.assertIn("--every", self.run_with("--torture", "--every", "0", "s.toml", "--out", "o").stderr)

    def test_the_runs_folder_keeps_the_scenario_for_the_same_run(self) -> None:
        for words in (("s.toml", "hosts.depth=3"), ("s.toml", "hosts.depth=5", "--force")):
            self.good(*words, "--out", "kept")
            kept = (self.folder / "kept/scenario.toml").read_text()
            self.assertIn('trace = "../load.trace"', kept)
            self.assertIn('name = "hp_c3323a"', kept)
            self.good("kept/scenario.toml", "--out", "again", "--force")
            self.assertEqual(self.result("kept"), self.result("again"), words)

    def test_load_without_a_trace(self) -> None:
        self.good("drive=eagle", "load.synthetic={pattern='zipf',requests=50}", "--out", "made")
        self.assertEqual(json.loads((self.folder / "made/summary.json").read_text())["result"]["commands"], 50)

    def test_waves_are_on_rtl(self) -> None:
        self.good("s.toml", "limit=2", "observe.waves.file=run.fst", "--out", "waves")
        self.assertEqual(json.loads((self.folder / "waves/summary.json").read_text())["platform"], "rtl")
        self.assertTrue((self.folder / "run.fst").exists())

    def test_a_run_without_records_keeps_its_figures(self) -> None:
        self.good("s.toml", "limit=5", "--out", "full")
        self.good("s.toml", "limit=5", "observe.records=summary", "--out", "summary")
        self.good("s.toml", "limit=5", "observe.records=none", "--out", "none")
        full, summary, none = (json.loads((self.folder / name / "summary.json").read_text()) for name in ("full", "summary", "none"))
        self.assertEqual(summary["result"], full["result"])
        self.assertEqual((summary["records"], none["records"]), ("summary", "none"))
        self.assertEqual(none["result"]["commands"], full["result"]["commands"])
        self.assertNotIn("response_ps", none["result"])
        self.assertEqual([(self.folder / name / "records.csv").exists() for name in ("full", "summary", "none")], [True, False, False])

    def test_keys_are_listed(self) -> None:
        self.assertIn("hosts.every.abort", self.good("--keys"))
        of_stop = self.good("--keys", "stop")
        self.assertIn("stop.fail_on", of_stop)
        self.assertNotIn("hosts.depth", of_stop)

    def test_errors_name_place_and_remedy(self) -> None:
        (self.folder / "bad.toml").write_text('drive = "eagle"\nhosts.dept = 3\n')
        (self.folder / "t.toml").write_text(SCENARIO)
        for words, status, sentence in (
            (["bad.toml", "--out", "o"], 1, "bad.toml:2: hosts.dept: unknown key; did you mean 'depth'?"),
            (["s.toml", "hosts.dept=3", "--out", "o"], 2, "(command line): hosts.dept: unknown key; did you mean 'hosts.depth'?"),
            (["s.toml", "--queue-depth", "3", "--out", "o"], 2, "--queue-depth: is a key now; write hosts.depth=VALUE"),
            (["s.toml"], 2, "give --out DIR"),
            (["s.toml", "s.toml", "--out", "o"], 2, "s.toml: another scenario has this name, too"),
            (["--torture", "s.toml", "t.toml", "--out", "o"], 2, "t.toml: a second scenario, beside s.toml"),
            (["--torture", "s.toml", "faults.power_cut=cmd:1", "--out", "o"], 2, "torture cuts at every write"),
            (["--gdb", "unix", "s.toml", "platform=native", "--out", "o"], 2, "the debugger does not work on native"),
            (["none.toml", "--out", "o"], 1, "none.toml"),
            (["--keys", "host"], 2, "host"),
            (["s.toml", "--run-until", "time 1ms", "--out", "o"], 2, "--run-until: is for `headstack debug`"),
            (["s.toml", "--gdb", "unix", "platform=native", "--out", "o"], 2, "platform.kind: the debugger does not work on native"),
            (["s.toml", "--gdb", "unix", "observe.ledger=true", "--out", "o"], 2, "observe.ledger: does not go with snapshots"),
        ):
            with self.subTest(words=words):
                ended = self.run_with(*words)
                self.assertEqual(ended.returncode, status, ended.stderr)
                self.assertIn(sentence, ended.stderr)
                self.assertEqual(len(ended.stderr.splitlines()), 1, ended.stderr)
                self.assertFalse((self.folder / "o").exists())


if __name__ == "__main__":
    unittest.main()
