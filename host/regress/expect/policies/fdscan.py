# SPDX-License-Identifier: Apache-2.0
"""The definition of `fdscan`."""

from expect.policies.dscan import Dscan
from expect.policy import DriveFacts, Key, Moment, Policy, Request, Words, lateness


class Fdscan(Dscan):
    """Like dscan, towards the earliest deadline that an access which begins now would meet; without one, like sstf.

    An access is expected to wait half a turn, or with `price=exact` as long as it will. `target=slack`: towards the least time
    between access and deadline. `idle=scan`: without a deadline that can be met, like scan.
    """

    prices_deadlines = True

    def __init__(self, exact: bool = False, by_slack: bool = False, idle_scans: bool = False) -> None:
        super().__init__()
        self._exact, self._by_slack, self._idle_scans = exact, by_slack, idle_scans

    def _slack_ps(self, request: Request, moment: Moment) -> float:
        access_ps = moment.access_ps if self._exact else moment.mean_access_ps
        assert request.deadline_ps is not None
        return request.deadline_ps - moment.time_ps - access_ps(request)

    def target(self, moment: Moment) -> Request | None:
        dated = (one for one in moment.waiting if one.deadline_ps is not None)
        slack = {one: left for one in dated if (left := self._slack_ps(one, moment)) >= 0}
        if self._by_slack:
            return min(slack, key=lambda one: (slack[one], one.order), default=None)
        return min(slack, key=lambda one: (*lateness(one), one.order), default=None)

    def without_target(self, request: Request, moment: Moment) -> Key:
        if self._idle_scans:
            return self.sweep_key(request, moment.cylinder)
        return (abs(request.cylinder - moment.cylinder),)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Fdscan(words.get("price") == "exact", words.get("target") == "slack", words.get("idle") == "scan")
