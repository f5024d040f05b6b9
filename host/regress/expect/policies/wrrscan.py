# SPDX-License-Identifier: Apache-2.0
"""The definition of `wrrscan`."""

from collections import Counter
from collections.abc import Iterable, Sequence

from expect.policies.scan import Scan
from expect.policy import Chooses, DriveFacts, Moment, Policy, Request, Words, by_age


class Wrrscan(Chooses, Scan):
    """Rounds: of each stream its oldest requests, as many of each class as its quota, as a scan or by arrival.

    A quota that is settled for a stream is that of both its classes. New arrivals wait for the next round. In a round of a
    given length, best effort gets as many mean accesses as fit beside the quotas.
    """

    by_stream = True

    def __init__(self, drive: DriveFacts, quotas: tuple[int, int] = (4, 2), round_ps: float = 0, scans: bool = True) -> None:
        super().__init__()
        self._quota = dict(zip((True, False), quotas, strict=True))
        self._accesses = int(round_ps // (drive.mean_access_ps + drive.margin_ps))
        self._scans = scans
        own = ((number, one.w if scans else one.k) for number, one in drive.streams.items())
        self._own = {number: quota for number, quota in own if quota}
        self._round: frozenset[int] = frozenset()

    def _take(self, requests: Iterable[Request]) -> list[Request]:
        """The next round out of these requests."""
        taken, round_, left = Counter[tuple[int, bool]](), [], []
        for one in by_age(requests):
            if taken[one.stream, one.is_real_time] < self._own.get(one.stream, self._quota[one.is_real_time]):
                taken[one.stream, one.is_real_time] += 1
                round_.append(one)
            elif not one.is_real_time:
                left.append(one)
        return round_ + left[: max(0, self._accesses - len(round_))]

    def choose(self, moment: Moment) -> Request:
        round_ = [one for one in moment.waiting if one.number in self._round] or self._take(moment.waiting)
        return self.sweep(round_, moment.cylinder)[0] if self._scans else by_age(round_)[0]

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        if self._scans:
            super().served(request, others, moment)
        if request.number not in self._round:
            self._round = frozenset(one.number for one in self._take([request, *others]))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    quotas = (words.whole("rt") or 4, words.whole("be") or 2)
    return Wrrscan(drive, quotas, words.number("round", 0) * 1e9, words.get("inner") != "fcfs")
