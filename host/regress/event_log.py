# SPDX-License-Identifier: Apache-2.0
"""The firmware's events with their clock edges, and the ledger: the core's work between them.

host/observe/event_ledger.hpp has the format of the ledger, firmware/events.h the meaning of events and arguments.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from errors import RegressError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from clock import CLOCK_PS  # noqa: E402

ASLEEP = "(asleep)"
NO_SYMBOL = "(none)"


class Event(NamedTuple):
    """One event: the number of its clock edge, its name, its argument."""

    edge: int
    name: str
    argument: int

    def __str__(self) -> str:
        return f"{self.name} {self.argument:#x}"

    @property
    def time_ps(self) -> int:
        """The event's simulated time."""
        return self.edge * CLOCK_PS


class Work(NamedTuple):
    """A function's work between two events."""

    function: str
    cycles: int
    instructions: int


@dataclass(frozen=True)
class Entry:
    """An event, the place that reported it, and the work since the event before."""

    event: Event
    pc: int  # 0: not known any more
    function: str
    work: tuple[Work, ...]


class Issue(NamedTuple):
    """A request of the trace that is sent with a tag; sent again if the drive had no room for it."""

    time_ps: int
    number: int
    tag: int


@dataclass(frozen=True)
class Ledger:
    """The ledger of a whole run."""

    entries: tuple[Entry, ...]
    issues: tuple[Issue, ...]

    @property
    def events(self) -> list[Event]:
        """The events without the work."""
        return [entry.event for entry in self.entries]

    @property
    def functions(self) -> set[str]:
        """All functions that did some work."""
        return {work.function for entry in self.entries for work in entry.work} - {ASLEEP, NO_SYMBOL}


def _event(words: list[str]) -> Event:
    return Event(int(words[0]), words[1], int(words[2], 16))


def read_events(file: Path) -> list[Event]:
    """Reads events.txt of a run."""
    try:
        return [_event(line.split()) for line in file.read_text(encoding="ascii").splitlines()]
    except (OSError, ValueError, IndexError) as error:
        raise RegressError(f"{file}: cannot be read as an event log: {error}") from None


def _work(text: str, function: Callable[[str], str]) -> Work:
    name, cycles, instructions = text.rsplit(":", 2)
    return Work(function(name), int(cycles), int(instructions))


def parse_ledger(text: str, name: str, function: Callable[[str], str] = str) -> Ledger:
    """Parses ledger.txt of a run. `name` is for messages; `function` maps a function's name there to the one that it gets."""
    entries: list[Entry] = []
    issues: list[Issue] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        try:
            if words[0] == "issue":
                issues.append(Issue(int(words[1]), int(words[2]), int(words[3])))
            else:
                work = tuple(_work(one, function) for one in words[5:])
                entries.append(Entry(_event(words), int(words[3], 16), function(words[4]), work))
        except (ValueError, IndexError):
            raise RegressError(f"{name}, line {number}: not a line of a ledger: '{line[:60]}'") from None
    return Ledger(tuple(entries), tuple(issues))


def ledger_text(ledger: Ledger) -> str:
    """The ledger in the simulator's format. Requests stand in front: their time and number suffice to order them."""
    lines = [f"issue {one.time_ps} {one.number} {one.tag}" for one in ledger.issues]
    for entry in ledger.entries:
        work = " ".join(f"{one.function}:{one.cycles}:{one.instructions}" for one in entry.work)
        event = entry.event
        lines.append(f"{event.edge} {event.name} {event.argument:x} {entry.pc:x} {entry.function} {work}".rstrip())
    return "\n".join(lines) + "\n"
