# SPDX-License-Identifier: Apache-2.0
"""The definition of `csfc`."""

from expect.policy import ByDeadline, DriveFacts, Key, Moment, Policy, Request, Words

NO_PRIORITY = 16  # after all priorities


class Csfc(ByDeadline):
    """The time before a deadline is cut into `partitions` equal ones, `dmax_ps` in all; the first with requests is served as
    cscan.

    Past deadlines are in the first partition. Those farther away, and all best effort, are in the last. With `priority=first`
    the host's priority is compared before that.
    """

    by_time = True

    def __init__(self, partitions: int = 3, dmax_ps: float = 60e9, by_priority: bool = False) -> None:
        self._partitions, self._dmax_ps, self._by_priority = partitions, dmax_ps, by_priority

    def _partition(self, request: Request, moment: Moment) -> int:
        last = self._partitions - 1
        if request.deadline_ps is None:
            return last
        return min(max(int((request.deadline_ps - moment.time_ps) / self._dmax_ps * self._partitions), 0), last)

    def key(self, request: Request, moment: Moment) -> Key:
        priority = (request.priority or NO_PRIORITY) if self._by_priority else 0
        return (priority, self._partition(request, moment), request.cylinder < moment.cylinder, request.cylinder)


def make(words: Words, drive: DriveFacts) -> Policy:
    """Makes the policy from its parameters on the command line."""
    return Csfc(words.whole("p") or 3, words.number("dmax", 60) * 1e9, words.get("priority") == "first")
