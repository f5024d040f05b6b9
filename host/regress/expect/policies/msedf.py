# SPDX-License-Identifier: Apache-2.0
"""The definition of `msedf`."""

from collections.abc import Sequence
from typing import NamedTuple

from expect.policy import (
    ByDeadline,
    Chooses,
    DriveFacts,
    Moment,
    Policy,
    Request,
    Words,
    by_age,
    by_deadline,
    lateness,
)

BATCH_MAX, EXACT_MAX, BEAM = 22, 11, 32
HEADS = -1  # where an order begins


class Path(NamedTuple):
    """The beginning of an order. The lesser of two has fewer movements; of equal ones, the younger request later, compared
    from the end.
    """

    moves_ps: float
    backward: tuple[int, ...]  # places in the batch, which is by age; from the end, negative
    members: int  # bit i: place i
    fixed_ps: float  # time of the stops without movements

    @property
    def stops(self) -> list[int]:
        """The stops from the beginning."""
        return [-stop for stop in reversed(self.backward)]


class Question:
    """A batch, and the values by which its orders are priced from the heads' place."""

    def __init__(self, batch: Sequence[Request], moment: Moment) -> None:
        self.batch = by_age(batch)
        self._fixed_ps, self._left_ps = [], []
        for one in self.batch:
            self._fixed_ps.append(moment.fixed_ps(one))
            # Time until each is due; a hopeless deadline is no limit.
            is_hopeless = one.is_late(moment.time_ps + moment.move_ps(None, one) + self._fixed_ps[-1])
            due_ps = None if is_hopeless else one.deadline_ps
            self._left_ps.append(float("inf") if due_ps is None else due_ps - moment.time_ps)
        self._move_ps = [[moment.move_ps(before, one) for one in self.batch] for before in (*self.batch, None)]

    def extended(self, path: Path, first: int | None) -> list[Path]:
        """The path with one more stop that is in time."""
        longer = []
        move_ps = self._move_ps[-path.backward[0] if path.backward else HEADS]
        for stop in range(len(self.batch)):
            if path.members >> stop & 1 or (first is not None and not path.backward and stop != first):
                continue
            moves_ps, fixed_ps = path.moves_ps + move_ps[stop], path.fixed_ps + self._fixed_ps[stop]
            if moves_ps + fixed_ps <= self._left_ps[stop]:
                longer.append(Path(moves_ps, (-stop, *path.backward), path.members | 1 << stop, fixed_ps))
        return longer

    def least(self, first: Request | None) -> list[Request]:
        """The order with the least movements; []: none meets the deadlines."""
        # Among beginnings with the same stops and the same last one, only the lesser is extended: the rest costs both the
        # same.
        place = None if first is None else self.batch.index(first)
        paths = [Path(0.0, (), 0, 0.0)]
        for _ in self.batch:
            best: dict[tuple[int, int], Path] = {}
            for longer in (longer for path in paths for longer in self.extended(path, place)):
                state = longer.members, longer.backward[0]
                best[state] = min(best.get(state, longer), longer)
            paths = sorted(best.values()) if len(self.batch) > EXACT_MAX else list(best.values())
            paths = paths[:BEAM] if len(self.batch) > EXACT_MAX else paths
        order = [self.batch[stop] for stop in min(paths).stops] if paths else []
        return order if len(self.batch) <= EXACT_MAX else _older_first(order, 0 if first is None else 1)


def _older_first(order: list[Request], begin: int) -> list[Request]:
    """The order with requests of the same blocks and deadline sorted by age, within their common places, from a place on."""

    def kind(one: Request) -> tuple[object, ...]:
        return (one.cylinder, one.blocks, one.is_write, one.deadline_ps)

    by_kind = {kind(one): by_age(other for other in order[begin:] if kind(other) == kind(one)) for one in order[begin:]}
    return order[:begin] + [by_kind[kind(one)].pop(0) for one in order[begin:]]


class Msedf(Chooses, ByDeadline):
    """A batch is what waits when the one before is empty: of more than 22 the earliest deadlines, then the oldest best effort.

    It is served in the order with the least movements of the heads that meets all deadlines but the hopeless ones. Without such
    an order it goes by deadline, with best effort last and by cylinder. Of equal orders the one that has the younger request
    where they part, seen from the end. Of more than 11 the order is that of a beam of 32, with the older first of those with the
    same blocks and deadline. Settled here:

    - the drive fixes a batch when its first request is served, for the moment at which that begins;
    - the drive's search may take milliseconds, which a run does not show. Expect an order only for batches of up to 8, whose
      slack is seldom so short;
    - of a batch of which some have gone (served otherwise, or withdrawn) the rest goes on in its order.
    """

    prices_deadlines, by_time, keeps_times = True, True, True

    def __init__(self) -> None:
        self._batch: tuple[int, ...] = ()  # the rest of the batch, in its order

    def _ordered(self, waiting: Sequence[Request], moment: Moment, first: Request | None = None) -> Sequence[Request]:
        """A new batch in its order."""
        others = by_deadline(one for one in waiting if one != first)
        batch = [first, *others][:BATCH_MAX] if first else others[:BATCH_MAX]
        return Question(batch, moment).least(first) or sorted(
            batch, key=lambda one: (one != first and first is not None, *lateness(one), one.cylinder, one.order)
        )

    def choose(self, moment: Moment) -> Request:
        left = {one.number: one for one in moment.waiting}
        batch = [left[number] for number in self._batch if number in left]
        return (batch or self._ordered(moment.waiting, moment))[0]

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        if not any(one.number in self._batch for one in (request, *others)):
            waiting = [request, *others]
            order = self._ordered(waiting, moment)
            if order[0] != request:  # another request was served first
                order = self._ordered(waiting, moment, request)
            self._batch = tuple(one.number for one in order)
        self._batch = tuple(number for number in self._batch if number != request.number)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Msedf()
