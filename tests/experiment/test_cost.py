# SPDX-License-Identifier: Apache-2.0
"""The cost of the electronics: declarations, loads, records and ledgers by hand, questions, and the page."""

import itertools
import tempfile
import tomllib
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from support import ROOT  # noqa: I001
from claims import verdict_of
from cost_load import SIZE, CostLoad, write_load
from cost_numbers import LADDER, ladder_cases, steps_us
from cost_parts import OTHER, part_of_source
from cost_pictures import draw_cost
from cost_questions import CHARGED, IDEAL, findings, questions
from cost_report import PRICES, REGISTER_CYCLES, cost_page
from errors import ExperimentError
from one_cost_run import COLUMNS, STAGES, count_accesses, full_queue, reduce_ledger, reduce_records
from record_file import NONE
from results import Results
from results_text import section
from rules import FAILS, HOLDS
from sweep import Run, Sweep, load_sweep

OURS = ROOT / "host/experiment/electronics.toml"
GOOD = """
title = "a small one"
report = "cost"
drive = "eagle"
seeds = [1, 2]
requests = 100
[platforms]
ideal = { platform = { kind = "native", ideal_electronics = true } }
bus = { platform = { kind = "native", access_price = 0 }, settings = { predictor_margin_us = 0 } }
charged = { platform = "vp" }
[[sweep]]
name = "depth"
policy = ["fcfs", "stf"]
platform = ["ideal", "charged"]
depth = [1, 16]
size_kb = [4]
deadline_ms = [10, 20]
[[sweep]]
name = "size"
drive = ["eagle", "cheetah_9lp"]
policy = ["fcfs"]
platform = ["ideal", "bus", "charged"]
depth = [1]
size_kb = [4, 64]
pattern = "stream"
cache = "read"
settings = ["observe.ledger=true"]
seeds = [5]
[[question]]
says = "It takes a similar time."
sweep = "size"
measure = "request_ms"
at_most = "alike"
[quick]
seeds = [1]
requests = 50
drive = ["eagle"]
deepest = 4
"""

# What is changed in the text above, and what the message names.
MISTAKES = [
    ("requests = 100", "requests = 1", "'requests' is 1, but must be a whole number from 2"),
    ('drive = "eagle"', "", "'drive' is missing"),
    ("charged = {", "chraged = {", "sweep 1: 'platform' is .*, but must be a list of ideal, bus, chraged"),
    ('charged = { platform = "vp" }', 'charged = "vp"', "'platforms' is .*, but must be a table of names, each with keys of a scenario"),
    ("size_kb = [4]", "size_kb = [4, 8]", "sweep 1: 'depth' and 'size_kb' both vary; give a sweep for each"),
    ("depth = [1, 16]", "depth = [1, 100]", "sweep 1: 100 'requests' do not fill a queue of 100; give more, or less 'depth'"),
    ('name = "size"', 'name = "depth"', "sweep 2: 'name' is 'depth' a second time; give every sweep its own name"),
    ("deadline_ms = [10, 20]", "deadline_ms = [20, 10]", "'deadline_ms' is .*, but must be two whole numbers of milliseconds, from and to"),
    ('pattern = "stream"', 'pattern = "streem"', "'pattern' is 'streem', but must be one of random, stream"),
    ('["observe.ledger=true"]', '["observe.ledger"]', "'settings' is .*, but must be a list of settings, each KEY=VALUE"),
    ('at_most = "alike"', 'at_most = "alik"', "'at_most' is 'alik', but must be a number, or one of the words the same, alike"),
    ('at_most = "alike"', "", "question 1: no bound; give 'at_least' or 'at_most'"),
    ('sweep = "size"', 'sweep = "sizes"', "question 1: there is no sweep 'sizes'; the sweeps are depth, size"),
    ('at_most = "alike"', 'at_most = 1\nover = { platform = "vp" }', "question 1: 'platform': sweep 'size' has no 'vp'; it has ideal, bus, charged"),
    ('at_most = "alike"', "at_most = 1\nless = { at = 8 }", "question 1: 'at': sweep 'size' has no '8'; it has 4, 64"),
    ('at_most = "alike"', 'at_most = 1\ndrive = ["eagl"]', "question 1: 'drive': sweep 'size' has no 'eagl'; it has eagle, cheetah_9lp"),
    ('measure = "request_ms"', 'measure = "request"', "'measure' is 'request', but must be one of requests, counted, request_ms"),
    ('at_most = "alike"', 'at_most = 1\npart = ["bus"]', "'part' is .*, but must be two names of platforms"),
]


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def load(self, text: str, **options) -> Sweep:
        (self.folder / "cost.toml").write_text(text)
        return load_sweep(self.folder / "cost.toml", **options)


class Declarations(InAFolder):
    def test_runs_are_policies_times_platforms_times_loads_times_seeds_on_each_drive(self) -> None:
        sweep = self.load(GOOD)
        self.assertEqual(len(sweep.runs), 2 * 2 * 2 * 2 + 2 * 3 * 2)
        self.assertEqual({run.sweep for run in sweep.runs}, {"depth on eagle", "size on eagle", "size on cheetah_9lp"})
        self.assertEqual({run.seed for run in sweep.runs if run.sweep != "depth on eagle"}, {5})

    def test_a_run_is_the_scenario_with_a_value_of_each_axis(self) -> None:
        depth, size, _ = self.load(GOOD).declared
        words = depth.at((1, 1, 1))
        for word in ('policy="stf"', 'platform="vp"', "hosts.depth=16", 'settings.cache="off"', "settings.deadlines=message"):
            self.assertIn(word, words)
        words = size.at((0, 1, 1))
        for word in ("platform.access_price=0", "settings.predictor_margin_us=0", 'settings.cache="read"', "observe.ledger=true"):
            self.assertIn(word, words)
        self.assertEqual(size.load((0, 1, 1))["blocks"], 128)

    def test_requests_do_not_depend_on_policy_platform_and_depth(self) -> None:
        depth = self.load(GOOD).declared[0]
        self.assertEqual(len({str(depth.load(places)) for places in depth.combinations()}), 1)

    def test_quick_seeds_and_only(self) -> None:
        quick = self.load(GOOD, quick=True)
        self.assertEqual({run.sweep for run in quick.runs}, {"depth on eagle", "size on eagle"})
        self.assertEqual({(run.seed, run.requests, run.load) for run in quick.runs}, {(1, 50, 1), (1, 50, 4), (1, 50, 64)})
        self.assertEqual({run.seed for run in self.load(GOOD, seeds=[7, 8]).runs if run.load == 64}, {7}, "as many seeds as its own")
        self.assertEqual({run.label for run in self.load(GOOD, only=["stf"]).runs}, {"stf"})
        with self.assertRaisesRegex(ExperimentError, "no policy named 'scan'; --only takes of: fcfs, stf"):
            self.load(GOOD, only=["scan"])

    def test_mistakes(self) -> None:
        for old, new, message in MISTAKES:
            with self.subTest(new):
                self.assertIn(old, GOOD)
                with self.assertRaisesRegex(ExperimentError, message) as raised:
                    self.load(GOOD.replace(old, new, 1))
                self.assertTrue(str(raised.exception).startswith(str(self.folder / "cost.toml")))

    # The page says what each platform adds: the declaration has to agree with it.
    def test_the_ladder_of_the_experiment_is_that_of_its_page(self) -> None:
        platforms = tomllib.loads(OURS.read_text())["platforms"]
        native = {name: one["platform"] for name, one in platforms.items() if name != CHARGED}
        self.assertEqual(native.pop(IDEAL), {"kind": "native", "ideal_electronics": True})
        self.assertEqual({one["kind"] for one in native.values()}, {"native"})
        prices = {name: one["access_price"] for name, one in native.items()}
        self.assertEqual(prices, {"bus": 0, "margin": 0, "accesses": REGISTER_CYCLES} | {name: int(price) for name, price in PRICES.items()})
        self.assertEqual({name for name, one in platforms.items() if "settings" in one}, {"bus"})
        self.assertEqual(platforms["bus"]["settings"], {"predictor_margin_us": 0})
        self.assertEqual(platforms[CHARGED], {"platform": "vp"})
        self.assertLessEqual(set(LADDER), set(platforms))


class Loads(InAFolder):
    def requests(self, seed: int = 1, capacity: int = 10_000, count: int = 500, **changes) -> list[list[str]]:
        load = replace(CostLoad(SIZE, 1, 8), **changes)
        write_load(self.folder / "trace", load.spec(count), capacity, seed)
        return [line.split() for line in (self.folder / "trace").read_text().splitlines()[4:]]

    def test_random_requests_lie_on_multiples_of_their_size_and_on_the_drive(self) -> None:
        lbas = [int(lba) for _, _, lba, blocks, _ in self.requests() if blocks == "16"]
        self.assertEqual(len(lbas), 500)
        self.assertTrue(all(lba % 16 == 0 and lba + 16 <= 10_000 for lba in lbas))
        # 625 places. The mean of n uniform numbers below m has the deviation m / sqrt(12 n).
        self.assertAlmostEqual(float(np.mean(lbas)), 9_984 / 2, delta=4 * 10_000 / (12 * 500) ** 0.5)

    def test_a_stream_begins_anywhere_and_has_no_gap(self) -> None:
        begins = set()
        for seed in range(1, 9):
            lbas = [int(lba) for _, _, lba, _, _ in self.requests(seed, pattern="stream", count=100)]
            self.assertEqual(lbas, [lbas[0] + 16 * number for number in range(100)])
            self.assertLessEqual(lbas[-1] + 16, 10_000)
            begins.add(lbas[0])
        self.assertGreater(len(begins), 4)
        with self.assertRaisesRegex(ExperimentError, "a stream of 626 requests of 16 blocks does not fit on a drive of 10000"):
            self.requests(pattern="stream", count=626)

    # The deviation of a share of n is sqrt(p (1 - p) / n) = 0.022.
    def test_writes_and_deadlines_are_drawn_by_themselves(self) -> None:
        plain, mixed = self.requests(), self.requests(write_share=0.5, deadline_ms=(10, 20))
        self.assertEqual([row[2] for row in plain], [row[2] for row in mixed])
        self.assertEqual({row[1] for row in plain} | {row[4] for row in plain}, {"R", "-"})
        self.assertAlmostEqual(sum(row[1] == "W" for row in mixed) / 500, 0.5, delta=4 * 0.022)
        self.assertTrue(all(10_000 <= float(row[4]) <= 20_000 for row in mixed))

    def test_the_same_seed_gives_the_same_requests_and_another_one_others(self) -> None:
        self.assertEqual(self.requests(), self.requests())
        self.assertNotEqual(self.requests(), self.requests(seed=2))


def columns(rows: list[tuple[float, float]], **more: list[int]) -> dict[str, np.ndarray]:
    """Records of submissions and completions in milliseconds, with one block each, and no time in any stage."""
    submitted, completed = (np.array(one) * 10**9 for one in zip(*rows, strict=True))
    found = {name: np.zeros(len(rows), np.int64) for name in COLUMNS}
    found |= {"submitted_ps": submitted.astype(np.int64), "completed_ps": completed.astype(np.int64), "blocks": np.ones(len(rows), np.int64)}
    found["response_ps"] = found["completed_ps"] - found["submitted_ps"]
    return found | {name: np.array(values) for name, values in more.items()}


class Records(unittest.TestCase):
    # Two outstanding: 0 and 0, then one more at each completion; the last is submitted at 9.
    ROWS = [(0, 4), (0, 6), (4, 9), (6, 11), (9, 12)]

    def test_the_time_counts_while_the_queue_is_full(self) -> None:
        found = columns(self.ROWS)
        # From 6, when the first two are done, to 9: one completion.
        self.assertEqual(full_queue(found["submitted_ps"], found["completed_ps"], 2), (3 * 10**9, 1))
        numbers = reduce_records(found, 2)
        self.assertEqual((numbers["request_ms"], numbers["counted"], numbers["requests"]), (3.0, 1, 5))
        self.assertAlmostEqual(numbers["requests_per_s"], 1000 / 3)
        self.assertAlmostEqual(numbers["mb_per_s"], 512 / 1e6 * 1000 / 3)

    def test_one_after_the_other(self) -> None:
        numbers = reduce_records(columns([(0, 2), (2, 5), (5, 7)]), 1)
        self.assertEqual((numbers["request_ms"], numbers["counted"]), (3.0, 1))

    # Of five responses 4, 6, 5, 5, 3 the nearest ranks of 99 and 99.9 % are the fifth.
    def test_responses_are_those_of_all_requests(self) -> None:
        numbers = reduce_records(columns(self.ROWS), 2)
        self.assertAlmostEqual(numbers["response_mean_ms"], 23 / 5)
        self.assertEqual((numbers["response_p99_ms"], numbers["response_p999_ms"], numbers["response_max_ms"]), (6, 6, 6))
        # Of 1,000 the 999th.
        numbers = reduce_records(columns([(number, 2 * number + 1) for number in range(1000)]), 1)
        self.assertEqual((numbers["response_p99_ms"], numbers["response_p999_ms"]), (990, 999))

    def test_a_deadline_is_missed_by_a_picosecond_and_none_is_not(self) -> None:
        numbers = reduce_records(columns(self.ROWS, deadline_ps=[4 * 10**9, 6 * 10**9 - 1, NONE, 10**12, NONE]), 2)
        self.assertAlmostEqual(numbers["missed_percent"], 100 / 3)
        self.assertNotIn("missed_percent", reduce_records(columns(self.ROWS), 2))

    def test_what_went_wrong(self) -> None:
        with self.assertRaisesRegex(ExperimentError, "did not end with GOOD"):
            reduce_records(columns(self.ROWS, status=[0, 2, 0, 0, 0]), 2)
        for depth in (5, 6):
            with self.assertRaisesRegex(ExperimentError, f"5 requests do not serve a queue of {depth}; give more"):
                reduce_records(columns(self.ROWS), depth)


# In the form of host/observe/event_ledger.hpp. What comes before the first request, and what the core sleeps, does not count.
LEDGER = """10 BOOTED 1 80 start_up start_up:900:700
issue 500000 0 0
30 COMMAND_RECEIVED 1 90 bus_in (asleep):10:0 bus_in:8:6 choose:2:2
50 TASK_CHOSEN 1 a0 choose choose:20:11
70 COMMAND_RECEIVED 1 90 bus_in (asleep):15:0 bus_in:5:4
"""
ACCESSES = """19 90 r 4 SCSI_TARGET.STATE 1
20 90 r 4 SCSI_TARGET.STATE 1
25 94 w 4 BUFFER+40 7
26 98 w 4 BUFFER_MGR.SECTOR 200
"""


class Ledgers(unittest.TestCase):
    def test_cycles_by_part_and_event_from_the_first_request_on(self) -> None:
        found = reduce_ledger(LEDGER.splitlines(), {"bus_in": "target", "choose": "queue", "start_up": "start"}.__getitem__)
        self.assertEqual(found["first_edge"], 20, "500,000 ps are 20 clocks of 25 ns")
        self.assertEqual(found["parts"], {"target": 13, "queue": 22})
        self.assertEqual(found["events"], {"COMMAND_RECEIVED": 15, "TASK_CHOSEN": 20})
        self.assertEqual((found["cycles"], found["instructions"]), (35, 23))

    def test_accesses_count_from_the_first_request_on(self) -> None:
        self.assertEqual(count_accesses(ACCESSES.splitlines(), 20), {"register_accesses": 2, "buffer_accesses": 1})

    def test_a_ledger_without_requests_is_an_error(self) -> None:
        with self.assertRaisesRegex(ExperimentError, "the ledger has no request"):
            reduce_ledger(LEDGER.splitlines()[:1], str)

    def test_a_part_is_the_folder_of_the_source(self) -> None:
        for file, part in (
            ("firmware/queue/policy_stf.c", "queue"), ("/elsewhere/firmware/hal/servo_hal.h", "hal"), ("firmware/drive.c", "start"),
            ("firmware/start/start.S", "start"), ("/gcc/libgcc2.c", OTHER), ("firmware/remap/learn.c", OTHER), ("", OTHER),
        ):  # fmt: skip
            self.assertEqual(part_of_source(file), part, file)


QUESTION = {"says": "It is so.", "sweep": "depth", "policy": ["fcfs"], "measure": "request_ms", "at_most": 1.1}
# Milliseconds a request by platform, at depth 1; at 16 it is half of it.
TIMES = {"ideal": 10.0, "bus": 10.5, "margin": 10.5, "accesses": 10.75, "price36": 11.5, "price72": 13.0, "charged": 12.0}


def made_up(run: Run, times: dict[str, float] = TIMES) -> dict:
    """The numbers of a run in a made-up world, in which only the platform and the depth matter."""
    ms = times[run.electronics] / (1 if run.load == 1 else 2) * (1 + run.seed / 1e6)
    numbers = {f"{name}_ms": ms for name in ("request", "response_mean", "response_p999", *STAGES)} | {"requests": 100}
    if run.cost.deadline_ms:
        numbers["missed_percent"] = ms
    if "observe.ledger=true" in run.settings:
        numbers |= {"cycles": 1000, "instructions": 800, "register_accesses": 50, "buffer_accesses": 0}
        numbers |= {"parts": {"queue": 700, OTHER: 300}, "events": {"TASK_CHOSEN": 990_000, "BUS_FREE": 10}}
    return numbers


def world(sweep: Sweep, times: dict[str, float] = TIMES) -> Results:
    """The results of a sweep in a made-up world."""
    return Results(sweep.runs, [made_up(run, times) for run in sweep.runs])


class Questions(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.sweep = self.load(GOOD)

    def numbers(self, **changes) -> list[float]:
        found = findings(world(self.sweep), self.sweep.costs, QUESTION | changes)
        return [round(one.value.mean, 4) for one in found]

    def test_a_ratio_a_difference_and_a_share_by_hand(self) -> None:
        self.assertEqual(self.numbers(), [1.2, 1.2])
        self.assertEqual(self.numbers(at=(16,)), [1.2])
        self.assertEqual(self.numbers(**{"as": "difference"}), [2.0, 1.0])
        self.assertEqual(self.numbers(sweep="size", drive=["eagle"], over={"platform": "bus"}), [round(12 / 10.5, 4)] * 2)
        # (10.5 - 10) of (12 - 10): a quarter.
        self.assertEqual(self.numbers(sweep="size", drive=["eagle"], part=("bus", "ideal")), [25.0, 25.0])
        self.assertEqual(self.numbers(over={"policy": "stf"}), [1.0, 1.0])

    def test_a_number_that_runs_lack_is_not_measured(self) -> None:
        self.assertEqual(self.numbers(measure="cycles"), [])

    def test_less_subtracts_another_place_and_leaves_that_place_out(self) -> None:
        self.assertEqual(self.numbers(less={"at": 1}, **{"as": "difference"}), [-1.0])

    def test_a_question_has_one_number_for_each_drive_policy_and_load(self) -> None:
        found = findings(world(self.sweep), self.sweep.costs, {"sweep": "size", "measure": "request_ms", "at_most": 1})
        self.assertEqual([one.what for one in found], [f"{drive}, fcfs at {size}" for drive in ("eagle", "cheetah_9lp") for size in (4, 64)])

    def test_every_question_of_the_experiment_can_hold_and_can_fail(self) -> None:
        sweep = load_sweep(OURS, seeds=[1, 2])
        fast, slow = dict.fromkeys(TIMES, 10.0), TIMES | {"charged": 20.0}
        few, many = slow | {"accesses": 19.0, "margin": 11.0}, slow | {"accesses": 10.2, "margin": 10.2, "bus": 10.1}
        worlds = [world(sweep, times) for times in (TIMES, fast, slow, few, many, TIMES | {"price36": 20.0, "price72": 11.0})]
        worlds += [self.bent(sweep, bend, sign) for bend in self.BENDS for sign in (1, -1)]
        for claim in questions(sweep.costs):
            verdicts = {verdict_of(claim.check(one)) for one in worlds}
            self.assertIn(HOLDS, verdicts, claim.text)
            self.assertIn(FAILS, verdicts, claim.text)

    # The cost depends on depth or size, on the drive, or on the policy.
    BENDS = (
        lambda run: run.load / 1000,
        lambda run: 0.1 if run.drive in ("cheetah_9lp", "atlas_10k") else 0,
        lambda run: 0.1 if run.label == "stf" else 0,
    )

    def bent(self, sweep: Sweep, bend: Callable[[Run], float], sign: int) -> Results:
        """A world in which the drive's own electronics take longer by a bend, or shorter."""

        def numbers(run: Run) -> dict:
            factor = 1 + (sign * bend(run) if run.electronics == CHARGED else 0)
            return {key: value * factor if isinstance(value, float) else value for key, value in made_up(run).items()}

        return Results(sweep.runs, [numbers(run) for run in sweep.runs])


class Page(InAFolder):
    def test_the_steps_of_the_ladder_sum_to_the_whole(self) -> None:
        sweep = load_sweep(OURS, seeds=[1, 2])
        found = ladder_cases(world(sweep), sweep.costs)
        # 3 drives x 2 policies x 3 depths; 3 streams x 3 drives x 2 sizes.
        self.assertEqual(len(found), 18 + 18)
        steps = steps_us(world(sweep), found[0])
        self.assertEqual([round(step.mean) for step in steps], [500, 0, 250, 1250])

    def test_a_page_has_all_its_parts_and_pictures(self) -> None:
        sweep = load_sweep(OURS, seeds=[1, 2])
        draw_cost(world(sweep), sweep.costs, self.folder)
        page = cost_page(world(sweep), sweep.costs)
        self.assertEqual({file.name for file in self.folder.glob("*.png")}, {"depth.png", "size.png", "parts.png", "cycles.png"})
        self.assertIn("| random reads of 4 KB | commands outstanding | 20.00 ± 0.00 (hp_c2247a, fcfs, 1) |", page)
        self.assertIn("| random reads of 4 KB | hp_c2247a | fcfs | 1 outstanding | 2000 ± 0 | 500 ± 0 | 0 ± 0 | 250 ± 0 | 1250 ± 0 |", page)
        # Times of 11.5 and 13 ms over 12 ms, and of 10.5 for a price of 0.
        self.assertIn("| random reads of 4 KB | hp_c2247a | fcfs | 1 outstanding | -12.50 ± 0.00 | -4.17 ± 0.00 | 8.33 ± 0.00 |", page)
        self.assertIn("| `TASK_CHOSEN` | 9900 |", page)
        self.assertNotIn("`BUS_FREE`", page, "too few cycles")
        self.assertNotIn("not measured", page)

    def test_a_page_of_part_of_the_runs(self) -> None:
        sweep = self.load(GOOD, only=["stf"])
        page = cost_page(world(sweep), sweep.costs)
        self.assertIn("not measured", page)
        self.assertIn("| eagle | stf | missed deadlines, %: ideal, points more | 10.0 ± 0.0, 2.00 ± 0.00 |", page)
        draw_cost(world(sweep), sweep.costs, self.folder)
        self.assertEqual({file.name for file in self.folder.glob("*.png")}, {"depth.png"})


RESULTS = ROOT / "host/experiment/results"
WAITING = ("a stream of reads without a cache", "a stream of writes with a write-back cache")


class ResultsPage(unittest.TestCase):
    def setUp(self) -> None:
        self.page = (RESULTS / "electronics.md").read_text(encoding="utf-8")

    def rows(self, title: str) -> list[list[str]]:
        """The cells of the first table below a title."""
        lines = section(self.page, title).splitlines()
        begin = next(number for number, line in enumerate(lines) if line.startswith("|---"))
        table = itertools.takewhile(lambda line: line.startswith("|"), lines[begin + 1 :])
        return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]

    # The numbers are those of a whole run; questions and reasons are those of the declaration.
    def test_the_page_has_the_questions_and_reasons_of_today(self) -> None:
        told = {row[2]: row[-1] for row in self.rows("## Questions")}
        claims = questions(load_sweep(OURS).costs)
        self.assertEqual(list(told), [claim.text for claim in claims])
        for claim in claims:
            if told[claim.text] != HOLDS:
                self.assertEqual(told[claim.text].partition("**. ")[2], claim.why_not, claim.text)

    def test_the_page_of_all_results_has_the_table_in_short(self) -> None:
        readme = (RESULTS / "README.md").read_text(encoding="utf-8")
        self.assertIn(section(self.page, "## In short").strip(), readme)

    # What results/README.md says below the table.
    def test_streams_without_read_ahead_wait_most_of_a_revolution(self) -> None:
        found = 0
        for line in self.page.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if len(cells) == 4 + 1 + len(LADDER) and cells[0] in WAITING:
                rpm = tomllib.loads((ROOT / f"sim/drives/{cells[1]}.toml").read_text(encoding="utf-8"))["design"]["rpm"]
                share = float(cells[4].split(" ")[0]) / (60e6 / rpm)
                self.assertTrue(0.75 < share < 1.01, line)
                found += 1
        # 2 loads, 3 drives, 2 sizes.
        self.assertEqual(found, 12)


if __name__ == "__main__":
    unittest.main()
