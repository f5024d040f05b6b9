# SPDX-License-Identifier: Apache-2.0
"""Requests of a workload (workload.py): seeded, open, streams side by side.

Gaps: a random or sequential stream has exponential ones, a periodic stream fixed ones, which jitter makes uniform around
the mean. A burst arrives at once. After a periodic burst of n come n gaps: a player uses up what it has read. Between
others there is an exponential gap, longer by the mean of the bursts. So the rate is the same. Positions: random ones are
uniform over the file; periodic and sequential streams read on where they were, and begin anew after the file's end.
A request does not cross an extent: a random one moves back, the others go on with the next extent.
A scale factor multiplies arrival times and nothing else.

The numbers come from NumPy's PCG64, seeded with seed, stream and purpose: neither policy nor scale factor changes what
is asked for, but for when. A shorter run's requests are the first of a longer one's.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from errors import ExperimentError
from numpy.typing import NDArray

from workload import APART, KB_PER_MB, PERIODIC, RANDOM, REAL_TIME, STEP_KB, WHOLE

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import writing  # noqa: E402

SECTORS_PER_STEP = STEP_KB * 1024 // 512
US_PER_MS = 1000.0
# The third number of a seed: which quantity is drawn from it.
GAPS, BURSTS, POSITIONS, SIZES, DEADLINES, EXTENTS = range(6)
LAYOUT_STREAM = 255  # in a stream's place, for what all streams share

Spec = dict[str, Any]
Floats, Wholes = NDArray[np.float64], NDArray[np.int64]


@dataclass(frozen=True)
class StreamLoad:
    """One point of a sweep: a workload and its changes."""

    workload: str  # the workload's name
    spec: Spec  # Workload.spec()
    scale: float  # factor of arrival times
    tau: int | None = None  # the policy's tau, if the sweep varies it
    length: int | None = None  # number of requests, if the sweep varies it
    copies: int | None = None  # number of times that `spec` has the workload's streams, if the sweep varies it
    groups: int = 0  # groups of streams that the drive knows, each as one stream; 0: it knows every stream

    @property
    def value(self) -> float:
        """The run's value on the axis of its sweep."""
        for varied in (self.copies, self.length, self.tau):
            if varied is not None:
                return varied
        return self.scale

    def describe(self) -> str:
        """The load in words."""
        tau = "" if self.tau is None else f", tau {self.tau}"
        length = "" if self.length is None else f", {self.length} requests"
        copies = "" if self.copies is None else f", {self.copies} times"
        return f"workload {self.workload}, scale {self.scale:g}{tau}{length}{copies}"


@dataclass(frozen=True)
class Requests:
    """Requests in the order of their arrival; equal arrivals are in the order of the streams."""

    arrival_us: Floats
    stream: Wholes
    lba: Wholes
    sectors: Wholes
    deadline_us: Floats  # after the arrival; NaN: best effort

    @property
    def is_real_time(self) -> NDArray[np.bool_]:
        """Whether each request is real time."""
        return ~np.isnan(self.deadline_us)


def _source(seed: int, stream: int, what: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64([seed, stream, what]))


def arrivals_us(stream: Spec, count: int, seed: int, number: int) -> Floats:
    """Arrival times of the first `count` requests."""
    mean_us = stream["gap_ms"] * US_PER_MS
    source = _source(seed, number, GAPS)
    if stream["burst"] > 1:
        sizes = _source(seed, number, BURSTS).geometric(1 / stream["burst"], count)
    else:
        sizes = np.ones(count, dtype=np.int64)
    if stream["pattern"] == PERIODIC:
        jitter, first = stream["jitter"], source.uniform(0, 1)
        gaps = sizes * mean_us * source.uniform(1 - jitter, 1 + jitter, count)
        begins = np.concatenate([[0.0], np.cumsum(gaps)[:-1]]) + mean_us * first
    else:
        begins = np.cumsum(source.exponential(mean_us * stream["burst"], count))
    return np.repeat(begins, sizes)[:count]


def sizes_of(stream: Spec, count: int, seed: int, number: int) -> Wholes:
    """Sizes of requests, in steps of STEP_KB."""
    low, high = (size // STEP_KB for size in stream["size_kb"])
    return _source(seed, number, SIZES).integers(low, high + 1, count)


def positions_of(stream: Spec, sizes: Wholes, extent_steps: int, seed: int, number: int) -> Wholes:
    """The place in the file where each request begins, in steps."""
    steps = stream["file_mb"] * KB_PER_MB // STEP_KB
    if stream["pattern"] == RANDOM:
        begins = np.floor(_source(seed, number, POSITIONS).uniform(0, 1, len(sizes)) * (steps - sizes + 1))
        begins = begins.astype(np.int64)
        over = begins % extent_steps + sizes - extent_steps
        return begins - np.maximum(over, 0)
    begins = np.zeros(len(sizes), dtype=np.int64)
    at = int(_source(seed, number, POSITIONS).integers(0, steps // extent_steps)) * extent_steps
    for i, size in enumerate(sizes.tolist()):
        if at % extent_steps + size > extent_steps:
            at += extent_steps - at % extent_steps
        if at + size > steps:
            at = 0
        begins[i] = at
        at += size
    return begins


def extents_of(spec: Spec, capacity_blocks: int, seed: int) -> list[Wholes]:
    """The first block of each extent of each stream's file, ascending. Raises ExperimentError.

    `region`: the slots of one region that has room for `factor` times all files, shared out at random. `apart`: each file
    has a region of its own, and these stand at equal distances over the drive. `disk`: the region is the whole drive.
    """
    layout, streams = spec["layout"], spec["streams"]
    extent = layout["extent_mb"] * KB_PER_MB * 2
    counts = [stream["file_mb"] // layout["extent_mb"] for stream in streams]
    drive_slots = capacity_blocks // extent
    source = _source(seed, LAYOUT_STREAM, EXTENTS)

    def region(count: int, centre: float, factor: float) -> Wholes:
        slots = int(np.ceil(count * factor))
        if slots > drive_slots:
            raise ExperimentError(
                f"files of {count * layout['extent_mb']} MB times {factor:g} do not fit on a drive of "
                f"{drive_slots * layout['extent_mb']} MB; give smaller files, or a smaller 'factor'"
            )
        first = min(max(int(drive_slots * centre) - slots // 2, 0), drive_slots - slots)
        return first + source.permutation(slots)[:count]

    if layout["place"] == APART:
        centres = [(2 * i + 1) / (2 * len(streams)) for i in range(len(streams))]
        shares = [region(count, centre, layout["factor"]) for count, centre in zip(counts, centres, strict=True)]
    else:
        total = sum(counts)
        whole = layout["place"] == WHOLE and total <= drive_slots
        slots = source.permutation(drive_slots)[:total] if whole else region(total, layout["centre"], layout["factor"])
        shares = np.split(slots, np.cumsum(counts)[:-1])
    return [np.sort(share) * extent for share in shares]


def make_requests(spec: Spec, capacity_blocks: int, count: int, seed: int, scale: float) -> Requests:
    """The first `count` requests of a workload."""
    extents = extents_of(spec, capacity_blocks, seed)
    extent_steps = spec["layout"]["extent_mb"] * KB_PER_MB // STEP_KB
    parts = []
    for number, (stream, extent) in enumerate(zip(spec["streams"], extents, strict=True)):
        sizes = sizes_of(stream, count, seed, number)
        positions = positions_of(stream, sizes, extent_steps, seed, number)
        lba = extent[positions // extent_steps] + positions % extent_steps * SECTORS_PER_STEP
        if stream["service_class"] == REAL_TIME:
            low, high = stream["deadline_ms"]
            deadline = _source(seed, number, DEADLINES).uniform(low, high, count) * US_PER_MS
        else:
            deadline = np.full(count, np.nan)
        numbers = np.full(count, number, dtype=np.int64)
        parts.append((arrivals_us(stream, count, seed, number), numbers, lba, sizes * SECTORS_PER_STEP, deadline))
    arrival, stream, lba, sectors, deadline = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(arrival, kind="stable")[:count]
    return Requests(arrival[order] * scale, stream[order], lba[order], sectors[order], deadline[order])


def write_requests(file: Path, requests: Requests, groups: int = 0) -> None:
    """Writes a trace in headstack's own format, version 4: times in microseconds, to the picosecond.

    With `groups` the trace has the number of a stream's group, which is the stream's number modulo `groups`.
    """
    streams = requests.stream % groups if groups else requests.stream
    with writing(file) as part, open(part, "w", encoding="ascii") as out:
        out.write(
            "headstack-trace 4\ntime-unit us\nloop open\n"
            "columns time operation lba blocks deadline class stream\nrequests\n"
        )
        columns = (requests.arrival_us, requests.lba, requests.sectors, requests.deadline_us, streams)
        for time, lba, sectors, deadline, stream in zip(*(column.tolist() for column in columns), strict=True):
            urgency = "- best-effort" if deadline != deadline else f"{deadline:.6f} real-time"
            out.write(f"{time:.6f} R {lba} {sectors} {urgency} {stream}\n")
