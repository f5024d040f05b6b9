# SPDX-License-Identifier: Apache-2.0
"""The definition of `fahrrad`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from event_log import CLOCK_PS
from expect.policies.scan import Scan
from expect.policy import Chooses, DriveFacts, Moment, Policy, Request, Words, by_age


class Reservation(NamedTuple):
    """A stream's budget: at most `full_ps`, refilled by as much at every multiple of the period."""

    period_ps: float
    full_ps: float
    left_ps: float = 0  # budget left after its last charge, in the period of that number
    period: int = 0

    def left_at(self, time_ps: float) -> float:
        """The budget left at a time; negative: overdrawn."""
        refills = int(time_ps // self.period_ps) - self.period
        return min(self.left_ps + refills * self.full_ps, self.full_ps)

    def end_ps(self, time_ps: float) -> float:
        """The end of the period."""
        return (time_ps // self.period_ps + 1) * self.period_ps


class Claim(NamedTuple):
    """Real time that is due. Without a request it is time reserved for later requests of a stream."""

    due_ps: float
    is_reserved: bool
    order: int = 0
    request: Request | None = None


class Fahrrad(Chooses, Scan):
    """Scan over a set that is made for each choice; an access lasts W, the worst case.

    The set has real-time requests by deadline: as many as end before the earliest deadline, with W each, and at least one. Then
    the oldest best effort follows, with W each, within three limits. One is the horizon. Another is the time that any deadline
    leaves after W for it and for each before it. The third is the time that the set leaves of the earliest deadline.

    A reservation gives a stream a budget. The oldest requests of the stream are real time as long as the budget is more than W
    for each of them before. Without a deadline they are due at the end of the budget's period. Its other requests are best effort.
    As long as one waits that is real time, the rest of the budget is reserved, too. It is W each, after all that is due as early.
    The earliest deadline is at most the next end of a period. An access is charged when it begins, if any of the budget is left.
    """

    by_deadline, by_time = True, True

    def __init__(
        self, worst_ps: float = 14e9, horizon_ps: float = 250e9, reserved: Mapping[int, Reservation] | None = None
    ) -> None:
        super().__init__()
        self._worst_ps, self._horizon_ps = worst_ps, horizon_ps
        self._reserved = dict(reserved or {})
        self.is_exact = self.by_stream = bool(self._reserved)

    def _claims(self, moment: Moment) -> tuple[list[Claim], list[Request]]:
        """The real-time claims, the earliest first, and the best effort, the oldest first."""
        time_ps, claims, best_effort, budgeted = moment.time_ps, [], [], Counter[int]()
        for one in by_age(moment.waiting):
            due_ps: float | None = one.deadline_ps
            budget = self._reserved.get(one.stream)
            if budget is not None:
                if budgeted[one.stream] * self._worst_ps >= budget.left_at(time_ps):
                    due_ps = None
                else:
                    budgeted[one.stream] += 1
                    due_ps = budget.end_ps(time_ps) if due_ps is None else due_ps
            if due_ps is None:
                best_effort.append(one)
            else:
                claims.append(Claim(due_ps, False, one.order, one))
        for stream, count in budgeted.items():
            while count and count * self._worst_ps < self._reserved[stream].left_at(time_ps):
                claims.append(Claim(self._reserved[stream].end_ps(time_ps), True))
                count += 1
        return sorted(claims, key=lambda one: one[:3]), best_effort

    def choose(self, moment: Moment) -> Request:
        claims, best_effort = self._claims(moment)
        ends_ps = [budget.end_ps(moment.time_ps) for budget in self._reserved.values()]
        first_ps = min([*(one.due_ps for one in claims[:1]), *ends_ps], default=0.0) - moment.time_ps
        chosen: list[Request] = []
        room_ps = self._horizon_ps
        for place, claim in enumerate(claims, 1):
            room_ps = min(room_ps, claim.due_ps - moment.time_ps - place * self._worst_ps)
            if place * self._worst_ps > first_ps and (claim.request is None or chosen):
                continue
            chosen += [claim.request] if claim.request is not None else []
            room_ps = min(room_ps, first_ps - place * self._worst_ps)
        for one in best_effort:
            if room_ps >= self._worst_ps or not chosen:
                chosen.append(one)
                room_ps -= self._worst_ps
        return self.sweep(chosen, moment.cylinder)[0]

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        super().served(request, others, moment)
        budget = self._reserved.get(request.stream)
        if budget is None or budget.left_at(moment.time_ps) <= 0:
            return
        left_ps = budget.left_at(moment.time_ps) - moment.access_ticks(request, exact=True) * CLOCK_PS
        charged = budget._replace(left_ps=left_ps, period=int(moment.time_ps // budget.period_ps))
        self._reserved = {**self._reserved, request.stream: charged}


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    reserved = {}
    for number, stream in drive.streams.items():
        full_ps = round(1000 * stream.u) * stream.p_ms * 1e6
        if full_ps:
            reserved[number] = Reservation(stream.p_ms * 1e9, full_ps, full_ps)
    return Fahrrad(words.number("w", 14) * 1e9, words.number("horizon", 250) * 1e9, reserved)
