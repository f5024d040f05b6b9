# SPDX-License-Identifier: Apache-2.0
"""The definition of `stf`."""

from expect.policy import ByAccess, DriveFacts, Key, Moment, Policy, Request, Words


class Stf(ByAccess):
    """The shortest access."""

    def key(self, request: Request, moment: Moment) -> Key:
        return (moment.access_ps(request),)


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    return Stf()
