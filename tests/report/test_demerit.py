# SPDX-License-Identifier: Apache-2.0
"""The demerit figure against cases worked out by hand."""

import math
import unittest

import numpy as np

from support import ROOT  # noqa: F401, I001
from demerit import demerit, relative_demerit


class Demerit(unittest.TestCase):
    """Root mean square distance of two cumulative curves."""

    def test_cases_worked_out_by_hand(self) -> None:
        cases = [
            # measured, simulated, the figure
            ([5.0], [5.0], 0.0),
            ([5.0], [8.0], 3.0),
            ([1, 2, 3], [1, 2, 3], 0.0),
            # Every curve point lies 2 to the right.
            ([1, 2, 3, 10], [3, 4, 5, 12], 2.0),
            # Ranks differ by 0 and 4: sqrt((0 + 16) / 2).
            ([1, 5], [1, 9], math.sqrt(8)),
            # One value against two: half of the height is 1 away, half 3: sqrt((1 + 9) / 2).
            ([2], [3, 5], math.sqrt(5)),
            # The lowest third 0 against 1, the middle one half 0, half 10 against 1, the last 10 against 1:
            # thirds are cut at a half: 1/2 of the height |0 - 1|, 1/2 |10 - 1|: sqrt((1 + 81) / 2).
            ([0, 10], [1, 1, 1], math.sqrt(41)),
            # Steps at 1/2 | 1/3, 2/3: stretches of 1/3, 1/6, 1/6, 1/3 with distances 0, 2, 4, 2.
            ([0, 6], [0, 2, 4], math.sqrt(0 / 3 + 4 / 6 + 16 / 6 + 4 / 3)),
        ]
        for measured, simulated, figure in cases:
            with self.subTest(measured=measured, simulated=simulated):
                self.assertAlmostEqual(demerit(measured, simulated), figure, places=12)

    def test_is_symmetric(self) -> None:
        self.assertAlmostEqual(demerit([1, 4, 9], [2, 2]), demerit([2, 2], [1, 4, 9]), places=12)

    def test_the_order_does_not_count(self) -> None:
        self.assertEqual(demerit([3, 1, 2], [2, 3, 1]), 0.0)

    def test_repeating_a_set_changes_nothing(self) -> None:
        measured, simulated = [1.0, 2.0, 7.0], [2.0, 2.5]
        self.assertAlmostEqual(demerit(measured * 5, simulated * 7), demerit(measured, simulated), places=12)

    def test_unequal_sizes_approach_the_distance_of_the_curves(self) -> None:
        # Uniform on 0 .. 1 and on 0 .. 2: the curves are u apart at height u, so the figure is sqrt(1/3).
        measured = (np.arange(20_000) + 0.5) / 20_000
        simulated = 2 * (np.arange(30_001) + 0.5) / 30_001
        self.assertAlmostEqual(demerit(measured, simulated), math.sqrt(1 / 3), places=4)

    def test_nothing_and_what_is_no_number_are_refused(self) -> None:
        for measured, simulated in (([], [1.0]), ([1.0], []), ([math.nan], [1.0]), ([1.0], [1.0, math.inf])):
            with self.subTest(measured=measured, simulated=simulated), self.assertRaises(ValueError):
                demerit(measured, simulated)

    def test_relative_to_the_mean_measured_time(self) -> None:
        # Means 2: 1 away everywhere.
        self.assertAlmostEqual(relative_demerit([1, 3], [2, 4]), 0.5, places=12)
        with self.assertRaises(ValueError):
            relative_demerit([0.0], [1.0])
        with self.assertRaises(ValueError):
            relative_demerit([], [1.0])


if __name__ == "__main__":
    unittest.main()
