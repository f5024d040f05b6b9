# SPDX-License-Identifier: Apache-2.0
"""Computes the constants that are fitted to numbers of "Disk Performance Enhancement through Markov-based Cylinder
Remapping", and prints them.

    remap_fit.py

The paper has six numbers of its day and its drive. Four of them determine four constants that the paper does not give:

| number of the paper | constant |
|---|---|
| energy of the identity, 390.65 cylinders | share of the shuffled cylinders: `elsewhere` of the chain `fitted` |
| chi2 of order 0 against 1, 41.49 million | weights of files: its `file_theta` |
| mean service under the pipe organ, 19.22 ms | accesses to the same file in a row: its `again` |
| mean service without a map, 24.42 ms | factor of the drive's seek times: `seek_scale` of the sweep `fitted` in remap.toml |

The other two numbers are then predictions: the energy of the annealed map, and its mean service. The fit is for the
means over the experiment's seeds. The times are those of host/remap/services.py, with one request outstanding.

Shorter requests take less time to transfer. For the sweeps with `sectors` the program computes a factor of the seek times
that makes up for it. With it the mean service without a map is the same for all lengths.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from errors import ExperimentError
from numpy.typing import NDArray
from remap_checks import PAPERS_CHI2, PAPERS_ENERGY, PAPERS_MS, PAPERS_ORGAN_MS
from remap_load import DAY, GROUP_BLOCKS, LEARNED, REQUEST_BLOCKS
from sweep import Sweep, load_sweep

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remap.access import Access  # noqa: E402
from remap.arrangement import identity, pipe_organ  # noqa: E402
from remap.chain import FITTED, NATURAL, SHAPES, Shape, natural_chain  # noqa: E402
from remap.counts import Counts, count_stream  # noqa: E402
from remap.markov import chi_first, energy_of  # noqa: E402
from remap.pair import OVERHEADS_MS  # noqa: E402
from remap.services import Services  # noqa: E402
from remap.walk import Requests, Walk, make_requests  # noqa: E402

DECLARATION = Path(__file__).resolve().parent / "remap.toml"
PAPERS = np.array([PAPERS_ENERGY, PAPERS_CHI2, PAPERS_ORGAN_MS, PAPERS_MS])
# Steps of the finite differences for elsewhere, file_theta, again and seek_scale. One step of Newton's method changes each
# by twice that at most.
STEPS = np.array([0.15, 0.15, 0.05, -0.1])
ROUGH_STEPS, FINE_STEPS = 3, 1
# Each share of shuffled cylinders shuffles anew, so the energy over the share is not smooth. The fine search takes all
# shares within this distance of the rough result, in steps of the last digit that is kept.
AROUND, SHARE_DIGITS, DIGITS = 0.06, 2, 3
CLOSE_MS = 0.005  # accuracy of scale_for()

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Day:
    """The day of one seed: its requests and their counts."""

    requests: Requests
    counts: Counts

    def organ_lba(self) -> NDArray[np.int64]:
        """The addresses of the requests where a pipe organ puts their cylinders."""
        group, within = np.divmod(self.requests.lba, GROUP_BLOCKS)
        return pipe_organ(self.counts.visits)[group] * GROUP_BLOCKS + within


@lru_cache(maxsize=16)
def day_of(shape: Shape, groups: int, seed: int) -> Day:
    """The day that the experiment learns from, of a chain of this shape."""
    requests = make_requests(natural_chain(groups, seed, shape=shape), Walk(seed, LEARNED, DAY), GROUP_BLOCKS, REQUEST_BLOCKS)
    return Day(requests, count_stream(requests.lba // GROUP_BLOCKS, groups, 0, GROUP_BLOCKS))


class Model:
    """The paper's numbers, on a drive and for seeds."""

    def __init__(self, drive: Path, seeds: Sequence[int]) -> None:
        """Prepares the drive. Raises RemapError."""
        self._access, self._seeds = Access(drive, OVERHEADS_MS[0]), seeds
        self._groups = self._access.capacity // GROUP_BLOCKS

    def days(self, shape: Shape) -> list[Day]:
        """The day of each seed."""
        return [day_of(shape, self._groups, seed) for seed in self._seeds]

    def services(self, sectors: int, seek_scale: float) -> Services:
        """The drive with other seek times, for requests of a length."""
        return Services(self._access, sectors, REQUEST_BLOCKS, seek_scale)

    def numbers(self, shape: Shape, seek_scale: float) -> Reals:
        """Means over the seeds, in the order and the units of PAPERS."""
        services = self.services(REQUEST_BLOCKS, seek_scale)
        rows = []
        for day in self.days(shape):
            gap_ms = day.requests.gap_us / 1000
            times = [services.times(lba, gap_ms).mean_ms for lba in (day.organ_lba(), day.requests.lba)]
            rows.append([energy_of(day.counts, identity(self._groups)), chi_first(day.counts), *times])
        return np.mean(np.array(rows), axis=0)

    def unmapped_ms(self, sectors: int, seek_scale: float) -> float:
        """The mean service without a map, for requests of the natural chain with a length."""
        services = self.services(sectors, seek_scale)
        return float(np.mean([services.times(day.requests.lba, day.requests.gap_us / 1000).mean_ms for day in self.days(SHAPES[NATURAL])]))


def shape_of(constants: Reals) -> tuple[Shape, float]:
    """The shape and the factor of the seek times, in the order of STEPS, with the digits that are kept."""
    elsewhere, file_theta, again, seek_scale = constants.tolist()
    return Shape(round(file_theta, DIGITS), round(elsewhere, SHARE_DIGITS), round(again, DIGITS)), round(seek_scale, DIGITS)


def deviations(model: Model, constants: Reals) -> Reals:
    """The deviation of each number from the paper's, as a share of it."""
    return model.numbers(*shape_of(constants)) / PAPERS - 1


def slopes_at(model: Model, constants: Reals) -> Reals:
    """The slope of each deviation [number, constant]."""
    here = deviations(model, constants)
    return np.stack([(deviations(model, constants + one) - here) / one.sum() for one in np.diag(STEPS)], axis=1)


def _step(slopes: Reals, wrong: Reals, steps: Reals) -> Reals:
    """One step of Newton's method: at most twice `steps`."""
    change = np.linalg.solve(slopes, -wrong)
    return change / max(1.0, float(np.max(np.abs(change / steps))) / 2)


def _search(model: Model, constants: Reals, slopes: Reals, first: int, steps: int) -> list[tuple[float, list[float]]]:
    """Some steps of Newton's method, which leave the constants before the first: the worst deviation and the constants of each."""
    found = []
    for _ in range(steps + 1):
        wrong = deviations(model, constants)
        found.append((float(np.abs(wrong).max()), constants.tolist()))
        constants = constants.copy()
        constants[first:] += _step(slopes[first:, first:], wrong[first:], STEPS[first:])
        constants[0] = min(constants[0], 1.0)
    return found


def fit(model: Model, start: Shape) -> tuple[Shape, float]:
    """The constants whose numbers are the paper's, by Newton's method. Then each share of shuffled cylinders nearby is tried with
    one more step for the other constants. The result is the one whose worst deviation is the least.
    """
    center = np.array([start.elsewhere, start.file_theta, start.again, 1.0])
    found = _search(model, center, slopes_at(model, center), 0, ROUGH_STEPS)
    center = np.array(min(found)[1])
    slopes, found = slopes_at(model, center), []
    for share in np.arange(max(0.0, center[0] - AROUND), min(1.0, center[0] + AROUND), 10.0**-SHARE_DIGITS).round(SHARE_DIGITS):
        found += _search(model, np.array([share, *center[1:]]), slopes, 1, FINE_STEPS)
    return shape_of(np.array(min(found)[1]))


def scale_for(model: Model, sectors: int) -> float:
    """The factor of the seek times with which shorter requests of the natural chain take as long, by the secant method."""
    goal = model.unmapped_ms(REQUEST_BLOCKS, 1.0)
    low, high = 1.0, 1.5
    low_ms, high_ms = (model.unmapped_ms(sectors, scale) for scale in (low, high))
    while abs(high_ms - goal) > CLOSE_MS:
        low, low_ms, high = high, high_ms, high + (goal - high_ms) * (high - low) / (high_ms - low_ms)
        high_ms = model.unmapped_ms(sectors, high)
    return round(high, DIGITS)


def scale_in_use(sweep: Sweep) -> float:
    """The factor of the seek times of the sweep `fitted`. Raises ExperimentError."""
    scales = {run.remap.seek_scale for run in sweep.runs if run.remap and run.sweep == FITTED}
    if len(scales) != 1:
        raise ExperimentError(f"{sweep.file}: {len(scales)} values of 'seek_scale' in the sweep '{FITTED}'; give it one")
    return scales.pop()


def main() -> None:
    """Prints the constants, and the numbers that they give."""
    sweep = load_sweep(DECLARATION)
    model = Model(sweep.drive_file, sorted({run.seed for run in sweep.runs}))
    shape, scale = fit(model, SHAPES[NATURAL])
    for name, one, seeks in (("computed", shape, scale), ("in use", SHAPES[FITTED], scale_in_use(sweep))):
        numbers = model.numbers(one, seeks)
        print(f"{name}: {one}, seek_scale {seeks}: " + ", ".join(f"{a:.6g} of {b:.6g}" for a, b in zip(numbers, PAPERS, strict=True)))
    for sectors in sorted({run.remap.sectors for run in sweep.runs if run.remap} - {REQUEST_BLOCKS}):
        print(f"requests of {sectors} sectors: seek_scale {scale_for(model, sectors)}")


if __name__ == "__main__":
    main()
