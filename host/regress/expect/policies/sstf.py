# SPDX-License-Identifier: Apache-2.0
"""The definition of `sstf`."""

from expect.policy import ByCylinder, DriveFacts, Key, Moment, Policy, Request, Words


class Sstf(ByCylinder):
    """The request on the nearest cylinder."""

    def key(self, request: Request, moment: Moment) -> Key:
        return (abs(request.cylinder - moment.cylinder),)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Sstf()
