# SPDX-License-Identifier: Apache-2.0
"""The definition of `fcfs`."""

from expect.policy import ByCylinder, DriveFacts, Key, Moment, Policy, Request, Words


class Fcfs(ByCylinder):
    """The oldest request."""

    def key(self, request: Request, moment: Moment) -> Key:
        return (request.order,)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Fcfs()
