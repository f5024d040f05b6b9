# SPDX-License-Identifier: Apache-2.0
"""Maps in experiments: declarations, the requests of a run, its records by hand, and gains."""

import tempfile
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001
import numpy as np
from errors import ExperimentError
from one_remap_run import reduce_walks
from remap_claims import ANGLE, DISTANCE, GAP, ORGAN, UNMAPPED, aims, gain, gain_between, more, paper_claims
from remap_load import DAY, RemapLoad, day_of, learned, requests_of
from remap_maps import map_name
from remap_report import PARTS, remap_page
from results import Missing, Results
from results_remap import all_claims, gains
from sweep import Run, load_sweep

from remap.arrangement import Map

GOOD = """
title = "maps"
report = "remap"
drive = "paper_179mb"
seeds = [1, 2]
[requests]
sectors = 16
[policies]
fcfs = "fcfs"
stf = "stf"
[[map]]
name = "unmapped"
[[map]]
name = "organ"
words = "--method organ --energy distance --whole-groups"
[[map]]
name = "own"
words = "--method anneal --gaps-share 0.5"
gap = "own"
[[map]]
name = "served"
words = "--method organ"
learns = "stf"
walkers = 32
[[sweep]]
name = "gap"
policies = ["fcfs"]
maps = ["unmapped", "organ", "own"]
gaps = ["0", "exp:5"]
electronics = ["ideal"]
requests = 100
[[sweep]]
name = "depth"
policies = ["stf"]
maps = ["unmapped", "served"]
walkers = [4, 8]
closed = true
electronics = ["ideal", "charged"]
requests = 50
[quick]
seeds = [7]
open_requests = 20
"""
# What is changed in the text above, and what the message names.
MISTAKES = [
    ('maps = ["unmapped", "organ", "own"]', 'maps = ["unmaped"]', "sweep 1: 'maps' is .'unmaped'., but must be a list of unmapped, organ"),
    ('gaps = ["0", "exp:5"]', 'gaps = ["0", "exp"]', "sweep 1: 'gaps' is .'0', 'exp'., but must be a list of different gaps"),
    ('gaps = ["0", "exp:5"]', "gaps = [0]", "sweep 1: 'gaps' is .0."),
    ('gaps = ["0", "exp:5"]', 'gaps = ["0", "5"]\nwalkers = [1, 2]', "'walkers' and 'gaps' both vary; give a sweep for each"),
    ('gaps = ["0", "exp:5"]', 'gaps = ["0", "5"]\nchain = "natral"', "'chain' is 'natral', but must be one of natural"),
    ('gaps = ["0", "exp:5"]', 'chain = "uniform"\ndrifts = [0.1]', "chain 'uniform' has no files that move"),
    ('gaps = ["0", "exp:5"]', "drifts = [2]", "'drifts' is .2."),
    ('gaps = ["0", "exp:5"]', "reads = [1]", "'reads' does not go with 'maps'"),
    ('policies = ["fcfs"]', 'policies = ["fcfs", "stf"]', "2 policies; give one"),
    ("requests = 100", "", "sweep 1: 'requests' is missing"),
    ('electronics = ["ideal"]', 'electronics = ["model"]', "goes with 'reads'"),
    ('maps = ["unmapped", "served"]', "reads = [5]", "'walkers' goes with 'maps'; leave it out"),
    ('gap = "own"', 'gap = "mine"', "map 3: 'gap' is 'mine', but must be 'own' or a gap"),
    ('learns = "stf"', "", "map 'served': 'learns' and 'walkers' go together"),
    ('learns = "stf"', 'learns = "sft"', "there is no policy 'sft'; use fcfs, stf"),
    ('name = "own"', 'name = "organ"', "two maps have the same name"),
    ('name = "own"', 'name = "own, mine"', "map 3: 'name' is 'own, mine', but must be a text without a comma"),
    ("closed = true", "closed = 1", "'closed' is 1"),
]  # fmt: skip
MS = 10**9  # picoseconds


class Declarations(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "e.toml"

    def load(self, text: str, **words):
        self.file.write_text(text, encoding="utf-8")
        return load_sweep(self.file, **words)

    def test_runs_are_maps_times_loads_times_seeds(self) -> None:
        runs = self.load(GOOD).runs
        self.assertEqual(len(runs), 3 * 2 * 2 + 2 * 2 * 2 * 2)
        own = [run for run in runs if run.label == "own"]
        # The map is made for the gap under which it is tested; without a word of gaps for none.
        self.assertEqual([(run.remap.gap, run.remap.map_gap) for run in own], [("0", "0"), ("0", "0"), ("exp:5", "exp:5"), ("exp:5", "exp:5")])
        self.assertEqual({run.remap.map_gap for run in runs if run.label == "organ"}, {"0"})
        self.assertEqual([run.load for run in own], [0, 0, 5, 5])
        served = [run for run in runs if run.label == "served"]
        self.assertEqual({(run.policy, run.remap.map_policy, run.remap.map_walkers) for run in served}, {("stf", "stf", 32)})
        self.assertEqual({run.load for run in served}, {4, 8})
        self.assertTrue(all(run.remap.closed for run in served))

    def test_quick_and_only(self) -> None:
        quick = self.load(GOOD, quick=True).runs
        self.assertEqual(({run.seed for run in quick}, {run.requests for run in quick}), ({7}, {20}))
        self.assertEqual({run.label for run in self.load(GOOD, only=["unmapped", "organ"]).runs}, {"unmapped", "organ"})
        with self.assertRaisesRegex(ExperimentError, "no map named 'fcfs'; --only takes of: unmapped, organ, own, served"):
            self.load(GOOD, only=["fcfs"])

    def test_mistakes(self) -> None:
        for old, new, said in MISTAKES:
            with self.subTest(new):
                self.assertIn(old, GOOD)
                with self.assertRaisesRegex(ExperimentError, said) as caught:
                    self.load(GOOD.replace(old, new, 1))
                self.assertIn(str(self.file), str(caught.exception))

    def test_the_experiment_that_comes_with_headstack(self) -> None:
        sweep = load_sweep(ROOT / "host/experiment/remap.toml")
        names = {run.sweep for run in sweep.runs}
        self.assertLessEqual({"estimated", "gap", "exponential gap", "wscan", "stf", "stf, one walk", "uniform", "drift"}, names)
        self.assertEqual({run.seed for run in sweep.runs}, {1, 2, 3, 4, 5})
        # REMAPPING: FCFS with one outstanding, WSCAN with 4, 8, 16 in a window of 8 cylinders, stf up to 32.
        depths = {sweep_name: {run.load for run in sweep.runs if run.sweep == sweep_name} for sweep_name in ("wscan", "stf")}
        self.assertEqual(depths, {"wscan": {4, 8, 16}, "stf": {4, 8, 16, 32}})
        self.assertEqual({run.policy for run in sweep.runs if run.sweep == "wscan"}, {"wscan:window=8"})


def load_of(**changes) -> RemapLoad:
    words = {"map_words": "x", "map_gap": "0", "map_policy": "", "map_walkers": 1, "chain": "natural", "walkers": 1, "gap": "0"}
    return RemapLoad(**(words | changes))


def spec_of(load: RemapLoad, requests: int = 300, seed: int = 1) -> dict:
    return {"remap": load.spec(2181), "seed": seed, "requests": requests}


class Requests(unittest.TestCase):
    def test_a_map_changes_places_alone(self) -> None:
        slots = np.random.default_rng(1).permutation(21_810)
        plain, mapped = requests_of(spec_of(load_of()), None), requests_of(spec_of(load_of()), Map(0, 16, slots))
        self.assertEqual(mapped.lba.tolist(), (slots[plain.lba // 16] * 16).tolist())
        np.testing.assert_array_equal(plain.gap_us, mapped.gap_us)

    def test_a_map_that_would_split_requests_is_refused(self) -> None:
        for bad in (Map(0, 8, np.arange(43_620)), Map(8, 16, np.arange(100))):
            with self.assertRaisesRegex(ExperimentError, "would split requests"):
                requests_of(spec_of(load_of()), bad)

    def test_tested_is_another_walk_than_the_one_that_is_learned_from(self) -> None:
        day = day_of(load_of().map_spec(2181) | {"seed": 1})
        self.assertEqual(len(day.lba), DAY)
        self.assertNotEqual(day.lba[:300].tolist(), requests_of(spec_of(load_of()), None).lba.tolist())

    def test_a_day_of_another_length_makes_another_map(self) -> None:
        short = load_of(day=500)
        self.assertEqual(len(day_of(short.map_spec(2181) | {"seed": 1}).lba), 500)
        self.assertNotEqual(map_name(short.map_spec(9)), map_name(load_of().map_spec(9)))
        self.assertLess(len(learned(short.map_spec(2181) | {"seed": 1}).pairs), 500)

    def test_estimated_steps_are_learned_ones(self) -> None:
        counts = learned(load_of().map_spec(2181) | {"seed": 1})
        known = set((counts.pairs[:, 0] * 2181 + counts.pairs[:, 1]).tolist())
        stream = requests_of(spec_of(load_of(chain="estimated"), 2000), None).lba // 160
        self.assertLessEqual(set((stream[:-1] * 2181 + stream[1:]).tolist()), known)

    def test_closed_is_one_walk(self) -> None:
        one = requests_of(spec_of(load_of()), None)
        closed = requests_of(spec_of(load_of(walkers=32, closed=True)), None)
        self.assertEqual(one.lba.tolist(), closed.lba.tolist())
        self.assertEqual(set(requests_of(spec_of(load_of(walkers=32)), None).walker.tolist()), set(range(32)))

    def test_a_map_does_not_depend_on_what_it_is_tested_with(self) -> None:
        specs = [load_of(walkers=4).map_spec(9), load_of(walkers=8, closed=True).map_spec(9), load_of(drift=0.1).map_spec(9),
                 load_of(chain="estimated").map_spec(9)]  # fmt: skip
        self.assertEqual(len({map_name(spec) for spec in specs}), 1)
        others = [load_of(map_gap="5"), load_of(map_words="y"), load_of(in_order=True), load_of(map_policy="stf"), load_of(chain="uniform")]
        self.assertEqual(len({map_name(load.map_spec(9)) for load in others} | {map_name(specs[0])}), 6)
        self.assertEqual(load_of(map_words="").map_spec(9), {})


class Records(unittest.TestCase):
    def columns(self, *rows: tuple[int, int, int]) -> dict[str, np.ndarray]:
        """The columns of rows (command, submitted, completed) in ms."""
        command, submitted, completed = (np.array(one, dtype=np.int64) for one in zip(*rows, strict=True))
        count = len(rows)
        times = {name: np.full(count, number * MS) for number, name in enumerate(
            ("seek_ps", "settle_ps", "head_switch_ps", "rotation_ps", "media_transfer_ps"), 1)}  # fmt: skip
        return times | {"command": command, "blocks": np.full(count, 16), "submitted_ps": submitted * MS, "completed_ps": completed * MS,
                        "status": np.zeros(count, dtype=np.int64)}  # fmt: skip

    def test_with_one_outstanding_gaps_do_not_count(self) -> None:
        # 10 ms, 20 ms, and one that is submitted last: it ends when nothing more comes.
        result = reduce_walks(self.columns((0, 0, 10), (1, 100, 120), (2, 130, 131)), 3, 1, closed=False)
        self.assertEqual((result["service_ms"], result["counted"]), (15, 2))
        self.assertEqual([result[f"{part}_ms"] for part in ("seek", "settle", "head_switch", "rotation", "media_transfer")], [1, 2, 3, 4, 5])

    def test_with_several_only_the_time_counts_in_which_all_have_requests(self) -> None:
        # Walker 0 has the even commands, and submits its last at 12; walker 1 the odd ones, and its last at 15.
        rows = ((0, 0, 4), (1, 0, 7), (2, 4, 12), (3, 7, 15), (4, 12, 20), (5, 15, 30))
        result = reduce_walks(self.columns(*rows), 6, 2, closed=False)
        self.assertEqual((result["service_ms"], result["counted"]), ((12 - 4) / 2, 3))
        # As one walk: the last is submitted at 15.
        self.assertAlmostEqual(reduce_walks(self.columns(*rows), 6, 2, closed=True)["service_ms"], (15 - 4) / 3)

    def test_what_went_wrong(self) -> None:
        columns = self.columns((0, 0, 4), (1, 0, 7), (2, 7, 9))
        with self.assertRaisesRegex(ExperimentError, "3 of 4 requests came back"):
            reduce_walks(columns, 4, 1, closed=False)
        with self.assertRaisesRegex(ExperimentError, "did not end with GOOD"):
            reduce_walks(columns | {"status": np.array([0, 2, 0])}, 3, 1, closed=False)
        with self.assertRaisesRegex(ExperimentError, "give more than 3"):
            reduce_walks(columns, 3, 3, closed=False)


class Gains(unittest.TestCase):
    def results(self, *services: tuple[str, str, float, float]) -> Results:
        """The results of rows (map, sweep, load, [service of seed 1 and 2])."""
        runs, results = [], []
        for label, sweep, gap, pair in services:
            for seed, service in enumerate(pair, 1):
                runs.append(Run(sweep, label, "fcfs", "ideal", 0, 0, 0, seed, 100, remap=load_of(gap=f"{gap:g}", axis="gaps")))
                results.append({"service_ms": service, "requests": 100} | dict.fromkeys(PARTS, 1.0))
        return Results(runs, results)

    def test_a_gain_is_taken_seed_by_seed(self) -> None:
        results = self.results((UNMAPPED, GAP, 0, (20, 10)), (ORGAN, GAP, 0, (15, 9)), (DISTANCE, GAP, 0, (12, 8)))
        found = gain(results, ORGAN, 0, GAP)
        self.assertAlmostEqual(found.mean, (25 + 10) / 2)
        self.assertAlmostEqual(found.half, 12.706 * 7.5, places=6)  # t of 1 degree; sd / sqrt 2 = 7.5
        self.assertAlmostEqual(more(results, DISTANCE, ORGAN, 0, GAP).mean, (15 + 10) / 2)
        self.assertAlmostEqual(gain_between(results, ORGAN, GAP, GAP, 0).mean, found.mean)
        with self.assertRaises(Missing):
            gain(results, ANGLE, 0, GAP)

    def test_a_page_of_part_of_the_runs(self) -> None:
        page = remap_page(self.results((UNMAPPED, GAP, 0, (20, 10)), (ORGAN, GAP, 0, (15, 9))))
        self.assertIn("not measured", page)
        self.assertIn("| pipe organ | 17.5 ± 95.3 |", page)

    def test_the_page_of_results_takes_claims_and_gains(self) -> None:
        results = self.results((UNMAPPED, GAP, 0, (20, 10)), (ORGAN, GAP, 0, (15, 9)), (ANGLE, GAP, 0, (15, 9)))
        page = remap_page(results)
        lines = all_claims(page)
        # One is measured, at one gap; rows of maps whose names begin with a digit are none.
        self.assertEqual((lines[0][:11], len(lines)), ("Of 1 claims", 5))
        self.assertTrue(lines[4].startswith("| aim | 34 % or more on the true chain. |"), lines[4])
        told = "\n".join(gains(page))
        self.assertIn("| 16 angle | 17.5 ± 95.3 |", told)
        self.assertNotIn("gains.png", told)

    def test_claims_have_places_and_ranges(self) -> None:
        self.assertGreaterEqual(len(paper_claims()), 8)
        self.assertGreaterEqual(len(aims()), 14)


if __name__ == "__main__":
    unittest.main()
