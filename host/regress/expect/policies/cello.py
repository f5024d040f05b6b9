# SPDX-License-Identifier: Apache-2.0
"""The definition of `cello`."""

from collections.abc import Sequence

from expect.policies.scan import Scan
from expect.policy import STREAMS, Chooses, DriveFacts, Moment, Policy, Request, Words, by_deadline


class Cello(Chooses, Scan):
    """The class goes next that has used less of its share of the arm's time, real time if both have the same.

    A served request counts with its expected time. A class without waiting requests is raised to the other's time. Real time
    goes by deadline; best effort is scanned. If real time is next, best effort goes before it as long as all deadlines would
    still be met, in their order.
    """

    by_deadline, prices_deadlines, by_time = True, True, True

    def __init__(self, share: float = 0.5, exact: bool = False) -> None:
        super().__init__()
        self.is_exact = exact
        hundredths = round(100 * share)
        # time / share, times both shares: a whole number
        self._weight = {True: 100 - hundredths, False: hundredths}
        self._used = {True: 0, False: 0}

    def choose(self, moment: Moment) -> Request:
        dated = by_deadline(one for one in moment.waiting if one.is_real_time)
        rest = self.sweep((one for one in moment.waiting if not one.is_real_time), moment.cylinder)
        if not dated or not rest:
            return (dated or rest)[0]
        order = [rest[0], *dated]
        is_harmless = not any(one.is_late(end) for one, end in zip(order, moment.ends_ps(order, self.is_exact), strict=True))
        return rest[0] if self._used[False] < self._used[True] or is_harmless else dated[0]

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        own, used = request.is_real_time, dict(self._used)
        if all(one.is_real_time == own for one in others):
            used[not own] = max(used.values())
        used[own] += moment.access_ticks(request, self.is_exact) * self._weight[own]
        self._used = used
        if not own:
            super().served(request, others, moment)


class ByStream(Chooses, Scan):
    """Reddy's shares. Each stream with a share is a party; all others are one, which has the rest of the shares, 1 % at least.

    The party goes next that has used less of its share; of equal ones the lower stream, the others last. Time counts in whole
    65536ths of a share. A party without waiting requests is raised to the one that is served. Inside a party real time goes by
    deadline, then best effort is scanned. If real time is next, the next best effort goes before it, as long as all deadlines
    would still be met, in their order.
    """

    by_deadline, prices_deadlines, by_time, by_stream = True, True, True, True

    def __init__(self, drive: DriveFacts) -> None:
        super().__init__()
        shares = {number: stream.share for number, stream in sorted(drive.streams.items()) if stream.share}
        shares[STREAMS] = max(100 - sum(shares.values()), 1)  # the share of all others
        self._weight = {party: 65536 // share for party, share in shares.items()}
        self._used = dict.fromkeys(shares, 0)

    def _party(self, request: Request) -> int:
        return request.stream if request.stream in self._weight and request.stream < STREAMS else STREAMS

    def choose(self, moment: Moment) -> Request:
        parties = {self._party(one) for one in moment.waiting}
        least = min(sorted(parties), key=lambda party: self._used[party])
        own = [one for one in moment.waiting if self._party(one) == least]
        dated = by_deadline(one for one in own if one.is_real_time)
        if not dated:
            return self.sweep(own, moment.cylinder)[0]
        rest = self.sweep((one for one in moment.waiting if not one.is_real_time), moment.cylinder)
        order = [*rest[:1], *by_deadline(one for one in moment.waiting if one.is_real_time)]
        ends = moment.mean_ends_ps(order)
        is_harmless = rest and not any(one.is_late(end) for one, end in zip(order, ends, strict=True))
        return rest[0] if is_harmless else dated[0]

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        own, waiting, used = self._party(request), {self._party(one) for one in others}, dict(self._used)
        for party in used:
            if party not in waiting:
                used[party] = max(used[party], used[own])
        used[own] += moment.access_ticks(request, exact=False) * self._weight[own]
        self._used = used
        if not request.is_real_time:
            super().served(request, others, moment)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    if words.get("by") == "stream":
        return ByStream(drive)
    return Cello(words.number("share", 0.5), words.get("price") == "exact")
