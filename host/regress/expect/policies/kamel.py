# SPDX-License-Identifier: Apache-2.0
"""The definition of `kamel`."""

from collections.abc import Sequence

from expect.policies.scan import Scan
from expect.policy import DriveFacts, Key, Moment, Policy, Request, Words, mean_price

NO_PRIORITY = 16  # after all that have one


class Kamel(Scan):
    """Scan over a main list; when it is empty, over the next round, which is then the main list.

    A new request joins the main list. A sweep from the heads over the list may then miss a deadline that is not hopeless. While
    it does, the least important request before the first such one is moved to the next round; of equals the last. If none before
    it is less important, the new request is moved, if it is real-time. Real time is more important than best effort.
    """

    by_deadline, prices_deadlines, keeps_times = True, True, True

    def __init__(self) -> None:
        super().__init__()
        self._next: frozenset[int] = frozenset()

    @staticmethod
    def _unimportance(request: Request) -> tuple[bool, int]:
        return (not request.is_real_time, request.priority or NO_PRIORITY)

    def _up_to_missed(self, moment: Moment) -> list[Request]:
        """Of the sweep over the main list, as far as the first deadline that is missed and not hopeless; []: none is."""
        order = self.sweep((one for one in moment.waiting if one.number not in self._next), moment.cylinder)
        for place, (one, end) in enumerate(zip(order, moment.mean_ends_ps(order), strict=True)):
            if one.is_late(end) and not moment.is_hopeless(one):
                return order[: place + 1]
        return []

    def arrived(self, request: Request, moment: Moment) -> None:
        while order := self._up_to_missed(moment):
            *before, missed = order
            lesser = [one for one in reversed(before) if self._unimportance(one) > self._unimportance(missed)]
            if not lesser:
                self._next |= {request.number} if request.is_real_time else set()
                return
            self._next |= {max(lesser, key=self._unimportance).number}

    def key(self, request: Request, moment: Moment) -> Key:
        return (request.number in self._next, *self.sweep_key(request, moment.cylinder))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        super().served(request, others, moment)
        if request.number in self._next:
            self._next = frozenset()


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    mean_price("kamel", words)
    return Kamel()
