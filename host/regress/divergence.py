# SPDX-License-Identifier: Apache-2.0
"""The first place where a run differs from the expected one, for reports: event, command, time and reason."""

from dataclasses import dataclass
from typing import NamedTuple

from event_log import Event, Work
from run_records import Record
from source_lines import Place


class WorkPair(NamedTuple):
    """The work of a function before the event, expected and found."""

    function: str
    expected: Work
    found: Work

    @property
    def differs(self) -> bool:
        """Whether cycles or instructions differ."""
        return self.expected != self.found


class EventPair(NamedTuple):
    """One line of two event logs side by side; None after the end of a log."""

    expected: Event | None
    found: Event | None

    @property
    def differs(self) -> bool:
        """Whether time, name or argument differ."""
        return self.expected != self.found


class StagePair(NamedTuple):
    """A time of one command's record in two runs, ps; None if one run lacks the command. Its ending is a text."""

    stage: str
    expected: int | str | None
    found: int | str | None

    @property
    def differs(self) -> bool:
        """Whether the two differ at all."""
        return self.expected != self.found

    @property
    def texts(self) -> tuple[str, str]:
        """Both values as text."""
        return _value_text(self.expected), _value_text(self.found)

    @property
    def distance_ps(self) -> int:
        """The difference of two times."""
        times = [value if isinstance(value, int) else 0 for value in (self.expected, self.found)]
        return abs(times[0] - times[1])


def _value_text(value: int | str | None) -> str:
    if value is None:
        return "-"
    return time_text(value) if isinstance(value, int) else value or "none"


NOTHING = (None, 0, "", "00h")  # no time, no sense, status GOOD


@dataclass(frozen=True)
class Divergence:
    """The first divergence of a case. Members that do not apply are empty."""

    headline: str  # one line
    command: str  # the command that it concerns, as text
    time_ps: int  # time of the found event, or of the expected one if nothing was found
    why: tuple[str, ...]  # sentences, the most telling first
    expected: str
    found: str
    cycle: int | None = None  # clock cycle on rtl
    last_equal_ps: int = 0  # time of the last event, or completion, that was equal
    place: Place | None = None  # the place that reported the found event
    pc: int = 0
    culprit: Place | None = None  # the place whose work differs first
    work: tuple[WorkPair, ...] = ()  # work between the event before and this one, in the order of execution
    totals: tuple[WorkPair, ...] = ()  # in the whole run, the functions that differ most
    events: tuple[EventPair, ...] = ()
    stages: tuple[StagePair, ...] = ()

    @property
    def shown_stages(self) -> list[StagePair]:
        """The stages that are shown: not those that are empty in both runs."""
        return [pair for pair in self.stages if pair.differs or pair.expected not in NOTHING]


def stage_pairs(expected: Record | None, found: Record | None) -> tuple[StagePair, ...]:
    """A command's times in two runs: arrival and end, and all its stages; its status and sense data."""

    def times(record: Record | None) -> dict[str, int | str]:
        if record is None:
            return {}
        return {
            "submitted": record.submitted_ps,
            **dict(record.stages),
            "search exposed": record.search_exposed_ps,
            "completed": record.completed_ps,
            "status code": f"{record.status:02X}h",
            "sense": record.sense,
        }

    before, after = times(expected), times(found)
    return tuple(StagePair(name, before.get(name), after.get(name)) for name in dict.fromkeys([*before, *after]))


def cycles_text(count: int) -> str:
    """A number of cycles as text: '1 cycle', '1,234 cycles'."""
    return f"{count:,} cycle{'' if count == 1 else 's'}"


def time_text(time_ps: int) -> str:
    """A time as text, in a suitable unit, to the picosecond, as `headstack run` reads it."""
    for unit, size in (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3)):
        if abs(time_ps) >= size:
            whole, rest = divmod(abs(time_ps), size)
            digits = f"{rest:0{len(str(size)) - 1}d}".rstrip("0")
            return f"{'-' if time_ps < 0 else ''}{whole}{'.' if digits else ''}{digits}{unit}"
    return f"{time_ps}ps"
