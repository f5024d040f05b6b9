# SPDX-License-Identifier: Apache-2.0
"""Compares two event logs of the cycle-accurate drive: their first difference, and the core's different work before it."""

from event_commands import commands_of
from event_log import ASLEEP, NO_SYMBOL, Entry, Event, Ledger, Work
from run_records import Record
from source_lines import Place, SourceLines

from divergence import Divergence, EventPair, WorkPair, cycles_text, stage_pairs, time_text

CONTEXT = 4  # events on either side of the first that differs
CULPRITS = 4  # functions that the reason names at most
TOTALS = 8  # functions whose work in the whole run is shown at most


def first_difference(expected: list[Event], found: list[Event], tolerance_cycles: int = 0) -> int | None:
    """The number of the first event that differs in name, argument or time; None when there is none."""
    for number, (before, after) in enumerate(zip(expected, found, strict=False)):
        if before[1:] != after[1:] or abs(before.edge - after.edge) > tolerance_cycles:
            return number
    return None if len(expected) == len(found) else min(len(expected), len(found))


def work_pairs(expected: Entry | None, found: Entry | None) -> tuple[WorkPair, ...]:
    """The work of each function before an event, in the order of the found run."""
    before = {one.function: one for one in expected.work} if expected else {}
    after = {one.function: one for one in found.work} if found else {}
    return tuple(
        WorkPair(name, before.get(name, Work(name, 0, 0)), after.get(name, Work(name, 0, 0)))
        for name in dict.fromkeys([*after, *before])
    )


def total_work(expected: Ledger, found: Ledger) -> tuple[WorkPair, ...]:
    """The functions whose cycles or instructions differ in the whole run, largest differences first."""

    def summed(ledger: Ledger) -> dict[str, Work]:
        sums: dict[str, Work] = {}
        for one in (work for entry in ledger.entries for work in entry.work if work.function != ASLEEP):
            sofar = sums.get(one.function, Work(one.function, 0, 0))
            sums[one.function] = Work(one.function, sofar.cycles + one.cycles, sofar.instructions + one.instructions)
        return sums

    before, after = summed(expected), summed(found)
    pairs = [
        WorkPair(name, before.get(name, Work(name, 0, 0)), after.get(name, Work(name, 0, 0)))
        for name in sorted({*before, *after})
    ]
    differing = [pair for pair in pairs if pair.differs]
    return tuple(sorted(differing, key=lambda pair: -abs(pair.found.cycles - pair.expected.cycles))[:TOTALS])


def awake_cycles(entry: Entry) -> int:
    """The core's cycles before an event."""
    return sum(one.cycles for one in entry.work if one.function != ASLEEP)


def changed_work(pairs: tuple[WorkPair, ...]) -> list[WorkPair]:
    """Functions whose work differs, the most significant first.

    Another number of instructions means another program, or another path through it. Equal instructions with other cycles are
    a consequence. Of each kind the first that ran is nearest to the cause.
    """
    changed = [pair for pair in pairs if pair.differs and pair.function != ASLEEP]
    return sorted(changed, key=lambda pair: pair.expected.instructions == pair.found.instructions)


def _took(pair: WorkPair, place: Place) -> str:
    expected, found = pair.expected, pair.found
    name = "code without a symbol (start.S)" if pair.function == NO_SYMBOL else str(place)
    if not found.cycles:
        return f"{name} did not run, expected {cycles_text(expected.cycles)}"
    took = f"{name} took {cycles_text(found.cycles)} ({found.instructions} instructions)"
    if not expected.cycles:
        return f"{took}, expected not to run"
    return f"{took}, expected {expected.cycles:,} ({expected.instructions})"


def _asleep(pairs: tuple[WorkPair, ...]) -> str:
    """The reasons that remain when the firmware did the same work."""
    for pair in pairs:
        if pair.function == ASLEEP and pair.differs:
            more = pair.found.cycles - pair.expected.cycles
            return (
                f"the firmware did the same as before, but slept {cycles_text(pair.found.cycles)}, expected "
                f"{pair.expected.cycles:,}: what it waited for (mechanics, bus or host) came "
                f"{cycles_text(abs(more))} {'later' if more > 0 else 'earlier'}"
            )
    return "the firmware took the same cycles in the same functions: it worked with other data"


class EventComparison:
    """Two ledgers that differ from a known event on."""

    def __init__(self, expected: Ledger, found: Ledger, at: int, sources: SourceLines) -> None:
        self._expected, self._found, self._at, self._sources = expected.entries, found.entries, at, sources
        self._commands = commands_of(found), commands_of(expected)
        self._totals = total_work(expected, found)

    def _entry(self, entries: tuple[Entry, ...], number: int) -> Entry | None:
        return entries[number] if 0 <= number < len(entries) else None

    def _command(self) -> int | None:
        """The command of the event in the found run, or if that is over, in the expected one."""
        return next((numbers[self._at] for numbers in self._commands if self._at < len(numbers)), None)

    def _reasons(self, pairs: tuple[WorkPair, ...]) -> list[str]:
        return [_took(pair, self._sources.place_of_function(pair.function)) for pair in changed_work(pairs)[:CULPRITS]]

    def _earlier(self) -> int | None:
        """The first event at its time before which the core was awake for longer or shorter than expected."""
        for number, (before, after) in enumerate(zip(self._expected[: self._at], self._found, strict=False)):
            if awake_cycles(before) != awake_cycles(after):
                return number
        return None

    def _since(self) -> str:
        """The stretch in which the work counts, in words."""
        last, before = (self._entry(entries, self._at - 1) for entries in (self._found, self._expected))
        begin = "between power-on"
        if last and before:
            same = last.event.edge == before.event.edge  # else within the tolerance
            expected = "as expected" if same else f"expected {before.event.edge:,}"
            begin = f"between {last.event.name} (cycle {last.event.edge:,}, {expected})"
        entry = self._entry(self._found, self._at)
        return f"{begin} and {entry.event.name}" if entry else f"{begin} and the end of the log"

    def _is_new(self) -> bool:
        """The expected run has no event of this name, so the stretches before the two events are not the same."""
        found = self._entry(self._found, self._at)
        return found is not None and all(entry.event.name != found.event.name for entry in self._expected)

    def _why(self, pairs: tuple[WorkPair, ...], earlier: int | None) -> list[str]:
        if self._is_new():
            entry = self._found[self._at]
            return [f"a new event, {entry.event.name}, by {self._sources.place_of_function(entry.function)}"]
        reasons = self._reasons(pairs) or [_asleep(pairs)]
        why = [f"{self._since()}: {'; '.join(reasons)}"]
        if earlier is not None:
            entry = self._found[earlier]
            hidden = "; ".join(self._reasons(work_pairs(self._expected[earlier], entry)))
            why.append(
                f"the first sign of it is before {entry.event.name} (cycle {entry.event.edge:,}), which still came in "
                f"time, because the core slept meanwhile: {hidden}"
            )
        return why

    def _culprit(self, pairs: tuple[WorkPair, ...], earlier: int | None) -> Place | None:
        if self._is_new():
            return self._sources.place_of_function(self._found[self._at].function)
        changed = changed_work(pairs)
        if not changed and earlier is not None:
            changed = changed_work(work_pairs(self._expected[earlier], self._found[earlier]))
        named = next((pair for pair in changed if pair.function != NO_SYMBOL and pair.found.cycles), None)
        return self._sources.place_of_function(named.function) if named else None

    def _context(self) -> tuple[EventPair, ...]:
        def event(entries: tuple[Entry, ...], number: int) -> Event | None:
            entry = self._entry(entries, number)
            return entry.event if entry else None

        numbers = range(max(self._at - CONTEXT, 0), self._at + CONTEXT + 1)
        pairs = (EventPair(event(self._expected, number), event(self._found, number)) for number in numbers)
        return tuple(pair for pair in pairs if pair != (None, None))

    def tell(self, records: list[Record], expected_records: list[Record]) -> Divergence:
        """The divergence. `records` are those of the found run."""
        before, after = self._entry(self._expected, self._at), self._entry(self._found, self._at)
        pairs = work_pairs(before, after)
        earlier = self._earlier()
        number = self._command()
        was = next((record for record in expected_records if record.command == number), None)
        now = next((record for record in records if record.command == number), None)
        command = now or was
        named = command.named if command else "no command of the trace yet"
        told = after or before
        assert told is not None, "one of the two logs goes on"
        shown = told.event
        last = self._entry(self._found, self._at - 1)
        return Divergence(
            headline=_headline(before, after, named),
            command=named,
            time_ps=shown.time_ps,
            cycle=shown.edge,
            last_equal_ps=last.event.time_ps if last else 0,
            why=tuple(self._why(pairs, earlier)),
            expected=_event_text(before),
            found=_event_text(after),
            place=self._sources.place_of(after.pc) if after else None,
            pc=after.pc if after else 0,
            culprit=self._culprit(pairs, earlier),
            work=pairs,
            totals=self._totals,
            events=self._context(),
            stages=stage_pairs(was, now),
        )


def _event_text(entry: Entry | None) -> str:
    if entry is None:
        return "nothing more"
    event = entry.event
    return f"{event} at cycle {event.edge:,} ({time_text(event.time_ps)}), by {entry.function}()"


def _headline(before: Entry | None, after: Entry | None, named: str) -> str:
    was, now = before.event if before else None, after.event if after else None
    if was is None or now is None:
        ends = f"the events end where {was} was expected at cycle {was.edge:,}" if was else ""
        goes_on = f"{now} at cycle {now.edge:,}, expected no more events" if now else ""
        return f"{named}: {ends or goes_on}"
    if now[1:] != was[1:]:
        return f"{named}: {now} at cycle {now.edge:,}, expected {was} at cycle {was.edge:,}"
    return f"{named}: {now.name} at cycle {now.edge:,}, expected cycle {was.edge:,}"
