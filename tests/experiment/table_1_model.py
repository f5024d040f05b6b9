# SPDX-License-Identifier: Apache-2.0
"""Rounds, shares and deadlines of table I of Kim, Bahn and Won, and a disk to try them on, written from their definitions.

Nothing here is the drive's: neither its firmware nor the host's programs have a part in it. The disk is that of Abbott and
Garcia-Molina, table 5-1. A page is a track, and an access over n tracks takes 0.6 sqrt(n) + 15 ms. A choice is made when the disk
is free, among the requests that have arrived. A request that finds the disk free is served at once. Of equals the oldest goes
first. The arm begins at track 0, upward. A request on the arm's own track is ahead, and leaves the direction as it is. Times are
in milliseconds.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

TRACKS, SEEK_MS, DISK_MS, HALF_TURN_MS = 1000, 0.6, 15.0, 5.0
# The mean seek over two random tracks, without the transfer, after half a turn.
MEAN_ACCESS_MS = sum(2 * (TRACKS - d) / TRACKS**2 * SEEK_MS * math.sqrt(d) for d in range(1, TRACKS)) + HALF_TURN_MS


@dataclass(frozen=True)
class Request:
    """A request; `due_ms` is absolute, and infinite for best effort."""

    number: int
    arrival_ms: float
    track: int
    stream: int
    due_ms: float = math.inf

    @property
    def is_real_time(self) -> bool:
        return self.due_ms < math.inf


def access_ms(distance: int) -> float:
    """The time of an access over so many tracks."""
    return SEEK_MS * math.sqrt(distance) + DISK_MS


class Sweep:
    """SCAN: the nearest request at or ahead of the arm, or else the nearest one behind it."""

    def __init__(self) -> None:
        self.direction = 1

    def step(self, waiting: Sequence[Request], track: int) -> Request:
        ahead = [one for one in waiting if (one.track - track) * self.direction >= 0]
        return min(ahead or waiting, key=lambda one: (abs(one.track - track), one.number))

    def turn_to(self, request: Request, track: int) -> None:
        if request.track != track:
            self.direction = 1 if request.track > track else -1


@dataclass
class Rounds:
    """Rounds: of each stream and class its oldest requests, up to a quota. Who arrives later waits for the next round.

    Rangan's rounds are served in the order of arrival. Won's are sweeps of a given length: as many best-effort requests are added
    as mean accesses fit beside those of the quotas.
    """

    quota: Callable[[Request], int]
    scans: bool
    length_ms: float = 0
    sweep: Sweep = field(default_factory=Sweep)
    now_in: list[Request] = field(default_factory=list)
    rounds: list[list[int]] = field(default_factory=list)  # numbers of the requests of each round so far

    def _begin(self, waiting: Sequence[Request]) -> None:
        taken: Counter[tuple[int, bool]] = Counter()
        left = []
        for one in waiting:
            key = (one.stream, one.is_real_time)
            if taken[key] < self.quota(one):
                taken[key] += 1
                self.now_in.append(one)
            elif not one.is_real_time:
                left.append(one)
        fitting = math.floor(self.length_ms / MEAN_ACCESS_MS) - len(self.now_in)
        self.now_in += left[: max(0, fitting)]
        self.rounds.append([one.number for one in self.now_in])

    def choose(self, waiting: Sequence[Request], track: int, now_ms: float) -> Request:
        if not self.now_in:
            self._begin(waiting)
        chosen = self.sweep.step(self.now_in, track) if self.scans else min(self.now_in, key=lambda one: one.number)
        if self.scans:
            self.sweep.turn_to(chosen, track)
        self.now_in.remove(chosen)
        return chosen


def all_are_met(order: Sequence[Request], track: int, now_ms: float) -> bool:
    """Whether requests that are served in this order end by their deadlines."""
    for one in order:
        now_ms += access_ms(abs(one.track - track))
        track = one.track
        if now_ms > one.due_ms:
            return False
    return True


@dataclass
class Shares:
    """Reddy's shares: the party goes first whose time, divided by its share, is least; of equals the lower stream.

    All streams without a share are one party, the last one, with the rest. A party whose queue is empty gets no credit: it is
    raised to the party that is served. A party serves real time by deadline, then best effort as a sweep.

    As in Cello, real time gives way if it can. The next best effort of the sweep, whatever its party, goes first on one condition:
    all deadlines are still met after it, in their order.
    """

    shares: dict[int, float]
    sweep: Sweep = field(default_factory=Sweep)

    def __post_init__(self) -> None:
        self.others = math.inf
        self.shares = self.shares | {self.others: 1 - sum(self.shares.values())}
        self.used: dict[float, float] = dict.fromkeys(self.shares, 0.0)

    def party(self, request: Request) -> float:
        return request.stream if request.stream in self.shares else self.others

    def choose(self, waiting: Sequence[Request], track: int, now_ms: float) -> Request:
        least = min(sorted({self.party(one) for one in waiting}), key=lambda one: self.used[one])
        own = [one for one in waiting if self.party(one) == least]
        by_deadline = sorted((one for one in waiting if one.is_real_time), key=lambda one: (one.due_ms, one.number))
        best_effort = [one for one in waiting if not one.is_real_time]
        urgent = [one for one in by_deadline if self.party(one) == least]
        chosen = urgent[0] if urgent else self.sweep.step(own, track)
        if urgent and best_effort:
            first = self.sweep.step(best_effort, track)
            chosen = first if all_are_met([first, *by_deadline], track, now_ms) else chosen
        if not chosen.is_real_time:
            self.sweep.turn_to(chosen, track)
        party = self.party(chosen)
        busy = {self.party(one) for one in waiting if one is not chosen}
        for other in self.used:
            if other not in busy:
                self.used[other] = max(self.used[other], self.used[party])
        self.used[party] += access_ms(abs(chosen.track - track)) / self.shares[party]
        return chosen


@dataclass
class DeadlineSet:
    """Fahrrad's rule where every request has a deadline: a sweep over the requests that end before the earliest deadline.

    Each is taken to need the worst-case time of an access. The set has the request with the earliest deadline in any case.
    """

    worst_ms: float
    sweep: Sweep = field(default_factory=Sweep)

    def choose(self, waiting: Sequence[Request], track: int, now_ms: float) -> Request:
        by_deadline = sorted(waiting, key=lambda one: (one.due_ms, one.number))
        room_ms = by_deadline[0].due_ms - now_ms
        fitting = [one for place, one in enumerate(by_deadline, 1) if place == 1 or place * self.worst_ms <= room_ms]
        chosen = self.sweep.step(fitting, track)
        self.sweep.turn_to(chosen, track)
        return chosen


def serve(requests: Sequence[Request], scheduler: Rounds | Shares | DeadlineSet) -> list[int]:
    """The numbers of all requests, in the order in which the disk serves them."""
    coming, waiting, order = sorted(requests, key=lambda one: one.number), [], []
    now_ms, track = 0.0, 0
    while coming or waiting:
        while coming and coming[0].arrival_ms <= now_ms:
            waiting.append(coming.pop(0))
        if not waiting:
            waiting.append(coming.pop(0))
            now_ms = waiting[0].arrival_ms
        chosen = scheduler.choose(waiting, track, now_ms)
        waiting.remove(chosen)
        now_ms += access_ms(abs(chosen.track - track))
        track = chosen.track
        order.append(chosen.number)
    return order


def due_at_rate(arrivals_ms: Sequence[float], gap_ms: float) -> list[float]:
    """Horizon's due times of a stream with a throughput as its target, in closed form.

    A request is due when those since some earlier arrival have each had a gap, for the arrival that makes it latest.
    """
    return [max(arrivals_ms[first] + (last - first + 1) * gap_ms for first in range(last + 1)) for last in range(len(arrivals_ms))]
