# SPDX-License-Identifier: Apache-2.0
"""The definition of `vr`."""

from expect.policies.scan import Scan
from expect.policy import DriveFacts, Key, Moment, Policy, Request, Words


class Vr(Scan):
    """The least distance, with R times the whole stroke added behind the heads."""

    def __init__(self, drive: DriveFacts, r: float = 0.2) -> None:
        super().__init__()
        # In thousandths, as R is given: whole numbers do not round.
        self._charge = round(1000 * r) * (drive.cylinders - 1)

    def key(self, request: Request, moment: Moment) -> Key:
        at = moment.cylinder
        return (1000 * abs(request.cylinder - at) + (self._charge if self.is_behind(request, at) else 0),)


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    return Vr(drive, words.number("r", 0.2))
