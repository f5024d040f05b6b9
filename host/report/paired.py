# SPDX-License-Identifier: Apache-2.0
"""The same commands in two runs: how many got faster or slower, and by how much."""

from dataclasses import dataclass

import numpy as np
from commands import Commands
from numpy.typing import NDArray
from run_folder import RunFolder
from spread import PS_PER_MS, PS_PER_US, Curve, curve, rank

SAME_PS = int(PS_PER_US)  # changes below this count as none: a few clock cycles
BIGGEST = 5  # number of commands that are named at either end
DENSITY_CELLS = 110  # number along each side


@dataclass
class Density:
    """Numbers of commands by their times in one run and in the other; cells are even in the logarithm."""

    counts: NDArray[np.int64]  # [first run, other run]
    edges_ms: NDArray[np.float64]  # of both axes


@dataclass
class Paired:
    """Response times of a run minus those of the first one, in milliseconds."""

    first: RunFolder
    run: RunFolder
    place: int  # number of the other run
    count: int
    faster: int
    slower: int
    mean_ms: float
    p5_ms: float
    median_ms: float
    p95_ms: float
    difference: Curve
    density: Density
    most_faster: list[int]  # command numbers, the biggest change first
    most_slower: list[int]
    response_ms: dict[int, tuple[float, float]]  # times of those commands, in the first and in the other run

    @property
    def title(self) -> str:
        """The names of the two runs."""
        return f"{self.run.label} against {self.first.label}"

    @property
    def same(self) -> int:
        """The number of commands whose times differ by less than a microsecond."""
        return self.count - self.faster - self.slower


def find_obstacle(first: RunFolder, other: RunFolder, a: Commands, b: Commands) -> str:
    """Why the runs' commands cannot be compared one by one, as the rest of a sentence; "" when they can."""
    if first.summary["drive"] != other.summary["drive"]:
        return f"the drives differ ({first.summary['drive']}; {other.summary['drive']})"
    both = _both(a, b)
    if not np.any(both):
        return "no command is in both runs"
    if np.any(a.request[: len(both)][both] != b.request[: len(both)][both]):
        return "the requests differ: the runs are of different traces"
    return ""


def _both(a: Commands, b: Commands) -> NDArray[np.bool_]:
    """Which commands are in both runs, up to the length of the shorter one."""
    size = min(len(a.response), len(b.response))
    return a.done[:size] & b.done[:size]


def pair(first: RunFolder, other: RunFolder, a: Commands, b: Commands, place: int) -> Paired:
    """The comparison of two runs without an obstacle."""
    numbers = np.flatnonzero(_both(a, b))
    before, after = a.response[numbers], b.response[numbers]
    change = after - before
    ascending = np.sort(change)
    faster, slower = _least(change, int(ascending[:BIGGEST][-1])), _least(-change, -int(ascending[-BIGGEST:][0]))
    at = lambda per_mille: float(ascending[rank(len(ascending), per_mille)]) / PS_PER_MS
    return Paired(
        first=first,
        run=other,
        place=place,
        count=len(numbers),
        faster=int(np.count_nonzero(change < -SAME_PS)),
        slower=int(np.count_nonzero(change > SAME_PS)),
        mean_ms=float(np.mean(change)) / PS_PER_MS,
        p5_ms=at(50),
        median_ms=at(500),
        p95_ms=at(950),
        difference=curve(ascending),
        density=_density(before, after),
        most_faster=[int(numbers[i]) for i in faster],
        most_slower=[int(numbers[i]) for i in slower],
        response_ms={
            int(numbers[i]): (float(before[i]) / PS_PER_MS, float(after[i]) / PS_PER_MS) for i in faster + slower
        },
    )


def _least(change: NDArray[np.int64], limit: int) -> list[int]:
    """The places of the least changes below 0, `limit` at most. Of equal ones the first."""
    candidates = np.flatnonzero(change <= min(limit, -SAME_PS - 1))
    return [int(place) for place in candidates[np.argsort(change[candidates], kind="stable")][:BIGGEST]]


def _density(before: NDArray[np.int64], after: NDArray[np.int64]) -> Density:
    """The density of both runs' times over the same range."""
    low = max(min(int(before.min()), int(after.min())), 1) / PS_PER_MS
    high = max(int(before.max()), int(after.max()), 1) / PS_PER_MS
    # The range is a little larger, so that no time lies on the outermost edge.
    edges = np.geomspace(low * 0.95, max(high, low) * 1.05, DENSITY_CELLS + 1)
    place = lambda times: np.clip(np.searchsorted(edges, times / PS_PER_MS, side="right") - 1, 0, DENSITY_CELLS - 1)
    cells = np.bincount(place(before) * DENSITY_CELLS + place(after), minlength=DENSITY_CELLS**2)
    return Density(cells.reshape(DENSITY_CELLS, DENSITY_CELLS), edges)
