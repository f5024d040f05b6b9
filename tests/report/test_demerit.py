# SPDX-License-Identifier: Apache-2.0
"""The demerit figure against cases worked out by hand."""

import math
import unittest

import numpy as np

from support import ROOT  # noqa: F401, I001
from demerit import demerit, histogram_demerit, relative_demerit


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


class HistogramDemerit(unittest.TestCase):
    """The figure as DiskSim 4.0 counts it. Bins are 1 us wide, from 100 us on 1 us and 1 % of their begin, cut to whole
    microseconds.
    """

    SEED = 1994

    def test_cases_worked_out_by_hand(self) -> None:
        # At the height p, the share of a bin's width that lies below is p. Its mean over 0.0001 .. 1 is 0.50005, and the
        # mean of its square is (1 + 1e-4)(2 + 1e-4) / 6.
        mean, square = 0.50005, 1.0001 * 2.0001 / 6
        cases = [
            # measured and simulated, in ms; the figure, in us
            ([0.0101], [0.0109], 0.0),  # the bin 10 .. 11 us
            ([0.0105], [0.0205], 10.0),  # 10 .. 11 and 20 .. 21 us
            ([0.0999], [0.1019], math.sqrt(1 + 2 * mean + square)),  # 99 .. 100 and 100 .. 102 us: 1 + p
            ([0.0005], [0.1015], math.sqrt(100**2 + 200 * mean + square)),  # 0 .. 1 and 100 .. 102 us: 100 + p
            # The lower half of the times differs by 0, the upper half by 20 us. The height of one half may count to either: 20
            # * 20 / 10,000.
            ([0.0005, 0.0105], [0.0005, 0.0305], math.sqrt(200)),
            ([0.001], [0.0], 1.0),  # A time on the edge is in the bin above it.
            ([1.005], [1.0051], 0.0),  # A bin begins at 1005 us; 1.005 * 1000 is a little less in binary.
        ]
        for measured, simulated, figure_us in cases:
            with self.subTest(measured=measured, simulated=simulated):
                self.assertAlmostEqual(1e3 * histogram_demerit(measured, simulated), figure_us, delta=2e-3)

    @staticmethod
    def read_back(times_ms: list[float]) -> list[tuple[float, float]]:
        """A histogram's lines, printed and read again, up to the first that is 1."""
        edges = [0]
        while len(edges) < 1750:
            edges.append(edges[-1] + 1 + int(edges[-1] / 100))
        counts = [0] * 1750
        for time_ms in times_ms:
            whole_us = int(round(time_ms * 1e6) // 1000)
            counts[min(sum(edge <= whole_us for edge in edges), 1749)] += 1
        lines, below = [], 0
        for edge, count in zip(edges, counts, strict=True):
            below += count
            lines.append((float(f"{edge / 1000:6.3f}"), float(f"{below / len(times_ms):f}")))
            if lines[-1][1] >= 1:
                break
        return lines

    @staticmethod
    def walk(one: list[tuple[float, float]], other: list[tuple[float, float]]) -> float:
        """Up both curves, a ten-thousandth at a time."""
        height, count, squares, at = 1e-4, 0, 0.0, [0, 0]
        while height <= 1:
            times = []
            for which, lines in enumerate((one, other)):
                while lines[at[which]][1] < height:
                    at[which] += 1
                (left, low), (right, high) = lines[at[which] - 1], lines[at[which]]
                times.append(left + (height - low) / (high - low) * (right - left))
            squares += (times[0] - times[1]) ** 2
            count += 1
            height += 1e-4
        return math.sqrt(squares / count)

    def drawn(self, count: int) -> list[float]:
        """Times of a drive, in ms, to a nanosecond: from the buffer, from the media, and one far off."""
        pieces = [self.random.exponential(0.3, count), self.random.normal(15, 4, count), np.full(count, 120.0)]
        chosen = self.random.choice(3, count, p=(0.3, 0.69, 0.01))
        return [abs(round(float(pieces[which][at]), 6)) for at, which in enumerate(chosen)]

    def setUp(self) -> None:
        self.random = np.random.default_rng(self.SEED)

    def test_it_is_what_two_printed_histograms_give(self) -> None:
        for counts in ((1, 1), (2, 7), (40, 40), (113, 500), (1000, 1000)):
            measured, simulated = (self.drawn(count) for count in counts)
            with self.subTest(counts=counts):
                wanted = self.walk(self.read_back(measured), self.read_back(simulated))
                self.assertAlmostEqual(histogram_demerit(measured, simulated), wanted, places=9)

    def test_it_is_as_far_from_the_exact_figure_as_bins_are_wide(self) -> None:
        # 1,999 times: each rank has 5 or 6 of the 10,000 heights, none of them between two ranks. Rank by rank, both curves are
        # within their bins. By the triangle inequality the figures differ by no more than the widths, root mean square.
        count = 1999
        for _ in range(20):
            measured, simulated = np.sort(self.drawn(count)), np.sort(self.drawn(count))
            simulated += self.random.choice((0.0, 0.0005, 0.02, 1.0))
            heights = (np.arange(10_000) + 1) / 10_000
            rank = np.ceil(heights * count - 1e-6).astype(int) - 1
            distance = (measured - simulated)[rank]
            exact = math.sqrt(float(np.mean(distance**2)))
            self.assertAlmostEqual(exact, demerit(measured, simulated), delta=0.05 * demerit(measured, simulated) + 0.002)
            width = 0.002 + 0.01 * measured + 0.01 * simulated
            off = math.sqrt(float(np.mean(width[rank] ** 2)))
            self.assertLessEqual(abs(histogram_demerit(measured, simulated) - exact), off)

    def test_it_may_be_less_or_more_than_the_exact_one(self) -> None:
        # 15.0 ms lies in a bin 0.14 ms wide: what differs within it does not count. Across an edge a whole bin does.
        self.assertLess(histogram_demerit([14.95], [14.96]), demerit([14.95], [14.96]))
        edges = [0]
        while edges[-1] < 15_000:
            edges.append(edges[-1] + 1 + edges[-1] // 100)
        below, above = edges[-1] / 1e3 - 0.001, edges[-1] / 1e3
        self.assertGreater(histogram_demerit([below], [above]), 100 * demerit([below], [above]))

    def test_what_has_no_histogram_is_refused(self) -> None:
        for measured, simulated in (([], [1.0]), ([1.0], []), ([math.nan], [1.0]), ([-0.1], [1.0]), ([1.0], [-0.1])):
            with self.subTest(measured=measured, simulated=simulated), self.assertRaises(ValueError):
                histogram_demerit(measured, simulated)


if __name__ == "__main__":
    unittest.main()
