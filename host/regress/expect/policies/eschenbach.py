# SPDX-License-Identifier: Apache-2.0
"""The definition of `eschenbach`."""

from expect.policy import ByAccess, DriveFacts, Key, Moment, Policy, Request, Words


class Eschenbach(ByAccess):
    """Groups of `order` cylinders as C-SCAN; in a group the sectors as they come by, the heads' own group first."""

    def __init__(self, order: int = 1) -> None:
        self._order = order

    def key(self, request: Request, moment: Moment) -> Key:
        group, own = request.cylinder // self._order, moment.cylinder // self._order
        return (group < own, group, moment.latency_ps(request))


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    return Eschenbach(words.whole("order") or 1)
