"""The results of a sweep: a table with one row per run, and means over seeds out of it."""

import csv
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interval import Interval, interval
from sweep import Run

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import writing  # noqa: E402

RUN_COLUMNS = ("sweep", "label", "policy", "electronics", "group", "queue", "rate", "seed")
RESULT_COLUMNS = (
    "requests",
    "elapsed_ms",
    "utilization",
    "io_ms",
    "response_mean_ms",
    "response_deviation_ms",
    "response_max_ms",
    "waiting_mean_ms",
    "seek_mean_ms",
    "rotation_mean_ms",
    "distance_mean_cylinders",
    "requests_per_sweep",
    "missed_revolutions",
    "lost_revolutions",
    "requeued",
    "firmware_cycles",
)
BAND_COLUMN = "band_response_ms"

Result = dict[str, Any]
Measure = str | Callable[[Result], float]  # a result's key, or something worked out of one


class Missing(Exception):
    """What was asked for is not in this sweep, because of --only, --quick or the declaration."""


@dataclass(frozen=True)
class Point:
    """Where in a sweep a mean is taken."""

    label: str
    load: int  # queue length, or rate
    sweep: str = ""  # any that has the point
    electronics: str = "ideal"
    group: int = 0

    def describe(self) -> str:
        """For people."""
        group = f" with groups of {self.group}" if self.group else ""
        kind = "" if self.electronics == "ideal" else f", {self.electronics}"
        return f"{self.label}{group} at {self.load}{kind}"


def take(result: Result, measure: Measure) -> float:
    """One number of one run."""
    return float(measure(result)) if callable(measure) else float(result[measure])


def ends_to_middle(result: Result) -> float:
    """Mean response in the outermost and the innermost tenth of the cylinders, over that of the two tenths between."""
    bands = result["band_response_ms"]
    half = len(bands) // 2
    return (bands[0] + bands[-1]) / (bands[half - 1] + bands[half])


class Results:
    """All runs of a sweep."""

    def __init__(self, runs: Iterable[Run], results: Iterable[Result]) -> None:
        self._rows = list(zip(runs, results, strict=True))

    def seeds_at(self, point: Point) -> dict[int, Result]:
        """By seed, every run of a point. Raises Missing when there is none."""
        found = {
            run.seed: result
            for run, result in self._rows
            if run.label == point.label
            and point.load in (run.queue, run.rate)
            and run.electronics == point.electronics
            and run.group == point.group
            and point.sweep in ("", run.sweep)
        }
        if not found:
            raise Missing(point.describe())
        return found

    def mean(self, point: Point, measure: Measure) -> Interval:
        """Over the seeds. Raises Missing."""
        return interval([take(result, measure) for result in self.seeds_at(point).values()])

    def ratio(self, above: Point, below: Point, measure: Measure) -> Interval:
        """Of two points with the same requests: seed by seed, then over the seeds. Raises Missing."""
        upper, lower = self.seeds_at(above), self.seeds_at(below)
        seeds = [seed for seed in upper if seed in lower]
        if not seeds:
            raise Missing(f"a seed of both {above.describe()} and {below.describe()}")
        return interval([take(upper[seed], measure) / take(lower[seed], measure) for seed in seeds])

    def loads(self, label: str, sweep: str, electronics: str = "ideal") -> list[int]:
        """Queue lengths or rates of a policy, ascending."""
        return sorted(
            {
                run.queue or run.rate
                for run, _ in self._rows
                if run.label == label and run.sweep == sweep and run.electronics == electronics
            }
        )

    def groups(self, label: str, sweep: str) -> list[int]:
        """Group sizes of a policy, ascending."""
        return sorted({run.group for run, _ in self._rows if run.label == label and run.sweep == sweep})

    def labels(self, sweep: str) -> list[str]:
        """Policies of a sweep, in the order of the declaration."""
        return list(dict.fromkeys(run.label for run, _ in self._rows if run.sweep == sweep))

    def curve(self, label: str, sweep: str, measure: Measure, electronics: str = "ideal") -> list[tuple[int, Interval]]:
        """Load and mean of every load of a policy; empty when it is not in the sweep."""
        return [
            (load, self.mean(Point(label, load, sweep, electronics), measure))
            for load in self.loads(label, sweep, electronics)
        ]

    def write_csv(self, file: Path) -> None:
        """One row per run, in the order of the declaration. Raises OutputError."""
        bands = max((len(result[BAND_COLUMN]) for _, result in self._rows), default=0)
        with writing(file) as part, open(part, "w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow([*RUN_COLUMNS, *RESULT_COLUMNS, *(f"band_{band}_response_ms" for band in range(bands))])
            for run, result in self._rows:
                values = [result[name] for name in RESULT_COLUMNS] + list(result[BAND_COLUMN])
                writer.writerow([getattr(run, name) for name in RUN_COLUMNS] + [_text(value) for value in values])


def _text(value: float) -> str:
    """Nine digits: more than a simulation's physics has, and the same on every machine."""
    if isinstance(value, int):
        return str(value)
    return "" if math.isnan(value) else f"{value:.9g}"
