# SPDX-License-Identifier: Apache-2.0
"""The definition of `cscan`."""

from expect.policy import ByCylinder, DriveFacts, Key, Moment, Policy, Request, Words


class Cscan(ByCylinder):
    """The nearest at or above the heads; with none there, the lowest of all. The way by the edge makes no difference."""

    def key(self, request: Request, moment: Moment) -> Key:
        return (request.cylinder < moment.cylinder, request.cylinder)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Cscan()
