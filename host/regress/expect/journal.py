# SPDX-License-Identifier: Apache-2.0
"""A run's records and event log, joined command by command, for comparison with expectations.

The records have no tag, so the time of queueing identifies a task: the record's stage `command` ends there, with event
TASK_QUEUED. The bus carries one command at a time. With ideal electronics commands take no time, and are queued in the order of
submission.
"""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from errors import RegressError
from event_log import Event
from run_records import Record

MASK = 0xFFFF
BEFORE_QUEUE = ("issued", "selection", "command")
STAGES = (*BEFORE_QUEUE, "seek", "settle", "head_switch", "rotation", "media_transfer", "bus_wait", "bus_data", "status")


@dataclass
class Move:
    """A movement of the arm, or a switch to another head."""

    begin_ps: int
    cylinder: int
    head: int
    end_ps: int | None = None


@dataclass
class Run:
    """The formatter's work on one track."""

    begin_ps: int
    sectors: int
    end_ps: int | None = None
    done: int = 0
    chained: bool = False  # the formatter went on to it by itself; begin_ps is when the firmware got the event


@dataclass
class Service:
    """The firmware's events of one command, in ps of its clock; None: no such event."""

    record: Record
    stages: dict[str, int]
    queued_ps: int
    queued_at: int  # place in the event log, which is the order if electronics take no time
    arrival: int  # counted from 0, in the order of queueing
    chosen_ps: int | None = None
    chosen_at: int | None = None
    looked_at: int | None = None  # place in the event log at which the search began; later arrivals are not in it
    behind_unknown: bool = False  # the one chosen before it was of the warm-up, and has no record
    moves: list[Move] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    retries: int = 0
    waited: bool = False  # it waited on its track, for room, data or a segment
    hit_ps: int | None = None  # when the cache had its blocks
    media_done_ps: int | None = None
    reported_ps: int | None = None  # when its status was sent ahead of the media
    granted_blocks: int = 0  # blocks that the host side was allowed to move
    data_begins_ps: list[int] = field(default_factory=list)
    data_ends_ps: list[int] = field(default_factory=list)
    status_ps: list[int] = field(default_factory=list)
    ended_ps: int | None = None

    @property
    def is_write(self) -> bool:
        """Whether its blocks go to the media."""
        return self.record.operation == "write"

    @property
    def on_media(self) -> bool:
        """Whether the media worked for it."""
        return bool(self.runs)


# Events of a task, and where their times are kept: in a field, or at the end of a list.
TIMES = {
    "TASK_CHOSEN": "chosen_ps", "CACHE_HIT": "hit_ps", "MEDIA_DONE": "media_done_ps", "WRITE_REPORTED": "reported_ps",
    "TASK_ENDED": "ended_ps",
}  # fmt: skip
LISTS = {"DATA_PHASE_BEGIN": "data_begins_ps", "DATA_PHASE_END": "data_ends_ps", "STATUS_SENT": "status_ps"}


def _note_task(service: Service, event: Event) -> None:
    """Notes an event whose argument names the task."""
    if event.name in TIMES:
        setattr(service, TIMES[event.name], event.time_ps)
    elif event.name in LISTS:
        getattr(service, LISTS[event.name]).append(event.time_ps)
    elif event.name == "HOST_GRANT":
        service.granted_blocks += event.argument >> 16
    elif event.name == "MEDIA_WAIT":
        service.waited = True


def _note_media(service: Service, event: Event) -> None:
    """Notes an event of the media, which work for the task chosen last."""
    if event.name == "SEEK_START":
        service.moves.append(Move(event.time_ps, event.argument >> 8, event.argument & 0xFF))
    elif event.name == "ON_TRACK" and service.moves:
        service.moves[-1].end_ps = event.time_ps
    elif event.name == "RUN_START":
        service.runs.append(Run(event.time_ps, event.argument & MASK))
    elif event.name == "RUN_NEXT" and service.runs:
        service.runs[-1].end_ps, service.runs[-1].done = event.time_ps, service.runs[-1].sectors
        service.runs.append(Run(event.time_ps, event.argument & MASK, chained=True))
    elif event.name == "RUN_DONE" and service.runs:
        service.runs[-1].end_ps, service.runs[-1].done = event.time_ps, event.argument
    elif event.name == "MEDIA_RETRY":
        service.retries += 1
        if service.moves and service.moves[-1].end_ps is None:
            service.moves[-1].end_ps = event.time_ps  # it failed, and another move follows


TASK_EVENTS = (*TIMES, *LISTS, "HOST_GRANT", "MEDIA_WAIT")
MEDIA_EVENTS = ("SEEK_START", "ON_TRACK", "RUN_START", "RUN_NEXT", "RUN_DONE", "MEDIA_RETRY")


class _Reader:
    """Follows the events."""

    def __init__(self, records: list[Record]) -> None:
        self.services: list[Service] = []
        self.in_order: list[Service] = []
        self._waiting: dict[int, deque[tuple[Record, dict[str, int]]]] = defaultdict(deque)
        for record in sorted(records, key=lambda one: (one.submitted_ps, one.command)):
            stages = dict(record.stages)
            self._waiting[record.submitted_ps + sum(stages[name] for name in BEFORE_QUEUE)].append((record, stages))
        self._of_task: dict[int, Service | None] = {}
        self._serving: Service | None = None
        self._chose_unknown = False
        self._search_at: int | None = None  # of a choice for which the heads wait

    def take(self, place: int, event: Event) -> None:
        """Takes the event at a `place` of the event log."""
        task = event.argument & MASK
        if event.name == "TASK_QUEUED":
            self._queue(place, task, event)
        elif event.name in ("PLAN_BEGIN", "PLAN_END"):
            self._search_at = place if event.name == "PLAN_BEGIN" else None
        elif event.name in MEDIA_EVENTS and self._serving is not None:
            _note_media(self._serving, event)
        elif event.name in TASK_EVENTS:
            service = self._of_task.get(task)
            if service is not None:
                _note_task(service, event)
            if event.name == "TASK_CHOSEN":
                self._choose(place, service)
            elif event.name == "TASK_ENDED":
                self._of_task.pop(task, None)

    def _queue(self, place: int, task: int, event: Event) -> None:
        self._of_task[task] = None  # a task without a record is of the warm-up
        if found := self._waiting.get(event.time_ps):
            record, stages = found.popleft()
            service = Service(record, stages, event.time_ps, place, len(self.services))
            self.services.append(service)
            self._of_task[task] = service

    def _choose(self, place: int, service: Service | None) -> None:
        self._serving = service
        if service is not None:
            service.chosen_at, service.behind_unknown = place, self._chose_unknown
            service.looked_at = place if self._search_at is None else self._search_at
            self.in_order.append(service)
        self._chose_unknown = service is None
        self._search_at = None


@dataclass(frozen=True)
class Journal:
    """The records and events of a run; `folder` is for messages."""

    folder: Path
    records: list[Record]  # in the order of completion; not empty
    events: list[Event]
    summary: dict[str, Any]

    def __post_init__(self) -> None:
        if not self.records:
            raise RegressError(f"{self.folder}: no command completed, so nothing can be asked of the run")

    @cached_property
    def _read(self) -> _Reader:
        names = [name for name, _ in self.records[0].stages]
        for name in STAGES:
            if name not in names:
                raise RegressError(f"{self.folder}/records.csv: there is no stage '{name}'; it has {', '.join(names)}")
        reader = _Reader(self.records)
        for place, event in enumerate(self.events):
            reader.take(place, event)
        missing = len(self.records) - len(reader.services)
        if missing:
            raise RegressError(
                f"{self.folder}: {missing} of {len(self.records)} commands have no event TASK_QUEUED where their stage "
                "'command' ends: records and events are of two runs"
            )
        return reader

    @property
    def services(self) -> list[Service]:
        """The services of all commands, in the order in which the drive queued them."""
        return self._read.services

    @property
    def in_order(self) -> list[Service]:
        """The services that the drive chose, in that order."""
        return self._read.in_order
