# SPDX-License-Identifier: Apache-2.0
"""The verdict of a case."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from case_file import Case
from expect.evaluate import Finding
from run_records import Record, mean_response_ms, mean_service_ms

from divergence import Divergence


class State(Enum):
    """What came out. Reports show the first ones first."""

    FAILED = "failed"  # the run, or the run that it is compared with
    WRONG = "wrong"  # an expectation does not hold
    CHANGED = "changed"
    NEW = "new"  # nothing to compare with
    MOVED = "moved"  # other times, by the places of functions in memory alone
    PASSED = "passed"


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
    message: str = ""  # with FAILED, NEW and WRONG, and with CHANGED where other times are not accepted by a commit
    divergence: Divergence | None = None  # with CHANGED and MOVED, and with FAILED where events are compared
    look: Look = field(default_factory=Look)
    expected: tuple[Record, ...] = ()
    found: tuple[Record, ...] = ()
    findings: tuple[Finding, ...] = ()  # of its expectations, in their order
    accepted: str = ""  # why a CHANGED or NEW case is no failure

    @property
    def is_good(self) -> bool:
        """It makes no command end with status 1."""
        return self.state in (State.PASSED, State.MOVED) or bool(self.accepted)

    @property
    def summary(self) -> str:
        """One line."""
        return self.message or (self.divergence.headline if self.divergence else "")

    @property
    def figures(self) -> str:
        """Commands and means, for tables; with the expected ones if these differ."""
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


def failures_first(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """In the order of their states, and of each state as they are."""
    states = list(State)
    return sorted(verdicts, key=lambda verdict: (verdict.is_good, states.index(verdict.state)))
