# SPDX-License-Identifier: Apache-2.0
"""Studies of policies: their declarations, and the choice for a kind of load, on numbers that are made up here."""

import math
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support import ROOT  # noqa: I001
from declared import Run
from errors import ExperimentError
from interval import student_t_975
from policy_loads import CHARGED
from policy_study import Drive, Kind, PolicyLoad, Study
from results import Results
from results_which_policy import ANSWER_TITLE, hints, table_of
from sweep import load_sweep
from which_policy_report import MEAN, MISSED, TAIL, Judge, answer_table, choices, cycles, keeps_up, slower, which_policy_page

DRIVES = (Drive("mvax_71mb", 40), Drive("atlas_10k", 9))
DECLARATION = """
title = "small"
report = "which-policy"
seeds = [1, 2]
policies = ["fcfs", "stf"]
drive = [{ name = "atlas_10k", access_ms = 9 }]
kind = [{ name = "random", words = "Anywhere." }]
[requests]
at_least = 100
per_queued = 10
[[load]]
name = "one"
kind = "random"
synth = "--pattern uniform --sizes 8 --arrivals poisson"
rate = 0.5
slack = [1, 4]
[[load]]
name = "recorded"
kind = "random"
judges = true
trace = "measured/ext4-git-sqlite.trace"
requests = 40
parts = 3
depth = 16
"""


def load(name: str, judges: bool, kind: str = "k") -> PolicyLoad:
    """A load of which only the name matters."""
    return PolicyLoad(name, kind, judges, "--pattern uniform", None, None, None, None, None, (), None, 0, 4, ())


def figures(mean: float, tail: float = 1.0, missed: float | None = None, commands: int = 1000) -> dict[str, Any]:
    """A run's figures."""
    return {"mean_ms": mean, "p999_ms": tail, "longest_ms": tail, "commands": commands, "firmware_cycles": 100_000,
            "with_deadline": 0 if missed is None else 10, "missed": missed or 0.0, "commands_per_second": 1000 / mean}  # fmt: skip


def results_of(numbers: dict[tuple[str, str, int, int], dict[str, Any]]) -> Results:
    """Results by load, policy, place of the drive, and seed."""
    runs = [Run(name, policy, policy, CHARGED, 0, 0, 0, seed, 10, value=drive) for name, policy, drive, seed in numbers]
    return Results(runs, numbers.values())


def study_of(policies: tuple[str, ...]) -> Study:
    """A kind with a load that chooses and one that judges."""
    return Study(DRIVES, (Kind("k", "Words."),), (load("chooses", False), load("judges", True)), policies)


def answer(results: Results, study: Study) -> str:
    """The answer for the kind of the study."""
    return answer_table(study, {"k": choices(results, study, "k")})


class Choosing(unittest.TestCase):
    """Expected numbers are worked out by hand from the definitions in which_policy_report.py."""

    def both(self, ratios: dict[str, tuple[float, float]], jitter: float = 0.0) -> Results:
        """Both loads on both drives: fcfs takes 10 and 40 ms, others by their factor under the loads that choose and judge."""
        numbers = {}
        for place, name in enumerate(("chooses", "judges")):
            for drive, plain in enumerate((10.0, 40.0)):
                for seed in (1, 2):
                    shift = jitter * (1 if seed == 1 else -1)
                    for policy, factors in ratios.items():
                        factor = factors[place] * math.exp(shift if policy == "wstf" else 0)
                        numbers[name, policy, drive, seed] = figures(plain * factor, plain * factor)
        return results_of(numbers)

    def test_a_ratio_is_the_geometric_mean_over_cells_with_t_over_seeds(self) -> None:
        numbers = {}
        for seed, factors in ((1, (0.5, 0.32)), (2, (0.8, 0.8))):
            for drive, factor in enumerate(factors):
                numbers["judges", "fcfs", drive, seed] = figures(20.0)
                numbers["judges", "stf", drive, seed] = figures(20.0 * factor)
        found = Judge(results_of(numbers), [load("judges", True)], 2).ratio("stf", MEAN)
        # Seed 1: sqrt(0.5 * 0.32) = 0.4. Seed 2: 0.8. Their logarithms have the mean of ln(0.5657) and differ by ln 2.
        self.assertAlmostEqual(found.mean, math.sqrt(0.4 * 0.8), 12)
        self.assertAlmostEqual(math.log(found.high / found.mean), student_t_975(1) * math.log(2) / 2, 12)
        self.assertAlmostEqual(found.low * found.high, found.mean**2, 12)

    def test_the_best_in_the_mean_is_chosen(self) -> None:
        results = self.both({"fcfs": (1, 1), "stf": (0.5, 0.6), "wstf": (0.7, 0.4)})
        first, second = choices(results, study_of(("fcfs", "stf", "wstf")), "k")
        self.assertEqual((first.measure, first.policy, second.measure, second.policy), (MEAN, "stf", TAIL, "stf"))
        # The judging loads have another best one, and the page says so.
        self.assertEqual(first.best, "wstf")
        self.assertEqual(first.gain_text(), "-40.0 (-40.0 to -40.0) %")
        self.assertEqual(first.behind_text(), "+50.0 (+50.0 to +50.0) % behind `wstf`")

    def test_where_the_judging_loads_cannot_tell_the_choice_from_their_best_the_page_says_so(self) -> None:
        ratios = {"fcfs": (1, 1), "stf": (0.5, 0.52), "wstf": (0.6, 0.51)}
        chosen = choices(self.both(ratios, jitter=0.1), study_of(tuple(ratios)), "k")[0]
        self.assertEqual((chosen.policy, chosen.behind_text()), ("stf", "cannot be told from `wstf`"))

    def test_fcfs_is_the_answer_where_nothing_can_be_told(self) -> None:
        results = self.both({"fcfs": (1, 1), "wstf": (0.99, 0.99)}, jitter=0.1)
        self.assertEqual(choices(results, study_of(("fcfs", "wstf")), "k")[0].policy, "fcfs")

    def test_misses_count_in_points_where_requests_have_deadlines(self) -> None:
        numbers = {}
        for name in ("chooses", "judges"):
            for drive in (0, 1):
                for seed in (1, 2):
                    numbers[name, "fcfs", drive, seed] = figures(10, missed=30.0)
                    numbers[name, "stf", drive, seed] = figures(5, missed=12.0)
                    numbers[name, "edf", drive, seed] = figures(9, missed=4.0 + 2 * drive)
        results, study = results_of(numbers), study_of(("fcfs", "stf", "edf"))
        first, second = choices(results, study, "k")
        self.assertEqual((first.measure, first.policy, second.measure, second.policy), (MISSED, "edf", MEAN, "stf"))
        self.assertIn("| `edf` | misses 5.0 ± 0.0 % in place of 30.0 ± 0.0 % |", answer(results, study))

    def test_fcfs_is_taken_where_the_judges_do_not_confirm_the_choice(self) -> None:
        ratios = {"fcfs": (1, 1), "stf": (0.5, 1.1)}
        results, study = self.both(ratios), study_of(tuple(ratios))
        self.assertEqual(choices(results, study, "k")[0].policy, "stf")
        self.assertIn("| `fcfs` (`stf` was not confirmed) | +10.0 (+10.0 to +10.0) % | the same", answer(results, study).replace(
            "+10.0 (+10.0 to +10.0) % behind `fcfs`", "the same"))  # fmt: skip

    def test_a_percentile_needs_a_thousand_requests(self) -> None:
        numbers = {}
        for drive, commands in enumerate((1000, 280)):
            for seed in (1, 2):
                numbers["judges", "fcfs", drive, seed] = figures(20.0, 100.0, commands=commands)
                numbers["judges", "stf", drive, seed] = figures(10.0, 50.0 if commands == 1000 else 900.0, commands=commands)
        judge = Judge(results_of(numbers), [load("judges", True)], 2)
        self.assertAlmostEqual(judge.ratio("stf", TAIL).mean, 0.5, 12)
        self.assertAlmostEqual(judge.ratio("stf", MEAN).mean, 0.5, 12)

    def test_cycles_are_of_the_commands_that_warmed_up_too(self) -> None:
        self.assertEqual(cycles(figures(1.0, commands=10)), 10_000)
        self.assertEqual(cycles(figures(1.0, commands=10) | {"warm_up_commands": 30}), 2500)

    def test_the_page_says_where_fcfs_does_not_keep_up(self) -> None:
        kept = PolicyLoad("open", "k", False, "--pattern uniform", 0.5, None, None, None, None, (), None, 0, None, ())
        study = Study(DRIVES, (Kind("k", "Words.", fcfs_keeps_up=True),), (kept,), ("fcfs",))
        # 0.5 in 40 ms are 12.5 a second, and in 9 ms 55.6. A run of 22 ms a request serves 45.5 a second: less than nine tenths.
        slow = {("open", "fcfs", drive, seed): figures(22.0) for drive in (0, 1) for seed in (1, 2)}
        told = keeps_up(results_of(slow), study)
        self.assertIn("open on `atlas_10k`: 45.5 ± 0.0 of 55.6 requests a second", told)
        self.assertNotIn("mvax", told)

    def test_a_policy_is_slower_where_the_whole_interval_of_a_load_is_above(self) -> None:
        # gss is slower by no more than a hundredth, and the interval of wstf reaches below.
        ratios = {"fcfs": (1, 1), "edf": (0.9, 1.2), "gss": (1.005, 1.005), "wstf": (1.2, 1.2)}
        study = study_of(tuple(ratios))
        results = self.both(ratios, jitter=0.5)
        found = slower(results, study)
        self.assertEqual(list(found), ["edf"])
        self.assertEqual([one.load.name for one in found["edf"]], ["judges"])
        self.assertAlmostEqual(found["edf"][0].ratio.mean, 1.2, 12)
        # The hints of the list come from the page.
        page = which_policy_page(results, study)
        self.assertEqual(hints(page).splitlines()[3:], ['SLOWER("edf", "judges", 20)'])

    # Numbers are those of a whole run: the hints of the list are those of the page.
    def test_the_lists_hints_are_those_of_the_page(self) -> None:
        page = (ROOT / "host/experiment/results/which-policy.md").read_text(encoding="utf-8")
        self.assertEqual(hints(page), (ROOT / "host/cli/slower_policies.def").read_text(encoding="utf-8"))
        answer = "\n".join(table_of(page, ANSWER_TITLE))
        self.assertIn(answer, (ROOT / "docs/which-policy.md").read_text(encoding="utf-8"))


class Declared(unittest.TestCase):
    """Declarations and their mistakes."""

    def swept(self, text: str, **options: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "small.toml"
            file.write_text(text, encoding="utf-8")
            return load_sweep(file, **options)

    def refused(self, text: str, *words: str) -> None:
        with self.assertRaises(ExperimentError) as caught:
            self.swept(text)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_times_are_in_accesses_of_the_drive(self) -> None:
        one = self.swept(DECLARATION).study.loads[0]
        # 0.5 in 9 ms are 55.5556 a second; 1 and 4 accesses are 9 and 36 ms.
        self.assertEqual(one.words_on(DRIVES[1])[-4:], ["--rate", "55.5556", "--slack", "9ms:36ms"])
        self.assertEqual(one.words_on(DRIVES[0])[-4:], ["--rate", "12.5", "--slack", "40ms:160ms"])

    def test_a_seed_is_a_part_of_a_recorded_load(self) -> None:
        declared = self.swept(DECLARATION).declared[1]
        words = declared.at((0, 0, 1))
        self.assertTrue({"load.warm_up=40", "load.limit=80", "load.expect=80", "load.loop=closed"} <= set(words), words)

    def test_every_policy_serves_every_load_on_every_drive(self) -> None:
        sweep = self.swept(DECLARATION)
        self.assertEqual(len(sweep.runs), 2 * 2 * 2)
        self.assertEqual(sum(one.count for one in sweep.declared), len(sweep.runs))
        # fcfs stays: the others are compared with it.
        self.assertEqual({run.label for run in self.swept(DECLARATION, only=["stf"]).runs}, {"fcfs", "stf"})

    def test_a_missing_trace_is_left_out_and_named(self) -> None:
        more = DECLARATION + '[[load]]\nname = "two"\nkind = "random"\njudges = true\nsynth = "--pattern uniform --arrivals closed"\n'
        sweep = self.swept(more.replace("ext4-git-sqlite", "nothing"))
        self.assertEqual([load.name for load in sweep.study.loads], ["one", "two"])
        self.assertIn("load 'recorded': no measured/nothing.trace", sweep.missing[0])

    def test_mistakes_are_told_with_their_place_and_the_remedy(self) -> None:
        self.refused(DECLARATION.replace('kind = "random"\nsynth', 'kind = "other"\nsynth'), "load 1", "no kind 'other'", "use random")
        self.refused(DECLARATION.replace("requests = 40", "rate = 1"), "load 2", "'rate' goes with 'synth'")
        self.refused(DECLARATION.replace("depth = 16", ""), "load 2", "'depth' is missing")
        self.refused(DECLARATION.replace("parts = 3", ""), "load 2", "'parts' is missing")
        self.refused(DECLARATION.replace("seeds = [1, 2]", "seeds = [1, 4]"), "load 'recorded'", "seed 4 has no part: there are 3")
        self.refused(DECLARATION.replace("seeds = [1, 2]", "seeds = [1]"), "give two or more")
        self.refused(DECLARATION.replace("ext4-git-sqlite", "nothing"), "kind 'random'", "no load judges (load 'recorded': no measured/nothing")
        self.refused(DECLARATION.replace("slack = [1, 4]", "slack = [4, 1]"), "slack", "two numbers of accesses")
        self.refused(DECLARATION.replace('name = "recorded"', 'name = "one"'), "a name stands twice")
        self.refused(DECLARATION.replace("rate = 0.5", "rates = 0.5"), "rates")
        self.refused(DECLARATION.replace('["fcfs", "stf"]', '["stf"]'), "policies", "'fcfs' is missing")

    def test_choosing_and_judging_loads_of_the_study_differ(self) -> None:
        study = load_sweep(ROOT / "host/experiment/which-policy.toml").study
        for kind in study.kinds:
            chooses, judges = (study.of_kind(kind.name, judging) for judging in (False, True))
            self.assertTrue(chooses and judges, kind.name)
            self.assertFalse({(one.synth, one.depth, one.rate) for one in chooses} & {(one.synth, one.depth, one.rate) for one in judges})


if __name__ == "__main__":
    unittest.main()
