# SPDX-License-Identifier: Apache-2.0
"""Estimators, energies and tests of the order: the exact vector, and brute force by the paper's own sums."""

import itertools
import math
import unittest

from support import SEEDS, SHARED, random_stream  # noqa: I001
import numpy as np

from remap.arrangement import by_visits, identity, pipe_organ
from remap.counts import Counts, count_stream
from remap.markov import (
    Order,
    energy_if_independent,
    energy_of,
    energy_of_units,
    order_of,
    pi_of,
    rho_of,
    z_of,
)
from remap.picture import binned

VECTOR = SHARED / "vectors/remap_8_cylinders.csv"
GROUPS = 5


def counted(stream: np.ndarray, groups: int) -> Counts:
    return count_stream(stream, groups, 0, 160)


class Sums:
    """The paper's section 3, sum by sum. A cell whose denominator is 0 has no share."""

    def __init__(self, stream: list[int], groups: int) -> None:
        self.vc, self.groups = stream, range(groups)
        t = len(stream)
        self.pi = [sum(vc == j for vc in stream) / t for j in self.groups]
        self.n = [sum(stream[s - 1] == i for s in range(1, t)) for i in self.groups]
        pairs = [(stream[s - 1], stream[s]) for s in range(1, t)]
        self.rho = [[pairs.count((i, j)) / self.n[i] if self.n[i] else 0.0 for j in self.groups] for i in self.groups]
        self.pairs = pairs

    def chi_first(self) -> float:
        return sum(
            self.n[i] * (self.rho[i][j] - self.pi[j]) ** 2 / self.pi[j]
            for i in self.groups for j in self.groups if self.n[i] and self.pi[j]
        )  # fmt: skip

    def chi_second(self) -> float:
        triples = list(zip(self.vc, self.vc[1:], self.vc[2:], strict=False))
        total = 0.0
        for i, j in itertools.product(self.groups, repeat=2):
            began = sum((a, b) == (i, j) for a, b, _ in triples)
            for k in self.groups:
                if began and self.rho[j][k]:
                    gamma = triples.count((i, j, k)) / began
                    total += began * (gamma - self.rho[j][k]) ** 2 / self.rho[j][k]
        return total

    def cells_first(self) -> int:
        return (sum(1 for one in self.n if one) - 1) * (sum(1 for one in self.pi if one) - 1)

    def cells_second(self) -> int:
        triples = set(zip(self.vc, self.vc[1:], self.vc[2:], strict=False))
        middles = {j for _, j, _ in triples}
        return sum(
            (len({i for i, m, _ in triples if m == j}) - 1) * (len({k for _, m, k in triples if m == j}) - 1) for j in middles
        )

    def energy(self, places: list[int]) -> float:
        return sum(abs(places[i] - places[j]) * self.pi[i] * self.rho[i][j] for i in self.groups for j in self.groups)


class BruteForce(unittest.TestCase):
    def test_estimators_are_the_papers_sums(self) -> None:
        for seed in SEEDS:
            stream = random_stream(seed, GROUPS, 12 + 9 * seed)
            sums, counts = Sums(stream.tolist(), GROUPS), counted(stream, GROUPS)
            np.testing.assert_allclose(pi_of(counts), sums.pi, rtol=1e-14)
            for (i, j, _), rho in zip(counts.pairs.tolist(), rho_of(counts), strict=True):
                self.assertAlmostEqual(rho, sums.rho[i][j], delta=1e-14)
            self.assertEqual(counts.pairs[:, 2].sum(), len(stream) - 1)

    def test_tests_of_the_order_are_the_papers_sums(self) -> None:
        for seed in SEEDS:
            stream = random_stream(seed, GROUPS, 12 + 9 * seed)
            sums, order = Sums(stream.tolist(), GROUPS), order_of(stream, GROUPS)
            self.assertAlmostEqual(order.first.chi2, sums.chi_first(), delta=1e-9 * (1 + sums.chi_first()))
            self.assertAlmostEqual(order.second.chi2, sums.chi_second(), delta=1e-9 * (1 + sums.chi_second()))
            self.assertEqual((order.first.degrees, order.second.degrees), (GROUPS * (GROUPS - 1), GROUPS * (GROUPS - 1) ** 2))
            self.assertEqual((order.first_seen.degrees, order.second_seen.degrees), (sums.cells_first(), sums.cells_second()))
            self.assertLessEqual(order.second.chi2, order.second_most)

    def test_energies_are_formulas_2_and_3(self) -> None:
        for seed in SEEDS:
            stream = random_stream(seed, GROUPS, 40)
            sums, counts = Sums(stream.tolist(), GROUPS), counted(stream, GROUPS)
            places = np.random.default_rng(seed).permutation(GROUPS)
            self.assertAlmostEqual(energy_of(counts, places), sums.energy(places.tolist()), delta=1e-12)
            independent = sum(abs(places[i] - places[j]) * sums.pi[i] * sums.pi[j] for i in range(GROUPS) for j in range(GROUPS))
            self.assertAlmostEqual(energy_if_independent(counts, places), independent, delta=1e-12)

    def test_energy_of_units_is_the_mean_over_the_units_of_a_pair(self) -> None:
        parts = 3
        for seed in SEEDS:
            counts = counted(random_stream(seed, GROUPS, 40), GROUPS)
            slots = np.random.default_rng(seed).permutation(GROUPS * parts)
            total = 0.0
            for (a, b, _), rho in zip(counts.pairs.tolist(), rho_of(counts), strict=True):
                distances = [abs(slots[a * parts + k] - slots[b * parts + m]) for k in range(parts) for m in range(parts)]
                total += pi_of(counts)[a] * rho * sum(distances) / parts**2 / parts
            self.assertAlmostEqual(energy_of_units(counts, slots, parts), total, delta=1e-12)


class Vector(unittest.TestCase):
    """8 cylinders, 32 accesses, with every number between."""

    @classmethod
    def setUpClass(cls) -> None:
        if not VECTOR.exists():
            raise unittest.SkipTest(f"reference data not present: {VECTOR} (not part of the project)")
        rows = dict(line.rstrip("\n").rpartition(",")[::2] for line in VECTOR.read_text(encoding="ascii").splitlines()[1:] if line)
        cls.rows = {name.strip(): value for name, value in rows.items()}
        cls.stream = np.array(cls.numbers("stream", int))
        cls.counts = counted(cls.stream, 8)

    @classmethod
    def numbers(cls, name: str, kind: type) -> list:
        return [kind(one) for one in cls.rows[name].split()]

    def value(self, name: str) -> float:
        return float(self.rows[name])

    def test_pi(self) -> None:
        np.testing.assert_allclose(pi_of(self.counts), self.numbers("pi", float), atol=5e-7)

    def test_rho(self) -> None:
        wanted = {}
        for part in self.rows["rho(nonzero i:j=value)"].split():
            pair, _, value = part.partition("=")
            wanted[tuple(map(int, pair.split(":")))] = float(value)
        found = {(i, j): rho for (i, j, _), rho in zip(self.counts.pairs.tolist(), rho_of(self.counts), strict=True)}
        self.assertEqual(set(found), set(wanted))
        for pair, rho in wanted.items():
            self.assertAlmostEqual(found[pair], rho, delta=5e-7)

    def test_order(self) -> None:
        lines = VECTOR.read_text(encoding="ascii").splitlines()
        order: Order = order_of(self.stream, 8)
        for name, test in (("chi0_order0_vs_1", order.first), ("chi0_order1_vs_2", order.second)):
            at = next(number for number, line in enumerate(lines) if line.startswith(name))
            chi2, degrees, z = (float(line.rpartition(",")[2]) for line in lines[at : at + 3])
            self.assertAlmostEqual(test.chi2, chi2, delta=5e-7)
            self.assertEqual(test.degrees, int(degrees))
            self.assertAlmostEqual(test.z, z, delta=5e-7)

    def test_identity_and_pipe_organ(self) -> None:
        self.assertAlmostEqual(energy_of(self.counts, identity(8)), self.value("identity energy"), delta=5e-10)
        organ = pipe_organ(self.counts.visits)
        self.assertEqual(organ.tolist(), self.numbers("pipe organ P(i)", int))
        self.assertAlmostEqual(energy_of(self.counts, organ), self.value("pipe organ energy"), delta=5e-10)

    def test_left_first_is_optimal_if_accesses_are_independent_and_right_first_is_not(self) -> None:
        """With 8 cylinders there is one more slot on the left of N/2: see Organ."""
        optimum = min(energy_if_independent(self.counts, np.array(one)) for one in itertools.permutations(range(8)))
        left_first = np.empty(8, dtype=np.int64)
        left_first[by_visits(self.counts.visits)] = [4, 3, 5, 2, 6, 1, 7, 0]
        self.assertAlmostEqual(energy_if_independent(self.counts, left_first), optimum, delta=1e-12)
        self.assertGreater(energy_if_independent(self.counts, pipe_organ(self.counts.visits)), 1.02 * optimum)

    def test_optimum_of_all_arrangements(self) -> None:
        best = min(energy_of(self.counts, np.array(places)) for places in itertools.permutations(range(8)))
        self.assertAlmostEqual(best, self.value("optimum (all 40320; first found) energy"), delta=5e-10)
        found = np.array(self.numbers("optimum (all 40320; first found) P(i)", int))
        self.assertAlmostEqual(energy_of(self.counts, found), best, delta=1e-12)


class Organ(unittest.TestCase):
    """Formula (2), by enumeration of all arrangements."""

    def optimum(self, counts: Counts) -> float:
        return min(energy_if_independent(counts, np.array(one)) for one in itertools.permutations(range(counts.groups)))

    def test_it_is_optimal_for_independent_accesses_of_an_odd_number_of_groups(self) -> None:
        for seed, groups in zip(range(1, 7), (1, 3, 3, 5, 5, 7), strict=True):
            counts = counted(random_stream(seed, groups, 60), groups)
            self.assertAlmostEqual(energy_if_independent(counts, pipe_organ(counts.visits)), self.optimum(counts), delta=1e-12)

    def test_for_an_even_number_the_longer_side_must_come_first(self) -> None:
        """From N/2 on there is one slot less on the right, where the paper's reading begins. So the least busy collect on the
        left.
        """
        visits = np.array([80, 70, 60, 50, 40, 30, 20, 10])
        counts = Counts(0, 160, visits, np.zeros((0, 3), dtype=np.int64))
        left_first = np.array([4, 3, 5, 2, 6, 1, 7, 0])
        optimum = self.optimum(counts)
        self.assertAlmostEqual(energy_if_independent(counts, left_first), optimum, delta=1e-12)
        right_first = energy_if_independent(counts, pipe_organ(visits))
        self.assertGreater(right_first, optimum + 1e-6)
        self.assertLess(right_first, 1.05 * optimum)


class DegreesOfFreedom(unittest.TestCase):
    def test_the_papers_figures(self) -> None:
        """N = 2,181 and T = 163,681: chi2 of order 1 against 2 is T N at most, far below its degrees of freedom."""
        groups, accesses = 2181, 163_681
        most_z = z_of(accesses * groups, groups * (groups - 1) ** 2)
        self.assertAlmostEqual(most_z, math.sqrt(2 * 163681 * 2181) - math.sqrt(2 * 2181 * 2180**2 - 1), delta=1e-6)
        self.assertLess(most_z, -100_000)
        self.assertGreater(z_of(41.49e6, groups * (groups - 1)), 3.09)  # the paper's chi2 of order 0 against 1

    def test_the_printed_test_of_the_second_order_cannot_reject_what_is_of_the_second_order(self) -> None:
        """Each is the sum of the two before, modulo 97: nothing but the second order tells what follows."""
        stream = [1, 1]
        while len(stream) < 20_000:
            stream.append((stream[-1] + stream[-2] + len(stream) // 400) % 97)
        order = order_of(np.array(stream), 97)
        self.assertFalse(order.second.rejects)
        self.assertFalse(order_of(np.array(stream[:600]), 97).second_can_reject)
        self.assertTrue(order.second_seen.rejects)

    def test_a_stream_of_the_first_order_is_told_from_an_independent_one(self) -> None:
        draw = np.random.default_rng(7)
        independent = draw.integers(0, 8, 4000)
        self.assertFalse(order_of(independent, 8).first.rejects)
        self.assertFalse(order_of(independent, 8).second.rejects)
        steps = np.cumsum(draw.integers(0, 3, 4000)) % 8
        self.assertTrue(order_of(steps, 8).first.rejects)
        self.assertFalse(order_of(steps, 8).second_seen.rejects)


class Pictures(unittest.TestCase):
    def test_transitions_of_units_are_spread_over_their_places(self) -> None:
        """A check by brute force: the count of a pair of groups is distributed over all pairs of their units."""
        for seed in SEEDS:
            parts, cells = seed % 3 + 1, 4
            counts = counted(random_stream(seed, GROUPS, 60), GROUPS)
            places = np.random.default_rng(seed).permutation(GROUPS * parts)
            wanted = np.zeros((cells, cells))
            for first, then, count in counts.pairs.tolist():
                for a, b in itertools.product(range(parts), repeat=2):
                    row, column = (int(places[group * parts + unit]) * cells // (GROUPS * parts) for group, unit in ((first, a), (then, b)))
                    wanted[row, column] += count / parts**2
            np.testing.assert_allclose(binned(counts, places, cells, parts), wanted, atol=1e-9)
            self.assertAlmostEqual(binned(counts, places, cells, parts).sum(), 59)


if __name__ == "__main__":
    unittest.main()
