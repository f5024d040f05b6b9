"""Declarations: what is asked for, and every mistake with its file, key and remedy."""

import tempfile
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001
from errors import ExperimentError
from sweep import load_sweep

GOOD = """
title = "a sweep"
report = "eagle"
drive = "eagle"
seeds = [1, 2]
[requests]
sectors = 8
per_queued = 100
at_least = 1000
[policies]
fcfs = "fcfs"
gstf = "gstf:group={group}"
[[sweep]]
name = "queue"
policies = ["fcfs"]
queue_lengths = [1, 100]
electronics = ["ideal"]
[[sweep]]
name = "group"
policies = ["gstf"]
queue_lengths = [10]
group_sizes = [5, 840]
electronics = ["ideal", "charged"]
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
    ('drive = "eagle"', 'dirve = "eagle"', "unknown key 'dirve'; did you mean 'drive'"),
    ("seeds = [1, 2]", "seeds = [1, 1]", r"'seeds' is \[1, 1\], but must be a list of different whole numbers from 0"),
    ("seeds = [1, 2]", "seeds = []", r"'seeds' is \[\]"),
    ("seeds = [1, 2]", "seeds = [-1]", r"'seeds' is \[-1\]"),
    ("seeds = [1, 2]", "seeds = [true]", r"'seeds' is \[True\]"),
    ("seeds = [1, 2]", "seeds = 1", "'seeds' is 1, but must be a list"),
    ("sectors = 8", "", "requests: 'sectors' is missing; give a whole number from 1 to 65535"),
    ("sectors = 8", "sectors = true", "requests: 'sectors' is True"),
    ("sectors = 8", "sectors = 8\nsector = 8", "requests: unknown key 'sector'; did you mean 'sectors'"),
    ("per_queued = 100", "per_queued = 0", "requests: 'per_queued' is 0, but must be a whole number from 1"),
    ('fcfs = "fcfs"', 'fcfs = "fc fs"', "'policies' is .*, but must be a table of names and policies"),
    ('policies = ["fcfs"]', 'policies = ["fsfs"]', "sweep 1: 'policies' is .'fsfs'., but must be a list of fcfs, gstf"),
    ("queue_lengths = [1, 100]", "queue_lengths = [0]", r"sweep 1: 'queue_lengths' is \[0\]"),
    ("queue_lengths = [1, 100]", "queue_lengths = [5001]", r"sweep 1: 'queue_lengths' is \[5001\]"),
    ("queue_lengths = [1, 100]", "", "sweep 1: a sweep has either"),
    ("queue_lengths = [1, 100]", "rates = [10]\nrequests = 5", "sweep 1: 'saturation' is missing"),
    ("queue_lengths = [1, 100]", "queue_lengths = [1]\nrates = [10]", "sweep 1: a sweep has either"),
    ("group_sizes = [5, 840]", "", r"sweep 2: 'group_sizes' is missing; policy 'gstf' has a \{group\}"),
    ('["ideal", "charged"]', '["real"]', "sweep 2: 'electronics' is .'real'., but must be a list of ideal"),
    ('name = "group"', 'name = "queue"', "sweep 2: 'name' is 'queue' a second time"),
    ("longest_queue = 99", "longest = 99", "quick: unknown key 'longest'; did you mean 'longest_queue'"),
    ("title =", "title", "not TOML"),
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
