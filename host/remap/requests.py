# SPDX-License-Identifier: Apache-2.0
"""Requests of a trace or of a run, in the order from which remapping learns.

The requests of a run are in the order of service, as the scheduler chose them. Those of a trace are in the order of
arrival, as they have not been scheduled yet. `headstack trace convert` reads traces of all formats.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cylinders import Cylinders
from execute.errors import ExecuteError
from execute.simulator import Simulator, said
from numpy.typing import NDArray
from record_file import OPERATIONS, read_records
from run_folder import RunError, open_runs

from . import HOST
from .counts import Counts, Numbers, count_stream
from .errors import RemapError

MAGIC = "headstack-trace "
REMEDY = "give a trace that 'headstack trace info' reads, or a folder that 'headstack run --out' left"
UNITS_US = {"ps": 1e-6, "ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
PS_PER_US = 1e6
# The stages of a command from its submission to its choice.
BEFORE_THE_CHOICE = ("issued", "selection", "command", "queued")
MOVES = "RWV"  # operations with blocks


@dataclass(frozen=True)
class Requests:
    """Reads, writes and verifies, in one order."""

    lba: Numbers
    blocks: Numbers
    gaps_us: NDArray[np.float64]  # times from an end to the next arrival, if known; fewer than requests
    order: str  # "service" or "arrival"
    capacity: int  # blocks of the drive; for a trace, up to the last block that is used

    def __len__(self) -> int:
        return len(self.lba)


def of_groups(requests: Requests, groups: int, first_block: int, group_blocks: int) -> tuple[Numbers, int]:
    """The visited groups, in order, and the number of requests that lie outside of all groups, at least in part.

    A request that spans groups visits each of them.
    """
    first = (requests.lba - first_block) // group_blocks
    last = (requests.lba + requests.blocks - 1 - first_block) // group_blocks
    lengths = last - first + 1
    starts = np.cumsum(lengths) - lengths
    stream = np.repeat(first - starts, lengths) + np.arange(int(lengths.sum()))
    inside = (stream >= 0) & (stream < groups)
    return stream[inside], int(np.count_nonzero((first < 0) | (last >= groups)))


def learn(requests: Requests, groups: int, first_block: int, group_blocks: int) -> Counts:
    """The counts of the groups that the requests visit."""
    stream, _ = of_groups(requests, groups, first_block, group_blocks)
    return count_stream(stream, groups, first_block, group_blocks, requests.gaps_us)


def span_shares(requests: Requests, unit_blocks: int) -> NDArray[np.float64]:
    """The share of requests that touch two units or more, by offset of the grid from 0 to unit_blocks - 1."""
    shares = np.empty(unit_blocks)
    for offset in range(unit_blocks):
        first = (requests.lba - offset) // unit_blocks
        last = (requests.lba + requests.blocks - 1 - offset) // unit_blocks
        shares[offset] = np.mean(first != last) if len(requests) else 0.0
    return shares


# ------------------------------------------------------------------------------------------- a run


def of_run(folder: Path) -> Requests:
    """The requests that a run served. Raises RemapError."""
    try:
        run = open_runs([folder])[0]
        pieces = list(read_records(run.records))
        design = run.design()
        if design is None:
            raise RemapError(f"{folder / 'drive.toml'}: there is no such file; repeat the run")
        columns = {
            name: np.concatenate([piece[name] for piece in pieces] or [np.zeros(0, dtype=np.int64)])
            for name in ("operation", "lba", "blocks", "submitted_ps", "completed_ps", *(f"{one}_ps" for one in BEFORE_THE_CHOICE))
        }
        capacity = Cylinders(design).capacity
    except (RunError, KeyError) as error:
        raise RemapError(str(error)) from None
    chosen = columns["submitted_ps"] + sum(columns[f"{one}_ps"] for one in BEFORE_THE_CHOICE)
    order = np.argsort(chosen, kind="stable")
    submitted, completed = columns["submitted_ps"][order], columns["completed_ps"][order]
    gaps = np.maximum(submitted[1:] - np.maximum.accumulate(completed)[:-1], 0) / PS_PER_US
    moves = columns["operation"][order] != OPERATIONS.index("flush")
    return Requests(columns["lba"][order][moves], columns["blocks"][order][moves], gaps, "service", capacity)


# ----------------------------------------------------------------------------------------- a trace


@dataclass(frozen=True)
class TraceText:
    """A trace in headstack's own format: its lines before `requests`, and the fields of the lines after it."""

    header: tuple[str, ...]
    columns: tuple[str, ...]
    rows: list[list[str]]

    @property
    def loop(self) -> str:
        """The kind of loop: open, closed or think."""
        return self.value("loop", "open")

    def value(self, key: str, default: str) -> str:
        """The value of a key of the header."""
        return next((line.split(maxsplit=1)[1] for line in self.header if line.split(maxsplit=1)[0] == key), default)

    def at(self, column: str) -> int | None:
        """The index of a column, or None."""
        return self.columns.index(column) if column in self.columns else None


VERSION_1 = ("time", "operation", "lba", "blocks", "deadline")


def parse_trace(file: str, lines: Iterator[str]) -> TraceText:
    """Parses a trace in our own format. Raises RemapError."""
    header: list[str] = []
    for line in lines:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words == ["requests"]:
            break
        header.append(line.rstrip("\n"))
    else:
        raise RemapError(f"{file}: no line 'requests'; {REMEDY}")
    columns = next((tuple(line.split()[1:]) for line in header if line.split()[0] == "columns"), VERSION_1)
    rows = [words for words in map(str.split, lines) if words and not words[0].startswith("#")]
    for words in rows:
        if len(words) != len(columns):
            raise RemapError(f"{file}: '{' '.join(words)}' has {len(words)} fields for {len(columns)} columns; {REMEDY}")
    return TraceText(tuple(header), columns, rows)


def read_trace(file: Path, front_end: Path, words: Sequence[str] = ()) -> TraceText:
    """Reads a trace of any format. `words` are options of the reader. Raises RemapError."""
    try:
        with file.open("rb") as start:
            is_ours = start.read(len(MAGIC)) == MAGIC.encode()
        if is_ours and not words:
            with file.open(encoding="utf-8") as lines:
                return parse_trace(str(file), lines)
    except OSError as error:
        raise RemapError(f"{file}: {error.strerror}; {REMEDY}") from None
    except UnicodeDecodeError as error:
        raise RemapError(f"{file}: {error}; {REMEDY}") from None
    simulator = Simulator(front_end, HOST.parent)
    try:
        status, output, message = simulator.call(front_end, ["trace", "convert", file, *words])
    except ExecuteError as error:
        raise RemapError(str(error)) from None
    if status != 0:
        raise RemapError(said(status, message))
    return parse_trace(str(file), iter(output.splitlines(keepends=True)))


def _whole(file: str, trace: TraceText, column: str, rows: list[list[str]]) -> Numbers:
    at = trace.at(column)
    if at is None:
        raise RemapError(f"{file}: no column '{column}'; {REMEDY}")
    try:
        return np.array([int(row[at]) for row in rows], dtype=np.int64)
    except ValueError as error:
        raise RemapError(f"{file}: column '{column}': {error}; {REMEDY}") from None


def _times(trace: TraceText, column: str, rows: list[list[str]], scale: float) -> NDArray[np.float64]:
    """Times in microseconds; NaN for a request without one."""
    at = trace.at(column)
    if at is None:
        return np.full(len(rows), np.nan)
    return np.array([float(row[at]) * scale if row[at] != "-" else np.nan for row in rows])


def of_trace(file: str, trace: TraceText) -> Requests:
    """The requests of a trace, in the order of arrival. Raises RemapError."""
    operation = trace.at("operation")
    if operation is None:
        raise RemapError(f"{file}: no column 'operation'; {REMEDY}")
    moves = [row for row in trace.rows if row[operation] in MOVES]
    if not moves:
        raise RemapError(f"{file}: no request that moves blocks; {REMEDY}")
    lba, blocks = _whole(file, trace, "lba", moves), _whole(file, trace, "blocks", moves)
    scale = UNITS_US.get(trace.value("time-unit", "us"), 1.0)
    if trace.loop == "think":
        gaps = _times(trace, "think", moves, scale)
    else:
        arrival = _times(trace, "time", moves, scale)
        end = arrival + _times(trace, "service", moves, scale)
        gaps = np.maximum(arrival[1:] - np.fmax.accumulate(end)[:-1], 0)
    return Requests(lba, blocks, gaps[~np.isnan(gaps)], "arrival", int((lba + blocks).max()))


def read_requests(path: Path, front_end: Path, words: Sequence[str] = ()) -> Requests:
    """Reads a run from a folder, and a trace from any other file. Raises RemapError."""
    if path.is_dir():
        if words:
            raise RemapError(f"{path}: a run is read as it is; leave {' '.join(words)} out")
        return of_run(path)
    return of_trace(str(path), read_trace(path, front_end, words))
