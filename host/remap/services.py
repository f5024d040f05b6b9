# SPDX-License-Identifier: Apache-2.0
"""The times of many requests of one length, one after another: access.py for a whole day, as operations on arrays.

No request waits for another, so a service depends only on the end of the one before it: its cylinder, its head and its
angle. That makes each formula one of arrays. Reads only. Times are in milliseconds, and angles in turns.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .access import CAUGHT_TURNS, Access
from .counts import Numbers
from .errors import RemapError

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Tracks:
    """The places of some blocks, one number for each block; the fields of access.Track."""

    cylinder: Numbers
    head: Numbers
    sectors: Numbers
    angle: Reals
    blocks_left: Numbers

    def at(self, index: Numbers) -> "Tracks":
        """Some of them, in another order."""
        return Tracks(self.cylinder[index], self.head[index], self.sectors[index], self.angle[index], self.blocks_left[index])


def tracks_of(access: Access, blocks: Numbers) -> Tracks:
    """The place of each block."""
    found = [access.track(block) for block in blocks.tolist()]
    whole = (np.array([getattr(one, name) for one in found], dtype=np.int64) for name in ("cylinder", "head", "sectors"))
    return Tracks(*whole, np.array([one.angle for one in found]), np.array([one.blocks_left for one in found], dtype=np.int64))


@dataclass(frozen=True)
class Times:
    """The parts of each service after the first: positioning, wait and span, each an array in ms; and the overhead."""

    move: Reals
    wait: Reals
    span: Reals
    overhead_ms: float

    @property
    def mean_ms(self) -> float:
        """The mean service time."""
        return self.overhead_ms + float(np.mean(self.move + self.wait + self.span))


class Services:
    """A drive, and requests of `length` blocks that begin at multiples of `grid` blocks.

    `seek_scale` multiplies the drive's seek times. Raises RemapError for a drive that access.py does not cover, and for
    requests that may lie on more than two tracks.
    """

    def __init__(self, access: Access, length: int, grid: int, seek_scale: float = 1.0) -> None:
        self._access, self._length, self._grid = access, length, grid
        self._first = tracks_of(access, np.arange(access.capacity // grid) * grid)
        if int(self._first.sectors.min()) < length:
            raise RemapError(f"requests of {length} blocks lie on more than two tracks; give at most {int(self._first.sectors.min())}")
        inside = np.minimum(self._first.blocks_left, length)
        rest = np.arange(len(inside)) * grid + inside
        self._inside, self._last = inside, tracks_of(access, np.minimum(rest, access.capacity - 1))
        self._seek_ms = seek_scale * np.array([access.seek_ms(distance) for distance in range(access.cylinders)])

    def _move_ms(self, begin: Tracks, end: Tracks) -> Reals:
        """Positioning from one place to another."""
        seek = self._seek_ms[np.abs(begin.cylinder - end.cylinder)]
        return np.where(begin.head == end.head, seek, np.maximum(seek, self._access.head_switch_ms))

    def _wait_ms(self, turns: Reals) -> Reals:
        """The time until an angle comes that is ahead by so many turns, of which whole turns do not count."""
        ahead = turns % 1.0
        return np.where(ahead > 1 - CAUGHT_TURNS, 0.0, ahead) * self._access.turn_ms

    def times(self, lba: Numbers, gap_ms: Reals) -> Times:
        """The services of requests at `lba`, each `gap_ms` after the end of the one before. The first has no service."""
        turn_ms = self._access.turn_ms
        first, inside = self._first.at(lba // self._grid), self._inside[lba // self._grid]
        last, rest = self._last.at(lba // self._grid), self._length - inside
        crosses = rest > 0
        head_ms = inside / first.sectors * turn_ms
        step_ms = self._move_ms(first, last)
        first_end = first.angle + inside / first.sectors
        step_ms += self._wait_ms(last.angle - first_end - step_ms / turn_ms)
        span = head_ms + np.where(crosses, step_ms + rest / last.sectors * turn_ms, 0.0)
        end = Tracks(*(np.where(crosses, getattr(last, name), getattr(first, name)) for name in ("cylinder", "head", "sectors")),
                     np.where(crosses, last.angle + rest / last.sectors, first_end), rest)  # fmt: skip
        before, after = end.at(np.arange(len(lba) - 1)), first.at(np.arange(1, len(lba)))
        move = self._move_ms(before, after)
        idle_ms = gap_ms[1:] + self._access.read_overhead_ms + move
        wait = self._wait_ms(after.angle - before.angle - idle_ms / turn_ms)
        return Times(move, wait, span[1:], self._access.read_overhead_ms)
