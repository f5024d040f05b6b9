# SPDX-License-Identifier: Apache-2.0
"""Accepted runs, with which a case's run is compared: those of another program, on vp, or stored for a canary (canaries.py).

An AcceptedRun has records and events, and its ledger when a divergence needs one.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from case_file import NATIVE, RTL, SIMULATOR, VP, Case
from case_runs import EVENTS, LEDGER, CaseRuns
from errors import RegressError
from event_log import Event, Ledger, parse_ledger, read_events
from function_hashes import Changed
from run_records import Record, read_records
from source_lines import SourceLines

from divergence import Divergence


@dataclass(frozen=True)
class AcceptedRun:
    """One accepted run."""

    records: Sequence[Record]
    events: list[Event]  # none on native
    ledger: Callable[[], Ledger]  # raises RegressError
    folder: Path | None = None  # the folder of its files, if they are there
    events_kept: int | None = None  # how many events are compared; None: all

    def until_last_completion(self, events: list[Event], records: Sequence[Record]) -> list[Event]:
        """The events that are compared. After the last completion the platforms stop at different times."""
        end = max((record.completed_ps for record in records), default=0)
        return [event for event in events if event.time_ps < end][: self.events_kept]


class Accepted(Protocol):
    """Accepted runs of cases. Threads may share it."""

    remedy: str  # advice for a case that differs; "": a line in a commit's message

    def run_of(self, case: Case, folder: Path) -> AcceptedRun | None:
        """The run; None if there is none. `folder` is the case's own. Raises RegressError, ExecuteError and Stopped."""

    def explain(self, divergence: Divergence) -> Divergence:
        """The divergence, completed with what is known of its cause."""

    def other_code(self, ran: set[str]) -> Changed | None:
        """The functions among `ran` whose code differs; None if that is not known."""


class _MadeRuns:
    """Runs that are made for the comparison, in folders below a case's own."""

    def __init__(self, runs: CaseRuns, root: Path, name: str) -> None:
        """Prepares the runs. `name` is the folders' name, also in messages."""
        self._runs, self._name, self._root = runs, name, root

    def make(self, case: Case, folder: Path) -> AcceptedRun:
        """Makes the run. Raises BaseFailed."""
        out = folder / self._name
        shutil.rmtree(out, ignore_errors=True)
        ended = self._runs.run(case, out, [EVENTS] if case.platform != NATIVE else [])
        if ended.status != 0:
            raise BaseFailed(f"the {self._name}'s run ended with status {ended.status}: {ended.message or 'no message'}")
        records = read_records(ended.folder / "records.csv")
        run = AcceptedRun(records, [], lambda: self._ledger(case, folder), ended.folder)
        if case.platform == NATIVE:
            return run
        return replace(run, events=run.until_last_completion(read_events(ended.folder / "events.txt"), records))

    def _ledger(self, case: Case, folder: Path) -> Ledger:
        out = folder / f"{self._name}-look"
        shutil.rmtree(out, ignore_errors=True)
        ended = self._runs.run(case, out, [LEDGER])
        file = ended.folder / "ledger.txt"
        if not file.is_file():
            raise RegressError(f"{out}: the second run failed: {ended.message}")
        sources = SourceLines(self._runs.elf_of(case), self._root)
        return parse_ledger(file.read_text(encoding="ascii"), str(file), sources.name_of)


class ProgramRuns:
    """Runs of the same scenarios on another program."""

    remedy = ""
    NAME = "base"

    def __init__(self, runs: CaseRuns, root: Path, is_new: Callable[[Case], bool], changed: Callable[[], Changed | None]) -> None:
        """Prepares the runs. `is_new`: whether the base lacks a case; `changed`: functions with other code, None if not known.
        """
        self._made, self._is_new, self._changed = _MadeRuns(runs, root, self.NAME), is_new, changed

    def run_of(self, case: Case, folder: Path) -> AcceptedRun | None:
        """The run, as in Accepted. The firmware of native is a part of the simulator, so there is one run only."""
        return self._made.make(case, folder) if has_base(case) and not self._is_new(case) else None

    def explain(self, divergence: Divergence) -> Divergence:
        """The divergence as it is, since trace, drive and simulator are the same."""
        return divergence

    def other_code(self, ran: set[str]) -> Changed | None:
        """The functions with other code, as in Accepted."""
        changed = self._changed()
        return changed.among(ran) if changed else None


class _SameProgram:
    """The methods of Accepted for two runs of one program."""

    def explain(self, divergence: Divergence) -> Divergence:
        """The divergence without a culprit: no function has changed."""
        return replace(divergence, culprit=None)

    def other_code(self, ran: set[str]) -> Changed | None:
        """No function: both runs have the same code."""
        return None


class VpRuns(_SameProgram):
    """For runs on rtl: the runs of the same program on vp, which must be equal."""

    remedy = "rtl and vp differ, which they never should: report it as a bug of the simulator"
    NAME = "vp"

    def __init__(self, runs: CaseRuns, root: Path) -> None:
        self._made = _MadeRuns(runs, root, self.NAME)

    def run_of(self, case: Case, folder: Path) -> AcceptedRun | None:
        """The run on vp, as in Accepted."""
        try:
            return self._made.make(replace(case, platform=VP), folder) if case.platform == RTL else None
        except BaseFailed as failed:
            raise RegressError(str(failed)) from None


class SimulatorRuns(_SameProgram):
    """For runs on today's simulator: the runs of the same program, the base's, on the base's simulator."""

    remedy = "the simulator has changed: both runs are of the base's program"
    NAME = "base-simulator"

    def __init__(self, runs: CaseRuns, root: Path) -> None:
        self._made = _MadeRuns(runs, root, self.NAME)

    def run_of(self, case: Case, folder: Path) -> AcceptedRun | None:
        """The run on the base's simulator, as in Accepted."""
        try:
            return self._made.make(case, folder) if case.variant == SIMULATOR else None
        except RegressError as error:  # the base's simulator may refuse the scenario
            raise BaseFailed(str(error)) from None


def on_both_simulators(cases: Sequence[Case], program: Path) -> list[Case]:
    """The cases with the base's program, without their expectations: those are judged for today's program alone."""
    return [
        replace(
            case, name=f"{case.name}.{SIMULATOR}", variant=SIMULATOR, program=program, expectations=(), tolerance_cycles=0,
            compare=("records",) if case.platform == NATIVE else ("events", "records"),
        )
        for case in cases
        if not case.story
    ]  # fmt: skip


def has_base(case: Case) -> bool:
    """Whether a run of another program must equal the case's run."""
    return case.platform == VP and not case.variant and not case.is_judged_alone


class BaseFailed(RegressError):
    """The base's program cannot run a case."""
