# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep: a row for each run, a cell for each combination of values.

A cell has means over the seeds with their 95 % intervals after Student (host/experiment/interval.py). Its difference to the
first value of the first axis is paired: of runs with equal seeds, whose requests are the same. One run has no interval.
"""

import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "experiment"))

from axes import SEED_KEY, Axis  # noqa: E402
from interval import Interval, interval  # noqa: E402


@dataclass(frozen=True)
class Measure:
    """A figure of a run, of which cells have means over the seeds."""

    name: str  # the name in a run's result
    heading: str
    form: str


MEAN = Measure("mean_ms", "mean ms", "{:.3f}")
MEASURES = (
    MEAN,
    Measure("p95_ms", "p95 ms", "{:.3f}"),
    Measure("p99_ms", "p99 ms", "{:.3f}"),
    Measure("commands_per_second", "commands/s", "{:.1f}"),
)
COUNTS = ("commands", "not_good", "waited_in_host")
MORE_TIMES = ("from_arrival_mean_ms",)
OF_ALL = ("headstack", "drive")  # figures that are texts, and not of one run
NOTHING = "-"


@dataclass(frozen=True)
class Row:
    """One run that ended well."""

    places: tuple[int, ...]  # places on each axis
    seed: int | None
    figures: dict[str, Any]  # one_point.figures()
    name: str = ""  # the run's settings, in the form of a command line


@dataclass(frozen=True)
class Failure:
    """One run that failed."""

    places: tuple[int, ...]
    seed: int | None
    message: str
    name: str = ""


@dataclass(frozen=True)
class Cell:
    """One combination of values. Intervals are by the names of measures."""

    places: tuple[int, ...]
    runs: int
    figures: dict[str, Interval] = field(default_factory=dict)  # empty without a run
    differences: dict[str, Interval] = field(default_factory=dict)  # empty if there is no pair


@dataclass(frozen=True)
class Table:
    """The results of a sweep, or of its finished part."""

    axes: tuple[Axis, ...]
    seeds: int | None
    rows: tuple[Row, ...]
    failures: tuple[Failure, ...]
    wanted: int  # number of runs
    interrupted: bool
    title: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether no run is missing."""
        return len(self.rows) == self.wanted

    @property
    def runs_each(self) -> int:
        """The number of runs of a complete cell."""
        return self.seeds or 1

    @property
    def heading(self) -> str:
        """The scenario's title, or else the drive if there is only one."""
        drives = {row.figures["drive"] for row in self.rows}
        return self.title or (drives.pop() if len(drives) == 1 else "")

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """Warnings of runs that ended well, with the runs' settings."""
        return [(row.name, row.figures["remark"]) for row in self.rows if "remark" in row.figures]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, in the order of the axes; the last axis changes first."""
        by_place: dict[tuple[int, ...], dict[int | None, Row]] = {}
        for row in self.rows:
            by_place.setdefault(row.places, {})[row.seed] = row
        return tuple(
            _cell(places, by_place.get(places, {}), by_place.get((0, *places[1:]), {}))
            for places in product(*(range(len(axis.values)) for axis in self.axes))
        )

    def texts(self, places: Sequence[int]) -> list[str]:
        """The values of a combination."""
        return [axis.values[at].text for axis, at in zip(self.axes, places, strict=True)]

    @property
    def reference(self) -> str:
        """The value that differences are taken from, as KEY=VALUE; "" without axes."""
        axis = self.axes[0] if self.axes else None
        return f"{axis.key}={axis.values[0].text}" if axis else ""

    def headings(self) -> list[str]:
        """Headings of the columns."""
        fixed = [*(axis.key for axis in self.axes), "runs", *(measure.heading for measure in MEASURES)]
        return [*fixed, f"mean ms - that of {self.reference}"] if self.reference else fixed

    def lines(self) -> list[list[str]]:
        """The table's cells as texts."""
        return [self._line(cell) for cell in self.cells]

    def _line(self, cell: Cell) -> list[str]:
        count = str(cell.runs) if cell.runs == self.runs_each else f"{cell.runs} of {self.runs_each}"
        line = [*self.texts(cell.places), count]
        line += [cell.figures[one.name].text(one.form) if cell.runs else NOTHING for one in MEASURES]
        if not self.reference:
            return line
        difference = cell.differences.get(MEAN.name)
        return [*line, difference.text("{:+.3f}").replace("± +", "± ") if difference else "" if cell.places[0] == 0 else NOTHING]

    def notes(self) -> list[str]:
        """Notes that readers need for the numbers."""
        notes = ["Response times are from a command's submission to its completion; p95 and p99 are percentiles of a run's commands."]
        if self.runs_each > 1:
            notes.append(f"±: half of the 95 % interval of the mean, by Student's t over {self.runs_each} seeds.")
            if self.reference:
                notes.append("Differences are paired: each of two runs with equal seeds, and so with the same requests.")
        else:
            notes.append("One run for each line, so there are no intervals. With a random load, seeds=5 gives them.")
        return notes + self._doubts()

    def _doubts(self) -> list[str]:
        doubts = []
        bad, waited = (sum(1 for row in self.rows if row.figures[name]) for name in ("not_good", "waited_in_host"))
        if bad:
            doubts.append(f"In {_runs(bad)} some commands did not end with GOOD: column not_good of sweep.csv.")
        if waited:
            doubts.append(
                f"In {_runs(waited)} requests waited in their hosts before submission. Column from_arrival_mean_ms of sweep.csv "
                "has that wait, too."
            )
        if self.failures:
            doubts.append(f"{_runs(len(self.failures))} failed, and {'is' if len(self.failures) == 1 else 'are'} not in the table.")
        missing = self.wanted - len(self.rows) - len(self.failures)
        if missing:
            doubts.append(f"Interrupted: {_runs(missing)} of {self.wanted} not made. The same command continues.")
        return doubts

    def to_text(self) -> str:
        """The table for a terminal, and for sweep.txt."""
        headings, lines = self.headings(), self.lines()
        widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]
        is_word = [not axis.is_numeric for axis in self.axes]

        def text_of(line: Sequence[str]) -> str:
            parts = [
                part.ljust(width) if number < len(is_word) and is_word[number] else part.rjust(width)
                for number, (part, width) in enumerate(zip(line, widths, strict=True))
            ]
            return "  ".join(parts).rstrip()

        title = f"{self.heading}\n\n" if self.heading else ""
        rows = "".join(f"{text_of(line)}\n" for line in (headings, *lines))
        return f"{title}{rows}\n" + "".join(f"{note}\n" for note in self.notes())

    def to_markdown(self) -> str:
        """The table as a page, sweep.md."""
        escaped = lambda line: " | ".join(cell.replace("|", "\\|") for cell in line)
        numeric = [axis.is_numeric for axis in self.axes]
        rulers = ["---:" if number >= len(numeric) or numeric[number] else "---" for number in range(len(self.headings()))]
        title = f"# {self.heading}\n\n" if self.heading else ""
        rows = "".join(f"| {escaped(line)} |\n" for line in (self.headings(), rulers, *self.lines()))
        return f"{title}{rows}\n" + "".join(f"- {note}\n" for note in self.notes())

    def to_csv(self) -> str:
        """The runs as sweep.csv: a row for each."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        names = [*COUNTS, *(measure.name for measure in MEASURES), *MORE_TIMES]
        writer.writerow([*(axis.key for axis in self.axes), SEED_KEY, *names])
        for row in self.rows:
            seed = "" if row.seed is None else row.seed
            writer.writerow([*self.texts(row.places), seed, *(row.figures[name] for name in names)])
        return out.getvalue()

    def to_json(self) -> dict[str, Any]:
        """The content of sweep.json: axes, runs, cells with intervals."""
        return {
            "title": self.heading,
            "headstack": self.rows[0].figures["headstack"] if self.rows else "",
            "axes": [
                {"key": axis.key, "path": axis.path, "values": [value.text for value in axis.values]} for axis in self.axes
            ],
            "seeds": self.seeds,
            "runs_wanted": self.wanted,
            "complete": self.is_complete,
            "reference": self.reference,
            "rows": [
                {"settings": self._settings(row.places), "seed": row.seed}
                | {name: value for name, value in row.figures.items() if name not in OF_ALL}
                for row in self.rows
            ],
            "cells": [
                {"settings": self._settings(cell.places), "runs": cell.runs}
                | {name: _json(one) for name, one in cell.figures.items()}
                | {"difference": {name: _json(one) for name, one in cell.differences.items()} or None}
                for cell in self.cells
            ],
            "failures": [
                {"settings": self._settings(one.places), "seed": one.seed, "message": one.message} for one in self.failures
            ],
        }  # fmt: skip

    def _settings(self, places: Sequence[int]) -> dict[str, str]:
        return {axis.key: text for axis, text in zip(self.axes, self.texts(places), strict=True)}


def _cell(places: tuple[int, ...], runs: dict[int | None, Row], first: dict[int | None, Row]) -> Cell:
    """The cell of runs, given by seed. `first` has the runs from which its differences are taken."""
    if not runs:
        return Cell(places, 0)
    names = [measure.name for measure in MEASURES]
    figures = {name: interval([row.figures[name] for row in runs.values()]) for name in names}
    pairs = [(row, first[seed]) for seed, row in runs.items() if seed in first] if places and places[0] else []
    differences = {name: interval([row.figures[name] - other.figures[name] for row, other in pairs]) for name in names if pairs}
    return Cell(places, len(runs), figures, differences)


def _json(one: Interval) -> dict[str, Any]:
    """An interval in JSON. The ends are null for one run."""
    is_one = one.count == 1
    return {
        "mean": one.mean, "half": None if is_one else one.half, "low": None if is_one else one.low,
        "high": None if is_one else one.high, "runs": one.count,
    }  # fmt: skip


def _runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"


