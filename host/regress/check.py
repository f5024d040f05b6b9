# SPDX-License-Identifier: Apache-2.0
"""One case: its run, its expectations, the comparison with accepted runs, and a closer look.

Expectations come first: they use the run alone. The run is made without observers, which is fastest.
After a deviation it is made again with the ledger, and once more on rtl with waves around the divergence. Observers change
nothing, and rtl equals vp, so that is the same run.
"""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from accepted import Accepted, AcceptedRun, BaseFailed, ProgramRuns, SimulatorRuns, VpRuns, has_base
from case_file import NATIVE, RTL, SIMULATOR, Case
from case_runs import EVENTS, LEDGER, TIMELINE, CaseRuns, shown
from compare_events import EventComparison, changed_work, first_difference
from compare_records import first_record, tell_record
from errors import RegressError
from event_log import CLOCK_PS, Event, Ledger, parse_ledger, read_events
from expect.evaluate import Finding, evaluate
from function_hashes import Changed
from run_records import read_records
from source_lines import SourceLines, source_name
from verdict import Look, State, Verdict

from divergence import Divergence, time_text

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "output")]

from execute.errors import ExecuteError  # noqa: E402
from execute.simulator import Ended, FileSetting, Word  # noqa: E402
from result_files import make_folder  # noqa: E402

# Clock cycles of the waves: before the last equal event, after the divergence, and at most.
LEAD_CYCLES = 200
AFTER_CYCLES = 2_000
WINDOW_CYCLES = 200_000
OTHER_CODE_SHOWN = 6  # functions in a report
# What a case's folder may hold: runs, the trace that was made for them, and findings.
LEFT = ("run", "look", "waves", "debug", "case.trace", "report.txt")
LEFT += tuple(f"{runs.NAME}{end}" for runs in (ProgramRuns, VpRuns, SimulatorRuns) for end in ("", "-look"))


@dataclass(frozen=True)
class CheckOptions:
    """How cases are judged."""

    keep: bool = False  # also keep the runs of cases that pass
    no_base: str = ""  # why a case has no base run; "": no base was asked for


@dataclass(frozen=True)
class _Comparison:
    """A run and the accepted run with which it is compared."""

    case: Case
    folder: Path
    outcome: Ended
    accepted: Accepted
    accepted_run: AcceptedRun

    def is_same(self) -> bool:
        """Whether the files of both runs are equal. If not, the runs may still be equal."""
        base = self.accepted_run.folder
        names = ("records.csv", *(["events.txt"] if "events" in self.case.compare else []))
        return base is not None and all((base / n).read_bytes() == (self.folder / "run" / n).read_bytes() for n in names)


class Checker:
    """Checks cases in folders of their own below `out`. Threads may share it."""

    def __init__(self, runs: CaseRuns, accepted: Sequence[Accepted], root: Path, out: Path, options: CheckOptions) -> None:
        """Prepares the checks. `accepted`: runs to compare with, the most important ones first."""
        self._runs, self._accepted, self._root, self._out, self._options = runs, accepted, root, out, options
        self._sources = SourceLines(runs.elf, root)

    def _sources_of(self, case: Case) -> SourceLines:
        """The source lines of the program that runs the case."""
        return SourceLines(case.program, self._root) if case.program else self._sources

    def folder(self, case: Case) -> Path:
        """The case's folder, emptied. Raises RegressError when it has files that no regression left."""
        folder = self._out / case.name
        for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
            if entry.name not in LEFT:
                raise RegressError(f"{entry}: no regression has left it; move it, or give another folder with --out")
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        return folder

    def check(self, case: Case) -> Verdict:
        """The verdict of a case. Raises Stopped when the suite is ended."""
        if case.story:
            return self._check_play(case)
        findings: tuple[Finding, ...] = ()
        try:
            folder = self.folder(case)
            trace, outcome = self._run(case, folder)
            if outcome.status == 0:
                findings = evaluate(case, trace, outcome.folder)
            verdict = self._judge(case, folder, outcome)
        except (RegressError, ExecuteError) as error:
            verdict = Verdict(case, State.FAILED, str(error))
        verdict = _with_findings(verdict, findings)
        if verdict.state is State.PASSED and not self._options.keep:
            shutil.rmtree(folder)
        return verdict

    def _check_play(self, case: Case) -> Verdict:
        """Plays a storyline. A finding is a failure."""
        try:
            finding = self._runs.play(case)
        except (RegressError, ExecuteError) as error:
            return Verdict(case, State.FAILED, str(error))
        return Verdict(case, State.FAILED, f"the adversary found: {finding}") if finding else Verdict(case, State.PASSED)

    def _judge(self, case: Case, folder: Path, outcome: Ended) -> Verdict:
        """Compares the run with the accepted runs, if there are any. The first that differs decides."""
        verdict: Verdict | None = None
        missing = ""
        for accepted in self._accepted:
            try:
                run = accepted.run_of(case, folder)
            except BaseFailed as failed:
                missing, run = str(failed), None
            if run is None:
                continue
            verdict = self._compare(_Comparison(case, folder, outcome, accepted, run))
            if verdict.state is not State.PASSED:
                return replace(verdict, message=verdict.message or accepted.remedy)
        if verdict is not None and not missing:
            return verdict
        if case.variant == SIMULATOR:
            return Verdict(case, State.NEW, missing, accepted="the simulators cannot be compared")
        if outcome.status != 0:
            raise RegressError(f"the run ended with status {outcome.status}: {outcome.message or 'no message'}")
        found = tuple(read_records(folder / "run/records.csv"))
        missing = missing or (self._options.no_base if has_base(case) else "")
        if not case.expectations:
            message = f"{missing or 'nothing is compared'}, and it has no expectations; add a table [[expect]]"
            return Verdict(case, State.NEW, message, found=found)
        if not missing:
            return Verdict(case, State.PASSED, found=found)
        return Verdict(case, State.NEW, f"{missing}; judged by its expectations alone", found=found, accepted="its expectations hold")

    def _run(self, case: Case, folder: Path) -> tuple[Path, Ended]:
        """Makes the case's trace and its run, without observers."""
        trace = self._runs.make_trace(case, folder)
        words = [EVENTS] if "events" in case.compare or case.expectations else []
        return trace, self._runs.run(case, folder / "run", words)

    def _compare(self, pair: "_Comparison") -> Verdict:
        case, run = pair.case, pair.accepted_run
        if pair.outcome.status != 0:
            return self._tell_failure(pair)
        found = read_records(pair.folder / "run/records.csv")
        verdict = Verdict(case, State.PASSED, expected=tuple(run.records), found=tuple(found))
        if pair.is_same():
            return verdict
        if "events" in case.compare:
            events = run.until_last_completion(read_events(pair.folder / "run/events.txt"), found)
            changed = first_difference(run.events, events, case.tolerance_cycles)
            if changed is not None:
                return self._tell_event(verdict, pair, events, changed)
        times = "records" in case.compare
        place = first_record(run.records, found, case.tolerance_cycles, times)
        if place is not None and (times or "order" in case.compare):
            divergence = pair.accepted.explain(tell_record(run.records, found, place))
            return self._look_at_times(verdict, pair, divergence)
        return verdict

    def _tell_failure(self, pair: "_Comparison") -> Verdict:
        """The verdict of a failed drive with its first deviation, which is nearer to the cause than its end."""
        outcome, run, folder = pair.outcome, pair.accepted_run, pair.folder
        message = f"the run ended with status {outcome.status}: {outcome.message or 'no message'}"
        failed = Verdict(pair.case, State.FAILED, message)
        if "events" not in pair.case.compare or not (folder / "run/events.txt").exists():
            return failed
        try:
            found = read_records(folder / "run/records.csv")
            events = read_events(folder / "run/events.txt")[: len(run.events)]
            changed = first_difference(run.events, events, pair.case.tolerance_cycles)
        except RegressError:  # its records are incomplete
            return failed
        if changed is None:
            return failed
        verdict = replace(failed, expected=tuple(run.records), found=tuple(found))
        return self._tell_event(verdict, pair, events, changed)

    def _tell_event(self, verdict: Verdict, pair: "_Comparison", events: list[Event], changed: int) -> Verdict:
        case, folder = pair.case, pair.folder
        outcome = self._look(case, folder, [LEDGER])
        whole = self._read_ledger(case, outcome.folder)
        ledger = replace(whole, entries=whole.entries[: len(events)])
        if ledger.events[: changed + 1] != events[: changed + 1]:
            raise RegressError(f"{folder}: the same run has other events when it is observed; report this as a bug")
        whole_accepted = pair.accepted_run.ledger()
        accepted = replace(whole_accepted, entries=whole_accepted.entries[: len(pair.accepted_run.events)])
        comparison = EventComparison(accepted, ledger, changed, self._sources_of(case))
        divergence = comparison.tell(list(verdict.found), list(pair.accepted_run.records))
        divergence = pair.accepted.explain(divergence)
        look = Look(window=_window(accepted.events, events, changed))
        other = pair.accepted.other_code(whole.functions | whole_accepted.functions)
        if other is None:
            return self._with(verdict, divergence, look)
        if verdict.state is not State.FAILED and not other.names and not other.data:
            why = "each function that ran in either run has the same code: places in memory alone moved the times"
            moved = replace(divergence, why=(why, *divergence.why), culprit=None)
            return replace(verdict, state=State.MOVED, divergence=moved, look=look)
        return self._with(verdict, self._blamed(divergence, other), look)

    def _blamed(self, divergence: Divergence, other: Changed) -> Divergence:
        """Completes the divergence with functions that have other code. One is blamed if its work differs before the
        divergence.
        """
        names = other.functions
        shown_names = ", ".join(f"{name}()" for name in names[:OTHER_CODE_SHOWN])
        more = f" and {len(names) - OTHER_CODE_SHOWN} more" if names[OTHER_CODE_SHOWN:] else ""
        what = [f"{shown_names}{more}"] if names else []
        why = f"of all that ran, other code is in: {'; '.join([*what, *(['constants or variables'] if other.data else [])])}"
        divergence = replace(divergence, why=(*divergence.why, why))
        if divergence.culprit is not None and divergence.culprit.function in names:
            return divergence
        worked = (pair.function for pair in changed_work(divergence.work) if source_name(pair.function) in names)
        function = next(worked, None)
        return replace(divergence, culprit=self._sources.place_of_function(function)) if function else divergence

    def _look_at_times(self, verdict: Verdict, pair: "_Comparison", divergence: Divergence) -> Verdict:
        """Looks closer where records differ and no event does, or there are none."""
        timeline = pair.folder / "look/timeline.perfetto"
        self._look(verdict.case, pair.folder, [TIMELINE])
        lines = (("timeline", f"{shown([str(timeline)], self._root)} for https://ui.perfetto.dev"),)
        edge = divergence.time_ps // CLOCK_PS
        return self._with(
            verdict, divergence, Look(lines, (max(edge - WINDOW_CYCLES, 0), edge + AFTER_CYCLES))
        )

    def show(self, verdict: Verdict) -> Verdict:
        """Runs the case on rtl, with waves around its divergence, and says how to look at them. Raises Stopped."""
        case, divergence, window = verdict.case, verdict.divergence, verdict.look.window
        if divergence is None or window is None or case.platform == NATIVE:
            return verdict
        folder = self._out / case.name
        electronics = replace(case, platform=RTL)
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

    def _read_ledger(self, case: Case, run: Path) -> Ledger:
        file = run / "ledger.txt"
        return parse_ledger(file.read_text(encoding="ascii"), str(file), self._sources_of(case).name_of)

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


def _with_findings(verdict: Verdict, findings: tuple[Finding, ...]) -> Verdict:
    """The verdict with the findings. An expectation that does not hold is worse than any change."""
    wrong = [finding for finding in findings if not finding.holds]
    if not wrong or verdict.state is State.FAILED:
        return replace(verdict, findings=findings)
    return replace(verdict, state=State.WRONG, message=wrong[0].headline, findings=findings, accepted="")


def _window(expected: list[Event], found: list[Event], changed: int) -> tuple[int, int]:
    """Clock edges from the last equal event until both sides of the divergence are over."""
    edges = [events[changed].edge for events in (expected, found) if changed < len(events)]
    last = expected[changed - 1].edge if changed else 0
    begin = max(last, min(edges) - WINDOW_CYCLES, LEAD_CYCLES) - LEAD_CYCLES
    return begin, min(max(edges) + AFTER_CYCLES, begin + 2 * WINDOW_CYCLES)


def _wave_words(wave: Path, begin: int, end: int) -> list[Word]:
    window = f"time:{begin * CLOCK_PS}ps..{end * CLOCK_PS}ps"
    return [FileSetting("wave", wave), f"observe.waves.windows={window}"]
