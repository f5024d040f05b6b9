# SPDX-License-Identifier: Apache-2.0
"""--bless: what a run does now is expected from now on. The reason stays in the case's file, with those before.

No blessing moves a case's expectations: they are asked first, and a run that does not meet them is refused.
"""

import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from case_file import Case
from case_runs import EVENTS, LEDGER, CaseRuns
from check import Checker
from compare_events import first_difference
from compare_records import first_record, tell_record
from errors import RegressError
from expect.evaluate import evaluate
from golden import Expected, compared_events, hash_content, is_blessed, load_expected, store_expected
from run_records import Record, read_records
from scenario_keys import toml_of
from storyline import first_other_line, is_blessed_play, load_play, store_play
from verdict import figures_text

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "output")]

from execute.errors import ExecuteError  # noqa: E402
from result_files import write_text  # noqa: E402


class Outcome(Enum):
    """Of one case, as it is said to people."""

    BLESSED = "blessed"
    SAME = "same"  # passes already: there is nothing to bless
    FAILED = "failed"


@dataclass(frozen=True)
class Blessed:
    """What became of one case."""

    case: Case
    outcome: Outcome
    message: str


def _git(root: Path, *words: str) -> str:
    line = ["git", "-C", str(root), *words]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip()


def commit_of(root: Path) -> str:
    """In short; "" where there is no repository."""
    return _git(root, "rev-parse", "--short=10", "HEAD")


def describe_tree(root: Path) -> str:
    """The commit that the drive is built from; "-dirty" when anything but the golden cases has changed since."""
    commit = commit_of(root)
    changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", ":!tests/golden")
    return f"{commit}{'-dirty' if changed else ''}" if commit else "not known"


def append_blessing(case: Case, reason: str, commit: str, inputs: str, result: str) -> None:
    """At the end of the case's file; what stands there stays as it is."""
    fields = {"reason": reason, "commit": commit, "inputs": inputs, "result": result}
    table = "\n[[regress.blessing]]\n" + "".join(f"{key} = {toml_of(value)}\n" for key, value in fields.items())
    write_text(case.file, case.file.read_text(encoding="utf-8").rstrip("\n") + "\n" + table)


class Blesser:
    """Blesses cases for one reason. Threads may share it."""

    def __init__(self, runs: CaseRuns, checker: Checker, root: Path, reason: str) -> None:
        self._runs, self._checker, self._reason = runs, checker, reason
        self._commit = describe_tree(root)

    def bless(self, case: Case) -> Blessed:
        """Raises Stopped when the suite is ended."""
        try:
            return self._bless(case)
        except (RegressError, ExecuteError) as error:
            return Blessed(case, Outcome.FAILED, str(error))

    def _bless_play(self, case: Case) -> Blessed:
        played = self._runs.play(case)
        if played.finding:
            raise RegressError(f"a finding is never as it should be: {played.finding}")
        change = "first blessing"
        if is_blessed_play(case):
            other = first_other_line(load_play(case), played.lines)
            if other is None:
                return Blessed(case, Outcome.SAME, "passes already: nothing to bless")
            change = other.headline
        assert case.story is not None
        result = f"{len(played.lines)} lines, no finding"
        append_blessing(case, self._reason, self._commit, f"trace {hash_content(case.story.read_bytes())}", result)
        store_play(case, played)
        return Blessed(case, Outcome.BLESSED, f"{change}; {result}")

    def _bless(self, case: Case) -> Blessed:
        if case.story:
            return self._bless_play(case)
        if case.is_judged_alone:
            return Blessed(case, Outcome.SAME, "is judged by its expectations alone: nothing to bless")
        folder = self._checker.folder(case)
        trace = self._runs.make_trace(case, folder)
        keeps_ledger = case.platform != "native"
        words = [*([LEDGER] if keeps_ledger else []), *([EVENTS] if case.expectations else [])]
        outcome = self._runs.run(case, folder / "run", words)
        if outcome.status != 0:
            raise RegressError(f"the run ended with status {outcome.status}: {outcome.message or 'no message'}")
        for finding in evaluate(case, trace, outcome.folder):
            if not finding.holds:
                raise RegressError(f"refused: {finding.headline}; expected {finding.expected}: {finding.reason}")
        ledger = self._checker.read_ledger(outcome.folder) if keeps_ledger else None
        found = Expected(read_records(outcome.folder / "records.csv"), ledger)
        if not found.records:
            raise RegressError("no command completed: there is nothing to compare with")
        change = "first blessing"
        before: list[Record] = []
        if is_blessed(case):
            expected = _expected_or_none(case)
            if expected is not None:
                before = expected.records
                changed = _change(case, expected, found)
                if changed is None:
                    return Blessed(case, Outcome.SAME, "passes already: nothing to bless")
                change = changed
        figures = figures_text(found.records)
        inputs = self._checker.hash_inputs(case, trace, outcome.folder)
        append_blessing(case, self._reason, self._commit, inputs, figures)
        records = (outcome.folder / "records.csv").read_text(encoding="ascii")
        store_expected(case, records, found)
        was = f" (before: {figures_text(before)})" if before else ""
        return Blessed(case, Outcome.BLESSED, f"{change}; {figures}{was}")


def _expected_or_none(case: Case) -> Expected | None:
    """None when what is there is broken: a blessing mends it."""
    try:
        return load_expected(case)
    except RegressError:
        return None


def _change(case: Case, expected: Expected, found: Expected) -> str | None:
    """The first divergence in short; None when the case passes."""
    if "events" in case.compare and expected.ledger is not None and found.ledger is not None:
        events = expected.ledger.events, compared_events(found.ledger.events, found.records)
        number = first_difference(*events, case.tolerance_cycles)
        if number is not None:
            was, now = (f"{log[number]} at {log[number].edge:,}" if number < len(log) else "the end" for log in events)
            return f"event {number}: {now}, was {was}"
    times = "records" in case.compare
    place = first_record(expected.records, found.records, case.tolerance_cycles, times)
    if place is not None and (times or "order" in case.compare):
        return tell_record(expected.records, found.records, place).headline
    return None
