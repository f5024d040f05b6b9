# SPDX-License-Identifier: Apache-2.0
"""`headstack policy advise` on the program that users run: test_advise_run.py RUN_PROGRAM"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001
from advise_command import candidates_of
from execute.simulator import Simulator
from sweep_errors import WordError

PROGRAM = ""  # from the command line
ENVIRONMENT = {**os.environ, "HEADSTACK_ROOT": str(ROOT), "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
CYLINDER = 1340  # blocks of the drive eagle
HEAD = "headstack-trace 1\ntime-unit us\nloop {loop}\nrequests\n"


class Command(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def trace(self, lines: str, loop: str = "closed") -> Path:
        file = self.folder / "load.trace"
        file.write_text(HEAD.format(loop=loop) + lines)
        return file

    def call(self, *words: object) -> subprocess.CompletedProcess[str]:
        script = ROOT / "host/advise/advise_command.py"
        line = [sys.executable, "-B", script, PROGRAM, *words, "--store", self.folder / "store"]
        return subprocess.run(list(map(str, line)), capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=self.folder)

    # The ends of the disk in turn: in order each request costs a seek over all 840 cylinders, 35 ms (sim/drives/eagle.toml). Who
    # serves one end first pays one such seek for as many as wait there.
    def test_the_arm_that_stays_is_better_than_the_one_that_follows_the_order(self):
        far = 838 * CYLINDER
        trace = self.trace("".join(f"- R {(number % 2) * far + 8 * (number % 100)} 8 -\n" for number in range(400)))
        done = self.call(trace, "drive=eagle", "depth=16", "--policies", "fcfs,sstf", "--json")
        self.assertEqual((done.returncode, done.stderr.count("error")), (0, 0), done.stderr)
        advice = json.loads(done.stdout)
        self.assertEqual((advice["best"], advice["second"], advice["told"], advice["criterion"]), ("sstf", "fcfs", True, "mean_ms"))
        both = {one["policy"]: one for one in advice["candidates"]}
        self.assertGreater(both["fcfs"]["mean_ms"], 2 * both["sstf"]["mean_ms"])
        self.assertEqual((both["fcfs"]["commands"], len(both["fcfs"]["mean_batches"])), (400, 20))
        text = self.call(trace, "drive=eagle", "depth=16", "--policies", "fcfs,sstf").stdout
        self.assertRegex(text, r"^sstf: mean response [\d.]+ ms; fcfs: [\d.]+ ms\.\nSecond best is fcfs: .*, so the difference can be told\.\n")

    # One request at a time leaves nothing to choose.
    def test_where_there_is_no_choice_all_serve_alike(self):
        trace = self.trace("".join(f"- R {number * 7919 % 100000} 8 -\n" for number in range(60)))
        done = self.call(trace, "drive=eagle", "depth=1", "--policies", "sstf,scan,cscan", "--requests", "40")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("The same service, request for request: scan, cscan.\nNo candidate serves this load in another way.\n", done.stdout)

    # Two requests at a time, one of which is urgent and far: the earliest deadline first keeps it, the nearest first may not.
    def test_deadlines_count_where_there_are_some(self):
        text = 'drive = "eagle"\nhosts.depth = 64\nsettings.deadlines = "message"\n'
        load = {"requests": 300, "gap": '"20ms"', "deadline": '"60ms..200ms"'}
        (self.folder / "own.toml").write_text(text + "".join(f"load.synthetic.{key} = {value}\n" for key, value in load.items()))
        done = self.call("own.toml", "--policies", "fcfs,edf", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        advice = json.loads(done.stdout)
        self.assertEqual(advice["criterion"], "missed")
        self.assertEqual([one["with_deadline"] for one in advice["candidates"]], [300, 300])

    # While a first request is served, three wait that are near, and one that is far and has 90 ms. An access takes at most 35 ms of seek,
    # 17 ms of a revolution and 2 ms of transfer (sim/drives/eagle.toml). A drive that knows the deadline serves the far one next, and
    # then ends near the others: two accesses, of which one has a short seek. Another drive has two long seeks and four accesses.
    def test_deadlines_of_a_trace_reach_the_drive(self):
        begins = range(0, 12_000_000, 600_000)
        near = "".join(f"{{at}} R {cylinder * CYLINDER} 8 -\n" for cylinder in (20, 21, 22))
        rows = f"{{at}} R 0 8 -\n{near}{{at}} R {838 * CYLINDER} 8 90000\n"
        trace = self.trace("".join(rows.format(at=at) for at in begins), "open")
        trace.write_text(trace.read_text().replace("headstack-trace 1", "headstack-trace 4"))
        for words, missed, noted in (((), 0, False), (("deadlines=none",), 100, True)):
            done = self.call(trace, "drive=eagle", "--policies", "sstf,edf", "--json", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            both = {one["policy"]: one["missed"] for one in json.loads(done.stdout)["candidates"]}
            self.assertEqual((both["edf"], "do not send them" in done.stderr), (missed, noted), (words, both, done.stderr))

    def test_a_trace_with_times_is_not_held_back_in_its_host(self):
        trace = self.trace("".join(f"{number} R {number * 7919 % 100000} 8 -\n" for number in range(60)), "open")
        for words, waits in (((), False), (("depth=2",), True)):
            done = self.call(trace, "drive=eagle", "--policies", "fcfs,sstf", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("requests waited in their hosts" in done.stderr, waits, done.stderr)

    def test_mistakes_are_told(self):
        trace = self.trace("- R 0 8 -\n- R 99999999 8 -\n")
        for words, status, message in (
            (("none.trace", "drive=eagle"), 1, "none.trace"),
            ((trace, "drive=eagle"), 1, "past the drive's"),
            ((trace, "eagle"), 2, "'eagle' is no setting; write KEY=VALUE"),
            ((trace, "--policies", "fcfs,fcfs"), 2, "give different policies"),
            ((trace, "--policies", "stff,fcfs", "drive=eagle"), 2, "unknown policy 'stff'"),
            ((trace, "--requests", "0"), 2, "give a whole number from 1"),
        ):
            done = self.call(*words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
            self.assertIn(message, done.stderr)

    def test_a_comma_in_front_of_a_parameter_belongs_to_the_policy(self):
        simulator = Simulator(Path(PROGRAM).resolve(), ROOT)
        self.assertEqual(candidates_of("gstf:group=9,frozen,fcfs", simulator), ["gstf:group=9,frozen", "fcfs"])
        self.assertEqual(len(candidates_of(None, simulator)), len(set(candidates_of(None, simulator))))
        with self.assertRaises(WordError):
            candidates_of("fcfs,,stf", simulator)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
