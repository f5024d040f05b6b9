# SPDX-License-Identifier: Apache-2.0
"""Requests with deadlines, as "Scheduling I/O Requests with Deadlines" has them (section 5.2): seeded, open, Poisson.

Reads and writes arrive by themselves, each at its rate; a page is a track of the paper's disk, or any block of another. A
read's deadline is its arrival + the mean access + a slack that is uniform within a range. A write has no deadline of its own:
it is missed when it finds the write buffer full. Beyond the paper there is no buffer, and each write has a deadline at the media.

On a drive with another mean access than the paper's 26 ms rates are divided, and times multiplied, by the ratio.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import writing  # noqa: E402

PAPER_ACCESS_MS = 26.0  # section 5.1: "the average access time for our modeled device is 26 ms"
MOST_FRAMES = 16  # firmware/unit/modes.def: the limit of page 22h
US_PER_MS, MS_PER_S = 1000.0, 1000.0
# The second number of a seed: which quantity is drawn from it.
READ_ARRIVALS, WRITE_ARRIVALS, PLACES, SLACKS = range(4)
AXES = ("reads", "writes", "frames", "below", "scale", "write_by_ms")


@dataclass(frozen=True)
class DeadlineLoad:
    """The arrivals in the paper's numbers, and the buffer for writes."""

    reads: int  # reads a second
    writes: int
    slack_ms: tuple[int, int]
    frames: int  # frames of the write buffer
    below: int  # F of the paper's space(F)
    scale: float  # scale of the time threshold's 1 / lambda
    access_ms: float  # the drive's mean access time
    axis: str  # what the sweep varies: one of AXES
    write_by_ms: int = 0  # time from a write's arrival to its deadline at the media; 0: it has none

    @property
    def value(self) -> float:
        """The run's value on the axis of its sweep."""
        value: float = getattr(self, self.axis)
        return value

    @property
    def stretch(self) -> float:
        """The factor by which times are longer than the paper's."""
        return self.access_ms / PAPER_ACCESS_MS

    def describe(self) -> str:
        """The load in words."""
        buffer = f"{self.write_by_ms} ms to the media" if self.write_by_ms else f"{self.frames} frames"
        writes = f", {self.writes} writes/s, {buffer}" if self.writes else ""
        return f"{self.reads} reads/s{writes}, slack {self.slack_ms[0]} to {self.slack_ms[1]} ms"


@dataclass(frozen=True)
class Requests:
    """Requests in the order of their arrival."""

    arrival_us: NDArray[np.float64]
    is_write: NDArray[np.bool_]
    place: NDArray[np.int64]  # page of each request
    deadline_us: NDArray[np.float64]  # deadline after the arrival; infinite for a write without one


def _arrivals_us(count: int, per_second: float, entropy: list[int]) -> NDArray[np.float64]:
    """Arrival times of `count` requests; empty if their rate is 0."""
    if per_second == 0:
        return np.zeros(0)
    source = np.random.Generator(np.random.PCG64(entropy))
    return np.cumsum(source.exponential(MS_PER_S * US_PER_MS / per_second, count))


def make_requests(load: dict[str, Any], pages: int, count: int, seed: int) -> Requests:
    """The first `count` requests of a load. `load` is a spec's: reads, writes, slack_ms, access_ms, and write_by_ms if writes have it.
    """
    stretch = load["access_ms"] / PAPER_ACCESS_MS
    rates = (load["reads"], load["writes"])

    def entropy(what: int) -> list[int]:
        return [seed, what, *rates]

    reads, writes = (
        _arrivals_us(count, rate / stretch, entropy(what))
        for rate, what in zip(rates, (READ_ARRIVALS, WRITE_ARRIVALS), strict=True)
    )
    arrival_us = np.concatenate([reads, writes])
    order = np.argsort(arrival_us, kind="stable")[:count]
    least, most = load["slack_ms"]
    slack_ms = np.random.Generator(np.random.PCG64(entropy(SLACKS))).uniform(least, most, count)
    is_write = order >= len(reads)
    write_us = stretch * load["write_by_ms"] * US_PER_MS if "write_by_ms" in load else np.inf
    return Requests(
        arrival_us=arrival_us[order],
        is_write=is_write,
        place=np.random.Generator(np.random.PCG64(entropy(PLACES))).integers(0, pages, count),
        deadline_us=np.where(is_write, write_us, stretch * (PAPER_ACCESS_MS + slack_ms) * US_PER_MS),
    )


def blocks_of(requests: Requests, places: int) -> NDArray[np.int64]:
    """The place of each request, in blocks of a page's size. Where a page has several places, reads use the first. Its first
    write uses the second, and later writes use the others in turn.
    """
    if places == 1:
        return requests.place
    turn = 1 + (np.cumsum(requests.is_write) - 1) % (places - 1)
    return places * requests.place + np.where(requests.is_write, turn, 0)


def write_requests(file: Path, requests: Requests, sectors: int, places: int) -> None:
    """Writes a trace in headstack's own format, version 4: times in microseconds, to the picosecond."""
    lba = sectors * blocks_of(requests, places)
    with writing(file) as part, open(part, "w", encoding="ascii") as out:
        out.write(
            "headstack-trace 4\ntime-unit us\nloop open\ncolumns time operation lba blocks deadline class\nrequests\n"
        )
        out.writelines(
            f"{time:.6f} {'W' if write else 'R'} {block} {sectors} "
            + ("- best-effort\n" if deadline == np.inf else f"{deadline:.6f} real-time\n")
            for time, write, block, deadline in zip(
                requests.arrival_us.tolist(),
                requests.is_write.tolist(),
                lba.tolist(),
                requests.deadline_us.tolist(),
                strict=True,
            )
        )
