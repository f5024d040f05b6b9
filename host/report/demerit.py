# SPDX-License-Identifier: Apache-2.0
"""The distance of a simulated disk drive's times from measured ones: the demerit figure of Ruemmler and Wilkes.

Source: C. Ruemmler, J. Wilkes, "An Introduction to Disk Drive Modeling", IEEE Computer 27(3), March 1994. The figure is the root
mean square of the horizontal distance between the two cumulative distribution curves. It compares distributions, not commands:
two sets of the same times in another order have a demerit of 0. The authors state it in milliseconds and as a share of the mean
measured time.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


def _sorted(times: ArrayLike, what: str) -> NDArray[np.float64]:
    """Ascending; raises ValueError when there is nothing, or something that is no finite number."""
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
    """Of as many simulated times as real ones. Raises ValueError, as relative_demerit() does."""
    return Beside(
        count=len(real_ms),
        real_mean_ms=float(real_ms.mean()),
        simulated_mean_ms=float(simulated_ms.mean()),
        demerit_ms=demerit(real_ms, simulated_ms),
        relative=relative_demerit(real_ms, simulated_ms),
    )
