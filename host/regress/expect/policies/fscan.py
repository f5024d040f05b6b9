# SPDX-License-Identifier: Apache-2.0
"""The definition of `fscan`."""

from collections.abc import Sequence

from expect.policies.scan import Scan
from expect.policy import DriveFacts, Key, Moment, Policy, Request, Words


class Fscan(Scan):
    """Scan over a set: the requests that waited when its first was served. The others wait for the next set."""

    def __init__(self) -> None:
        super().__init__()
        self._youngest = -1

    def key(self, request: Request, moment: Moment) -> Key:
        return (request.order > self._youngest, *self.sweep_key(request, moment.cylinder))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        super().served(request, others, moment)
        if request.order > self._youngest:
            self._youngest = max(one.order for one in (request, *others))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Fscan()
