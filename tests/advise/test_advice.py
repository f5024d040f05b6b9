# SPDX-License-Identifier: Apache-2.0
"""Advice from made-up runs, worked out by hand."""

import unittest
from collections.abc import Sequence
from typing import Any

import numpy as np

import support  # noqa: F401, I001
from advice import LONGEST, MEAN, MISSED, Candidate, advise, criterion_of, sentences
from candidate_run import BATCHES, batches_of


def candidate(name: str, batches: Sequence[float], longest: float = 50.0, missed: Sequence[float] = ()) -> Candidate:
    figures: dict[str, Any] = {
        "commands": 1000, "not_good": 0, "waited_in_host": 0, "mean_ms": sum(batches) / len(batches), "p999_ms": 40.0,
        "longest_ms": longest, "commands_per_second": 100.0, "mean_batches": list(batches), "with_deadline": 10 if missed else 0,
        "missed": sum(missed) / max(1, len(missed)), "missed_batches": list(missed),
    }  # fmt: skip
    return Candidate(name, figures)


class Ranking(unittest.TestCase):
    def test_the_least_is_best_and_equal_ones_are_ranked_by_their_mean(self):
        advice = advise([candidate("a", [3, 5]), candidate("b", [2, 4]), candidate("c", [1, 9])], MEAN)
        self.assertEqual([one.name for one in advice.ranked], ["b", "a", "c"])
        advice = advise([candidate("a", [3, 5], 20), candidate("b", [2, 4], 20), candidate("c", [1, 9], 10)], LONGEST)
        self.assertEqual([one.name for one in advice.ranked], ["c", "b", "a"])

    def test_misses_count_where_there_are_deadlines(self):
        self.assertIs(criterion_of([candidate("a", [1])]), MEAN)
        self.assertIs(criterion_of([candidate("a", [1], missed=[0])]), MISSED)

    # Differences 1 and 3: their mean is 2, and t of one degree of freedom 12.706 (Fisher and Yates), times a deviation of the mean of 1.
    def test_a_difference_is_that_of_batches(self):
        advice = advise([candidate("a", [1, 1]), candidate("b", [2, 4])], MEAN)
        found = advice.difference(advice.second)
        self.assertEqual((found.mean, round(found.half, 3)), (2, 12.706))
        self.assertFalse(advice.is_told_from(advice.second))
        self.assertIn("+2", f"+{found.mean:g}")

    # All batches differ by the same: no doubt.
    def test_a_steady_difference_can_be_told(self):
        advice = advise([candidate("a", [1, 5, 2]), candidate("b", [1.5, 5.5, 2.5])], MEAN)
        self.assertTrue(advice.is_told_from(advice.second))
        self.assertEqual(sentences(advice)[-1], "Second best is b: 3.167 ms, 0.500 ± 0.000 ms more, so the difference can be told.")

    def test_equal_service_is_named_and_is_not_second(self):
        advice = advise([candidate("fcfs", [9, 9]), candidate("a", [1, 1]), candidate("b", [1, 1])], MEAN)
        self.assertEqual([one.name for one in advice.alike], ["b"])
        self.assertEqual(advice.second.name, "fcfs")
        self.assertEqual(sentences(advice)[:2], ["a: mean response 1.000 ms; fcfs: 9.000 ms.", "The same service, request for request: b."])
        only = advise([candidate("a", [1, 1]), candidate("b", [1, 1])], MEAN)
        self.assertEqual(sentences(only)[-1], "No candidate serves this load in another way.")

    def test_a_single_number_has_no_interval(self):
        advice = advise([candidate("a", [1, 1], 10), candidate("b", [1, 2], 20)], LONGEST)
        self.assertIsNone(advice.difference(advice.second))
        self.assertIn("which has no interval", sentences(advice)[-1])


class Batches(unittest.TestCase):
    def test_batches_are_consecutive_and_nearly_of_one_size(self):
        self.assertEqual(batches_of(np.arange(40)), [0.5 + 2 * number for number in range(BATCHES)])
        self.assertEqual(batches_of(np.array([4.0, 2.0])), [4.0, 2.0])


if __name__ == "__main__":
    unittest.main()
