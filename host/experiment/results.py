# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep: a table with one row per run, and means over seeds out of it."""

import csv
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cost_load import MEASURES as COST_COLUMNS
from interval import Interval, MedianInterval, interval, median_interval
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
# Columns of runs with deadlines.
LOAD_COLUMNS = (
    "drive", "threshold", "reading", "reads", "writes", "slack_ms", "frames", "below", "scale", "write_by_ms", "access_ms", "load"
)  # fmt: skip
DEADLINE_COLUMNS = (
    "requests",
    "reads_served",
    "writes_arrived",
    "reads_missed",
    "writes_missed",
    "tardy_mean_ms",
    "response_mean_ms",
    "response_max_ms",
    "distance_mean_pages",
    "elapsed_ms",
    "missed_revolutions",
    "lost_revolutions",
    "requeued",
    "firmware_cycles",
)
MISSED_BAND_COLUMN = "band_missed"
# Columns of runs of streams.
STREAM_LOAD_COLUMNS = ("drive", "workload", "scale", "tau", "load")
STREAMS_COLUMNS = (
    "requests",
    "elapsed_ms",
    "response_mean_ms",
    "response_rt_ms",
    "response_be_ms",
    "response_max_ms",
    "rt_served",
    "rt_missed",
    "missed_in_a_row",
    "jitter_ms",
    "requests_per_s",
    "mb_per_s",
    "distance_total_cylinders",
    "seek_mean_ms",
    "rotation_mean_ms",
    "waiting_mean",
    "orders_sum_log10",
    "units_mean",
    "created_mean",
    "kept_mean",
    "evaluations_mean",
    "firmware_cycles",
    "admitted",
    "round_requests",
)
# Columns of runs with maps.
REMAP_LOAD_COLUMNS = (
    "drive", "map_words", "map_gap", "map_policy", "map_walkers", "chain", "walkers", "gap", "closed", "drift", "in_order", "trace",
    "accesses", "drifted", "behind", "bounded", "one_walk", "shift", "moves", "rate", "sectors", "seek_scale", "controller", "load",
)  # fmt: skip
REMAP_COLUMNS = (
    "requests",
    "counted",
    "service_ms",
    "waiting_mean_ms",
    "response_mean_ms",
    "response_max_ms",
    "seek_ms",
    "settle_ms",
    "head_switch_ms",
    "rotation_ms",
    "media_transfer_ms",
    "split",
    "elapsed_ms",
    "moving_moves",
    "moving_left",
    "moving_requests",
    "moving_media_ms",
    "moving_waits",
    "moving_longest_wait_us",
    "moving_copied_again",
    "identity_energy",
    "map_energy",
    "independent_energy",
    "pairs",
    "busiest_tenth",
    "chi2_first",
    "z_first",
    "z_first_seen",
    "chi2_second",
    "z_second",
    "z_second_seen",
    "z_second_most",
    "missed_revolutions",
    "lost_revolutions",
    "requeued",
    "firmware_cycles",
)
# Columns of runs of a study of policies.
POLICY_COLUMNS = (
    "commands", "commands_per_second", "mean_ms", "p999_ms", "longest_ms", "with_deadline", "missed", "waited_in_host", "firmware_cycles",
)  # fmt: skip
MARK_OF_POLICIES = "p999_ms"  # a figure that only these have
# Columns of runs of `cost`, before those of cost_load.py.
COST_LOAD_COLUMNS = ("drive", "depth", "size_kb", "pattern", "write_share", "deadline_ms", "cache", "load")
EACH_STREAM_COLUMNS = ("requests", "response_mean_ms", "missed", "missed_in_a_row", "jitter_ms", "mb_per_s")

Result = dict[str, Any]
Measure = str | Callable[[Result], float]  # a result's key, or a function of a result


class Missing(Exception):
    """The sweep lacks a point, because of --only, --quick or the declaration."""


@dataclass(frozen=True)
class Point:
    """A point of a sweep, at which a mean is taken."""

    label: str
    load: float  # queue length, rate, or another value on the sweep's axis
    sweep: str = ""  # "": any sweep that has the point
    electronics: str = "ideal"
    group: int = 0
    reading: str = ""

    def describe(self) -> str:
        """The point in words."""
        group = f" with groups of {self.group}" if self.group else ""
        kind = "" if self.electronics == "ideal" else f", {self.electronics}"
        kind += f", {self.reading}" if self.reading else ""
        return f"{self.label}{group} at {self.load}{kind}"


def take(result: Result, measure: Measure) -> float:
    """One number of one run."""
    return float(measure(result)) if callable(measure) else float(result[measure])


def cycles_a_request(result: Result) -> float:
    """The firmware's cycles for a request."""
    return float(result["firmware_cycles"]) / float(result["requests"])


def ends_to_middle(result: Result) -> float:
    """Mean response in the outermost and the innermost tenth of the cylinders, over that of the two tenths between."""
    bands = result["band_response_ms"]
    half = len(bands) // 2
    return (bands[0] + bands[-1]) / (bands[half - 1] + bands[half])


class Results:
    """All runs of a sweep."""

    def __init__(self, runs: Iterable[Run], results: Iterable[Result]) -> None:
        self._rows = list(zip(runs, results, strict=True))
        self._at: dict[Point, dict[int, Result]] = {}
        for run, result in self._rows:
            for sweep in ("", run.sweep):
                point = Point(run.label, run.load, sweep, run.electronics, run.group, run.reading)
                self._at.setdefault(point, {})[run.seed] = result

    def seeds_at(self, point: Point) -> dict[int, Result]:
        """All runs of a point, by seed. Raises Missing when there is none."""
        found = self._at.get(point)
        if not found:
            raise Missing(point.describe())
        return found

    def mean(self, point: Point, measure: Measure) -> Interval:
        """The mean over the seeds. Raises Missing."""
        return interval([take(result, measure) for result in self.seeds_at(point).values()])

    def median(self, point: Point, measure: Measure) -> MedianInterval:
        """The median over the seeds. Raises Missing."""
        return median_interval([take(result, measure) for result in self.seeds_at(point).values()])

    def _pairs(self, above: Point, below: Point, measure: Measure) -> list[tuple[float, float]]:
        """The values of two points with the same requests, seed by seed. Raises Missing."""
        upper, lower = self.seeds_at(above), self.seeds_at(below)
        seeds = [seed for seed in upper if seed in lower]
        if not seeds:
            raise Missing(f"a seed of both {above.describe()} and {below.describe()}")
        return [(take(upper[seed], measure), take(lower[seed], measure)) for seed in seeds]

    def ratio(self, above: Point, below: Point, measure: Measure) -> Interval:
        """The mean over the seeds of the ratio of two points. Raises Missing."""
        return interval([upper / lower for upper, lower in self._pairs(above, below, measure)])

    def median_ratio(self, above: Point, below: Point, measure: Measure) -> MedianInterval:
        """The median of the same ratios, for quantities with a heavy tail. Raises Missing."""
        return median_interval([upper / lower for upper, lower in self._pairs(above, below, measure)])

    def difference(self, above: Point, below: Point, measure: Measure) -> Interval:
        """The mean over the seeds of the difference of two points with the same requests. Raises Missing."""
        return interval([upper - lower for upper, lower in self._pairs(above, below, measure)])

    def median_difference(self, above: Point, below: Point, measure: Measure) -> MedianInterval:
        """The median of the same differences, for quantities with a heavy tail. Raises Missing."""
        return median_interval([upper - lower for upper, lower in self._pairs(above, below, measure)])

    def loads(self, label: str, sweep: str, electronics: str = "ideal") -> list[float]:
        """The loads of a policy (queue lengths, rates, or other values on the sweep's axis), ascending."""
        return sorted(
            {
                run.load
                for run, _ in self._rows
                if run.label == label and run.sweep == sweep and run.electronics == electronics
            }
        )

    def policies(self, label: str) -> list[str]:
        """The policies of a label, in the form of the command line. There are several if the policy has a value of the sweep's axis."""
        return list(dict.fromkeys(run.policy for run, _ in self._rows if run.label == label))

    def groups(self, label: str, sweep: str) -> list[int]:
        """The group sizes of a policy, ascending."""
        return sorted({run.group for run, _ in self._rows if run.label == label and run.sweep == sweep})

    def labels(self, sweep: str) -> list[str]:
        """The policies of a sweep, in the order of the declaration."""
        return list(dict.fromkeys(run.label for run, _ in self._rows if run.sweep == sweep))

    def first_run(self, sweep: str) -> Run:
        """The first run of a sweep, for what all of its runs have in common. Raises Missing."""
        for run, _ in self._rows:
            if run.sweep == sweep:
                return run
        raise Missing(f"sweep '{sweep}'")

    def curve(
        self, label: str, sweep: str, measure: Measure, electronics: str = "ideal"
    ) -> list[tuple[float, Interval]]:
        """Load and mean for every load of a policy; empty when the policy is not in the sweep."""
        return [
            (load, self.mean(Point(label, load, sweep, electronics), measure))
            for load in self.loads(label, sweep, electronics)
        ]

    def write_csv(self, file: Path) -> None:
        """Writes one row per run, in the order of the declaration. Raises OutputError."""
        if any(run.streams for run, _ in self._rows):
            self._write_streams_csv(file)
            return
        if any(run.remap for run, _ in self._rows):
            self._write_remap_csv(file)
            return
        if any(run.cost for run, _ in self._rows):
            self._write_cost_csv(file)
            return
        if any(MARK_OF_POLICIES in result for _, result in self._rows):
            self._write_policies_csv(file)
            return
        with_deadlines = any(run.deadlines for run, _ in self._rows)
        columns, band = (DEADLINE_COLUMNS, MISSED_BAND_COLUMN) if with_deadlines else (RESULT_COLUMNS, BAND_COLUMN)
        run_columns = (*RUN_COLUMNS, *LOAD_COLUMNS) if with_deadlines else (*RUN_COLUMNS, "length")
        bands = max((len(result[band]) for _, result in self._rows), default=0)
        rows = []
        for run, result in self._rows:
            about = vars(run) | (vars(run.deadlines) | {"load": run.load} if run.deadlines else {})
            values = [result.get(name) for name in columns] + list(result[band])
            rows.append([*(_plain(about[name]) for name in run_columns), *map(_text, values)])
        _write(file, [*run_columns, *columns, *(f"band_{number}_{band[5:]}" for number in range(bands))], rows)

    def _write_remap_csv(self, file: Path) -> None:
        """Writes the table of runs with maps."""
        names, rows = (*RUN_COLUMNS, *REMAP_LOAD_COLUMNS), []
        for run, result in self._rows:
            trace = run.remap.trace
            about = vars(run) | vars(run.remap) | vars(run.remap.learning) | {"load": run.load, "trace": trace.name if trace else ""}
            rows.append([about[name] for name in names] + [_text(result.get(name)) for name in REMAP_COLUMNS])
        _write(file, [*names, *REMAP_COLUMNS], rows)

    def _write_policies_csv(self, file: Path) -> None:
        """Writes the table of a study of policies."""
        names = ("sweep", "label", "drive", "seed")
        rows = [[vars(run)[name] for name in names] + [_text(result[name]) for name in POLICY_COLUMNS] for run, result in self._rows]
        _write(file, [*names, *POLICY_COLUMNS], rows)

    def _write_cost_csv(self, file: Path) -> None:
        """Writes the table of runs of `cost`."""
        names, rows = ("sweep", "label", "electronics", "seed", *COST_LOAD_COLUMNS), []
        for run, result in self._rows:
            about = vars(run) | vars(run.cost) | {"load": run.load}
            rows.append([_plain(about[name]) for name in names] + [_text(result.get(name)) for name in COST_COLUMNS])
        _write(file, [*names, *COST_COLUMNS], rows)

    def _write_streams_csv(self, file: Path) -> None:
        """Writes the table of runs of streams, each of which has columns of its own."""
        most = max(len(result["streams"]) for _, result in self._rows)
        own = [f"stream_{number}_{name}" for number in range(most) for name in EACH_STREAM_COLUMNS]
        names, rows = (*RUN_COLUMNS, *STREAM_LOAD_COLUMNS), []
        for run, result in self._rows:
            about = vars(run) | vars(run.streams) | {"load": run.load}
            values = [result.get(name) for name in STREAMS_COLUMNS]
            values += [stream[name] for stream in result["streams"] for name in EACH_STREAM_COLUMNS]
            rows.append([about[name] for name in names] + [_text(value) for value in values])
        _write(file, [*names, *STREAMS_COLUMNS, *own], rows)


def _write(file: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes a table. Raises OutputError."""
    with writing(file) as part, open(part, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def _plain(value: Any) -> Any:
    """A range in the form of the command line."""
    return "{}:{}".format(*value) if isinstance(value, tuple) else value


def _text(value: float | None) -> str:
    """A number with nine digits: more than the simulation's physics has, and the same on every machine."""
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    return "" if math.isnan(value) else f"{value:.9g}"
