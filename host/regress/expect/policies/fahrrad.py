# SPDX-License-Identifier: Apache-2.0
"""The definition of `fahrrad`."""

from errors import RegressError
from expect.policies.scan import Scan
from expect.policy import Chooses, DriveFacts, Moment, Policy, Request, Words, by_age, by_deadline


class Fahrrad(Chooses, Scan):
    """Scan over a set that is made for each choice; an access lasts W, the worst case.

    The set has real-time requests by deadline: as many as end before the earliest deadline, with W each, and at least one. Then
    the oldest best effort follows, with W each, within three limits. One is the horizon. Another is the time that any deadline
    leaves after W for it and for each before it. The third is the time that the set leaves of the earliest deadline.
    """

    by_deadline, by_time = True, True

    def __init__(self, worst_ps: float = 14e9, horizon_ps: float = 250e9) -> None:
        super().__init__()
        self._worst_ps, self._horizon_ps = worst_ps, horizon_ps

    def _drained(self, left_ps: list[float]) -> int:
        """How many of the real time are in the set."""
        return max(1, min(len(left_ps), int(left_ps[0] // self._worst_ps)))

    def choose(self, moment: Moment) -> Request:
        dated = by_deadline(one for one in moment.waiting if one.is_real_time)
        left_ps = [max(0.0, (one.deadline_ps or 0) - moment.time_ps) for one in dated]
        chosen, room = [], self._horizon_ps
        if dated:
            chosen = dated[: self._drained(left_ps)]
            room = min(room, *(left - place * self._worst_ps for place, left in enumerate(left_ps, 1)))
            room = min(room, left_ps[0] - len(chosen) * self._worst_ps)
        for one in by_age(one for one in moment.waiting if not one.is_real_time):
            if room >= self._worst_ps or not chosen:
                chosen.append(one)
                room -= self._worst_ps
        return self.sweep(chosen, moment.cylinder)[0]


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    if any(stream.u for stream in drive.streams.values()):
        raise RegressError(
            "'fahrrad' with reservations has no reference transcription: a budget is charged what each access takes to the tick, "
            "and a run tells when a choice was made to a tenth of a millisecond only; expect no 'order'"
        )
    return Fahrrad(words.number("w", 14) * 1e9, words.number("horizon", 250) * 1e9)
