# SPDX-License-Identifier: Apache-2.0
"""The definition of `kamel`."""

from expect.policies.scan import HeldScan
from expect.policy import DriveFacts, Moment, Policy, Request, Words

NO_PRIORITY = 16  # after all priorities


class Kamel(HeldScan):
    """Scan over a main list; the others wait for the next round.

    A new request joins the main list. A sweep from the heads over the list may then miss a deadline that is not hopeless. While
    it does, the least important request before the first such one is moved to the next round; of equals the last. If none before
    it is less important, the new request is moved, if it is real-time. Real time is more important than best effort.
    """

    @staticmethod
    def _unimportance(request: Request) -> tuple[bool, int]:
        return (not request.is_real_time, request.priority or NO_PRIORITY)

    def _up_to_missed(self, moment: Moment) -> list[Request]:
        """The sweep over the main list up to the first missed deadline that is not hopeless; [] if there is none."""
        order = self.sweep((one for one in moment.waiting if not self.is_held(one)), moment.cylinder)
        for place, (one, end) in enumerate(zip(order, moment.ends_ps(order, self.is_exact), strict=True)):
            if one.is_late(end) and not moment.is_hopeless(one, self.is_exact):
                return order[: place + 1]
        return []

    def arrived(self, request: Request, moment: Moment) -> None:
        while order := self._up_to_missed(moment):
            *before, missed = order
            lesser = [one for one in reversed(before) if self._unimportance(one) > self._unimportance(missed)]
            if not lesser:
                if request.is_real_time:
                    self.hold(request)
                return
            self.hold(max(lesser, key=self._unimportance))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Kamel(words.get("price") == "exact")
