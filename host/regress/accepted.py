# SPDX-License-Identifier: Apache-2.0
"""What a run is compared with: a stored run, or the run of another program.

An AcceptedRun has records and events, and its ledger when a divergence needs one.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from case_file import NATIVE, Case
from case_runs import EVENTS, LEDGER, CaseRuns
from errors import RegressError
from event_log import Event, Ledger, parse_ledger, read_events
from function_hashes import Changed
from golden import EVENTS_KEPT, changed_inputs, is_blessed, load_expected
from run_records import Record, read_records
from source_lines import SourceLines

from divergence import Divergence


@dataclass(frozen=True)
class AcceptedRun:
    """One run."""

    records: Sequence[Record]
    events: list[Event]  # none of native
    ledger: Callable[[], Ledger]  # raises RegressError
    folder: Path | None = None  # of its files, if they are there
    events_kept: int | None = None  # so many events are compared; None: all

    def until_last_completion(self, events: list[Event], records: Sequence[Record]) -> list[Event]:
        """Those of a run that are compared. Both platforms go on until they see that all is done."""
        end = max((record.completed_ps for record in records), default=0)
        return [event for event in events if event.time_ps < end][: self.events_kept]


class Accepted(Protocol):
    """Accepted runs of cases. Threads may share it."""

    remedy: str  # for a case that differs from them alone; "": a line in a commit's message

    def run_of(self, case: Case, folder: Path) -> AcceptedRun | None:
        """The run; None if there is none. `folder` is the case's own. Raises RegressError, ExecuteError and Stopped."""

    def explain(self, case: Case, divergence: Divergence, inputs: str) -> Divergence:
        """The divergence, with what is known of the inputs of both runs; `inputs` are those of the found one."""

    def other_code(self, ran: set[str]) -> Changed | None:
        """Those functions of `ran` that have other code; None if that is not known."""


class StoredRuns:
    """Runs that are stored beside their cases: golden.py."""

    remedy = ""

    def run_of(self, case: Case, folder: Path) -> AcceptedRun | None:
        """As Accepted has it."""
        if not is_blessed(case) or case.is_judged_alone:
            return None
        expected = load_expected(case)
        ledger = expected.ledger

        def stored_ledger() -> Ledger:
            assert ledger is not None, "without events there is no event that differs"
            return ledger

        return AcceptedRun(expected.records, ledger.events if ledger else [], stored_ledger, events_kept=EVENTS_KEPT)

    def explain(self, case: Case, divergence: Divergence, inputs: str) -> Divergence:
        """Another load needs no other reason, and the same firmware is none."""
        if not case.blessings:
            return divergence
        changed = changed_inputs(case.blessings[-1].inputs, inputs)
        loads = {"trace": "its trace", "drive": "its drive's description"}
        edited = " and ".join(text for name, text in loads.items() if name in changed)
        why = [f"{edited} changed since it was blessed"] if edited else []
        if "firmware" in changed:
            return replace(divergence, why=(*why, *divergence.why))
        if case.platform != NATIVE and not edited:
            why = ["its firmware, trace and drive are those that it was blessed with: the simulator changed"]
        return replace(divergence, why=(*why, *divergence.why), culprit=None)

    def other_code(self, ran: set[str]) -> Changed | None:
        """A stored run has no code."""
        return None


class CanaryRuns(StoredRuns):
    """Stored runs of canaries alone. They guard what both programs share: compiler, libraries, host, simulator."""

    remedy = "its stored run differs, but not the base; if a commit has accepted that, --bless stores the run anew"

    def run_of(self, case: Case, folder: Path) -> AcceptedRun | None:
        """As Accepted has it."""
        return super().run_of(case, folder) if case.canary else None


class ProgramRuns:
    """Runs of the same scenarios on another program."""

    remedy = ""
    BASE, LOOK = "base", "base-look"  # folders below a case's own

    def __init__(self, runs: CaseRuns, root: Path, is_new: Callable[[Case], bool], changed: Callable[[], Changed | None]) -> None:
        """`is_new`: whether the base does not have a case; `changed`: functions with other code, None if they are not known."""
        self._runs, self._is_new, self._changed = runs, is_new, changed
        self._sources = SourceLines(runs.elf, root)

    def run_of(self, case: Case, folder: Path) -> AcceptedRun | None:
        """As Accepted has it. The firmware of native is a part of the simulator, so there is one run only."""
        if case.platform == NATIVE or case.is_judged_alone or self._is_new(case):
            return None
        shutil.rmtree(folder / self.BASE, ignore_errors=True)
        ended = self._runs.run(case, folder / self.BASE, [EVENTS])
        if ended.status != 0:
            raise BaseFailed(f"the base's run ended with status {ended.status}: {ended.message or 'no message'}")
        records = read_records(ended.folder / "records.csv")
        run = AcceptedRun(records, [], lambda: self._ledger(case, folder), ended.folder)
        return replace(run, events=run.until_last_completion(read_events(ended.folder / "events.txt"), records))

    def _ledger(self, case: Case, folder: Path) -> Ledger:
        shutil.rmtree(folder / self.LOOK, ignore_errors=True)
        ended = self._runs.run(case, folder / self.LOOK, [LEDGER])
        file = ended.folder / "ledger.txt"
        if not file.is_file():
            raise RegressError(f"{folder / self.LOOK}: the base's second run failed: {ended.message}")
        return parse_ledger(file.read_text(encoding="ascii"), str(file), self._sources.name_of)

    def explain(self, case: Case, divergence: Divergence, inputs: str) -> Divergence:
        """Trace and drive are the same. So is the simulator."""
        return divergence

    def other_code(self, ran: set[str]) -> Changed | None:
        """As Accepted has it."""
        changed = self._changed()
        return changed.among(ran) if changed else None


class BaseFailed(RegressError):
    """The base's program cannot run a case."""
