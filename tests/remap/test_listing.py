# SPDX-License-Identifier: Apache-2.0
"""The paper's listing: what an exchange adds against formula (3), the cooling as printed, and where it ends on a whole day."""

import unittest

from support import random_stream  # noqa: I001
import numpy as np

from remap.arrangement import identity, pipe_organ
from remap.chain import natural_chain
from remap.counts import Counts, count_stream
from remap.listing import COOLING, _rise, anneal, neighbours_of
from remap.markov import energy_of
from remap.walk import Walk, stream_of

GROUPS = 12


def small(seed: int) -> Counts:
    return count_stream(random_stream(seed, GROUPS, 400), GROUPS, 0, 160)


class Energy(unittest.TestCase):
    def test_an_exchange_adds_the_difference_of_formula_3(self) -> None:
        draw = np.random.default_rng(1)
        for seed in range(1, 9):
            counts = small(seed)
            neighbours = neighbours_of(counts)
            places = draw.permutation(GROUPS)
            for one, other in draw.integers(0, GROUPS, (60, 2)).tolist():
                if one == other:
                    continue
                after = places.copy()
                after[[one, other]] = places[[other, one]]
                rise = energy_of(counts, after) - energy_of(counts, places)
                self.assertAlmostEqual(_rise(places.tolist(), one, other, neighbours), rise, places=9)


class Cooling(unittest.TestCase):
    def test_temperatures_fall_to_four_fifths_until_the_listing_is_frozen(self) -> None:
        made = anneal(small(1), identity(GROUPS), 1, first_temperature=10.0)
        for high, low in zip(made.temperatures, made.temperatures[1:], strict=False):
            self.assertAlmostEqual(low / high, 0.8)
        self.assertEqual(made.temperatures[0], 10.0)
        # FROZEN as printed: below 0.5, or below 1 when a round accepts nothing; here every round accepts some.
        self.assertGreaterEqual(made.temperatures[-1], 0.5)
        self.assertLess(made.temperatures[-1] * COOLING, 0.5)

    def test_a_round_ends_in_equilibrium(self) -> None:
        # Hot: hardly any exchange is rejected, so each round has the 50,001 trials that exceed 50,000.
        hot = anneal(small(2), identity(GROUPS), 1, first_temperature=100.0)
        first_rounds = sum(temperature > 10 for temperature in hot.temperatures)
        self.assertGreater(hot.accepts, 0.99 * 50_001 * first_rounds)
        # Without energy everything is accepted, so no round can have 5,000 rejections.
        still = anneal(count_stream(np.zeros(50, dtype=np.int64), GROUPS, 0, 160), identity(GROUPS), 1, first_temperature=1.0)
        self.assertEqual((still.trials, still.accepts), (4 * 50_001, 4 * 50_001))  # 1, 0.8, 0.64 and 0.512

    def test_the_result_is_a_permutation_and_depends_on_the_seed_alone(self) -> None:
        counts = small(3)
        one, again, other = (anneal(counts, identity(GROUPS), seed, 2.0).slots.tolist() for seed in (1, 1, 2))
        self.assertEqual(sorted(one), list(range(GROUPS)))
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)


class Day(unittest.TestCase):
    def test_it_ends_where_another_implementation_did_from_any_hot_start(self) -> None:
        """REMAPPING.md: on such a day the literal reading ends at 138 to 180 cylinders, far above the pipe organ."""
        counts = count_stream(stream_of(natural_chain(2181, 2), Walk(2), 0), 2181, 0, 160)
        for first_temperature in (100.0, 400.0):
            ends = energy_of(counts, anneal(counts, identity(2181), 2, first_temperature).slots)
            self.assertTrue(138 <= ends <= 180, (first_temperature, ends))
        self.assertLess(2 * energy_of(counts, pipe_organ(counts.visits)), 138)


if __name__ == "__main__":
    unittest.main()
