# SPDX-License-Identifier: Apache-2.0
"""Declarations: what is asked for, and every mistake with its file, key and remedy."""

import tempfile
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001
from errors import ExperimentError
from sweep import load_sweep, require_a_sweep_of_the_page

GOOD = """
title = "a sweep"
report = "eagle"
seeds = [1, 2]
[scenario]
drive = "eagle"
[requests]
sectors = 8
per_queued = 100
at_least = 1000
[names]
gstf = "gstf:group={group}"
ideal = { kind = "native", ideal_electronics = true }
charged = "vp"
[[sweep]]
name = "queue"
policy = ["fcfs"]
platform = ["ideal"]
depth = [2, 101]
[[sweep]]
name = "group"
policy = ["gstf"]
platform = ["ideal", "charged"]
depth = [11]
group = [5, 840]
seeds = [7]
[quick]
seeds = [3]
per_queued = 10
at_least = 50
longest_queue = 99
"""

# What is changed in the text above, and what the message names.
MISTAKES = [
    ('report = "eagle"', 'report = "egle"', "'report' is 'egle', but must be one of eagle"),
    ('drive = "eagle"', 'dirve = "eagle"', """'scenario' is .*, but must be a table of keys of a scenario, such as drive"""),
    ("[scenario]", "[scenari]", "unknown key 'scenari'; did you mean 'scenario'"),
    ("seeds = [1, 2]", "seeds = [1, 1]", r"'seeds' is \[1, 1\], but must be a list of different whole numbers from 0"),
    ("seeds = [1, 2]", "seeds = []", r"'seeds' is \[\]"),
    ("seeds = [1, 2]", "seeds = [-1]", r"'seeds' is \[-1\]"),
    ("seeds = [1, 2]", "seeds = [true]", r"'seeds' is \[True\]"),
    ("seeds = [1, 2]", "seeds = 1", "'seeds' is 1, but must be a list"),
    ("sectors = 8", "", "requests: 'sectors' is missing; give a whole number from 1 to 65535"),
    ("sectors = 8", "sectors = true", "requests: 'sectors' is True"),
    ("sectors = 8", "sectors = 8\nsector = 8", "requests: unknown key 'sector'; did you mean 'sectors'"),
    ("per_queued = 100", "per_queued = 0", "requests: 'per_queued' is 0, but must be a whole number from 1"),
    ('charged = "vp"', "charged = 1", "'names' is .*, but must be a table of names and values"),
    ('policy = ["fcfs"]', 'policy = "fcfs"', "sweep 1: 'policy' is 'fcfs', but must be a list of texts"),
    ('policy = ["fcfs"]', 'policy = ["fcfs", "fcfs"]', "sweep 1: 'policy' is .*, but must be a list of different texts"),
    ('policy = ["fcfs"]', 'policy = ["ideal"]', "sweep 1: policy 'ideal' is a table; give a text"),
    ("depth = [2, 101]", "depth = [1]", r"sweep 1: 'depth' is \[1\], but must be a list of different whole numbers from 2 to 5120"),
    ("depth = [2, 101]", "depth = [5121]", r"sweep 1: 'depth' is \[5121\]"),
    ("depth = [2, 101]", "", "sweep 1: a sweep has either 'depth' or 'rate'"),
    ("depth = [2, 101]", "depth = [2]\nrate = [10]", "sweep 1: a sweep has either 'depth' or 'rate'"),
    ("depth = [2, 101]", "rate = [10]\nrequests = 5", "sweep 1: 'requests' or, above, 'saturation' is missing"),
    ("depth = [2, 101]", "depth = [2]\nterminals = 3\nlength = [1]", "sweep 1: 'terminals', 'length' and 'rate' go together"),
    ("depth = [2, 101]", "depth = [2]\nlength = [1]", "sweep 1: 'terminals', 'length' and 'rate' go together"),
    ("depth = [2, 101]", "depth = [2, 101]\nforced = [5]", "sweep 1: 'forced' goes with one 'depth'"),
    ("depth = [2, 101]", "depth = [101]\nforced = [5]\nthink_ms = 3", "sweep 1: 'think_ms' goes with 'depth', and without 'forced'"),
    ("depth = [2, 101]", 'depth = [2]\nthink_ms = 3\ndrive = "eagle"', "sweep 1: 'drive' goes with 'depth' alone"),
    ("depth = [2, 101]", "depth = [2]\ncrowd = 9", "sweep 1: 'crowd' goes with 'rate'"),
    ("depth = [2, 101]", "apart = [12]\nthink_ms = 3", "sweep 1: 'requests' or 'think_ms' is missing; 'apart' needs both"),
    ("group = [5, 840]", "", r"sweep 2: 'group' is missing; policy 'gstf' has a \{group\}"),
    ('name = "group"', 'name = "queue"', "sweep 2: 'name' is 'queue' a second time"),
    ("longest_queue = 99", "longest = 99", "quick: unknown key 'longest'; did you mean 'longest_queue'"),
    ("title =", "title", "not TOML"),
]


DEADLINES = """
title = "deadlines"
report = "deadlines"
drive = "abstract_1000_track"
seeds = [1, 2]
[requests]
sectors = 8
[policies]
sstf = "sstf"
"sstf(B)" = "sstf"
fdscan = "fdscan"
[write_thresholds]
"sstf(B)" = "space:{below}"
fdscan = "time:{writes}:{scale}"
[[sweep]]
name = "reads alone"
policies = ["sstf(B)", "fdscan"]
reads = [22, 24]
slack_ms = [50, 50]
electronics = ["ideal"]
requests = 3000
[[sweep]]
name = "sizes"
policies = ["sstf", "sstf(B)", "fdscan"]
reads = [20]
writes = [16]
frames = [5, 14]
electronics = ["ideal"]
requests = 3000
[[sweep]]
name = "readings"
policies = ["fdscan"]
reads = [30]
writes = [10]
electronics = ["model"]
readings = ["as defined", "stopped"]
requests = 3000
[quick]
seeds = [5]
open_requests = 100
"""

DEADLINE_MISTAKES = [
    ("reads = [22, 24]", "reads = [0]", r"sweep 1: 'reads' is \[0\]"),
    ("reads = [22, 24]", "reads = [22, 24]\nwrites = [1, 2]", "sweep 1: 'reads' and 'writes' both vary; give a sweep for"),
    ("reads = [22, 24]", 'reads = [22]\nworkload = "1"', "sweep 1: a sweep has either 'reads' or"),
    ("reads = [22, 24]\nslack_ms = [50, 50]", "", "sweep 1: a sweep has either 'reads' or"),
    ("slack_ms = [50, 50]", "slack_ms = [50]", "two whole numbers of milliseconds"),
    ("slack_ms = [50, 50]", "slack_ms = [60, 50]", "two whole numbers of milliseconds"),
    ("slack_ms = [50, 50]", "slack_ms = [0, 100001]", "of 0 to 100000"),
    ("frames = [5, 14]", "frames = [5, 17]", r"sweep 2: 'frames' is \[5, 17\], but must be a list of .* to 16"),
    ("frames = [5, 14]", "below = [0]", r"sweep 2: 'below' is \[0\]"),
    ("frames = [5, 14]", "scale = [11]", "a number from 0.001 to 10"),
    ("frames = [5, 14]", "scale = [1, 1]", "different numbers from 0.001 to 10"),
    ("frames = [5, 14]", "access_ms = 0", "'access_ms' is 0, but must be a number above 0"),
    ('fdscan = "time:{writes}:{scale}"', 'fdscan = "time:{rate}"', r"'fdscan' has another \{word\}; use \{below\}"),
    ('fdscan = "time:{writes}:{scale}"', 'fdscam = "time"', "write_thresholds: there is no policy 'fdscam'; use sstf"),
    ('fdscan = "time:{writes}:{scale}"', 'fdscan = "time 1"', "a table of policies and thresholds"),
    ('readings = ["as defined", "stopped"]', 'readings = ["other"]', "'readings' is .'other'., but must be a list of as"),
    ('readings = ["as defined", "stopped"]', "", "'readings' are of electronics"),
    ("requests = 3000", "", "sweep 1: 'requests' is missing"),
    ("sectors = 8", "sectors = 8\nplaces = 1", "requests: 'places' is 1"),
]


class Declaration(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "sweep.toml"

    def load(self, text: str, **options):
        self.file.write_text(text, encoding="utf-8")
        return load_sweep(self.file, **options)

    # (1 and 100 waiting) x 2 seeds, then 2 groups x 2 kinds of electronics x 1 seed.
    def test_every_combination_is_one_run(self):
        runs = self.load(GOOD).runs
        self.assertEqual(len(runs), 2 * 2 + 2 * 2)
        self.assertEqual(
            [(run.queue, run.seed, run.requests) for run in runs[:4]],
            [(1, 1, 1000), (1, 2, 1000), (100, 1, 10_000), (100, 2, 10_000)],
        )
        self.assertEqual(
            [(run.policy, run.group, run.electronics) for run in runs[4:]],
            [
                ("gstf:group=5", 5, "ideal"),
                ("gstf:group=5", 5, "charged"),
                ("gstf:group=840", 840, "ideal"),
                ("gstf:group=840", 840, "charged"),
            ],
        )

    def test_a_run_is_the_scenario_with_a_value_of_each_axis(self):
        text = GOOD.replace("[requests]", "hosts.bus = \"fast\"\n[requests]", 1)
        sweep = self.load(text)
        constants = [f"drive=\"{ROOT}/sim/drives/eagle.toml\"", 'hosts.bus="fast"']
        queue, group = sweep.declared
        ideal = ['platform.kind="native"', "platform.ideal_electronics=true"]
        self.assertEqual(queue.at((0, 0, 1)), [*constants, 'policy="fcfs"', *ideal, "depth=101", "load.trace=made.trace"])
        self.assertEqual(
            group.at((1, 1, 0)), [*constants, 'policy="gstf:group=840"', 'platform="vp"', "depth=11", "load.trace=made.trace"]
        )
        self.assertEqual((queue.seeds, group.seeds), ((1, 2), (7,)))
        self.assertEqual([run.requests for run in sweep.runs[1::2]][:2], [queue.load((0, 0, at))["requests"] for at in (0, 1)])

    def test_forced_requests_are_an_axis_beside_one_depth(self):
        sweep = self.load(GOOD.replace("depth = [2, 101]", "depth = [101]\nforced = [0, 20]"))
        self.assertEqual([(run.queue, run.load, run.requests) for run in sweep.runs[::2][:2]], [(100, 0, 10_000), (100, 20, 10_000)])
        words = sweep.declared[0].at((0, 0, 1))
        self.assertIn("depth=101", words)
        self.assertIn("hosts.every.head_of_queue=20", words)
        quick = self.load(GOOD.replace("depth = [2, 101]", "depth = [101]\nforced = [0, 20]"), quick=True)
        self.assertEqual({run.sweep for run in quick.runs}, {"group"}, "longer than the longest queue of a quick look")

    def test_a_drive_of_its_own_has_random_requests_of_the_simulator(self):
        sweep = self.load(GOOD.replace("depth = [2, 101]", 'depth = [2, 101]\ndrive = "cheetah_9lp"\nrequests = 700'))
        words = sweep.declared[0].at((0, 0, 1))
        self.assertIn(f'drive="{ROOT}/sim/drives/cheetah_9lp.toml"', words)
        self.assertIn("load.synthetic.requests=700", words)
        self.assertIsNone(sweep.declared[0].load)

    def test_a_host_that_chooses_sends_one_request_at_a_time(self):
        sweep = self.load(GOOD.replace("depth = [2, 101]", "depth = [2, 101]\nthink_ms = 3"))
        self.assertEqual([run.load for run in sweep.runs[::2][:2]], [1, 100])
        queue = sweep.declared[0]
        self.assertEqual([word for word in queue.at((0, 0, 1)) if "depth" in word], ["depth=1"])
        load = queue.load((0, 0, 1))
        self.assertEqual((load["queue"], load["think_ms"], load["policy"]), (100, 3, "fcfs"))

    # 2 policies x 2 rates; 3 policies x 2 sizes; 2 readings: each with 2 seeds.
    def test_loads_with_deadlines_vary_in_one_thing(self):
        runs = self.load(DEADLINES).runs
        self.assertEqual(len(runs), 2 * (2 * 2 + 3 * 2 + 2))
        self.assertEqual({(run.load, run.threshold) for run in runs[:8]}, {(22, "none"), (24, "none")})
        self.assertEqual(
            {(run.label, run.load, run.threshold) for run in runs[8:20]},
            {(label, frames, kind) for frames in (5, 14) for label, kind in
             (("sstf", "none"), ("sstf(B)", "space:1"), ("fdscan", "time:16:1"))},
        )  # fmt: skip
        self.assertEqual([run.reading for run in runs[20:]], ["as defined"] * 2 + ["stopped"] * 2)
        self.assertEqual({run.requests for run in runs}, {3000})
        self.assertEqual({(run.requests, run.seed) for run in self.load(DEADLINES, quick=True).runs}, {(100, 5)})

    def test_every_mistake_with_deadlines_is_named_too(self):
        for old, new, message in DEADLINE_MISTAKES:
            with self.subTest(new):
                self.assertIn(old, DEADLINES)
                with self.assertRaisesRegex(ExperimentError, message):
                    self.load(DEADLINES.replace(old, new, 1))

    def test_what_goes_with_deadlines_goes_with_nothing_else(self):
        streams = DEADLINES.replace("reads = [22, 24]\nslack_ms = [50, 50]", 'workload = "1"\ntaus = [1]')
        for line in ("writes = [1]", "frames = [5]", "slack_ms = [1, 2]", "access_ms = 3"):
            with self.subTest(line), self.assertRaisesRegex(ExperimentError, "goes with 'reads'; leave it out"):
                self.load(streams.replace("taus", f"{line}\ntaus"))
        with self.assertRaisesRegex(ExperimentError, "goes with 'reads'; use ideal, charged or rtl"):
            self.load(streams.replace('electronics = ["ideal"]', 'electronics = ["model"]', 1))

    def test_quick_shortens_runs_queues_and_seeds(self):
        runs = self.load(GOOD, quick=True).runs
        self.assertEqual({run.seed for run in runs}, {3})
        self.assertEqual({(run.queue, run.requests) for run in runs}, {(1, 50), (10, 100)})

    def test_seeds_from_outside_win_as_many_as_the_sweep_asks_for(self):
        runs = self.load(GOOD, seeds=[4, 5, 6]).runs
        self.assertEqual({run.seed for run in runs if run.sweep == "queue"}, {4, 5, 6})
        self.assertEqual({run.seed for run in runs if run.sweep == "group"}, {4})

    def test_only_keeps_the_named_policies(self):
        self.assertEqual({run.label for run in self.load(GOOD, only=["gstf"]).runs}, {"gstf"})
        with self.assertRaisesRegex(ExperimentError, "no policy named 'stf'; --only takes of: fcfs, gstf"):
            self.load(GOOD, only=["stf"])

    def test_every_mistake_is_named_with_file_key_and_remedy(self):
        for old, new, message in MISTAKES:
            with self.subTest(new):
                self.assertIn(old, GOOD)
                with self.assertRaisesRegex(ExperimentError, message) as raised:
                    self.load(GOOD.replace(old, new, 1))
                self.assertTrue(str(raised.exception).startswith(str(self.file)))

    def test_sweeps_that_no_page_has_are_refused_before_any_run(self):
        other = GOOD.replace('name = "queue"', 'name = "depth"').replace('name = "group"', 'name = "size"')
        message = "the page of 'eagle' has no sweep named depth or size, only .*queue.* 'headstack sweep' compares"
        with self.assertRaisesRegex(ExperimentError, message):
            require_a_sweep_of_the_page(self.load(other))
        require_a_sweep_of_the_page(self.load(GOOD))

    def test_a_missing_file_is_named(self):
        with self.assertRaisesRegex(ExperimentError, "sweep.toml: No such file"):
            load_sweep(self.file)

    def test_what_comes_with_headstack_can_be_loaded(self):
        files = sorted((ROOT / "host/experiment").glob("*.toml"))
        self.assertGreaterEqual(len(files), 3)
        for file in files:
            with self.subTest(file.name):
                self.assertGreaterEqual(len(load_sweep(file).runs), len(load_sweep(file, quick=True).runs))


if __name__ == "__main__":
    unittest.main()
