# SPDX-License-Identifier: Apache-2.0
"""The loads of `cost`: random requests or streams in a closed loop, on any drive.

A load has one axis: the queue's depth, or the size of a request. Its requests depend on the seed, the size and the drive's
capacity alone. So all policies, depths and platforms serve the same ones.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from errors import ExperimentError
from numpy.typing import NDArray

from traces import write_requests

DEPTH, SIZE = "depth", "size_kb"  # axes
RANDOM, STREAM = "random", "stream"  # patterns: any place; one request after the other
PATTERNS = (RANDOM, STREAM)
NO_CACHE = "off"
BLOCKS_PER_KB, US_PER_MS = 2, 1000.0  # blocks of 512 bytes
# Numbers of a run (one_cost_run.py), in the order of the table's columns. Some runs lack the deadlines, or the core's work.
MEASURES = (
    "requests",
    "counted",
    "request_ms",
    "requests_per_s",
    "mb_per_s",
    "response_mean_ms",
    "response_p99_ms",
    "response_p999_ms",
    "response_max_ms",
    "missed_percent",
    "issued_ms",
    "selection_ms",
    "command_ms",
    "queued_ms",
    "search_exposed_ms",
    "chosen_ms",
    "seek_ms",
    "settle_ms",
    "head_switch_ms",
    "rotation_ms",
    "media_transfer_ms",
    "bus_wait_ms",
    "bus_data_ms",
    "status_ms",
    "missed_revolutions",
    "lost_revolutions",
    "requeued",
    "firmware_cycles",
    "cycles",
    "instructions",
    "register_accesses",
    "buffer_accesses",
)
# The second number of a trace's seed: what is drawn from it does not depend on the rest.
PLACES, KINDS, DEADLINES = range(3)

Table = dict[str, Any]


@dataclass(frozen=True)
class CostLoad:
    """The load of a run."""

    axis: str  # DEPTH or SIZE
    depth: int  # commands outstanding
    size_kb: int
    pattern: str = RANDOM
    write_share: float = 0.0
    deadline_ms: tuple[int, int] | None = None  # range of the time from a submission to its deadline; None: no deadlines
    cache: str = NO_CACHE  # in the form of the key settings.cache

    @property
    def value(self) -> int:
        """The load on the sweep's axis."""
        return self.depth if self.axis == DEPTH else self.size_kb

    def describe(self) -> str:
        """The load in words."""
        writes = f", {100 * self.write_share:g} % writes" if self.write_share else ""
        return f"{self.pattern} requests of {self.size_kb} KB{writes}, {self.depth} outstanding, cache {self.cache}"

    def spec(self, requests: int) -> Table:
        """All that a run's trace depends on, beside seed and drive."""
        return {
            "requests": requests, "blocks": BLOCKS_PER_KB * self.size_kb, "pattern": self.pattern, "write_share": self.write_share,
            "deadline_ms": list(self.deadline_ms or ()),
        }  # fmt: skip


@dataclass(frozen=True)
class CostSweep:
    """A [[sweep]] of a declaration, for the page."""

    name: str
    title: str
    drives: tuple[str, ...]
    platforms: tuple[str, ...]
    depths: tuple[int, ...]
    axis: str


@dataclass(frozen=True)
class Costs:
    """The parts of a declaration that the page needs beside the results."""

    sweeps: tuple[CostSweep, ...]
    questions: tuple[Table, ...]  # cost_sweeps.py has their keys


def sweep_on(name: str, drive: str) -> str:
    """The name of a sweep's part on one drive."""
    return f"{name} on {drive}"


def _first_blocks(load: Table, capacity: int, source: np.random.Generator) -> NDArray[np.int64]:
    """The first block of each request. A random one lies on a multiple of its size. A stream begins at a random one of these."""
    places = capacity // load["blocks"]
    if load["pattern"] == RANDOM:
        return source.integers(0, places, load["requests"]) * load["blocks"]
    if places < load["requests"]:
        raise ExperimentError(
            f"a stream of {load['requests']} requests of {load['blocks']} blocks does not fit on a drive of {capacity}; "
            "give fewer 'requests', or a smaller 'size_kb'"
        )
    return (source.integers(0, places - load["requests"] + 1) + np.arange(load["requests"])) * load["blocks"]


def write_load(file: Path, load: Table, capacity: int, seed: int) -> None:
    """Writes the trace of a run on a drive of so many blocks. `load` is a spec's. Raises ExperimentError and OutputError."""
    count = load["requests"]

    def source(what: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64((seed, what, load["blocks"])))

    is_write = source(KINDS).random(count) < load["write_share"]
    deadlines_us = source(DEADLINES).uniform(*load["deadline_ms"], count) * US_PER_MS if load["deadline_ms"] else None
    write_requests(file, _first_blocks(load, capacity, source(PLACES)), load["blocks"], is_write, deadlines_us)
