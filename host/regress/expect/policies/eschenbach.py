# SPDX-License-Identifier: Apache-2.0
"""The definition of `eschenbach`."""

from expect.policy import ByAccess, DriveFacts, Key, Moment, Policy, Request, Words


class Eschenbach(ByAccess):
    """Groups of `order` cylinders as in C-SCAN. Within a group the sectors go in the order in which they pass; the heads' own
    group is first.
    """

    def __init__(self, order: int = 1) -> None:
        self._order = order

    def key(self, request: Request, moment: Moment) -> Key:
        group, own = request.cylinder // self._order, moment.cylinder // self._order
        return (group < own, group, moment.latency_ps(request))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Eschenbach(words.whole("order") or 1)
