# SPDX-License-Identifier: Apache-2.0
"""A verdict as text, for a terminal, and for report.txt beside the case's run."""

from verdict import State, Verdict
from event_log import Event

from divergence import Divergence, EventPair, WorkPair, time_text

COLUMN = 44


def _event(event: Event | None) -> str:
    return "-" if event is None else f"{event.edge:>12,}  {event}"


def _mark(differs: bool) -> str:
    return "  >" if differs else "   "


def _events(pairs: tuple[EventPair, ...]) -> list[str]:
    head = f"    {'events: cycle, expected':<{COLUMN}}   found"
    rows = [f"{_mark(pair.differs)} {_event(pair.expected):<{COLUMN}}   {_event(pair.found)}" for pair in pairs]
    return [head, *rows]


def _work(title: str, pairs: tuple[WorkPair, ...]) -> list[str]:
    """A table of work, with the differences only."""
    differing = [pair for pair in pairs if pair.differs]
    if not differing:
        return []
    head = f"    {title:<{COLUMN}} {'expected':>20} {'found':>20}"
    lines = []
    for pair in differing:
        was, now = (f"{one.cycles:,} ({one.instructions:,})" for one in (pair.expected, pair.found))
        lines.append(f"{_mark(True)} {pair.function:<{COLUMN}} {was:>20} {now:>20}")
    return [head, *lines]


def _stages(divergence: Divergence) -> list[str]:
    """The command's stages, without those that are empty in both runs."""
    shown = divergence.shown_stages
    if not shown:
        return []
    head = f"    {divergence.command:<{COLUMN}} {'expected':>20} {'found':>20}"
    rows = []
    for pair in shown:
        was, now = pair.texts
        rows.append(f"{_mark(pair.differs)} {pair.stage.replace('_', ' '):<{COLUMN}} {was:>20} {now:>20}")
    return [head, *rows]


def divergence_lines(verdict: Verdict) -> list[str]:
    """The lines of a changed case, without its name."""
    divergence = verdict.divergence
    assert divergence is not None
    lines = [f"  first divergence, at {time_text(divergence.time_ps)}: {divergence.headline}"]
    lines += [f"    expected  {divergence.expected}", f"    found     {divergence.found}"]
    if divergence.place is not None:
        lines.append(f"    reported  by {divergence.place}, pc {divergence.pc:#x}")
    lines += [f"  why: {sentence}" for sentence in divergence.why]
    if divergence.events:
        lines += ["", *_events(divergence.events)]
    for block in (
        _work("the core before it: cycles (instructions)", divergence.work),
        _stages(divergence),
        _work("the core in all that is compared, what differs most", divergence.totals),
    ):
        lines += ["", *block] if block else []
    if verdict.look.lines:
        lines += ["", *(f"  {what + ':':<10} {line}" for what, line in verdict.look.lines)]
    return lines


def finding_lines(verdict: Verdict) -> list[str]:
    """The findings that do not hold, in full, and the number of those that hold."""
    lines = []
    for finding in verdict.findings:
        if not finding.holds:
            lines += [f"  not so:     {finding.kind}", f"    expected  {finding.expected}"]
            lines += [f"    found     {finding.found}", f"    because   {finding.reason}"]
    held = ", ".join(finding.kind for finding in verdict.findings if finding.holds)
    return [*lines, f"  held:       {held}"] if held and verdict.findings else lines


def verdict_text(verdict: Verdict) -> str:
    """The whole text of a verdict, with a line's end."""
    head = f"{verdict.state.value.upper()} {verdict.case.name} ({verdict.case.described})"
    if verdict.state is State.PASSED:
        return f"{head}: {verdict.figures}\n"
    if verdict.message:
        head = f"{head}: {verdict.message}"
    if verdict.state is State.CHANGED and verdict.accepted:
        head = f"{head}: accepted, {verdict.accepted}"
    lines = [head, *finding_lines(verdict)]
    if verdict.divergence is not None:
        lines += [*divergence_lines(verdict), "", f"  {verdict.figures}"]
    return "\n".join(lines) + "\n"


def totals(verdicts: list[Verdict], chosen: int) -> str:
    """The totals as text: '54 cases: 52 passed, 2 changed'."""
    counts = [(state, sum(verdict.state is state for verdict in verdicts)) for state in State]
    parts = [f"{count} {state.value}" for state, count in counts if count]
    if chosen > len(verdicts):
        parts.append(f"{chosen - len(verdicts)} not run")
    return f"{chosen} case{'' if chosen == 1 else 's'}: {', '.join(parts)}{_expectations(verdicts)}"


def _expectations(verdicts: list[Verdict]) -> str:
    """The expectations as text: '; 120 of 120 expectations of 40 cases hold'; '' without any."""
    findings = [finding for verdict in verdicts for finding in verdict.findings]
    if not findings:
        return ""
    cases, held = sum(bool(verdict.findings) for verdict in verdicts), sum(finding.holds for finding in findings)
    of = f"{len(findings)} expectation{'' if len(findings) == 1 else 's'} of {cases} case{'' if cases == 1 else 's'}"
    return f"; {held} of {of} {'holds' if held == 1 else 'hold'}"
