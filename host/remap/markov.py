# SPDX-License-Identifier: Apache-2.0
"""The Markov model of a stream of groups: estimators, energies of arrangements, tests of its order.

Source: Geist, Suggs, Reynolds et al., "Disk Performance Enhancement through Markov-based Cylinder Remapping", sections 3 and 4.
N groups are numbered from 0 on. T is the number of accesses. N_ij counts how often j follows i.

    pi_j   = visits of j / T
    rho_ij = N_ij / sum_k N_ik
    energy = sum_ij abs(P(i) - P(j)) pi_i rho_ij          formula (3), in groups
    chi2   = sum_ij N_i (rho_ij - pi_j)^2 / pi_j           order 0 against 1, N (N - 1) degrees of freedom
    chi2   = sum_ijk N_ij (gamma_ijk - rho_jk)^2 / rho_jk  order 1 against 2, N (N - 1)^2 degrees of freedom
    z      = sqrt(2 chi2) - sqrt(2 df - 1)                 standard normal, if the model is right

The printed degrees of freedom include cells that a stream of this length can never fill. A second number includes only
cells that can be filled. Order 0 against 1: (groups with a successor - 1) (visited groups - 1). Order 1 against 2: over
all groups j, the sum of (predecessors of j - 1) (successors of j - 1).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .counts import Counts, Numbers, pairs_of

# Quantiles of the standard normal for the paper's one-sided levels of significance.
Z_AT_0_1 = 1.281552
Z_AT_0_001 = 3.090232

Reals = NDArray[np.float64]


def pi_of(counts: Counts) -> Reals:
    """The share of each group in the accesses."""
    return counts.visits / max(counts.accesses, 1)


def rho_of(counts: Counts) -> Reals:
    """The transition probability of each pair that occurs, in the order of `counts.pairs`."""
    return counts.pairs[:, 2] / counts.departures()[counts.pairs[:, 0]]


def weights_of(counts: Counts) -> Reals:
    """pi_i rho_ij of each pair that occurs."""
    return pi_of(counts)[counts.pairs[:, 0]] * rho_of(counts)


def energy_of(counts: Counts, places: NDArray[np.integer]) -> float:
    """Formula (3): places[i] is P(i), in groups."""
    return float(weights_of(counts) @ np.abs(places[counts.pairs[:, 0]] - places[counts.pairs[:, 1]]))


def energy_of_units(counts: Counts, slots: NDArray[np.integer], units_per_group: int) -> float:
    """Formula (3) for a map of smaller units, in groups: accesses are spread evenly over the units of a group."""
    places = np.asarray(slots, dtype=np.float64).reshape(counts.groups, units_per_group) / units_per_group
    total = 0.0
    for part in np.array_split(np.arange(len(counts.pairs)), max(1, len(counts.pairs) // 4096)):
        a, b = places[counts.pairs[part, 0]], places[counts.pairs[part, 1]]
        distance = np.abs(a[:, :, None] - b[:, None, :]).mean(axis=(1, 2))
        total += float(weights_of(counts)[part] @ distance)
    return total


def energy_if_independent(counts: Counts, places: NDArray[np.integer]) -> float:
    """Formula (2), with rho_ij = pi_j."""
    busy = np.flatnonzero(counts.visits)
    pi = pi_of(counts)[busy]
    return float(pi @ np.abs(places[busy][:, None] - places[busy][None, :]) @ pi)


@dataclass(frozen=True)
class OrderTest:
    """One test with one number of degrees of freedom."""

    chi2: float
    degrees: int

    @property
    def z(self) -> float:
        """The statistic as a sample of the standard normal. It is NaN without a degree of freedom, as there is no
        test.
        """
        return z_of(self.chi2, self.degrees)

    @property
    def rejects(self) -> bool:
        """Whether the test rejects at the level 0.001."""
        return self.z > Z_AT_0_001


def z_of(chi2: float, degrees: int) -> float:
    """The normal approximation for many degrees of freedom."""
    return math.sqrt(2 * max(chi2, 0.0)) - math.sqrt(2 * degrees - 1) if degrees > 0 else math.nan


@dataclass(frozen=True)
class Order:
    """Both tests of a stream, as printed and with the degrees of freedom of the cells seen."""

    groups: int
    accesses: int
    first: OrderTest  # order 0 against 1, as printed
    first_seen: OrderTest
    second: OrderTest  # order 1 against 2, as printed
    second_seen: OrderTest
    second_most: float  # no stream with this many accesses has a larger chi2 for order 1 against 2

    @property
    def second_most_z(self) -> float:
        """The largest z that the printed test of order 1 against 2 can reach."""
        return z_of(self.second_most, self.second.degrees)

    @property
    def second_can_reject(self) -> bool:
        """Whether the printed test of order 1 against 2 can reject, even at the paper's level 0.1."""
        return self.second_most_z > Z_AT_0_1


def order_of(stream: Numbers, groups: int) -> Order:
    """Tests a stream of two or more groups, each below `groups`."""
    counts = Counts(0, 1, np.bincount(stream, minlength=groups).astype(np.int64), pairs_of(stream, groups))
    rows, visited = int(np.count_nonzero(counts.departures())), int(np.count_nonzero(counts.visits))
    chi2_first = chi_first(counts)
    chi_second, seen = _second(stream, groups, counts)
    return Order(
        groups=groups,
        accesses=len(stream),
        first=OrderTest(chi2_first, groups * (groups - 1)),
        first_seen=OrderTest(chi2_first, (rows - 1) * (visited - 1)),
        second=OrderTest(chi_second, groups * (groups - 1) ** 2),
        second_seen=OrderTest(chi_second, seen),
        # sum_i N_ij gamma_ijk^2 / rho_jk <= sum_i N_ij gamma_ijk / rho_jk = N_jk / rho_jk = N_j, for each of N groups k.
        second_most=float(len(stream)) * groups,
    )


def chi_first(counts: Counts) -> float:
    """chi2 of order 0 against 1. The sum over j of (rho_ij - pi_j)^2 / pi_j is that of rho_ij^2 / pi_j, less 1: both
    add up to 1 over j.
    """
    pi, rho = pi_of(counts), rho_of(counts)
    departures = counts.departures()
    squares = np.bincount(counts.pairs[:, 0], weights=rho**2 / pi[counts.pairs[:, 1]], minlength=counts.groups)
    return float(departures @ (squares - 1))


def _second(stream: Numbers, groups: int, counts: Counts) -> tuple[float, int]:
    """chi2 of order 1 against 2, and the degrees of freedom of the cells that can be filled."""
    if len(stream) < 3:
        return 0.0, 0
    # Pairs are numbered in their order, so that a triple's code fits 64 bits.
    pair_codes = counts.pairs[:, 0] * groups + counts.pairs[:, 1]
    pair_at = np.searchsorted(pair_codes, stream[:-1] * groups + stream[1:])
    triples, count = np.unique(pair_at[:-1] * groups + stream[2:], return_counts=True)
    before, third = triples // groups, triples % groups
    middle = counts.pairs[before, 1]
    started = np.bincount(pair_at[:-1], minlength=len(pair_codes))
    gamma = count / started[before]
    rho = rho_of(counts)[np.searchsorted(pair_codes, middle * groups + third)]
    squares = np.bincount(before, weights=gamma**2 / rho, minlength=len(pair_codes))
    chi2 = float(started @ (squares - 1))
    predecessors = np.bincount(counts.pairs[np.flatnonzero(started), 1], minlength=groups)
    successors = np.bincount(np.unique(middle * groups + third) // groups, minlength=groups)
    both = (predecessors > 0) & (successors > 0)
    return chi2, int(((predecessors - 1) * (successors - 1))[both].sum())
