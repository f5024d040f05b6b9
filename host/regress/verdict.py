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
    """The outcome of a case. Reports list the first ones first."""

    FAILED = "failed"  # the run failed, or the run that it is compared with
    WRONG = "wrong"  # an expectation does not hold
    CHANGED = "changed"
    NEW = "new"  # nothing to compare with
    MOVED = "moved"  # other times, only because functions have other places in memory
    PASSED = "passed"


@dataclass(frozen=True)
class Look:
    """Means for a closer look: files that were left, and lines that open them."""

    lines: tuple[tuple[str, str], ...] = ()  # what, command
    window: tuple[int, int] | None = None  # clock edges around the divergence, for waves


@dataclass(frozen=True)
class Verdict:
    """The verdict of one case."""

    case: Case
    state: State
    message: str = ""  # with FAILED, NEW and WRONG, and with CHANGED if no commit accepts the other times
    divergence: Divergence | None = None  # with CHANGED and MOVED, and with FAILED if events are compared
    look: Look = field(default_factory=Look)
    expected: tuple[Record, ...] = ()
    found: tuple[Record, ...] = ()
    findings: tuple[Finding, ...] = ()  # findings of its expectations, in their order
    accepted: str = ""  # why a CHANGED or NEW case is no failure

    @property
    def is_good(self) -> bool:
        """Whether the verdict leaves the exit status at 0."""
        return self.state in (State.PASSED, State.MOVED) or bool(self.accepted)

    @property
    def summary(self) -> str:
        """The verdict in one line."""
        return self.message or (self.divergence.headline if self.divergence else "")

    @property
    def figures(self) -> str:
        """Number of commands and means, for tables; with the expected values if these differ."""
        found = figures_text(list(self.found))
        expected = figures_text(list(self.expected))
        return found if not self.expected or expected == found else f"{found}, expected {expected}"


def figures_text(records: list[Record]) -> str:
    """The figures as text: '40 commands, 8.123 ms each, response 31.456 ms'."""
    if not records:
        return "no commands"
    return (
        f"{len(records)} commands, {mean_service_ms(records):.4f} ms each, response {mean_response_ms(records):.4f} ms"
    )


def failures_first(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts sorted by state; within a state the order stays."""
    states = list(State)
    return sorted(verdicts, key=lambda verdict: (verdict.is_good, states.index(verdict.state)))
