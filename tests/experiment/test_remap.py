# SPDX-License-Identifier: Apache-2.0
"""Maps in experiments: declarations, the requests of a run, its records by hand, and gains."""

import tempfile
import tomllib
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001
import numpy as np
from errors import ExperimentError
from claims import verdict_of
from one_remap_run import WAITING, reduce_arrivals, reduce_walks, seek_words
from remap_aims import aims
from remap_checks import (
    ANGLE,
    DISTANCE,
    FITTED,
    FROM_IDENTITY,
    GAP,
    LISTING,
    ORGAN,
    PAPERS_ENERGY,
    PAPERS_MARKOV_MS,
    PAPERS_MS,
    PAPERS_ORGAN_MS,
    PAPERS_RESULT,
    RATE,
    TABLE_1,
    UNMAPPED,
    gain,
    gain_between,
    more,
)
from remap_claims import gap_findings, paper_claims
from remap_load import DAY, Learned, Learning, RemapLoad, arrivals_us, day_of, learned, requests_of, write_requests
from remap_maps import by_the_listing, group_places, map_name, order_numbers
from remap_report import PARTS, remap_page
from results import Missing, Results
from rules import FAILS, HOLDS
from sweep import Run, load_sweep

from remap.access import Access
from remap.arrangement import Map, pipe_organ
from remap.counts import count_stream
from remap.markov import energy_if_independent, energy_of, order_of

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
    ('gaps = ["0", "exp:5"]', 'rates = [20]\nwalkers = [4]', "'walkers' does not go with 'rates'"),
    ('gaps = ["0", "exp:5"]', "rates = [0]", "'rates' is .0."),
    ('gaps = ["0", "exp:5"]', "sectors = 17", "'sectors' is 17, but must be a whole number from 1 to 16"),
    ('gaps = ["0", "exp:5"]', "seek_scale = 1.5", "map 'own' is made for the drive's own seek times; with 'seek_scale' name maps of"),
    ('gaps = ["0", "exp:5"]', 'controller = "mine"', "'controller' is 'mine', but must be one of published, own"),
    ('gap = "own"', "one_walk = true", "map 'own': 'one_walk' goes with 'learns'"),
    ('maps = ["unmapped", "served"]', "reads = [5]\nsectors = 8", "'[a-z]*' goes with 'maps'; leave it out"),
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

    def test_each_policy_is_a_sweep_of_its_own(self) -> None:
        text = GOOD.replace('policies = ["fcfs"]', 'policies = ["fcfs", "stf"]').replace('maps = ["unmapped", "organ", "own"]', 'maps = ["unmapped"]')
        runs = self.load(text).runs
        self.assertEqual({(run.sweep, run.policy) for run in runs if run.sweep.startswith("gap")}, {("gap, fcfs", "fcfs"), ("gap, stf", "stf")})

    def test_rates_lengths_and_seek_times(self) -> None:
        text = GOOD.replace('gaps = ["0", "exp:5"]', "rates = [20, 36]").replace('maps = ["unmapped", "organ", "own"]', 'maps = ["unmapped"]')
        rates = [run for run in self.load(text).runs if run.sweep == "gap"]
        self.assertEqual([run.load for run in rates], [20, 20, 36, 36])
        self.assertEqual(len({str(run.remap.spec(9)) for run in rates}), 2)
        text = GOOD.replace('gaps = ["0", "exp:5"]', "sectors = 12\nseek_scale = 1.5").replace(', "own"]', "]")
        short = [run.remap.spec(9) for run in self.load(text).runs if run.sweep == "gap"]
        self.assertEqual({(spec["sectors"], spec["seek_scale"]) for spec in short}, {(12, 1.5)})
        # Values that are as usual are in no spec, so that stored results stay valid.
        usual = {"rate", "sectors", "seek_scale", "controller"}
        self.assertFalse(usual & set(load_of().spec(9)))

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
        # REMAPPING: K walks, and one walk K steps ahead, which is the paper's system.
        one_walk = [run for run in sweep.runs if run.sweep == "wscan, one walk"]
        self.assertEqual(({run.load for run in one_walk}, {run.remap.closed for run in one_walk}), ({4, 8, 16}, {True}))
        # The paper tests with 250,000 requests from the estimated chain.
        self.assertEqual({(run.requests, run.remap.chain) for run in sweep.runs if run.sweep == TABLE_1}, {(250_000, "estimated")})
        # Section 1: policies under the same arrivals.
        rated = {run.sweep for run in sweep.runs if run.remap.rate}
        self.assertEqual(rated, {f"{RATE}, {policy}" for policy in ("fcfs", "sstf", "scan", "cscan", "vr", "wscan")})


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
        self.assertLess(len(learned(short.map_spec(2181) | {"seed": 1}).counts.pairs), 500)

    def test_estimated_steps_are_learned_ones(self) -> None:
        seen = []
        for kind, chain in (("natural", "estimated"), ("fitted", "estimated fitted")):
            counts = learned(load_of(chain=kind).map_spec(2181) | {"seed": 1}).counts
            known = set((counts.pairs[:, 0] * 2181 + counts.pairs[:, 1]).tolist())
            stream = requests_of(spec_of(load_of(chain=chain), 2000), None).lba // 160
            seen.append(set((stream[:-1] * 2181 + stream[1:]).tolist()))
            self.assertLessEqual(seen[-1], known)
        self.assertFalse(seen[0] <= seen[1] or seen[1] <= seen[0])

    def test_a_walk_with_requests_ahead_is_learned_from_its_own_order(self) -> None:
        words = {"map_policy": "wscan", "map_walkers": 8, "day": 400}
        walks = day_of(load_of(**words).map_spec(2181) | {"seed": 1})
        one = day_of(load_of(**words, learning=Learning(one_walk=True)).map_spec(2181) | {"seed": 1})
        self.assertEqual((set(walks.walker.tolist()), set(one.walker.tolist())), (set(range(8)), {0}))

    def test_shorter_requests_begin_where_the_others_do(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            for load in (load_of(), load_of(sectors=12)):
                write_requests(Path(folder) / "t", spec_of(load, 50), None)
                lines.append([line.split()[1:3] for line in (Path(folder) / "t").read_text().splitlines() if line.startswith("R ")])
        self.assertEqual([lba for lba, _ in lines[0]], [lba for lba, _ in lines[1]])
        self.assertEqual(({blocks for _, blocks in lines[0]}, {blocks for _, blocks in lines[1]}), ({"16"}, {"12"}))

    def test_arrivals_are_random_and_the_same_for_all_policies(self) -> None:
        times = arrivals_us(1, 36, 20_000)
        gaps = np.diff(times, prepend=0)
        # Exponential gaps: mean and standard deviation are both 1 / rate, here within five standard errors.
        for value, relative in ((gaps.mean(), 1), (gaps.std(), 2**0.5)):
            self.assertAlmostEqual(value, 1e6 / 36, delta=5 * relative * 1e6 / 36 / 20_000**0.5)
        with tempfile.TemporaryDirectory() as folder:
            write_requests(Path(folder) / "t", spec_of(load_of(rate=36), 50), None)
            head, _, rows = (Path(folder) / "t").read_text().partition("requests\n")
        self.assertIn("loop open", head)
        self.assertEqual([float(row.split()[0]) for row in rows.splitlines()], np.round(arrivals_us(1, 36, 50), 3).tolist())
        self.assertEqual([int(row.split()[2]) for row in rows.splitlines()], requests_of(spec_of(load_of(), 50), None).lba.tolist())

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


    def test_a_request_that_arrives_waits_until_it_is_chosen(self) -> None:
        # Two requests: 10 ms after 4 in the queue and 2 on the bus before, 20 ms after 1 and none.
        columns = self.columns((0, 0, 16), (1, 5, 26)) | {stage: np.zeros(2, dtype=np.int64) for stage in WAITING}
        columns["queued_ps"], columns["command_ps"] = np.array([4 * MS, 1 * MS]), np.array([2 * MS, 0])
        result = reduce_arrivals(columns, 2)
        self.assertEqual((result["waiting_mean_ms"], result["service_ms"]), ((6 + 1) / 2, (10 + 20) / 2))
        self.assertEqual((result["response_mean_ms"], result["response_max_ms"]), ((16 + 21) / 2, 21))
        with self.assertRaisesRegex(ExperimentError, "0 of 2 requests came back whole"):
            reduce_arrivals(columns | {"blocks": np.full(2, 8)}, 2)


class Settings(unittest.TestCase):
    def test_a_factor_of_the_seek_times(self) -> None:
        """The words are read back as a drive whose seeks take so much longer, up to either piece's end."""
        drive = ROOT / "sim/drives/paper_179mb.toml"
        words = dict(word.split("=", 1) for word in seek_words(drive, 1.5))
        plain, scaled = (Access(drive, 0.0) for _ in range(2))
        scaled._pieces = tomllib.loads(f"pieces = {words['drive.design.seek.pieces']}")["pieces"]
        for distance in (1, 2, 555, 556, 557, 1000, 1683):
            self.assertAlmostEqual(scaled.seek_ms(distance), 1.5 * plain.seek_ms(distance))
        self.assertAlmostEqual(float(words["drive.design.seek.settle_ms"]), 1.5 * 1.9)

    def test_a_drive_without_a_formula(self) -> None:
        with self.assertRaisesRegex(ExperimentError, "cheetah_9lp.toml: 'seek_scale' needs a drive whose seeks have a formula"):
            seek_words(ROOT / "sim/drives/cheetah_9lp.toml", 1.5)


class Maps(unittest.TestCase):
    stream = np.array([0, 1, 0, 2, 0, 1, 3, 0, 1, 0, 2, 2, 0, 1] * 9)

    def test_numbers_of_the_order(self) -> None:
        """Of ten groups the busiest is a tenth."""
        found, order = order_numbers(Learned(self.stream, count_stream(self.stream, 10, 0, 160))), order_of(self.stream, 10)
        self.assertEqual(found["busiest_tenth"], 6 / 14)
        self.assertEqual((found["chi2_first"], found["z_first"], found["z_first_seen"]), (order.first.chi2, order.first.z, order.first_seen.z))
        self.assertEqual((found["chi2_second"], found["z_second"]), (order.second.chi2, order.second.z))
        self.assertEqual((found["z_second_seen"], found["z_second_most"]), (order.second_seen.z, order.second_most_z))
        self.assertEqual(found["pairs"], len({*zip(self.stream, self.stream[1:], strict=False)}))

    def test_the_listing_makes_a_map_of_whole_groups(self) -> None:
        counts = count_stream(self.stream, 10, 0, 160)
        made, report = by_the_listing(counts, 1)
        self.assertEqual((made.first_block, made.unit_blocks, sorted(made.slots.tolist())), (0, 160, list(range(10))))
        self.assertAlmostEqual(report["result_mean"], energy_of(counts, made.slots))
        self.assertAlmostEqual(report["identity_mean"], energy_of(counts, np.arange(10)))

    def test_places_of_groups_whose_units_stay_together(self) -> None:
        counts = count_stream(self.stream, 4, 0, 160)
        organ = pipe_organ(counts.visits)
        units = Map(0, 160, organ).of_units(16)
        self.assertEqual(group_places(units, counts).tolist(), organ.tolist())
        apart = units.slots.copy()
        apart[[0, 25]] = apart[[25, 0]]
        self.assertIsNone(group_places(Map(0, 16, apart), counts))
        self.assertLessEqual(energy_if_independent(counts, organ), energy_if_independent(counts, np.arange(4)))


class Claims(unittest.TestCase):
    """Verdicts on made-up runs: on the paper's own numbers every claim about them holds, and on others it does not."""

    def results(self, organ_ms: float, markov_ms: float, left: float) -> Results:
        runs, results = [], []
        services = {UNMAPPED: PAPERS_MS, ORGAN: organ_ms, DISTANCE: markov_ms, FROM_IDENTITY: markov_ms, LISTING: markov_ms}
        for sweep in (TABLE_1, FITTED):
            for label, service in services.items():
                for seed in (1, 2, 3):
                    runs.append(Run(sweep, label, "fcfs", "ideal", 0, 0, 0, seed, 100, remap=load_of()))
                    energies = {"identity_energy": PAPERS_ENERGY, "map_energy": left, "independent_energy": 1.0}
                    results.append({"service_ms": service, "requests": 100} | dict.fromkeys(PARTS, 1.0) | (energies if label != UNMAPPED else {}))
        return Results(runs, results)

    def verdicts(self, results: Results) -> dict[str, str]:
        """The verdicts of claims on sections 4 and 5 that have runs and are not fitted, by their text."""
        found = {}
        for claim in paper_claims():
            if claim.section[0] in "45" and not claim.fitted:
                try:
                    found[f"{claim.section}: {claim.text}"] = verdict_of(claim.check(results))
                except Missing:
                    continue
        return found

    def test_the_papers_own_numbers(self) -> None:
        found = self.verdicts(self.results(PAPERS_ORGAN_MS, PAPERS_MARKOV_MS, PAPERS_RESULT))
        self.assertGreater(len(found), 12)
        self.assertEqual({HOLDS}, set(found.values()), found)

    def test_a_map_that_gains_nothing(self) -> None:
        found = self.verdicts(self.results(PAPERS_MS, PAPERS_MS, PAPERS_ENERGY))
        failing = {text for text, verdict in found.items() if verdict == FAILS}
        for words in ("ends at 32.35", "8.28 %", "by 21.31 %", "by 25.65 %", "4.34 points", "Predicted: 18.16 ms", "significant improvement"):
            self.assertTrue(any(words in text for text in failing), words)

    def test_the_gap_is_asked_of_every_model_that_was_run(self) -> None:
        findings = gap_findings(self.results(PAPERS_ORGAN_MS, PAPERS_MARKOV_MS, PAPERS_RESULT))
        self.assertEqual(len(findings), 2 * 3)
        # (19.217960 - 18.158880) / 24.423321, and a sixth of it on either side.
        self.assertAlmostEqual(findings[0].value.mean, 4.3363, places=3)
        self.assertAlmostEqual(findings[0].low, 4.34 * 5 / 6, places=6)

    def test_what_took_a_number_of_the_paper_is_fitted(self) -> None:
        fitted = [claim.text for claim in paper_claims() if claim.fitted]
        for number in ("2,181 virtual cylinders", "41.49 million", "390.65 cylinders", "24.42 ms without a map, 19.22 ms"):
            self.assertTrue(any(number in text for text in fitted), number)
        self.assertFalse([text for text in fitted if "32.35" in text or "18.16" in text])


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

    def test_claims_have_places_and_ranges(self) -> None:
        self.assertGreaterEqual(len(paper_claims()), 8)
        self.assertGreaterEqual(len(aims()), 14)


if __name__ == "__main__":
    unittest.main()
