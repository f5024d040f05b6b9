# SPDX-License-Identifier: Apache-2.0
"""Workloads: reads a TOML file, and returns the streams of requests for a drive. README.md describes the keys.

A mistake is an ExperimentError that names the file, the key and the remedy (host/python/schema.py).
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from errors import ExperimentError  # noqa: E402
from schema import Key, SchemaError, load_toml, number, one_of, take_table, text, told_as, whole  # noqa: E402

CLASSES = REAL_TIME, BEST_EFFORT = ("real-time", "best-effort")
PATTERNS = RANDOM, PERIODIC, SEQUENTIAL = ("random", "periodic", "sequential")
PLACES = REGION, APART, WHOLE = ("region", "apart", "disk")
STEP_KB = 4  # sizes and random positions are multiples of it
MOST_KB, MOST_MB = 4096, 1_000_000
MOST_STREAMS = 16
MOST_MS = 100_000.0
KB_PER_MB = 1024

Spec = dict[str, Any]


@dataclass(frozen=True)
class Stream:
    """Requests of one kind. A stream's number is its place in the file."""

    name: str
    service_class: str  # one of CLASSES
    pattern: str  # one of PATTERNS
    gap_ms: float  # mean time between two requests
    size_kb: tuple[int, int]  # from, to; each multiple of STEP_KB is as likely
    file_mb: int
    deadline_ms: tuple[float, float] | None = None  # from, to, uniform, after the arrival; None: best effort
    jitter: float = 0.0  # for a periodic stream: gaps are uniform within this share of gap_ms on either side
    burst: float = 1.0  # mean number of requests that arrive together, with a geometric distribution


@dataclass(frozen=True)
class Layout:
    """The places of files, which consist of extents."""

    place: str = REGION  # one of PLACES
    factor: float = 3.6  # size of a region, as a multiple of its files
    extent_mb: int = 2
    centre: float = 0.5  # centre of a region: 0 is the drive's first block, 1 its last


@dataclass(frozen=True)
class Workload:
    """Streams, and the places of their files."""

    title: str
    streams: tuple[Stream, ...]
    layout: Layout

    def spec(self) -> Spec:
        """The workload as plain data."""
        return {"streams": [dict(vars(stream)) for stream in self.streams], "layout": dict(vars(self.layout))}


def _pair(least: float, most: float, step: int = 0) -> Any:
    """Takes a list [from, to]."""
    one = number(least, most)

    def take(value: Any) -> tuple[Any, Any]:
        what = f"[from, to] of {least:g} to {most:g}" + (f", multiples of {step}" if step else "")
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError(what)
        try:
            low, high = (one(part) for part in value)
        except ValueError:
            raise ValueError(what) from None
        if low > high or (step and (low % step or high % step)):
            raise ValueError(what)
        return (int(low), int(high)) if step else (low, high)

    return take


STREAM_KEYS = {
    "name": Key(text, required=True),
    "class": Key(one_of(CLASSES), required=True),
    "pattern": Key(one_of(PATTERNS), required=True),
    "gap_ms": Key(number(0.01, MOST_MS), required=True),
    "size_kb": Key(_pair(STEP_KB, MOST_KB, STEP_KB), required=True),
    "file_mb": Key(whole(1, MOST_MB), required=True),
    "deadline_ms": Key(_pair(0.1, MOST_MS)),
    "jitter": Key(number(0, 0.99)),
    "burst": Key(number(1, 1000)),
}
LAYOUT_KEYS = {
    "place": Key(one_of(PLACES)),
    "factor": Key(number(1, 1000)),
    "extent_mb": Key(whole(1, 1024)),
    "centre": Key(number(0, 1)),
}
TOP_KEYS = {
    "title": Key(text, required=True),
    "stream": Key(required=True, rows=STREAM_KEYS),
    "layout": Key(table=LAYOUT_KEYS),
}


def _stream(where: str, table: dict[str, Any], extent_mb: int) -> Stream:
    """Checks which keys go together, and returns the stream. Raises SchemaError."""
    real_time = table["class"] == REAL_TIME
    if real_time != ("deadline_ms" in table):
        raise SchemaError(
            f"{where}: 'deadline_ms' goes with class \"{REAL_TIME}\"; {'give [from, to]' if real_time else 'leave it out'}"
        )
    if "jitter" in table and table["pattern"] != PERIODIC:
        raise SchemaError(f"{where}: 'jitter' goes with pattern \"{PERIODIC}\"; leave it out")
    largest_kb, extent_kb = table["size_kb"][1], extent_mb * KB_PER_MB
    if largest_kb > extent_kb:
        raise SchemaError(f"{where}: 'size_kb' has {largest_kb}, but an extent has {extent_kb}; give a larger 'extent_mb'")
    if table["file_mb"] < extent_mb or table["file_mb"] % extent_mb:
        raise SchemaError(f"{where}: 'file_mb' is {table['file_mb']}; give a multiple of 'extent_mb', which is {extent_mb}")
    values = {name: value for name, value in table.items() if name != "class"}
    return Stream(service_class=table["class"], **values)


@told_as(ExperimentError)
def load_workload(file: Path) -> Workload:
    """Reads a workload. Raises ExperimentError."""
    top = take_table(str(file), load_toml(file, "name a workload of host/experiment/workloads, or a file"), TOP_KEYS)
    layout = Layout(**top.get("layout", {}))
    if len(top["stream"]) > MOST_STREAMS:
        raise SchemaError(f"{file}: {len(top['stream'])} streams; give {MOST_STREAMS} at most")
    streams = []
    for place, table in enumerate(top["stream"], 1):
        where = f"{file}: stream {place}"
        streams.append(_stream(where, table, layout.extent_mb))
        if [stream.name for stream in streams].count(table["name"]) > 1:
            raise SchemaError(f"{where}: 'name' is '{table['name']}' a second time; give every stream its own")
    return Workload(top["title"], tuple(streams), layout)
