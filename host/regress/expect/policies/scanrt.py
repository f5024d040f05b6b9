# SPDX-License-Identifier: Apache-2.0
"""The definition of `scanrt`."""

from collections.abc import Sequence

from expect.policies.scan import HeldScan
from expect.policy import DriveFacts, Moment, Policy, Request, Words


class Scanrt(HeldScan):
    """Scan over a main list; the others wait at its tail.

    A new request joins the main list, unless a sweep from the heads over it would then miss another's deadline that it met
    before. In that case the request goes to the tail. Hopeless requests do not count.
    """

    def _missed(self, requests: Sequence[Request], moment: Moment) -> set[int]:
        order = self.sweep(requests, moment.cylinder)
        ends = moment.ends_ps(order, self.is_exact)
        return {one.number for one, end in zip(order, ends, strict=True) if one.is_late(end)}

    def arrived(self, request: Request, moment: Moment) -> None:
        main = [one for one in moment.waiting if one != request and not self.is_held(one)]
        more = self._missed([*main, request], moment) - self._missed(main, moment)
        if any(one.number in more and not moment.is_hopeless(one, self.is_exact) for one in main):
            self.hold(request)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Scanrt(words.get("price") == "exact")
