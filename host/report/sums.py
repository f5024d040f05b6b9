# SPDX-License-Identifier: Apache-2.0
"""The second pass over a run's records: sums by time, and by response time."""

from dataclasses import dataclass

import numpy as np
from arm import Arm
from commands import Commands
from cylinders import Cylinders
from numpy.typing import NDArray
from record_file import CLASSES, NONE, Column, Records, read_header
from run_folder import RunFolder
from spread import PS_PER_MS, PS_PER_S, Curve, curve

# Bands of commands by response time: the last of 1,000 in each, and its name.
BANDS = ((500, "fastest half"), (900, "to 90 %"), (990, "to 99 %"), (999, "to 99.9 %"), (1000, "slowest 0.1 %"))


@dataclass
class Grid:
    """Equal stretches of time from a run's begin on."""

    width: int
    count: int

    @property
    def middles_s(self) -> NDArray[np.float64]:
        """Seconds from the run's begin."""
        return (np.arange(self.count) + 0.5) * self.width / PS_PER_S


@dataclass
class Series:
    """A value for each stretch of a grid; NaN if there was nothing to measure."""

    grid: Grid
    commands_per_s: NDArray[np.float64]
    megabytes_per_s: NDArray[np.float64]
    outstanding: NDArray[np.float64]
    response_ms: NDArray[np.float64]
    seek_cylinders: NDArray[np.float64] | None
    missed_percent: NDArray[np.float64] | None  # share of the deadlines of completed commands


@dataclass
class Deadlines:
    """The deadlines of the commands of a class."""

    service_class: str
    count: int
    missed: int  # late, or not GOOD
    late_mean_ms: float  # mean of those that were late; 0 if none was
    late_max_ms: float


@dataclass
class Band:
    """Commands with similar response times: the mean of every stage in milliseconds."""

    name: str
    count: int
    stage_ms: dict[str, float]


class Sums:
    """The sums of the second pass."""

    def __init__(
        self, run: RunFolder, commands: Commands, width: int, thresholds: Column, cylinders: Cylinders | None
    ) -> None:
        self._stages = run.stages()
        self._begin = commands.begin
        self._grid = Grid(width, max(-(-(commands.end - commands.begin) // width), 1))
        self._thresholds = thresholds
        self.arm = Arm(cylinders, self._bin, self._grid.count) if cylinders else None
        self._before_media = [f"{stage}_ps" for stage in self._stages[: self._stages.index("queued") + 1]]
        self.blocks = 0
        bins = self._grid.count
        self._completed = np.zeros(bins)
        self._response = np.zeros(bins)
        self._blocks = np.zeros(bins)
        self._depth = np.zeros(bins + 1)  # changes of the number of commands that are out, in whole stretches
        self._part = np.zeros(bins)  # the commands' parts in the stretches of their begin and end
        self._band_count = np.zeros(len(BANDS), np.int64)
        self._due = np.zeros(bins)  # number of commands with a deadline, by completion
        self._missed = np.zeros(bins)
        self._due_of, self._missed_of, self._late_of = (np.zeros(len(CLASSES), np.int64) for _ in range(3))
        self._late_sum_of, self._late_max_of = np.zeros(len(CLASSES)), np.zeros(len(CLASSES))
        self._slacks: list[Column] = []  # slacks of commands at their choice for the media
        exposed = ["search_exposed"] if "search_exposed_ps" in read_header(run.records) else []
        self._summed = self._stages + exposed
        self._band_stage = {name: np.zeros(len(BANDS)) for name in self._summed}

    def _bin(self, times: Column) -> Column:
        return np.minimum((times - self._begin) // self._grid.width, self._grid.count - 1)

    def add(self, records: Records) -> None:
        """Adds a piece of the records."""
        bins, width = self._grid.count, self._grid.width
        begin, end = self._bin(records["submitted_ps"]), self._bin(records["completed_ps"])
        count = lambda at, weights=None: np.bincount(at, weights, minlength=bins)
        self.blocks += int(records["blocks"].sum())
        self._completed += count(end)
        self._response += count(end, records["response_ps"] / PS_PER_MS)
        self._blocks += count(end, records["blocks"].astype(np.float64))
        self._depth[:-1] += count(begin) - count(end)
        rest = lambda at, times: ((at + 1) * width - (times - self._begin)).astype(np.float64)
        self._part += count(begin, rest(begin, records["submitted_ps"]))
        self._part -= count(end, rest(end, records["completed_ps"]))
        band = np.minimum(np.searchsorted(self._thresholds, records["response_ps"], side="left"), len(BANDS) - 1)
        self._band_count += np.bincount(band, minlength=len(BANDS))
        for name, sums in self._band_stage.items():
            sums += np.bincount(band, records[f"{name}_ps"].astype(np.float64), minlength=len(BANDS))
        if "deadline_ps" in records:
            self._add_deadlines(records, end)
        if self.arm is not None:
            touched = records["media_transfer_ps"] > 0
            chosen = records["submitted_ps"] + sum(records[name] for name in self._before_media)
            self.arm.add(chosen[touched], records["lba"][touched], records["blocks"][touched])

    def _add_deadlines(self, records: Records, end: Column) -> None:
        had_one = records["deadline_ps"] != NONE
        tardiness = (records["response_ps"] - records["deadline_ps"])[had_one]
        late = tardiness > 0
        missed = late | (records["status"][had_one] != 0)
        # Without the column, a command with a deadline is real-time.
        real_time = np.full(len(tardiness), CLASSES.index("real-time"))
        of = records["class"][had_one] if "class" in records else real_time
        count = lambda which, weights=None: np.bincount(which, weights, minlength=len(CLASSES))
        self._due_of += count(of)
        self._missed_of += count(of[missed])
        self._late_of += count(of[late])
        self._late_sum_of += count(of[late], tardiness[late] / PS_PER_MS)
        np.maximum.at(self._late_max_of, of[late], tardiness[late] / PS_PER_MS)
        chosen = had_one & (records["media_transfer_ps"] > 0)
        self._slacks.append((records["deadline_ps"] - sum(records[name] for name in self._before_media))[chosen])
        self._due += np.bincount(end[had_one], minlength=self._grid.count)
        self._missed += np.bincount(end[had_one][missed], minlength=self._grid.count)

    def deadlines(self) -> list[Deadlines]:
        """The deadlines by class, for classes that have some."""
        return [
            Deadlines(
                service_class=name,
                count=int(self._due_of[index]),
                missed=int(self._missed_of[index]),
                late_mean_ms=float(self._late_sum_of[index] / max(self._late_of[index], 1)),
                late_max_ms=float(self._late_max_of[index]),
            )
            for index, name in enumerate(CLASSES)
            if self._due_of[index]
        ]

    def slack_curve(self) -> Curve | None:
        """The time left until the deadline when a command was chosen; below 0: it had passed."""
        slacks = np.sort(np.concatenate(self._slacks)) if self._slacks else np.empty(0, np.int64)
        return curve(slacks) if len(slacks) else None

    def stage_means(self) -> dict[str, float]:
        """The mean of each stage, in milliseconds per command."""
        count = int(self._band_count.sum())
        return {name: float(sums.sum()) / PS_PER_MS / count for name, sums in self._band_stage.items()}

    def bands(self) -> list[Band]:
        """The bands that have a command."""
        return [
            Band(name, int(count), {stage: float(self._band_stage[stage][index]) / PS_PER_MS / int(count)
                                    for stage in self._summed})
            for index, ((_, name), count) in enumerate(zip(BANDS, self._band_count, strict=True))
            if count
        ]

    def series(self, sector_bytes: int) -> Series:
        """Ends the pass, and returns the series."""
        width = self._grid.width
        per_s = PS_PER_S / width
        out_at_begin = np.concatenate(([0.0], np.cumsum(self._depth)[: self._grid.count - 1]))
        divided = lambda sums, count: np.where(count > 0, sums / np.maximum(count, 1), np.nan)
        return Series(
            grid=self._grid,
            commands_per_s=self._completed * per_s,
            megabytes_per_s=self._blocks * sector_bytes / 1e6 * per_s,
            outstanding=out_at_begin + self._part / width,
            response_ms=divided(self._response, self._completed),
            seek_cylinders=self.arm.finish() if self.arm else None,
            missed_percent=100 * divided(self._missed, self._due) if self._due.any() else None,
        )
