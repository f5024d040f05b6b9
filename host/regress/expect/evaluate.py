# SPDX-License-Identifier: Apache-2.0
"""Evaluates the expectations of a case with its run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import RegressError

from expect import caching, choices, conservation, endings, motion, responses
from expect.world import Answer, World

if TYPE_CHECKING:
    from case_file import Case

EVALUATORS: dict[str, Callable[[World, dict[str, Any]], Answer]] = {
    "requests": conservation.requests,
    "arrivals": conservation.arrivals,
    "times": conservation.times,
    "media": conservation.media,
    "bus": conservation.bus,
    "seeks": motion.seeks,
    "angles": motion.angles,
    "transfers": motion.transfers,
    "stream": motion.stream,
    "retries": motion.retries,
    "mean": responses.mean,
    "responses": responses.responses,
    "order": choices.order,
    "replay": choices.replay,
    "verified": conservation.verified,
    "flushes": conservation.flushes,
    "sense": endings.sense,
    "hits": caching.hits,
}


@dataclass(frozen=True)
class Finding:
    """One expectation of a case, and its result for the run."""

    kind: str
    holds: bool
    expected: str
    found: str
    reason: str

    @property
    def headline(self) -> str:
        """The headline of an expectation that does not hold."""
        return f"expectation '{self.kind}' does not hold: {self.found}"


def evaluate(case: "Case", trace: Path, run: Path) -> tuple[Finding, ...]:
    """The findings in the order of the expectations. `run` was made with observe.events. Raises RegressError when one cannot
    be computed.
    """
    world = World(case, trace, run)
    findings = []
    for expectation in case.expectations:
        try:
            answer = EVALUATORS[expectation.kind](world, expectation.given)
        except RegressError as error:
            raise RegressError(f"expectation '{expectation.kind}': {error}") from None
        findings.append(Finding(expectation.kind, answer.holds, answer.expected, answer.found, expectation.reason))
    return tuple(findings)
