# SPDX-License-Identifier: Apache-2.0
"""Order statistics of times, as host/statistics/nearest_rank.hpp defines them, and the points of a cumulative curve.

The p-th percentile of n values is the value of rank ceil(p n / 100) in ascending order, so it is always a measured one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from run_folder import PS_PER_MS

PS_PER_US = 1e6
PS_PER_S = 1e12

Times = NDArray[np.int64]

CURVE_POINTS = 400  # points evenly over the ranks: about a pixel apart
TAIL_POINTS_PER_DECADE = 40  # points beyond them, so that the last thousandth has a shape, too


@dataclass(frozen=True)
class Spread:
    """Order statistics of a set of times, in milliseconds; all 0 for an empty set."""

    count: int = 0
    mean: float = 0.0
    p50: float = 0.0
    p95: float = 0.0
    p99: float = 0.0
    p999: float = 0.0
    maximum: float = 0.0


def rank(count: int, per_mille: int) -> int:
    """The place of a percentile in an ascending array."""
    return max((count * per_mille + 999) // 1000, 1) - 1


def even_ranks(count: int, points: int) -> NDArray[np.int64]:
    """Places in an ascending array, evenly from its first to its last. A small array has some twice."""
    return np.linspace(0, count - 1, points).astype(np.int64)


def spread(ascending: Times) -> Spread:
    """The order statistics of times in picoseconds."""
    count = len(ascending)
    if count == 0:
        return Spread()
    at = lambda per_mille: float(ascending[rank(count, per_mille)]) / PS_PER_MS
    return Spread(
        count=count,
        mean=float(np.mean(ascending)) / PS_PER_MS,
        p50=at(500),
        p95=at(950),
        p99=at(990),
        p999=at(999),
        maximum=float(ascending[-1]) / PS_PER_MS,
    )


@dataclass(frozen=True)
class Curve:
    """Points of a cumulative distribution: `share` of the times are at most `ms`."""

    ms: NDArray[np.float64]
    share: NDArray[np.float64]
    count: int


def curve(ascending: Times) -> Curve:
    """The curve of a set: all points of a small one, or as many as a picture can show, the slowest among them."""
    count = len(ascending)
    if count <= 2 * CURVE_POINTS:
        ranks = np.arange(count)
    else:
        body = even_ranks(count, CURVE_POINTS)
        decades = int(np.ceil(np.log10(count)))
        left = np.logspace(0, decades, decades * TAIL_POINTS_PER_DECADE).astype(np.int64)
        ranks = np.unique(np.concatenate((body, count - left[left <= count])))
    return Curve(ascending[ranks] / PS_PER_MS, (ranks + 1) / max(count, 1), count)
