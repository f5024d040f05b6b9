# SPDX-License-Identifier: Apache-2.0
"""The simulator of "Scheduling I/O Requests with Deadlines", written independently: sections 3 to 5, by brute force.

It has two uses. With the paper's text as printed it serves the same requests as the drive; a test checks that. It also has other
readings of the paper (READINGS). The firmware has one reading, and the report's table of sensitivity shows the effect of the
others.

The disk has tracks: a page n tracks away takes 0.6 sqrt(n) + 15 ms. A choice is made when the disk is free; ties go to the
oldest. The arm is on track 0 at first, and its direction is upward. Times are in milliseconds.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deadline_load import Requests

SEEK_MS, DISK_MS = 0.6, 15.0  # table 5-1
MS_PER_S, US_PER_MS = 1000.0, 1000.0

# Readings of the k-buffer and of a run's end: how each differs from the page's definition, one at a time.
AS_DEFINED = "as defined"
READINGS = {
    AS_DEFINED: "the definitions of this experiment; what the drive does",
    "frees at start": "a frame is free when the media write of its page begins, not when it ends",
    "outside not counted": "a write that waits outside counts as no free frame, not as one below 0",
    "deadline stays": "the write deadline is set when the buffer's content changes, not at every decision",
    "feasible reads": "the write deadline is compared with the earliest feasible read deadline, not with that of all",
    "oldest write": "the oldest write goes first, not the closest",
    "writes by policy": "scan(B) takes writes in its own order, not the closest",
    "stopped": "the run stops at its last completion with arrivals going on, instead of draining",
}
MORE_ARRIVALS = 2  # A run that is stopped is offered this many times its requests.


@dataclass
class _Waiting:
    """A request that has arrived."""

    number: int
    track: int
    due_ms: float  # deadline; infinite for a write


def access_ms(distance: int) -> float:
    """The access time over a distance (section 5.1)."""
    return SEEK_MS * math.sqrt(distance) + DISK_MS


@dataclass(frozen=True)
class Served:
    """What a run served, in the order of completion."""

    number: NDArray[np.int64]  # number of each request
    done_ms: NDArray[np.float64]  # end of each request; for a buffered write, when it is in the buffer
    full_on_arrival: int | None  # writes that found no free frame; None: there is no buffer


class Model:
    """One run of the model. `policy`: fcfs, sstf, scan, edf, dscan or fdscan; `threshold`: like the key
    settings.write_threshold.
    """

    def __init__(self, policy: str, threshold: str, frames: int, reading: str = AS_DEFINED) -> None:
        self._choose = getattr(self, f"_{policy}")
        self._is_scan = policy == "scan"
        self._reading = reading
        kind, *words = threshold.split(":")
        self._kind, self._frames = kind, frames
        numbers = [float(word) for word in words]
        self._below = int(numbers[0]) if kind == "space" else 0
        # the scaled 1 / lambda
        self._interval_ms = MS_PER_S / numbers[0] * (numbers[1] if len(numbers) > 1 else 1) if kind == "time" else 0.0
        self._pool: list[_Waiting] = []  # reads, and also writes if there is no buffer
        self._inside: list[_Waiting] = []  # writes in the buffer
        self._outside: list[_Waiting] = []
        self._taken = 0  # frames that writes have or wait for
        self._full_on_arrival = 0
        self._changed_ms = 0.0  # when the buffer's content last changed
        self._track, self._direction, self._now_ms = 0, 1, 0.0
        self._done: list[tuple[float, int]] = []

    def serve(self, requests: Requests, count: int) -> Served:
        """Serves until the first `count` requests are done; all of them if `count` is their number."""
        self._coming = [
            _Waiting(number, track, math.inf if write else due_us / US_PER_MS)
            for number, (track, write, due_us) in enumerate(
                zip(
                    requests.place.tolist(),
                    requests.is_write.tolist(),
                    (requests.arrival_us + requests.deadline_us).tolist(),
                    strict=True,
                )
            )
        ]
        self._arrival_ms = (requests.arrival_us / US_PER_MS).tolist()
        self._arrived = 0
        while len(self._done) < count:
            if not self._pool and not self._inside:
                self._now_ms = max(self._now_ms, self._arrival_ms[self._arrived])
            self._admit()
            self._serve_one()
        done_ms, number = zip(*sorted(self._done)[:count], strict=True)
        return Served(np.array(number), np.array(done_ms), self._full_on_arrival if self._kind != "none" else None)

    def _admit(self) -> None:
        while self._arrived < len(self._coming) and self._arrival_ms[self._arrived] <= self._now_ms:
            one = self._coming[self._arrived]
            if self._kind != "none" and one.due_ms == math.inf:
                self._take_write(one, self._arrival_ms[self._arrived])
            else:
                self._pool.append(one)
            self._arrived += 1

    def _serve_one(self) -> None:
        if not self._inside or not self._write_goes_next():
            chosen = self._choose(self._pool)
            self._pool.remove(chosen)
            self._turn_to(chosen)
            self._move(chosen)
            self._done.append((self._now_ms, chosen.number))
            return
        chosen = self._choose_write()
        self._inside.remove(chosen)
        if self._reading == "frees at start":
            self._free_frame()
            self._move(chosen)
            return
        self._move(chosen)
        self._admit()  # what came before its end found its frame taken
        self._free_frame()

    def _move(self, to: _Waiting) -> None:
        self._now_ms += access_ms(abs(to.track - self._track))
        self._track = to.track

    # ---- The buffer: section 3.

    def _take_write(self, one: _Waiting, now_ms: float) -> None:
        self._taken += 1
        self._changed_ms = now_ms
        if self._taken > self._frames:
            self._full_on_arrival += 1
            self._outside.append(one)
        else:
            self._inside.append(one)
            self._done.append((now_ms, one.number))

    def _free_frame(self) -> None:
        self._taken -= 1
        self._changed_ms = self._now_ms
        if self._outside:
            one = self._outside.pop(0)
            self._inside.append(one)
            self._done.append((self._now_ms, one.number))

    def _write_goes_next(self) -> bool:
        free = self._frames - self._taken
        if self._reading == "outside not counted":
            free = max(free, 0)
        if not self._pool:
            return True
        if self._kind == "space":
            return free < self._below
        since_ms = self._changed_ms if self._reading == "deadline stays" else self._now_ms
        write_due_ms = since_ms + (free + 1) * self._interval_ms
        reads = self._pool
        if self._reading == "feasible reads":
            reads = [read for read in reads if self._is_feasible(read)]
        return not reads or write_due_ms < min(read.due_ms for read in reads)

    def _choose_write(self) -> _Waiting:
        if self._reading == "oldest write":
            return self._inside[0]
        if self._reading == "writes by policy" and self._is_scan:
            chosen = self._scan(self._inside)
            self._turn_to(chosen)
            return chosen
        return self._sstf(self._inside)

    # ---- The policies: section 4. Waiting requests stand in the order of arrival, so ties go to the oldest.

    def _fcfs(self, waiting: list[_Waiting]) -> _Waiting:
        return waiting[0]

    def _sstf(self, waiting: list[_Waiting]) -> _Waiting:
        at = self._track
        return min(waiting, key=lambda one: abs(one.track - at))

    def _edf(self, waiting: list[_Waiting]) -> _Waiting:
        return min(waiting, key=lambda one: one.due_ms)

    def _turn_to(self, chosen: _Waiting) -> None:
        """Sets the direction towards the chosen request. A request on the arm's own track leaves the direction unchanged."""
        if chosen.track != self._track:
            self._direction = 1 if chosen.track > self._track else -1

    def _scan(self, waiting: list[_Waiting]) -> _Waiting:
        at, direction = self._track, self._direction
        return self._sstf([one for one in waiting if (one.track - at) * direction >= 0] or waiting)

    def _towards(self, target: _Waiting, waiting: list[_Waiting]) -> _Waiting:
        at = self._track
        side = target.track - at or self._direction
        return self._sstf([one for one in waiting if (one.track - at) * side >= 0])

    def _dscan(self, waiting: list[_Waiting]) -> _Waiting:
        return self._towards(self._edf(waiting), waiting)

    def _is_feasible(self, one: _Waiting) -> bool:
        return self._now_ms + access_ms(abs(one.track - self._track)) <= one.due_ms

    def _fdscan(self, waiting: list[_Waiting]) -> _Waiting:
        feasible = [one for one in waiting if self._is_feasible(one)]
        return self._towards(self._edf(feasible), waiting) if feasible else self._sstf(waiting)
