# SPDX-License-Identifier: Apache-2.0
"""The figures of one run in a report, from its records in two passes.

The first pass keeps a few numbers of every command. The second pass uses the percentiles and the run's length, and sums by
time and by response time. Times are picoseconds in arrays and milliseconds in results.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from commands import FIXED_COLUMNS, NO_SIZE, Commands, mix
from cylinders import Cylinders
from numpy.typing import NDArray
from record_file import OPERATIONS, Column, read_records
from run_folder import RunFolder
from spread import PS_PER_S, Curve, Spread, curve, rank, spread
from sums import BANDS, Band, Deadlines, Series, Sums

SECTOR_BYTES = 512  # for a run without its drive's description
SCATTER_COMMANDS = 12_000  # limit for one run
SCATTER_ALL = 40_000  # limit for all runs
SCATTER_COLUMNS = ("submitted_ps", "lba", "response_ps", "operation")


@dataclass
class Measures:
    """The figures of one run in a report."""

    run: RunFolder
    begin: int
    end: int
    blocks: int
    failed: int
    sense: Counter[int]
    sector_bytes: int
    response: Spread
    service: Spread
    from_arrival: Spread | None  # response times with the waits in the hosts; None if no command waited there
    response_of: dict[str, Spread]
    response_of_size: dict[tuple[str, int], Spread]  # by operation and class of size (commands.SIZES)
    response_of_host: dict[int, Spread]  # empty for a run with one host
    response_curve: Curve
    curve_of: dict[str, Curve]
    stage_ms: dict[str, float]  # means, with the exposed search among them
    bands: list[Band]
    series: Series
    seek_cylinders: NDArray[np.int64] | None  # number of accesses by distance
    scatter: dict[str, Column]
    scatter_share: float  # share of the commands in the scatter
    deadlines: list[Deadlines]  # by class; empty for a run without deadlines
    slack_curve: Curve | None  # slack at the choice, of commands with a deadline
    rows: dict[int, dict[str, int]] = field(default_factory=dict)  # records that were asked for

    @property
    def elapsed_s(self) -> float:
        """The time from the first submission to the last completion."""
        return max(self.end - self.begin, 1) / PS_PER_S

    def stage_share(self, *stages: str) -> float:
        """The stages' share of the elapsed time, in total."""
        total_ms = sum(self.stage_ms.get(stage, 0.0) for stage in stages) * self.response.count
        return total_ms / 1000 / self.elapsed_s


def measure(
    run: RunFolder, commands: Commands, width_ps: int, wanted: NDArray[np.int64], run_count: int = 1
) -> Measures:
    """The second pass, in stretches of `width_ps`, for a page of `run_count` runs. Raises RunError.

    It also keeps the records of the `wanted` commands.
    """
    done = commands.done
    ascending = _sorted(commands.response, done)
    response, response_curve = spread(ascending), curve(ascending)
    thresholds = ascending[[rank(len(ascending), upto) for upto, _ in BANDS]]
    del ascending
    design = run.design()
    sums = Sums(run, commands, width_ps, thresholds, Cylinders(design) if design else None)
    # A hash of the number selects evenly, whatever the rhythm of the trace.
    shown = min(SCATTER_COMMANDS, SCATTER_ALL // run_count)
    kept_below = min(shown / response.count, 1.0) * (1 << 32)
    scatter: dict[str, list[Column]] = {name: [] for name in SCATTER_COLUMNS}
    rows: dict[int, dict[str, int]] = {}
    for records in read_records(run.records):
        sums.add(records)
        kept = mix(records["command"] + 1) < kept_below
        for name, parts in scatter.items():
            parts.append(records[name][kept])
        for index in np.flatnonzero(np.isin(records["command"], wanted)):
            rows[int(records["command"][index])] = {name: int(records[name][index]) for name in FIXED_COLUMNS}
    points = {name: np.concatenate(parts) for name, parts in scatter.items()}
    response_of: dict[str, Spread] = {}
    curve_of: dict[str, Curve] = {}
    response_of_size: dict[tuple[str, int], Spread] = {}
    for index, name in enumerate(OPERATIONS):
        of_operation = commands.operation == index
        times = _sorted(commands.response, of_operation)
        if len(times):
            response_of[name], curve_of[name] = spread(times), curve(times)
        for size in np.unique(commands.size[of_operation]):
            if size != NO_SIZE:
                response_of_size[name, int(size)] = spread(_sorted(commands.response, of_operation & (commands.size == size)))

    sector_bytes = int(design["sector_bytes"]) if design else SECTOR_BYTES
    return Measures(
        run=run,
        begin=commands.begin,
        end=commands.end,
        blocks=sums.blocks,
        failed=commands.failed,
        sense=commands.sense,
        sector_bytes=sector_bytes,
        response=response,
        service=spread(_sorted(commands.service, done)),
        from_arrival=_from_arrival(commands),
        response_of=response_of,
        response_of_size=response_of_size,
        response_of_host=_by_host(commands),
        response_curve=response_curve,
        curve_of=curve_of,
        stage_ms=sums.stage_means(),
        bands=sums.bands(),
        series=sums.series(sector_bytes),
        seek_cylinders=sums.arm.distances if sums.arm else None,
        scatter=points,
        scatter_share=len(points["lba"]) / response.count,
        deadlines=sums.deadlines(),
        slack_curve=sums.slack_curve(),
        rows=rows,
    )


def _sorted(times: Column, which: NDArray[np.bool_]) -> Column:
    """The selected times, ascending. They are sorted in place, since a copy would be large."""
    chosen = times[which]
    chosen.sort()
    return chosen


def _from_arrival(commands: Commands) -> Spread | None:
    """The times from arrival; None if no command waited in its host."""
    if commands.host_wait is None or not commands.host_wait.any():
        return None
    return spread(np.sort((commands.response + commands.host_wait)[commands.done]))


def _by_host(commands: Commands) -> dict[int, Spread]:
    """The times by host; empty if there is one host only."""
    if commands.host is None:
        return {}
    hosts = np.unique(commands.host[commands.done])
    return {int(host): spread(_sorted(commands.response, commands.done & (commands.host == host))) for host in hosts}
