# SPDX-License-Identifier: Apache-2.0
"""The definition of `edf`."""

from expect.policy import ByDeadline, DriveFacts, Key, Moment, Policy, Request, Words, lateness


class Edf(ByDeadline):
    """The earliest deadline; then all best effort, the oldest first."""

    def key(self, request: Request, moment: Moment) -> Key:
        return lateness(request)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Edf()
