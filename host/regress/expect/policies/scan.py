# SPDX-License-Identifier: Apache-2.0
"""The definition of `scan`."""

from collections.abc import Iterable, Sequence

from expect.policy import ByCylinder, DriveFacts, Key, Moment, Policy, Request, Words


class Scan(ByCylinder):
    """The nearest ahead; with none left there, turn. The heads' own cylinder is ahead; directions begin upward.

    Whether the arm goes on to the edge before it turns (`scan:edge`) changes its way, and no choice.
    """

    def __init__(self) -> None:
        self._up = True

    def is_behind(self, request: Request, at: int) -> bool:
        """Seen from a cylinder."""
        return request.cylinder < at if self._up else request.cylinder > at

    def sweep_key(self, request: Request, at: int) -> Key:
        """From a cylinder on."""
        return (self.is_behind(request, at), abs(request.cylinder - at))

    def sweep(self, requests: Iterable[Request], at: int) -> list[Request]:
        """In the order in which they are served from there."""
        return sorted(requests, key=lambda one: (*self.sweep_key(one, at), one.order))

    def sweep_back(self, requests: Iterable[Request], at: int) -> list[Request]:
        """The same of an arm that turns at once."""
        other = Scan()
        other._up = not self._up
        return other.sweep(requests, at)

    def turn_for(self, request: Request, at: int) -> None:
        """The arm turns for what is behind."""
        self._up ^= self.is_behind(request, at)

    def key(self, request: Request, moment: Moment) -> Key:
        return self.sweep_key(request, moment.cylinder)

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        self.turn_for(request, moment.cylinder)


class HeldScan(Scan):
    """Scan over a main list; when it is empty, over the requests that were held back, which are then the main list.

    What holds a request back is decided when one arrives, by the deadlines that a sweep over the main list would miss.
    """

    by_deadline, prices_deadlines, keeps_times = True, True, True

    def __init__(self, exact: bool = False) -> None:
        super().__init__()
        self.is_exact = exact
        self._held: frozenset[int] = frozenset()

    def is_held(self, request: Request) -> bool:
        """It is not in the main list."""
        return request.number in self._held

    def hold(self, request: Request) -> None:
        """It waits until the main list is empty."""
        self._held |= {request.number}

    def key(self, request: Request, moment: Moment) -> Key:
        return (self.is_held(request), *self.sweep_key(request, moment.cylinder))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        super().served(request, others, moment)
        if self.is_held(request):
            self._held = frozenset()


def make(words: Words, drive: DriveFacts) -> Policy:
    """As the command line writes it."""
    return Scan()
