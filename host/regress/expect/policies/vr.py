# SPDX-License-Identifier: Apache-2.0
"""The definition of `vr`."""

from expect.policies.scan import Scan
from expect.policy import DriveFacts, Key, Moment, Policy, Request, Words


class Vr(Scan):
    """The least distance. Requests behind the heads have R times the whole stroke added."""

    def __init__(self, drive: DriveFacts, r: float = 0.2) -> None:
        super().__init__()
        # R is given in thousandths: whole numbers do not round.
        self._charge = round(1000 * r) * (drive.cylinders - 1)

    def key(self, request: Request, moment: Moment) -> Key:
        at = moment.cylinder
        return (1000 * abs(request.cylinder - at) + (self._charge if self.is_behind(request, at) else 0),)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Vr(drive, words.number("r", 0.2))
