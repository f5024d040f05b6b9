# SPDX-License-Identifier: Apache-2.0
"""The definition of `scanrt`."""

from collections.abc import Sequence

from expect.policies.scan import Scan
from expect.policy import DriveFacts, Key, Moment, Policy, Request, Words, mean_price


class Scanrt(Scan):
    """Scan over a main list; when it is empty, over the tail, which is then the main list.

    A new request joins the main list, unless a sweep from the heads over it would then miss another's deadline that it met
    before. In that case the request goes to the tail. Hopeless requests do not count.
    """

    by_deadline, prices_deadlines, keeps_times = True, True, True

    def __init__(self) -> None:
        super().__init__()
        self._tail: frozenset[int] = frozenset()

    def _missed(self, requests: Sequence[Request], moment: Moment) -> set[int]:
        order = self.sweep(requests, moment.cylinder)
        ends = moment.mean_ends_ps(order)
        return {one.number for one, end in zip(order, ends, strict=True) if one.is_late(end)}

    def arrived(self, request: Request, moment: Moment) -> None:
        main = [one for one in moment.waiting if one != request and one.number not in self._tail]
        more = self._missed([*main, request], moment) - self._missed(main, moment)
        if any(one.number in more and not moment.is_hopeless(one) for one in main):
            self._tail |= {request.number}

    def key(self, request: Request, moment: Moment) -> Key:
        return (request.number in self._tail, *self.sweep_key(request, moment.cylinder))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        super().served(request, others, moment)
        if request.number in self._tail:
            self._tail = frozenset()


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    mean_price("scanrt", words)
    return Scanrt()
