# SPDX-License-Identifier: Apache-2.0
"""The definition of `dscan`."""

from expect.policies.scan import Scan
from expect.policy import DriveFacts, Key, Moment, Policy, Request, Words, lateness


class Dscan(Scan):
    """The earliest deadline, or without deadlines the oldest request, sets the direction; the nearest in that direction goes
    next.

    The heads' own cylinder counts as ahead in both directions; a target there leaves the direction. The target is chosen anew
    for each choice.
    """

    by_deadline = True

    def __init__(self) -> None:
        super().__init__()
        self._aim: tuple[Moment, Request | None] | None = None  # target of a moment, the same for every key

    def target(self, moment: Moment) -> Request | None:
        """The request that sets the direction; None: there is none."""
        return min(moment.waiting, key=lambda one: (*lateness(one), one.order))

    def without_target(self, request: Request, moment: Moment) -> Key:
        """The key if there is no target."""
        return self.sweep_key(request, moment.cylinder)

    def key(self, request: Request, moment: Moment) -> Key:
        if self._aim is None or self._aim[0] is not moment:
            self._aim = moment, self.target(moment)
        target, at = self._aim[1], moment.cylinder
        if target is None:
            return self.without_target(request, moment)
        is_away = self.is_behind(request, at) != self.is_behind(target, at) and request.cylinder != at
        return (is_away, abs(request.cylinder - at))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Dscan()
