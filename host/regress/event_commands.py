# SPDX-License-Identifier: Apache-2.0
"""The command of the trace that each event is about.

An event names a task, a tag, or neither (firmware/events.h). A task has the tag of its TASK_QUEUED; a tag belongs to the last
request issued with it. An event that names neither, if it is about the media, belongs to the task that they serve. Otherwise
it belongs to what was named last.
"""

from event_log import Event, Issue, Ledger

NO_TASK = 0xFFFF
TASK_EVENTS = (
    "TASK_CHOSEN", "PLAN_END", "FIRST_SECTOR", "MEDIA_DONE", "MEDIA_WAIT", "HOST_GRANT", "TASK_ENDED",
    "DATA_PHASE_BEGIN", "DATA_PHASE_END", "STATUS_SENT",
)  # fmt: skip
TAG_EVENTS = ("COMMAND_RECEIVED", "RESELECTED")
MEDIA_EVENTS = ("SEEK_START", "ON_TRACK", "RUN_START", "RUN_NEXT", "RUN_DONE", "MISSED_REVOLUTION", "MEDIA_RETRY")


class _Names:
    """Follows the events of a run."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        self._issues = sorted(issues)
        self._next = 0
        self._number_of_tag: dict[int, int] = {}
        self._tag_of_task: dict[int, int] = {}
        self._serving: int | None = None
        self._last: int | None = None

    def _of_task(self, task: int) -> int | None:
        return self._number_of_tag.get(self._tag_of_task.get(task, -1))

    def take(self, event: Event) -> int | None:
        """The number of the event's command; None before the first, and for commands of the host itself."""
        while self._next < len(self._issues) and self._issues[self._next].time_ps <= event.time_ps:
            self._number_of_tag[self._issues[self._next].tag] = self._issues[self._next].number
            self._next += 1
        low, high = event.argument & 0xFFFF, event.argument >> 16
        if event.name in MEDIA_EVENTS:
            return self._serving
        if event.name in TAG_EVENTS:
            # Commands that are not from the trace have tags of their own.
            self._last = self._number_of_tag.get(low)
        elif event.name == "TASK_QUEUED":
            self._tag_of_task[low] = high
            self._last = self._number_of_tag.get(high)
        elif event.name in TASK_EVENTS and low != NO_TASK:
            self._last = self._of_task(low)
            if event.name == "TASK_CHOSEN":
                self._serving = self._last
        return self._last


def commands_of(ledger: Ledger) -> list[int | None]:
    """The command of each event of a run, in order."""
    names = _Names(ledger.issues)
    return [names.take(entry.event) for entry in ledger.entries]
