# SPDX-License-Identifier: Apache-2.0
"""A claim of a paper, the measured number, and whether the claim holds.

A claim gives measured intervals and the ranges in which the paper's sentence would be true. RULES.md has the verdicts.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from interval import Interval, MedianInterval
from results import Missing, Results
from rules import FAILS, FITTED, HOLDS, IN_PART, NOT_MEASURED, OPEN

INFINITE = math.inf


@dataclass(frozen=True)
class Finding:
    """A number, its unit or form, and the range in which the claim is true."""

    what: str
    value: Interval
    low: float = -INFINITE
    high: float = INFINITE
    form: str = "{:.3f}"

    @property
    def verdict(self) -> str:
        """The verdict on one number: HOLDS, FAILS or OPEN."""
        if self.low <= self.value.low and self.value.high <= self.high:
            return HOLDS
        if self.value.high < self.low or self.high < self.value.low:
            return FAILS
        return OPEN

    def number(self) -> str:
        """The mean or median with its interval, as text."""
        if isinstance(self.value, MedianInterval):
            return self.value.text(self.form)
        mean = self.form.format(self.value.mean)
        if math.isnan(self.value.half) or self.value.half == 0:
            return mean
        return f"{mean} ± {self.form.format(self.value.half)}"

    def wanted(self) -> str:
        """The range of true values, in words; "any" for a number that only stands beside another."""
        if math.isinf(self.low) and math.isinf(self.high):
            return "any"
        if math.isinf(self.low):
            return f"at most {self.form.format(self.high)}"
        if math.isinf(self.high):
            return f"at least {self.form.format(self.low)}"
        return f"{self.form.format(self.low)} to {self.form.format(self.high)}"


@dataclass(frozen=True)
class Claim:
    """A paraphrase of what a paper says, its place, the check, and a likely reason if it fails.

    `fitted` says what was chosen so that the number comes out: the claim has no verdict then.
    """

    section: str
    text: str
    check: Callable[[Results], list[Finding]]
    why_not: str = ""
    fitted: str = ""


def exactly(value: float) -> Interval:
    """An interval without width, for a number that was worked out, not measured."""
    return Interval(value, 0.0, 1)


def verdict_of(findings: Sequence[Finding]) -> str:
    """The verdict over all findings: HOLDS if all hold. One that fails decides."""
    verdicts = [finding.verdict for finding in findings]
    if FAILS in verdicts:
        return FAILS if len(verdicts) == verdicts.count(FAILS) else IN_PART
    return OPEN if OPEN in verdicts else HOLDS


AT = " at "  # Separates a finding's name from its load.


def _numbers(findings: Sequence[Finding]) -> list[str]:
    """The findings' numbers as text. Neighbours that differ only in their load share one line."""
    texts: list[str] = []
    for what, group in groupby(findings, key=lambda finding: finding.what.rpartition(AT)[0] or finding.what):
        same = list(group)
        loads = ", ".join(finding.what.rpartition(AT)[2] for finding in same if AT in finding.what)
        head = f"{what}{AT}{loads}" if loads else what
        texts.append(f"{head}: {', '.join(finding.number() for finding in same)}")
    return texts


def _row(number: int, claim: Claim, results: Results) -> tuple[str, str]:
    """A row of the table, and the claim's verdict."""
    try:
        findings = claim.check(results)
        if not findings:
            raise Missing("point that this speaks of")
    except Missing as missing:
        return (f"| {number} | {claim.section} | {claim.text} | | not measured: no {missing} | |", NOT_MEASURED)
    verdict = FITTED if claim.fitted else verdict_of(findings)
    numbers = "; ".join(_numbers(findings))
    wanted = "; ".join(dict.fromkeys(finding.wanted() for finding in findings))
    reason = claim.fitted or (claim.why_not if verdict != HOLDS else "")
    marked = verdict if verdict in (HOLDS, FITTED) else f"**{verdict}**"
    return (
        f"| {number} | {claim.section} | {claim.text} | {wanted} | {numbers} "
        f"| {marked}{'. ' if reason else ''}{reason} |",
        verdict,
    )


def claims_table(claims: Sequence[Claim], results: Results) -> tuple[str, dict[str, int]]:
    """The table in Markdown, and how many claims have each verdict."""
    lines = [
        "| | section | the paper says | asked of the number | our number, 95 % interval | verdict |",
        "|---|---|---|---|---|---|",
    ]
    counts: dict[str, int] = {}
    for number, claim in enumerate(claims, 1):
        line, verdict = _row(number, claim, results)
        lines.append(line)
        counts[verdict] = counts.get(verdict, 0) + 1
    return "\n".join(lines) + "\n", counts


def verdicts_text(counts: dict[str, int]) -> str:
    """How many claims have each verdict, as a page says it."""
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
