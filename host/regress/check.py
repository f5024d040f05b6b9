# SPDX-License-Identifier: Apache-2.0
"""One case: its run, its expectations, the comparison with the blessed run, and a closer look.

Expectations come first: they use the run alone, without the stored one. The run is made without observers, which is fastest.
After a deviation it is made again with the ledger, and once more on rtl with waves around the divergence. Observers change
nothing, and rtl equals vp, so that is the same run.
"""

import shutil
import sys
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from case_file import Case
from case_runs import CaseRuns, shown
from compare_events import EventComparison, first_difference
from compare_records import first_record, tell_record
from errors import RegressError
from event_log import CLOCK_PS, Event, Ledger, parse_ledger, read_events
from expect.evaluate import Finding, evaluate
from golden import EVENTS_KEPT, Expected, changed_inputs, compared_events, hash_inputs, is_blessed, load_expected
from run_records import Record, mean_response_ms, mean_service_ms, read_records
from source_lines import SourceLines
from storyline import first_other_line, is_blessed_play, load_play

from divergence import Divergence, time_text

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "output")]

from execute.errors import ExecuteError  # noqa: E402
from execute.simulator import Ended, FileSetting, Word  # noqa: E402
from result_files import make_folder  # noqa: E402

# What a run leaves beside its records. None of them changes the run.
EVENTS, LEDGER, TIMELINE = "observe.events=true", "observe.ledger=true", "observe.timeline=true"
# Of the waves, in clock cycles: before the last event that was as expected, after the divergence, and at most.
LEAD_CYCLES = 200
AFTER_CYCLES = 2_000
WINDOW_CYCLES = 200_000
# What a case's folder may hold: runs, the trace that was made for them, what was found.
LEFT = ("run", "look", "waves", "debug", "case.trace", "report.txt")


class State(Enum):
    """What came out, as reports say it."""

    PASSED = "passed"
    WRONG = "wrong"  # an expectation does not hold, whatever was blessed
    CHANGED = "changed"
    FAILED = "failed"  # the run, or what it should be compared with
    NEW = "new"  # nothing is expected yet


@dataclass(frozen=True)
class Look:
    """How to look closer: files that were left, and lines that open them."""

    lines: tuple[tuple[str, str], ...] = ()  # what, command
    window: tuple[int, int] | None = None  # clock edges around the divergence, for waves


@dataclass(frozen=True)
class Verdict:
    """Of one case."""

    case: Case
    state: State
    message: str = ""  # with FAILED, NEW and WRONG
    divergence: Divergence | None = None  # with CHANGED, and with FAILED where events are compared
    look: Look = field(default_factory=Look)
    expected: tuple[Record, ...] = ()
    found: tuple[Record, ...] = ()
    findings: tuple[Finding, ...] = ()  # of its expectations, in their order

    @property
    def summary(self) -> str:
        """One line."""
        return self.message or (self.divergence.headline if self.divergence else "")

    @property
    def figures(self) -> str:
        """Commands and means, for tables; with what they were, where they are others."""
        found = figures_text(list(self.found))
        expected = figures_text(list(self.expected))
        return found if not self.expected or expected == found else f"{found}, expected {expected}"


def figures_text(records: list[Record]) -> str:
    """'40 commands, 8.123 ms each, response 31.456 ms'."""
    if not records:
        return "no commands"
    return (
        f"{len(records)} commands, {mean_service_ms(records):.4f} ms each, response {mean_response_ms(records):.4f} ms"
    )


class Checker:
    """Checks cases in folders of their own below `out`. Threads may share it."""

    def __init__(self, runs: CaseRuns, root: Path, out: Path, keep: bool = False) -> None:
        self._runs, self._root, self._out, self._keep = runs, root, out, keep
        self._sources = SourceLines(runs.elf, root)

    def folder(self, case: Case) -> Path:
        """Made anew, empty. Raises RegressError when something is in it that no regression left."""
        folder = self._out / case.name
        for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
            if entry.name not in LEFT:
                raise RegressError(f"{entry}: no regression has left it; move it, or give another folder with --out")
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        return folder

    def check(self, case: Case) -> Verdict:
        """Raises Stopped when the suite is ended."""
        if case.story:
            return self._check_play(case)
        if not is_blessed(case) and not case.expectations:
            return _new(case, self._root)
        findings: tuple[Finding, ...] = ()
        try:
            folder = self.folder(case)
            trace, outcome = self._run(case, folder)
            if outcome.status == 0:
                findings = evaluate(case, trace, outcome.folder)
            verdict = self._judge(case, folder, trace, outcome)
        except (RegressError, ExecuteError) as error:
            verdict = Verdict(case, State.FAILED, str(error))
        verdict = _with_findings(verdict, findings)
        if verdict.state is State.PASSED and not self._keep:
            shutil.rmtree(folder)
        return verdict

    def _check_play(self, case: Case) -> Verdict:
        """A finding fails, whatever was blessed."""
        try:
            played = self._runs.play(case)
            if played.finding:
                return Verdict(case, State.FAILED, f"the adversary found: {played.finding}")
            if not is_blessed_play(case):
                words = _blessing(case, self._root)
                return Verdict(case, State.NEW, f"no finding any more; what it tells is not expected yet: {words}")
            other = first_other_line(load_play(case), played.lines)
            return Verdict(case, State.CHANGED if other else State.PASSED, divergence=other)
        except (RegressError, ExecuteError) as error:
            return Verdict(case, State.FAILED, str(error))

    def _judge(self, case: Case, folder: Path, trace: Path, outcome: Ended) -> Verdict:
        """By what is stored, where something is."""
        if is_blessed(case) and not case.is_judged_alone:
            return self._compare(case, folder, trace, outcome, load_expected(case))
        if outcome.status != 0:
            raise RegressError(f"the run ended with status {outcome.status}: {outcome.message or 'no message'}")
        if not case.is_judged_alone:
            return _new(case, self._root)
        return Verdict(case, State.PASSED, found=tuple(read_records(folder / "run/records.csv")))

    def _run(self, case: Case, folder: Path) -> tuple[Path, Ended]:
        """Its trace and its run, without anybody looking."""
        trace = self._runs.make_trace(case, folder)
        words = [EVENTS] if "events" in case.compare or case.expectations else []
        return trace, self._runs.run(case, folder / "run", words)

    def _compare(self, case: Case, folder: Path, trace: Path, outcome: Ended, expected: Expected) -> Verdict:
        if outcome.status != 0:
            return self._tell_failure(case, trace, folder, expected, outcome)
        found = read_records(folder / "run/records.csv")
        verdict = Verdict(case, State.PASSED, expected=tuple(expected.records), found=tuple(found))
        if "events" in case.compare:
            events = compared_events(read_events(folder / "run/events.txt"), found)
            changed = self._changed_event(case, expected, events)
            if changed is not None:
                return self._tell_event(verdict, trace, folder, expected, events, changed)
        times = "records" in case.compare
        place = first_record(expected.records, found, case.tolerance_cycles, times)
        if place is not None and (times or "order" in case.compare):
            divergence = self._explain_inputs(case, trace, outcome, tell_record(expected.records, found, place))
            return self._look_at_times(verdict, folder, divergence)
        return verdict

    def _tell_failure(self, case: Case, trace: Path, folder: Path, expected: Expected, outcome: Ended) -> Verdict:
        """What a drive that fails did first that it did not do before is nearer to the cause than its end."""
        message = f"the run ended with status {outcome.status}: {outcome.message or 'no message'}"
        failed = Verdict(case, State.FAILED, message)
        if "events" not in case.compare or not (folder / "run/events.txt").exists():
            return failed
        try:
            found = read_records(folder / "run/records.csv")
            events = read_events(folder / "run/events.txt")[:EVENTS_KEPT]
            changed = self._changed_event(case, expected, events)
        except RegressError:  # what it left is not whole
            return failed
        if changed is None:
            return failed
        verdict = replace(failed, expected=tuple(expected.records), found=tuple(found))
        return self._tell_event(verdict, trace, folder, expected, events, changed)

    def _changed_event(self, case: Case, expected: Expected, events: list[Event]) -> int | None:
        assert expected.ledger is not None
        return first_difference(expected.ledger.events, events, case.tolerance_cycles)

    def _explain_inputs(self, case: Case, trace: Path, outcome: Ended, divergence: Divergence) -> Divergence:
        """Another load needs no other reason, and the same firmware is none."""
        if not case.blessings:
            return divergence
        changed = changed_inputs(case.blessings[-1].inputs, self.hash_inputs(case, trace, outcome.folder))
        loads = {"trace": "its trace", "drive": "its drive's description"}
        edited = " and ".join(text for name, text in loads.items() if name in changed)
        why = [f"{edited} changed since it was blessed"] if edited else []
        if "firmware" in changed:
            return replace(divergence, why=(*why, *divergence.why))
        if case.platform != "native" and not edited:
            why = ["its firmware, trace and drive are those that it was blessed with: the simulator changed"]
        return replace(divergence, why=(*why, *divergence.why), culprit=None)

    def hash_inputs(self, case: Case, trace: Path, run: Path) -> str:
        """Of what a run was given."""
        return hash_inputs(trace, run / "drive.toml", self._runs.elf if case.platform != "native" else None)

    def _tell_event(
        self, verdict: Verdict, trace: Path, folder: Path, expected: Expected, events: list[Event], changed: int
    ) -> Verdict:
        case = verdict.case
        assert expected.ledger is not None
        outcome = self._look(case, folder, [LEDGER])
        ledger = self.read_ledger(outcome.folder)
        ledger = replace(ledger, entries=ledger.entries[: len(events)])
        if ledger.events[: changed + 1] != events[: changed + 1]:
            raise RegressError(f"{folder}: the same run has other events when it is observed; report this as a bug")
        comparison = EventComparison(expected.ledger, ledger, changed, self._sources)
        divergence = comparison.tell(list(verdict.found), expected.records)
        divergence = self._explain_inputs(case, trace, outcome, divergence)
        return self._with(verdict, divergence, Look(window=_window(expected.ledger.events, events, changed)))

    def _look_at_times(self, verdict: Verdict, folder: Path, divergence: Divergence) -> Verdict:
        """Records differ, and no event does, or there are none."""
        timeline = folder / "look/timeline.perfetto"
        self._look(verdict.case, folder, [TIMELINE])
        lines = (("timeline", f"{shown([str(timeline)], self._root)} for https://ui.perfetto.dev"),)
        edge = divergence.time_ps // CLOCK_PS
        return self._with(
            verdict, divergence, Look(lines, (max(edge - WINDOW_CYCLES, 0), edge + AFTER_CYCLES))
        )

    def show(self, verdict: Verdict) -> Verdict:
        """Runs the case on rtl, with waves around its divergence, and says how to look at them. Raises Stopped."""
        case, divergence, window = verdict.case, verdict.divergence, verdict.look.window
        if divergence is None or window is None or case.platform == "native":
            return verdict
        folder = self._out / case.name
        electronics = replace(case, platform="rtl")
        wave = folder / "waves/divergence.fst"
        outcome = self._runs.run(electronics, folder / "waves", [EVENTS, *_wave_words(wave, *window)])
        lines = verdict.look.lines + self._wave_lines(electronics, wave, divergence)
        shown_verdict = replace(verdict, look=replace(verdict.look, lines=lines))
        files = [folder / run / "events.txt" for run in ("run", "waves")]
        logs = [read_events(file) for file in files if file.exists()]
        last = min((len(log) for log in logs), default=0)
        if outcome.status == 0 and len(logs) == 2 and logs[0][:last] != logs[1][:last]:
            why = "vp and rtl part in this load, which they never should: report it as a bug of the simulator"
            return replace(shown_verdict, divergence=replace(divergence, why=(*divergence.why, why)))
        return shown_verdict

    def read_ledger(self, run: Path) -> Ledger:
        """Of a run of this firmware."""
        file = run / "ledger.txt"
        return parse_ledger(file.read_text(encoding="ascii"), str(file), self._sources.name_of)

    def _look(self, case: Case, folder: Path, words: list[Word]) -> Ended:
        outcome = self._runs.run(case, folder / "look", words)
        if outcome.status != 0 and not (outcome.folder / "summary.json").exists():
            raise RegressError(f"{folder}/look: the second run, to look closer, failed: {outcome.message}")
        return outcome

    def _wave_lines(self, case: Case, wave: Path, divergence: Divergence) -> tuple[tuple[str, str], ...]:
        if not wave.exists():
            return ()
        begin = time_text(divergence.last_equal_ps)
        words = shown(self._runs.command_words(case), self._root)
        out = shown([str(wave.parent.parent / "debug")], self._root)
        return (
            ("waves", f"./headstack wave view {shown([str(wave)], self._root)} --view firmware"),
            ("debugger", f"./headstack debug {words} --out {out} --force --run-until 'time {begin}' --launch"),
        )

    def _with(self, verdict: Verdict, divergence: Divergence, look: Look) -> Verdict:
        state = State.FAILED if verdict.state is State.FAILED else State.CHANGED
        return replace(verdict, state=state, divergence=divergence, look=look)


def _blessing(case: Case, root: Path) -> str:
    """The command that stores its run. A case of the shipped suite is named, any other one is a folder.

    On rtl a case has a name of its own, which is not that of its folder.
    """
    folder = case.folder.resolve()
    word = folder.name if folder.parent == (root / "tests/golden").resolve() else str(folder)
    return f"./headstack regress --bless {shown([word], root)} --reason '...'"


def _new(case: Case, root: Path) -> Verdict:
    return Verdict(case, State.NEW, f"nothing is compared with yet: {_blessing(case, root)}")


def _with_findings(verdict: Verdict, findings: tuple[Finding, ...]) -> Verdict:
    """An expectation that does not hold is worse than any change."""
    wrong = [finding for finding in findings if not finding.holds]
    if not wrong or verdict.state is State.FAILED:
        return replace(verdict, findings=findings)
    return replace(verdict, state=State.WRONG, message=wrong[0].headline, findings=findings)


def _window(expected: list[Event], found: list[Event], changed: int) -> tuple[int, int]:
    """Clock edges from the last event as expected until both sides of the divergence are over."""
    edges = [events[changed].edge for events in (expected, found) if changed < len(events)]
    last = expected[changed - 1].edge if changed else 0
    begin = max(last, min(edges) - WINDOW_CYCLES, LEAD_CYCLES) - LEAD_CYCLES
    return begin, min(max(edges) + AFTER_CYCLES, begin + 2 * WINDOW_CYCLES)


def _wave_words(wave: Path, begin: int, end: int) -> list[Word]:
    window = f"time:{begin * CLOCK_PS}ps..{end * CLOCK_PS}ps"
    return [FileSetting("wave", wave), f"observe.waves.windows={window}"]
