# SPDX-License-Identifier: Apache-2.0
"""Means over seeds, with 95 % confidence intervals after Student."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

# Two-sided 95 %: the 0.975 quantile of Student's t for 1 .. 30 degrees of freedom (Fisher and Yates, Statistical
# Tables, table III), beyond them by the expansion around the normal quantile (Abramowitz and Stegun 26.7.5).
T_975 = (
    12.706,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
    2.120,
    2.110,
    2.101,
    2.093,
    2.086,
    2.080,
    2.074,
    2.069,
    2.064,
    2.060,
    2.056,
    2.052,
    2.048,
    2.045,
    2.042,
)
NORMAL_975 = 1.959964


def student_t_975(degrees: int) -> float:
    """The 0.975 quantile of Student's t, to three decimals."""
    if degrees < 1:
        raise ValueError("Student's t has one degree of freedom or more")
    if degrees <= len(T_975):
        return T_975[degrees - 1]
    z, n = NORMAL_975, degrees
    return z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)


@dataclass(frozen=True)
class Interval:
    """A mean and half the width of its 95 % interval; NaN for a single value, which has no interval."""

    mean: float
    half: float
    count: int

    @property
    def low(self) -> float:
        """The lower end; the mean itself if there is no width."""
        return self.mean - (0.0 if math.isnan(self.half) else self.half)

    @property
    def high(self) -> float:
        """The upper end; the mean itself if there is no width."""
        return self.mean + (0.0 if math.isnan(self.half) else self.half)

    def scaled(self, factor: float) -> "Interval":
        """The same in other units."""
        return Interval(self.mean * factor, self.half * factor, self.count)

    def shifted(self, by: float) -> "Interval":
        """The same with a number added."""
        return Interval(self.mean + by, self.half, self.count)

    def percent_more(self) -> "Interval":
        """A ratio, as what the upper one has more, in percent of the lower one."""
        return self.shifted(-1).scaled(100)

    def text(self, form: str = "{:.1f}") -> str:
        """The text of a table cell: the mean, and half the width if there are several values."""
        return form.format(self.mean) if self.count == 1 else f"{form.format(self.mean)} ± {form.format(self.half)}"


@dataclass(frozen=True)
class MedianInterval(Interval):
    """A median (as `mean`), with the interval between two of the values that it lies in at 95 % or more; whatever the distribution.

    Of fewer than six values it is that of the least and the greatest, which has less: 93.75 % for five.
    """

    bottom: float = math.nan
    top: float = math.nan

    @property
    def low(self) -> float:
        """The lower end."""
        return self.bottom

    @property
    def high(self) -> float:
        """The upper end."""
        return self.top

    def scaled(self, factor: float) -> "MedianInterval":
        """The same in other units; the factor is above 0."""
        return MedianInterval(self.mean * factor, self.half * factor, self.count, self.bottom * factor, self.top * factor)

    def shifted(self, by: float) -> "MedianInterval":
        """The same with a number added."""
        return MedianInterval(self.mean + by, self.half, self.count, self.bottom + by, self.top + by)

    def text(self, form: str = "{:.1f}") -> str:
        """The median, and the ends of its interval if there are several values."""
        ends = f" ({form.format(self.bottom)} to {form.format(self.top)})" if self.count > 1 else ""
        return form.format(self.mean) + ends


def median_rank(count: int) -> int:
    """The rank, from either end, of the values that enclose the median of `count` values: the greatest with 95 % or more.

    The number of values below the median is binomial (Conover, Practical Nonparametric Statistics, 3.2); 1 at least.
    """
    rank, tail = 0, 0.0
    while (tail := tail + math.comb(count, rank) / 2.0**count) <= 0.025:
        rank += 1
    return max(rank, 1)


def median_interval(values: Sequence[float]) -> MedianInterval:
    """The median of independent values, such as one per seed."""
    if not values:
        raise ValueError("a median of nothing")
    ordered, rank = sorted(values), median_rank(len(values))
    bottom, top = ordered[rank - 1], ordered[-rank]
    return MedianInterval(statistics.median(ordered), (top - bottom) / 2, len(ordered), bottom, top)


def interval(values: Sequence[float]) -> Interval:
    """The interval of independent values, such as one per seed."""
    count = len(values)
    if count == 0:
        raise ValueError("an interval of nothing")
    mean = statistics.fmean(values)
    if count == 1:
        return Interval(mean, math.nan, 1)
    error = math.sqrt(statistics.variance(values) / count)
    return Interval(mean, student_t_975(count - 1) * error, count)
