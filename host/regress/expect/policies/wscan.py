# SPDX-License-Identifier: Apache-2.0
"""The definition of `wscan`."""

from collections.abc import Sequence

from expect.policies.scan import Scan
from expect.policy import DriveFacts, Key, Moment, Policy, Request, Words


class Wscan(Scan):
    """Scan, but requests in a window just behind go first, and move neither window nor sweep.

    The window has the `window` cylinders behind the sweep's own, which is not in it; by default a 64th of the cylinders, at
    least one. Of several requests in it the nearest to the heads goes first, even before one on the sweep's own cylinder.
    """

    def __init__(self, drive: DriveFacts, window: int | None = None) -> None:
        super().__init__()
        self._window = max(1, drive.cylinders // 64) if window is None else window
        self._held: int | None = None

    def _sweep(self, moment: Moment) -> int:
        return moment.cylinder if self._held is None else self._held

    def _in_window(self, request: Request, sweep: int) -> bool:
        return self.is_behind(request, sweep) and abs(request.cylinder - sweep) <= self._window

    def key(self, request: Request, moment: Moment) -> Key:
        sweep = self._sweep(moment)
        if self._in_window(request, sweep):
            return (0, 0, abs(request.cylinder - moment.cylinder))
        return (1, *self.sweep_key(request, sweep))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        sweep = self._sweep(moment)
        self._held = sweep if self._in_window(request, sweep) else None
        if self._held is None:
            self.turn_for(request, sweep)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Wscan(drive, words.whole("window"))
