# SPDX-License-Identifier: Apache-2.0
"""The definition of `ssedo`."""

from fractions import Fraction

from expect.policy import ByDeadline, Chooses, DriveFacts, Moment, Policy, Request, Words, by_deadline


class Ssedo(Chooses, ByDeadline):
    """Among the m earliest deadlines, the least beta^(i-1) * (distance in cylinders + 1), i from 1 on in their order."""

    def __init__(self, window: int = 3, beta: Fraction = Fraction(2)) -> None:
        self._window, self._beta = window, beta

    def choose(self, moment: Moment) -> Request:
        window = by_deadline(moment.waiting)[: self._window]
        weights = {one: self._beta**place * (abs(one.cylinder - moment.cylinder) + 1) for place, one in enumerate(window)}
        return min(window, key=lambda one: (weights[one], one.order))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Ssedo(words.whole("m") or 3, Fraction(words.get("beta", "2")))
