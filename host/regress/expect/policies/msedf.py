"""The definition of `msedf`."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from expect.policy import ByDeadline, Chooses, DriveFacts, Moment, Policy, Request, Words, by_deadline, mean_price

BATCH_MAX, EXACT_MAX, BEAM = 22, 11, 32


class Path(NamedTuple):
    """The beginning of an order."""

    stops: tuple[Request, ...]
    moves_ps: float  # of the heads, together


class Msedf(Chooses, ByDeadline):
    """A batch is what waits when the one before is empty: of more than 22 the earliest deadlines, then the oldest best effort.

    It is served in the order of the least movements of the heads that meets all its deadlines but the hopeless; with none by
    deadline, best effort last and by cylinder. Of equal orders the one that has the older request where they part. Of more
    than 11 the order is that of a beam of 32. Settled here:

    - the drive fixes a batch when its first request is served, for the moment at which that begins;
    - of a batch of which some have gone (served otherwise, or withdrawn) the rest goes on in its order.
    """

    prices_deadlines, by_time, keeps_times = True, True, True

    def __init__(self) -> None:
        self._batch: tuple[int, ...] = ()  # what is left, in its order

    @staticmethod
    def _extended(path: Path, batch: Iterable[Request], moment: Moment) -> list[Path]:
        last = path.stops[-1] if path.stops else None
        rest = (one for one in batch if one not in path.stops)
        return [Path((*path.stops, one), path.moves_ps + moment.move_ps(last, one)) for one in rest]

    def _least(self, batch: Sequence[Request], moment: Moment, first: Request | None) -> Sequence[Request]:
        """The order of the least movements; (): none meets what it must."""
        live = {one.number for one in batch if one.is_real_time and not moment.is_hopeless(one)}
        fixed_ps = {one: moment.mean_ends_ps([one])[0] - moment.time_ps - moment.move_ps(None, one) for one in batch}

        def is_in_time(path: Path) -> bool:
            one = path.stops[-1]
            end_ps = moment.time_ps + path.moves_ps + sum(fixed_ps[stop] for stop in path.stops)
            return one.number not in live or not one.is_late(end_ps)

        # Of orders of the same requests that end with the same one the lesser goes on: the rest costs both as much.
        paths = [Path((), 0.0)]
        for length in range(len(batch)):
            best: dict[tuple[frozenset[Request], Request], Path] = {}
            for path in paths:
                for longer in self._extended(path, batch if length or first is None else [first], moment):
                    state = frozenset(longer.stops), longer.stops[-1]
                    if is_in_time(longer) and (state not in best or self._rank(longer) < self._rank(best[state])):
                        best[state] = longer
            paths = sorted(best.values(), key=self._rank)
            if len(batch) > EXACT_MAX:
                paths = paths[:BEAM]
        return paths[0].stops if paths else ()

    @staticmethod
    def _rank(path: Path) -> tuple[float, tuple[int, ...]]:
        return path.moves_ps, tuple(one.order for one in path.stops)

    def _ordered(self, waiting: Sequence[Request], moment: Moment, first: Request | None = None) -> Sequence[Request]:
        """A new batch, in its order."""
        batch = by_deadline(waiting)[:BATCH_MAX]
        return self._least(batch, moment, first) or sorted(
            batch, key=lambda one: (one != first if first else False, one.deadline_ps is None, one.deadline_ps or 0, one.cylinder, one.order)
        )

    def choose(self, moment: Moment) -> Request:
        left = {one.number: one for one in moment.waiting}
        batch = [left[number] for number in self._batch if number in left]
        return (batch or self._ordered(moment.waiting, moment))[0]

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        if not any(one.number in self._batch for one in (request, *others)):
            self._batch = tuple(one.number for one in self._ordered([request, *others], moment, request))
        self._batch = tuple(number for number in self._batch if number != request.number)


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    mean_price("msedf", words)
    return Msedf()
