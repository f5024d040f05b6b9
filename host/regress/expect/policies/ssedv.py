# SPDX-License-Identifier: Apache-2.0
"""The definition of `ssedv`."""

from expect.policy import ByDeadline, Chooses, DriveFacts, Moment, Policy, Request, Words, by_deadline

BEST_EFFORT_PS = 500 * 10**9  # when best effort counts as due, whatever its age


class Ssedv(Chooses, ByDeadline):
    """Among the m earliest deadlines, the least alpha * seek + (1 - alpha) * remaining time, which is 0 after the deadline."""

    by_time = True

    def __init__(self, window: int = 3, alpha: float = 0.8) -> None:
        # Alpha is given in hundredths: whole numbers do not round.
        self._window, self._alpha = window, round(100 * alpha)

    def _price(self, request: Request, moment: Moment) -> float:
        due = request.deadline_ps
        left = BEST_EFFORT_PS if due is None else max(0, due - moment.time_ps)
        return self._alpha * moment.seek_ps(request) + (100 - self._alpha) * left

    def choose(self, moment: Moment) -> Request:
        window = by_deadline(moment.waiting)[: self._window]
        return min(window, key=lambda one: (self._price(one, moment), one.order))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Ssedv(words.whole("m") or 3, words.number("alpha", 0.8))
