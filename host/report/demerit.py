# SPDX-License-Identifier: Apache-2.0
"""The distance of a simulated disk drive's times from measured ones: the demerit figure of Ruemmler and Wilkes.

Source: C. Ruemmler, J. Wilkes, "An Introduction to Disk Drive Modeling", IEEE Computer 27(3), March 1994. The figure is the root
mean square of the horizontal distance between the two cumulative distribution curves. It compares distributions, not commands:
two sets of the same times in another order have a demerit of 0. The authors state it in milliseconds and as a share of the mean
measured time.

demerit() is exact. DiskSim's published figures are not: its program compares two histograms. histogram_demerit() counts as
that program does, so that our figure can be compared with it. Source: DiskSim 4.0, rms.c, disksim_stat.c and the statdefs of
its validation.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


def _sorted(times: ArrayLike, what: str) -> NDArray[np.float64]:
    """The times, ascending. Raises ValueError when there are none, or one is not a finite number."""
    values = np.sort(np.asarray(times, dtype=np.float64).ravel())
    if len(values) == 0:
        raise ValueError(f"no {what} times: a distribution of nothing has no curve")
    # Infinities and NaN sort to the ends.
    if not (math.isfinite(values[0]) and math.isfinite(values[-1])):
        raise ValueError(f"a {what} time is not finite")
    return values


def demerit(measured: ArrayLike, simulated: ArrayLike) -> float:
    """Root mean square distance of the curves, in the unit of the times, which both share. Raises ValueError.

    Every time has the same weight in its own set. Sets of equal size are compared rank by rank. For n and m times, the curves are
    steps at multiples of 1/n and 1/m. The distance is integrated exactly over all stretches between steps.
    """
    a, b = _sorted(measured, "measured"), _sorted(simulated, "simulated")
    n, m = len(a), len(b)
    if n == m:
        return math.sqrt(float(np.mean((a - b) ** 2)))
    # Heights of the steps in units of 1/(n m), so that those of both sets meet exactly.
    ends = np.union1d(np.arange(1, n + 1, dtype=np.int64) * m, np.arange(1, m + 1, dtype=np.int64) * n)
    begins = np.concatenate(([0], ends[:-1]))
    distance = a[begins // m] - b[begins // n]
    return math.sqrt(float(np.dot(distance**2, ends - begins)) / (n * m))


BINS = 1750
BIN_US = 1  # least width of a bin, in whole microseconds; a hundredth of its begin is added
GROWTH = 100
HEIGHTS = 10_000  # number of heights at which the curves are compared
CURVE_DIGITS = 6  # digits of a printed height


def _bin_edges_us() -> NDArray[np.int64]:
    """The upper end of each bin of a printed histogram, in us. The first bin is of times below 0."""
    edges = [0]
    for _ in range(BINS - 1):
        edges.append(edges[-1] + BIN_US + edges[-1] // GROWTH)
    return np.array(edges, dtype=np.int64)


def _histogram_curve(times_ms: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The printed curve of ascending times: times in ms and the shares below them, up to the first line that is 1."""
    edges = _bin_edges_us()
    # A bin begins at a whole microsecond, which a binary fraction may miss by a little.
    times_us = np.round(times_ms * 1e3, 3)
    shares = np.round(np.searchsorted(times_us, edges) / len(times_us), CURVE_DIGITS)
    shares[-1] = 1.0  # The last bin has all greater times.
    lines = int(np.argmax(shares >= 1)) + 1
    return edges[:lines] / 1e3, shares[:lines]


def _times_at(heights: NDArray[np.float64], curve: tuple[NDArray[np.float64], NDArray[np.float64]]) -> NDArray[np.float64]:
    """The time at which the curve reaches each height, on a straight line through the bin."""
    times, shares = curve
    line = np.searchsorted(shares, heights)
    share = (heights - shares[line - 1]) / (shares[line] - shares[line - 1])
    return times[line - 1] + share * (times[line] - times[line - 1])


def histogram_demerit(measured_ms: ArrayLike, simulated_ms: ArrayLike) -> float:
    """The demerit figure as DiskSim computes it, in ms. Raises ValueError, also for a time below 0.

    The times fall into 1,750 bins, each 1 us and a hundredth of its begin wide. So a bin at 15 ms is 0.15 ms wide. The curves are
    straight within a bin. They are compared at 10,000 heights. The figure differs from the exact one by no more than the
    widths of the bins, root mean square; it may be less or more.
    """
    a, b = _sorted(measured_ms, "measured"), _sorted(simulated_ms, "simulated")
    if min(a[0], b[0]) < 0:
        raise ValueError("a time is below 0")
    heights = np.cumsum(np.full(HEIGHTS, 1 / HEIGHTS))  # the sum of equal steps, as in DiskSim
    heights = heights[heights <= 1]
    distance = _times_at(heights, _histogram_curve(a)) - _times_at(heights, _histogram_curve(b))
    return math.sqrt(float(np.mean(distance**2)))


def relative_demerit(measured: ArrayLike, simulated: ArrayLike) -> float:
    """The demerit figure as a share of the mean measured time. Raises ValueError, also when that mean is 0."""
    mean = float(np.mean(np.asarray(measured, dtype=np.float64))) if np.size(measured) else 0.0
    figure = demerit(measured, simulated)
    if mean <= 0:
        raise ValueError("the mean measured time is not above 0")
    return figure / mean


@dataclass(frozen=True)
class Beside:
    """Simulated times beside real ones."""

    count: int
    real_mean_ms: float
    simulated_mean_ms: float
    demerit_ms: float
    relative: float  # the demerit figure, as a share of the real mean


def beside(real_ms: NDArray[np.float64], simulated_ms: NDArray[np.float64]) -> Beside:
    """The comparison of equally many simulated and real times. Raises ValueError, as relative_demerit() does."""
    return Beside(
        count=len(real_ms),
        real_mean_ms=float(real_ms.mean()),
        simulated_mean_ms=float(simulated_ms.mean()),
        demerit_ms=demerit(real_ms, simulated_ms),
        relative=relative_demerit(real_ms, simulated_ms),
    )
