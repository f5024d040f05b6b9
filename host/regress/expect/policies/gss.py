# SPDX-License-Identifier: Apache-2.0
"""The definition of `gss`."""

from collections.abc import Sequence

from expect.policies.scan import Scan
from expect.policy import Chooses, DriveFacts, Moment, Policy, Request, Words, by_age

STREAMS = 256


class Gss(Chooses, Scan):
    """The streams in turn, by number. Of each, the q oldest requests when the first of them is served go as a scan."""

    by_stream = True

    def __init__(self, most: int = 4) -> None:
        super().__init__()
        self._most = most
        self._visited = -1  # stream
        self._visit: frozenset[int] = frozenset()

    def _oldest(self, stream: int, requests: Sequence[Request]) -> list[Request]:
        return by_age(one for one in requests if one.stream == stream)[: self._most]

    def choose(self, moment: Moment) -> Request:
        visit = [one for one in moment.waiting if one.number in self._visit]
        if not visit:
            stream = min((one.stream for one in moment.waiting), key=lambda one: (one - self._visited - 1) % STREAMS)
            visit = self._oldest(stream, moment.waiting)
        return self.sweep(visit, moment.cylinder)[0]

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        super().served(request, others, moment)
        if request.number not in self._visit:
            self._visited = request.stream
            self._visit = frozenset(one.number for one in self._oldest(request.stream, [request, *others]))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Gss(words.whole("q") or 4)
