# SPDX-License-Identifier: Apache-2.0
"""The definition of `stf`."""

from expect.policy import ByAccess, DriveFacts, Key, Moment, Policy, Request, Words


class Stf(ByAccess):
    """The shortest access; with `price=positioning` the time until its transfer begins."""

    def __init__(self, positioning: bool = False) -> None:
        self._positioning = positioning

    def key(self, request: Request, moment: Moment) -> Key:
        return ((moment.latency_ps if self._positioning else moment.access_ps)(request),)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Stf(words.get("price") == "positioning")
