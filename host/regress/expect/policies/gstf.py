# SPDX-License-Identifier: Apache-2.0
"""The definition of `gstf`."""

from collections.abc import Sequence

from expect.policy import ByAccess, DriveFacts, Key, Moment, Policy, Request, Words


class Gstf(ByAccess):
    """The shortest access in one group of cylinders after the other, cyclically, or with `bounce` to and fro.

    `frozen`: only requests that waited when the group's first was served take part. The others wait until every other group
    with requests was served.

    Groups are counted from cylinder 0; by default they are a quarter of the cylinders, at least one. The current group is that
    of the request served last, wherever its transfer ended. Before the first service, it is the group under the heads.
    """

    def __init__(self, drive: DriveFacts, group: int | None = None, bounce: bool = False, frozen: bool = False) -> None:
        self._size = max(1, drive.cylinders // 4) if group is None else group
        self._bounce, self._frozen = bounce, frozen
        self._up = True
        self._current: int | None = None
        self._youngest = -1

    def _turn(self, request: Request, moment: Moment) -> Key:
        current = moment.cylinder // self._size if self._current is None else self._current
        group = request.cylinder // self._size
        if group == current:
            takes_part = not self._frozen or self._current is None or request.order <= self._youngest
            return (0, 0) if takes_part else (3, 0)
        if not self._bounce:
            return (1 if group > current else 2, group)
        return (1 if (group > current) == self._up else 2, abs(group - current))

    def key(self, request: Request, moment: Moment) -> Key:
        return (*self._turn(request, moment), moment.access_ps(request))

    def served(self, request: Request, others: Sequence[Request], moment: Moment) -> None:
        before = moment.cylinder // self._size if self._current is None else self._current
        entered = self._current is None or self._turn(request, moment) != (0, 0)
        group = request.cylinder // self._size
        if group != before:
            self._up = group > before
        self._current = group
        if entered:
            self._youngest = max(one.order for one in (request, *others))


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Gstf(drive, words.whole("group"), "bounce" in words, "frozen" in words)
