#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random queues, served to their ends by the definitions of policies (host/regress/expect/policies): test vectors for the firmware.

    random_queues.py FOLDER [--policy NAME]... [--queues N] [--seed S]

writes FOLDER/NAME.queues, which tests/firmware/test_policy_queues.cpp replays on the firmware's policy. No line comes from the
firmware. A file has a `policy` line for each selection of RANDOM in policies/NAME.py, and after it the selection's queues:

    policy SELECTION [STREAM...]      as --policy and settings.streams have them
    drive CYLINDERS [LAST TICKS EACH]...
                                      a queue begins on an idle drive. Its seeks up to LAST cylinders take TICKS, and EACH more for
                                      each cylinder
    data TICKS                        data of a write are in the buffer so long after the choice
    add TICK CYLINDER HEAD ANGLE SPAN END_CYLINDER END_HEAD KIND STREAM PRIORITY DUE
                                      a request arrives: 2^-32 and 2^-24 turns, enum candidate_kind, and the deadline's tick or 0
    heads CYLINDER HEAD               the heads are moved
    serve NUMBER                      the definition chooses this request, the heads serve it; numbers count from 0 in a queue
    withdraw                          the youngest leaves unserved

The drive has 2 heads, and a turn of 2^19 ticks of 25 ns. A head switch takes 40,000 ticks; after a movement a write settles for
20,000. A margin of 1,600 ticks precedes each access. These numbers, and angles of whole ticks, make each price exact in the
firmware's unit of 2^-24 turns. A span is a quarter of a tick longer than a whole number of ticks. So an access is rounded down to
ticks without a doubt.

The firmware rounds times to ticks. So a queue ends early if the next choice depends on whether all deadlines are a tick later.
"""

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TextIO

from policy_cases import cases, stream_rows
from expect.policy import DriveFacts, Moment, Policy, Request, make_policy, streams_of

SEED = 19900122
QUEUES = 400
TICK_PS = 25_000
UNITS = 32  # units of 2^-24 turns in a tick
TURN = UNITS << 19
UNIT_PS = TICK_PS / UNITS
MARGIN = 1600 * UNITS
FIRST_TICK = 1_000_000
HEAD_SWITCH, WRITE_SETTLE = 40_000 * UNITS, 20_000 * UNITS
MS_TICKS = 40_000
READ, WRITE, WRITE_TO_FETCH = range(3)  # enum candidate_kind
# A clear choice stays the same if all deadlines move by this much.
NEAR_PS = TICK_PS * 3 // 2
ENDED_EARLY_MOST = 0.1  # share of the queues


class Place(NamedTuple):
    """The place of a request; angle and span in 2^-24 turns."""

    cylinder: int
    head: int
    angle: int
    span: int
    end_cylinder: int
    end_head: int
    kind: int


class Heads(NamedTuple):
    """The place of the heads, and the tick since which they are free."""

    tick: int
    cylinder: int
    head: int


class Piece(NamedTuple):
    """A piece of the seek curve: up to a distance, ticks and ticks for each cylinder."""

    last: int
    ticks: int
    each: int


class Drive:
    """The drive of the module's docstring, with access times in 2^-24 turns."""

    def __init__(self, cylinders: int, pieces: Sequence[Piece]) -> None:
        self.cylinders, self._pieces = cylinders, pieces
        self.places: list[Place] = []  # by the request's number
        self.data_ticks = 0

    def facts(self, streams: Sequence[str]) -> DriveFacts:
        """The drive's facts for a definition."""
        pairs = sum(self.seek(apart) * 2 * (self.cylinders - apart) for apart in range(1, self.cylinders))
        mean = pairs / self.cylinders**2 + TURN / 2
        return DriveFacts(self.cylinders, mean * UNIT_PS, MARGIN * UNIT_PS, streams_of(stream_rows(streams)))

    def seek(self, distance: int) -> int:
        """The seek of the arm."""
        piece = next(piece for piece in self._pieces if distance <= piece.last)
        return (piece.ticks + piece.each * distance) * UNITS if distance else 0

    def move(self, cylinder: int, head: int, to: Place) -> int:
        """The movement from a track to another, and the settling for a write."""
        if (cylinder, head) == (to.cylinder, to.head):
            return 0
        move = max(self.seek(abs(to.cylinder - cylinder)), HEAD_SWITCH if head != to.head else 0)
        return move + (WRITE_SETTLE if to.kind != READ else 0)

    def ends(self, heads: Heads, numbers: Sequence[int], exact: bool) -> list[int]:
        """The ends of consecutive accesses from now on. Data for writes count from now, too."""
        passed, cylinder, head, angle = 0, heads.cylinder, heads.head, heads.tick * UNITS
        ends = []
        for place in (self.places[number] for number in numbers):
            move = self.move(cylinder, head, place)
            if place.kind == WRITE_TO_FETCH:
                move = max(move, max(self.data_ticks * UNITS - MARGIN, 0) - passed)
            wait = (place.angle - angle - MARGIN - move) % TURN if exact else TURN // 2
            passed += MARGIN + move + wait + place.span
            ends.append(passed)
            cylinder, head, angle = place.end_cylinder, place.end_head, place.angle + place.span
        return ends

    def moment(self, heads: Heads, waiting: Sequence[Request]) -> Moment:
        """The moment of a choice now, with the heads at their place, among these requests."""
        time_ps = heads.tick * TICK_PS

        def one_ps(request: Request, exact: bool) -> float:
            return self.ends(heads, [request.number], exact)[0] * UNIT_PS

        def ends_ps(order: Sequence[Request], exact: bool) -> list[float]:
            return [time_ps + end * UNIT_PS for end in self.ends(heads, [one.number for one in order], exact)]

        def move_ps(before: Request | None, request: Request) -> float:
            track = heads[1:] if before is None else self.places[before.number][4:6]
            return self.move(*track, self.places[request.number]) * UNIT_PS

        return Moment(
            time_ps,
            heads.cylinder,
            access_ps=lambda one: one_ps(one, True),
            latency_ps=lambda one: one_ps(one, True) - self.places[one.number].span * UNIT_PS,
            waiting=waiting,
            mean_access_ps=lambda one: one_ps(one, False),
            mean_ends_ps=lambda order: ends_ps(order, False),
            seek_ps=lambda one: self.seek(abs(one.cylinder - heads.cylinder)) * UNIT_PS,
            move_ps=move_ps,
            fixed_ps=lambda one: (MARGIN + TURN // 2 + self.places[one.number].span) * UNIT_PS,
            exact_ends_ps=lambda order: ends_ps(order, True),
        )


# Drives of the queues. The second has full bands, so that nothing lies above its cylinders. Long seeks of the third are
# shorter than some others.
DRIVES = (
    (100, (Piece(99, 80_000, 4000),)),
    (1024, (Piece(1023, 80_000, 2000),)),
    (3000, (Piece(400, 80_000, 300), Piece(2999, 60_000, 100))),
)


class Source:
    """A source of requests: few different cylinders, angles and lengths, so that ties are frequent; or many."""

    def __init__(self, rng: random.Random, drive: Drive) -> None:
        self._rng, self._drive = rng, drive
        spread = 1 + rng.randrange(4 if rng.randrange(2) else 60)
        last = drive.cylinders - 1
        centres = [last if rng.randrange(4) == 0 else rng.randrange(drive.cylinders) for _ in range(rng.randrange(6))]
        self._cylinders = [min(centre + one, last) for centre in centres for one in range(spread)]
        self._real_time = rng.randrange(3)  # number of three
        self._pause_ticks = rng.choice((0, MS_TICKS, 1000 * MS_TICKS, 10_000 * MS_TICKS))
        drive.data_ticks = 0 if rng.randrange(2) else rng.randrange(400_000)

    def pause(self) -> int:
        """Ticks before an arrival."""
        return self._rng.randrange(self._pause_ticks) if self._pause_ticks else 0

    def place(self) -> Place:
        """The place of a request."""
        rng = self._rng
        if self._cylinders:
            cylinder, head = rng.choice(self._cylinders), rng.randrange(2)
            ticks = 30 * (1 + rng.randrange(2))
            return Place(cylinder, head, rng.randrange(4) * TURN // 4, ticks * UNITS + UNITS // 4, cylinder, head, rng.randrange(3))
        cylinder, span = rng.randrange(self._drive.cylinders), rng.randrange(1 << 18) * UNITS + UNITS // 4
        end = min(cylinder + rng.randrange(2), self._drive.cylinders - 1)
        kind = rng.choice((READ, WRITE_TO_FETCH))
        return Place(cylinder, rng.randrange(2), rng.randrange(1 << 19) * UNITS, span, end, rng.randrange(2), kind)

    def due_tick(self, tick: int) -> int:
        """A deadline, in whole 64 ticks: past, now, within the next accesses or far away; 0: none."""
        if self._rng.randrange(3) >= self._real_time:
            return 0
        left_ms = self._rng.choice((-10, 0, 5, 20, 60, 1000, self._rng.randrange(150), self._rng.randrange(150)))
        return (tick + left_ms * MS_TICKS) // 64 * 64


def _choose(policy: Policy, moment: Moment) -> Request:
    keys = {one: policy.key(one, moment) for one in moment.waiting}
    return min(keys, key=lambda one: (*keys[one], one.order))


def clear_choice(policy: Policy, moment: Moment) -> Request | None:
    """The request that goes next; None if that depends on the drive's rounding."""
    chosen = _choose(policy, moment)
    if (policy.by_time or policy.prices_deadlines) and any(one.is_real_time for one in moment.waiting):
        for shift_ps in (-NEAR_PS, NEAR_PS):
            moved = [one._replace(deadline_ps=one.deadline_ps and one.deadline_ps + shift_ps) for one in moment.waiting]
            if _choose(policy, replace(moment, waiting=moved)).number != chosen.number:
                return None
    return chosen


class Queue:
    """A queue that is served while others arrive, and its lines."""

    def __init__(self, rng: random.Random, place: int, selection: str, streams: Sequence[str]) -> None:
        cylinders, pieces = DRIVES[place % len(DRIVES)]
        self._rng, self._drive = rng, Drive(cylinders, pieces)
        self._source = Source(rng, self._drive)
        self._policy = make_policy(selection, self._drive.facts(streams))
        self._heads = Heads(FIRST_TICK, rng.randrange(cylinders), rng.randrange(2))
        self._waiting: list[Request] = []
        self._told: list[Request] = []
        curve = " ".join(str(number) for piece in pieces for number in piece)
        self.lines = [f"drive {cylinders} {curve}", f"data {self._drive.data_ticks}"]
        self._move_heads(*self._heads[1:])

    def _move_heads(self, cylinder: int, head: int) -> None:
        self._heads = Heads(self._heads.tick, cylinder, head)
        self.lines.append(f"heads {cylinder} {head}")

    def _arrive(self) -> None:
        tick = self._heads.tick + self._source.pause()
        self._heads = self._heads._replace(tick=tick)
        place, due, number = self._source.place(), self._source.due_tick(tick), len(self._drive.places)
        stream, priority = self._rng.choice((0, 1, 7, 255)), self._rng.choice((0, 0, 1, 15))
        self._drive.places.append(place)
        deadline_ps, is_write = due * TICK_PS if due else None, place.kind != READ
        self._waiting.append(
            Request(number, number, place.cylinder, tick * TICK_PS, is_write, deadline_ps, stream, priority, place[:4])
        )
        angle, span = place.angle << 8, place.span
        self.lines.append(
            f"add {tick} {place.cylinder} {place.head} {angle} {span} {place.end_cylinder} {place.end_head} {place.kind} "
            f"{stream} {priority} {due}"
        )

    def _serve(self) -> bool:
        """Serves one request. @return whether the choice is clear."""
        for one in self._waiting[len(self._told) :]:
            self._told.append(one)
            self._policy.arrived(one, self._drive.moment(self._heads, list(self._told)))
        moment = self._drive.moment(self._heads, list(self._waiting))
        chosen = clear_choice(self._policy, moment)
        if chosen is None:
            return False
        self._waiting.remove(chosen)
        self._told.remove(chosen)
        self._policy.served(chosen, list(self._waiting), moment)
        self.lines.append(f"serve {chosen.number}")
        place = self._drive.places[chosen.number]
        tick = self._heads.tick + self._drive.ends(self._heads, [chosen.number], exact=True)[0] // UNITS
        self._heads = Heads(tick, place.end_cylinder, place.end_head)
        return True

    def serve_all(self, count: int) -> bool:
        """Serves `count` requests, and later up to as many more. @return whether each choice was clear."""
        rng = self._rng
        for _ in range(count):
            self._arrive()
        to_come = rng.randrange(count + 1) if rng.randrange(2) else 0
        while self._waiting:
            if not self._serve():
                return False
            while to_come and rng.randrange(2):
                self._arrive()
                to_come -= 1
            if rng.randrange(8) == 0:
                self._move_heads(rng.randrange(self._drive.cylinders), rng.randrange(2))
            if rng.randrange(16) == 0 and len(self._waiting) > 1:
                left = self._waiting.pop()
                self._told = [one for one in self._told if one is not left]
                self.lines.append("withdraw")
        return True


def write_queues(out: TextIO, selection: str, streams: Sequence[str], definition: str, queues: int, seed: int) -> None:
    """Writes the queues of a selection. Raises RuntimeError if too many end early."""
    out.write(" ".join(["policy", selection, *(one.replace("period=", "p=") for one in streams)]) + "\n")
    rng, early = random.Random(seed), 0
    for place in range(queues):
        queue = Queue(rng, place, definition, streams)
        early += not queue.serve_all(1 + rng.randrange(120 if place % 20 == 0 else 20))
        out.write("\n".join(queue.lines) + "\n")
    if early > queues * ENDED_EARLY_MOST + 2:
        raise RuntimeError(f"{selection}: {early} of {queues} queues end at a choice within the firmware's rounding")


def main(arguments: Sequence[str]) -> None:
    """Runs the command line of the module's docstring."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--policy", action="append")
    parser.add_argument("--queues", type=int, default=QUEUES)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, module in cases().items():
        if given.policy and name not in given.policy:
            continue
        with (given.folder / f"{name}.queues").open("w", encoding="utf-8") as out:
            for row in module.RANDOM:
                selection, *streams = (row,) if isinstance(row, str) else row
                definition = getattr(module, "SAME_AS", {}).get(selection, selection)
                share = getattr(module, "RANDOM_SHARE", 1)
                write_queues(out, selection, streams, definition, max(1, given.queues // share), given.seed)


if __name__ == "__main__":
    main(sys.argv[1:])
