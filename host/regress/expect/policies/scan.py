# SPDX-License-Identifier: Apache-2.0
"""The definition of `scan`."""

from collections.abc import Iterable, Sequence

from expect.policy import ByCylinder, DriveFacts, Key, Moment, Policy, Request, Words


class Scan(ByCylinder):
    """The nearest ahead; if there is none, the arm turns. The heads' own cylinder is ahead; directions begin upward.

    Whether the arm goes on to the edge before it turns (`scan:edge`) changes its way, but no choice.
    """

    def __init__(self) -> None:
        self._up = True

    def is_behind(self, request: Request, at: int) -> bool:
        """Whether the request is behind, seen from a cylinder."""
        return request.cylinder < at if self._up else request.cylinder > at

    def sweep_key(self, request: Request, at: int) -> Key:
        """The key of a sweep that begins at a cylinder."""
        return (self.is_behind(request, at), abs(request.cylinder - at))

    def sweep(self, requests: Iterable[Request], at: int) -> list[Request]:
        """The requests in the order in which a sweep from a cylinder serves them."""
        return sorted(requests, key=lambda one: (*self.sweep_key(one, at), one.order))

    def sweep_back(self, requests: Iterable[Request], at: int) -> list[Request]:
        """The same for an arm that turns at once."""
        other = Scan()
        other._up = not self._up
        return other.sweep(requests, at)

    def turn_for(self, request: Request, at: int) -> None:
        """Turns the arm for a request that is behind."""
        self._up ^= self.is_behind(request, at)

    def key(self, request: Request, moment: Moment) -> Key:
        return self.sweep_key(request, moment.cylinder)

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        self.turn_for(request, moment.cylinder)


class HeldScan(Scan):
    """Scan over a main list. When it is empty, the requests that were held back become the main list.

    Requests are held back when one arrives, by the deadlines that a sweep over the main list would miss.
    """

    by_deadline, prices_deadlines, keeps_times = True, True, True

    def __init__(self, exact: bool = False) -> None:
        super().__init__()
        self.is_exact = exact
        self._held: frozenset[int] = frozenset()

    def is_held(self, request: Request) -> bool:
        """Whether it is not in the main list."""
        return request.number in self._held

    def hold(self, request: Request) -> None:
        """Makes it wait until the main list is empty."""
        self._held |= {request.number}

    def key(self, request: Request, moment: Moment) -> Key:
        return (self.is_held(request), *self.sweep_key(request, moment.cylinder))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        super().served(request, others, moment)
        if self.is_held(request):
            self._held = frozenset()


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Scan()
