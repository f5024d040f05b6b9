"""A verdict as people read it on a terminal, and as report.txt beside the case's run."""

from check import State, Verdict
from event_log import Event

from divergence import Divergence, EventPair, StagePair, WorkPair, time_text

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
    """Only what differs."""
    differing = [pair for pair in pairs if pair.differs]
    if not differing:
        return []
    head = f"    {title:<{COLUMN}} {'expected':>20} {'found':>20}"
    lines = []
    for pair in differing:
        was, now = (f"{one.cycles:,} ({one.instructions:,})" for one in (pair.expected, pair.found))
        lines.append(f"{_mark(True)} {pair.function:<{COLUMN}} {was:>20} {now:>20}")
    return [head, *lines]


def _stage_time(pair: StagePair, value: int | None) -> str:
    if value is None:
        return "-"
    return str(value) if pair.stage == "status" else time_text(value)


def _stages(divergence: Divergence) -> list[str]:
    """The command's record: times that are nothing in both runs are left out."""
    shown = [pair for pair in divergence.stages if pair.differs or pair.expected]
    if not shown:
        return []
    head = f"    {divergence.command:<{COLUMN}} {'expected':>20} {'found':>20}"
    rows = []
    for pair in shown:
        was, now = _stage_time(pair, pair.expected), _stage_time(pair, pair.found)
        rows.append(f"{_mark(pair.differs)} {pair.stage.replace('_', ' '):<{COLUMN}} {was:>20} {now:>20}")
    return [head, *rows]


def divergence_lines(verdict: Verdict) -> list[str]:
    """Of a changed case, without its name."""
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
        _work("the core in the whole run, what differs most", divergence.totals),
    ):
        lines += ["", *block] if block else []
    if verdict.look.lines:
        lines += ["", *(f"  {what + ':':<10} {line}" for what, line in verdict.look.lines)]
    return lines


def verdict_text(verdict: Verdict) -> str:
    """All of it, with a line's end."""
    head = f"{verdict.state.value.upper()} {verdict.case.name} ({verdict.case.described})"
    if verdict.state is State.PASSED:
        return f"{head}: {verdict.figures}\n"
    if verdict.divergence is None:
        return f"{head}: {verdict.message}\n"
    if verdict.message:
        head = f"{head}: {verdict.message}"
    figures = f"  {verdict.figures}"
    return "\n".join([head, *divergence_lines(verdict), "", figures]) + "\n"


def totals(verdicts: list[Verdict], chosen: int) -> str:
    """'54 cases: 52 passed, 2 changed'."""
    counts = [(state, sum(verdict.state is state for verdict in verdicts)) for state in State]
    parts = [f"{count} {state.value}" for state, count in counts if count]
    if chosen > len(verdicts):
        parts.append(f"{chosen - len(verdicts)} not run")
    return f"{chosen} case{'' if chosen == 1 else 's'}: {', '.join(parts)}"
