# SPDX-License-Identifier: Apache-2.0
"""The definition of `dmscan`."""

from expect.policies.scan import Scan
from expect.policy import Chooses, DriveFacts, Moment, Policy, Request, Words, by_deadline

GROUP_MAX = 32  # the limit of firmware/queue/policy_dmscan.c


class Dmscan(Chooses, Scan):
    """The first of a sweep over a group: the most requests that can be served until the earliest deadline, in either direction
    first.

    Requests join the group by deadline, then best effort in the order of the sweep. Of both directions the sweep that ends
    earlier counts; of equal ones that in the arm's direction. A deadline that cannot be met goes at once.
    """

    by_deadline, prices_deadlines, by_time = True, True, True

    def __init__(self, exact: bool = False) -> None:
        super().__init__()
        self.is_exact = exact

    def choose(self, moment: Moment) -> Request:
        at = moment.cylinder
        dated = by_deadline(one for one in moment.waiting if one.is_real_time)
        rest = self.sweep((one for one in moment.waiting if not one.is_real_time), at)
        if not dated:
            return rest[0]
        joiners = [*dated, *rest][:GROUP_MAX]
        best = dated[0]
        for size in range(1, len(joiners) + 1):
            sweeps = (self.sweep(joiners[:size], at), self.sweep_back(joiners[:size], at))
            end, first = min(((moment.ends_ps(one, self.is_exact)[-1], one[0]) for one in sweeps), key=lambda pair: pair[0])
            if dated[0].is_late(end):
                break
            best = first
        return best


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Dmscan(words.get("price") == "exact")
