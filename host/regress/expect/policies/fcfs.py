# SPDX-License-Identifier: Apache-2.0
"""The definition of `fcfs`."""

from expect.policy import ByCylinder, DriveFacts, Key, Moment, Policy, Request, Words


class Fcfs(ByCylinder):
    """The oldest."""

    def key(self, request: Request, moment: Moment) -> Key:
        return (request.order,)


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    return Fcfs()
