"""What a report says of one run, from its records in two passes.

The first pass keeps a few numbers of every command (about 30 bytes); the second, which knows the percentiles and how
long the run lasted, adds up by time and by how long commands took. Times are picoseconds in arrays and milliseconds
in results.
"""

from dataclasses import dataclass, field

import numpy as np
from cylinders import Cylinders
from numpy.typing import NDArray
from record_file import NONE, OPERATIONS, Column, Records, read_header, read_records, require_columns
from run_folder import RunError, RunFolder
from spread import PS_PER_MS, PS_PER_S, Curve, Spread, curve, rank, spread

NO_OPERATION = 255
READ_AHEAD = 4096  # requests that a run looks at ahead: host/run/issue_order.hpp
SECTOR_BYTES = 512  # of a run without its drive's description

# Bands of commands by response time: up to which of 1,000.
BANDS = ((500, "fastest half"), (900, "to 90 %"), (990, "to 99 %"), (999, "to 99.9 %"), (1000, "slowest 0.1 %"))

SCATTER_COMMANDS = 12_000
SCATTER_COLUMNS = ("submitted_ps", "lba", "response_ps", "operation")

# Odd constants that mix well (Knuth, The Art of Computer Programming 3, 6.4: multiplicative hashing).
MIX = np.int64(0x9E3779B97F4A7C15 - (1 << 64))
MIX_TOO = np.int64(0xC2B2AE3D27D4EB4F - (1 << 64))

FIXED_COLUMNS = ["command", "operation", "lba", "blocks", "submitted_ps", "completed_ps", "response_ps", "status"]


@dataclass
class Commands:
    """One value for each command of the trace, by its number. `response` is NONE where a command is not in the file."""

    response: Column
    service: Column
    operation: NDArray[np.uint8]
    request: NDArray[np.uint32]  # a hash of operation, place and length: the same request, the same number
    deadline: Column | None
    measured: Column | None
    host: NDArray[np.uint8] | None
    begin: int  # of the run: the first submission
    end: int  # the last completion
    failed: int

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which of them are in the file."""
        return self.response != NONE


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
    """A value for each stretch of a grid; NaN where there was nothing to measure."""

    grid: Grid
    commands_per_s: NDArray[np.float64]
    megabytes_per_s: NDArray[np.float64]
    outstanding: NDArray[np.float64]
    response_ms: NDArray[np.float64]
    seek_cylinders: NDArray[np.float64] | None


@dataclass
class Band:
    """Commands by how long they took: the mean of every stage in milliseconds."""

    name: str
    count: int
    stage_ms: dict[str, float]


@dataclass
class Deadlines:
    """Of the commands that had one."""

    count: int
    met: int
    late_mean_ms: float  # of those that were late; 0 when none was
    late_max_ms: float


@dataclass
class Measures:
    """Everything about one run that a report shows, small."""

    run: RunFolder
    begin: int
    end: int
    blocks: int
    failed: int
    sector_bytes: int
    response: Spread
    service: Spread
    response_of: dict[str, Spread]
    response_of_host: dict[int, Spread]  # of a run with several hosts
    response_curve: Curve
    curve_of: dict[str, Curve]
    stage_ms: dict[str, float]  # means; search exposed among them
    bands: list[Band]
    series: Series
    seek_cylinders: NDArray[np.int64] | None  # how often each distance
    scatter: dict[str, Column]
    scatter_share: float  # of the commands
    deadlines: Deadlines | None
    rows: dict[int, dict[str, int]] = field(default_factory=dict)  # records that were asked for

    @property
    def elapsed_s(self) -> float:
        """From the first submission to the last completion."""
        return max(self.end - self.begin, 1) / PS_PER_S

    def stage_share(self, *stages: str) -> float:
        """How much of the elapsed time they took, all in all."""
        total_ms = sum(self.stage_ms.get(stage, 0.0) for stage in stages) * self.response.count
        return total_ms / 1000 / self.elapsed_s


def service_stages(stages: list[str]) -> list[str]:
    """Those of a command that is chosen."""
    return stages[stages.index("queued") + 1 :] if "queued" in stages else stages


def load_commands(run: RunFolder) -> Commands:
    """The first pass. Raises RunError."""
    service = [f"{stage}_ps" for stage in service_stages(run.stages())]
    require_columns(run.records, FIXED_COLUMNS + service)
    names = read_header(run.records)
    expected = int(run.result["commands"])
    # Numbers are the trace's: those that warmed up, were out when the run ended or were looked at ahead have one, too.
    size = expected + int(run.summary.get("warm_up_commands", 0)) + int(run.summary["queue_depth"]) + READ_AHEAD
    optional = {name: np.full(size, NONE, np.int64) for name in ("deadline_ps", "measured_service_ps") if name in names}
    commands = Commands(
        response=np.full(size, NONE, np.int64),
        service=np.zeros(size, np.int64),
        operation=np.full(size, NO_OPERATION, np.uint8),
        request=np.zeros(size, np.uint32),
        deadline=optional.get("deadline_ps"),
        measured=optional.get("measured_service_ps"),
        host=np.zeros(size, np.uint8) if "initiator" in names else None,
        begin=np.iinfo(np.int64).max,
        end=0,
        failed=0,
    )
    count = 0
    for records in read_records(run.records):
        at = records["command"]
        count += len(records)
        if count > expected or at.min() < 0 or at.max() >= size:
            break
        commands.response[at] = records["response_ps"]
        commands.service[at] = sum(records[name] for name in service)
        commands.operation[at] = records["operation"]
        commands.request[at] = _mix(_mix(records["lba"]) + records["blocks"] * 3 + records["operation"])
        for name, values in optional.items():
            values[at] = records[name]
        if commands.host is not None:
            commands.host[at] = records["initiator"]
        commands.begin = min(commands.begin, int(records["submitted_ps"].min()))
        commands.end = max(commands.end, int(records["completed_ps"].max()))
        commands.failed += int(np.count_nonzero(records["status"]))
    if count != expected or np.count_nonzero(commands.done) != expected:
        raise RunError(f"{run.records}: its commands are not the {expected} of summary.json; repeat the run")
    if expected == 0:
        raise RunError(f"{run.records}: no command in it, so there is nothing to report; repeat the run")
    return commands


def _mix(values: Column) -> NDArray[np.uint32]:
    """32 bits in which every bit of a value has its say."""
    mixed = values.astype(np.int64) * MIX
    mixed ^= mixed >> np.int64(29)
    mixed *= MIX_TOO
    return (mixed >> np.int64(32)).astype(np.uint32)


def measure(run: RunFolder, commands: Commands, width_ps: int, wanted: NDArray[np.int64]) -> Measures:
    """The second pass, in stretches of `width_ps`; it also keeps the records of the `wanted` commands. Raises RunError."""
    done = commands.done
    ascending = _sorted(commands.response, done)
    response, response_curve = spread(ascending), curve(ascending)
    thresholds = ascending[[rank(len(ascending), upto) for upto, _ in BANDS]]
    del ascending
    design = run.design()
    sums = _Sums(run, commands, width_ps, thresholds, Cylinders(design) if design else None)
    # A hash of the number thins out evenly whatever the trace's rhythm.
    kept_below = min(SCATTER_COMMANDS / response.count, 1.0) * (1 << 32)
    scatter: dict[str, list[Column]] = {name: [] for name in SCATTER_COLUMNS}
    rows: dict[int, dict[str, int]] = {}
    for records in read_records(run.records):
        sums.add(records)
        kept = _mix(records["command"] + 1) < kept_below
        for name, parts in scatter.items():
            parts.append(records[name][kept])
        for index in np.flatnonzero(np.isin(records["command"], wanted)):
            rows[int(records["command"][index])] = {name: int(records[name][index]) for name in FIXED_COLUMNS}
    points = {name: np.concatenate(parts) for name, parts in scatter.items()}
    response_of: dict[str, Spread] = {}
    curve_of: dict[str, Curve] = {}
    for index, name in enumerate(OPERATIONS):
        times = _sorted(commands.response, commands.operation == index)
        if len(times):
            response_of[name], curve_of[name] = spread(times), curve(times)

    sector_bytes = int(design["sector_bytes"]) if design else SECTOR_BYTES
    return Measures(
        run=run,
        begin=commands.begin,
        end=commands.end,
        blocks=sums.blocks,
        failed=commands.failed,
        sector_bytes=sector_bytes,
        response=response,
        service=spread(_sorted(commands.service, done)),
        response_of=response_of,
        response_of_host=_by_host(commands),
        response_curve=response_curve,
        curve_of=curve_of,
        stage_ms=sums.stage_means(),
        bands=sums.bands(),
        series=sums.series(sector_bytes),
        seek_cylinders=sums.distances,
        scatter=points,
        scatter_share=len(points["lba"]) / response.count,
        deadlines=_deadlines(commands),
        rows=rows,
    )


def _sorted(times: Column, which: NDArray[np.bool_]) -> Column:
    """Some of them, ascending; sorted where they are, since a copy of all would be large."""
    chosen = times[which]
    chosen.sort()
    return chosen


def _by_host(commands: Commands) -> dict[int, Spread]:
    """Empty when there is one host only."""
    if commands.host is None:
        return {}
    hosts = np.unique(commands.host[commands.done])
    return {int(host): spread(_sorted(commands.response, commands.done & (commands.host == host))) for host in hosts}


def _deadlines(commands: Commands) -> Deadlines | None:
    """None when no command had one."""
    if commands.deadline is None:
        return None
    had_one = commands.done & (commands.deadline != NONE)
    if not np.any(had_one):
        return None
    late = commands.response[had_one] - commands.deadline[had_one]
    late = late[late > 0]
    count = int(np.count_nonzero(had_one))
    return Deadlines(
        count=count,
        met=count - len(late),
        late_mean_ms=float(np.mean(late)) / PS_PER_MS if len(late) else 0.0,
        late_max_ms=float(np.max(late)) / PS_PER_MS if len(late) else 0.0,
    )


class _Sums:
    """What the second pass adds up."""

    def __init__(
        self, run: RunFolder, commands: Commands, width: int, thresholds: Column, cylinders: Cylinders | None
    ) -> None:
        self._stages = run.stages()
        self._begin = commands.begin
        self._grid = Grid(width, max(-(-(commands.end - commands.begin) // width), 1))
        self._thresholds = thresholds
        self._cylinders = cylinders
        self._waiting_media = np.zeros((0, 3), np.int64)  # begin, block, blocks: not in order yet
        self._at_cylinder: int | None = None
        self.blocks = 0
        self.distances = np.zeros(cylinders.count, np.int64) if cylinders else None
        bins = self._grid.count
        self._completed = np.zeros(bins)
        self._response = np.zeros(bins)
        self._blocks = np.zeros(bins)
        self._depth = np.zeros(bins + 1)  # change of the number that is out, in whole stretches
        self._part = np.zeros(bins)  # what commands add within the stretch of their own begin and end
        self._seeks = np.zeros(bins)
        self._seek_cylinders = np.zeros(bins)
        self._band_count = np.zeros(len(BANDS), np.int64)
        exposed = ["search_exposed"] if "search_exposed_ps" in read_header(run.records) else []
        self._summed = self._stages + exposed
        self._band_stage = {name: np.zeros(len(BANDS)) for name in self._summed}

    def _bin(self, times: Column) -> Column:
        return np.minimum((times - self._begin) // self._grid.width, self._grid.count - 1)

    def add(self, records: Records) -> None:
        """Some more records."""
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
        if self._cylinders is not None:
            self._add_media(records)

    def _add_media(self, records: Records) -> None:
        """Distances lie between accesses in the order of the media, which is nearly that of completion.

        So the last ones of a piece wait for the next, and are put in order with it.
        """
        touched = records["media_transfer_ps"] > 0
        before = [f"{stage}_ps" for stage in self._stages[: self._stages.index("queued") + 1]]
        begin = records["submitted_ps"] + sum(records[name] for name in before)
        new = np.column_stack((begin, records["lba"], records["blocks"]))[touched]
        media = np.concatenate((self._waiting_media, new))
        media = media[np.argsort(media[:, 0], kind="stable")]
        ready = max(len(media) - self._unordered, 0)
        self._waiting_media = media[ready:]
        self._move(media[:ready])

    _unordered = 4096  # records of a piece that may have to wait; more than commands ever overtake each other by

    def _move(self, media: NDArray[np.int64]) -> None:
        """The arm over these accesses."""
        if len(media) == 0 or self._cylinders is None or self.distances is None:
            return
        first = self._cylinders.of(media[:, 1])
        last = self._cylinders.of(media[:, 1] + np.maximum(media[:, 2] - 1, 0))
        at = self._bin(media[:, 0])
        if self._at_cylinder is None:  # where the arm was before the first access, no record tells
            first, at, came_from = first[1:], at[1:], last[:-1]
        else:
            came_from = np.concatenate(([self._at_cylinder], last[:-1]))
        distance = np.abs(first - came_from)
        self._at_cylinder = int(last[-1])
        self._seeks += np.bincount(at, minlength=self._grid.count)
        self._seek_cylinders += np.bincount(at, distance.astype(np.float64), minlength=self._grid.count)
        self.distances += np.bincount(distance, minlength=len(self.distances))

    def stage_means(self) -> dict[str, float]:
        """Milliseconds a command."""
        count = int(self._band_count.sum())
        return {name: float(sums.sum()) / PS_PER_MS / count for name, sums in self._band_stage.items()}

    def bands(self) -> list[Band]:
        """Those that have a command."""
        return [
            Band(name, int(count), {stage: float(self._band_stage[stage][index]) / PS_PER_MS / int(count)
                                    for stage in self._summed})
            for index, ((_, name), count) in enumerate(zip(BANDS, self._band_count, strict=True))
            if count
        ]

    def series(self, sector_bytes: int) -> Series:
        """Ends the pass."""
        self._move(self._waiting_media)
        self._waiting_media = self._waiting_media[:0]
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
            seek_cylinders=divided(self._seek_cylinders, self._seeks) if self._cylinders else None,
        )
