# SPDX-License-Identifier: Apache-2.0
"""Compares two runs by the records of their commands, for the first difference in the order of completion."""

from event_log import CLOCK_PS
from run_records import Record

from divergence import Divergence, StagePair, stage_pairs, time_text


# Members of a record that are no stretch of time.
ENDINGS = ("status code", "sense")
MOMENTS = ("submitted", "completed", *ENDINGS)


def _times(record: Record) -> tuple[int, ...]:
    return (record.submitted_ps, record.completed_ps, record.search_exposed_ps, *(time for _, time in record.stages))


def _equal(before: Record, after: Record, tolerance_ps: int) -> bool:
    stages = [name for name, _ in before.stages] == [name for name, _ in after.stages]
    if not stages or (before.status, before.sense) != (after.status, after.sense):
        return False
    return all(abs(was - now) <= tolerance_ps for was, now in zip(_times(before), _times(after), strict=True))


def first_record(expected: list[Record], found: list[Record], tolerance_cycles: int, times: bool) -> int | None:
    """The place of the first different record in the order of completion. Without `times` only the order counts."""
    tolerance_ps = tolerance_cycles * CLOCK_PS
    for place, (before, after) in enumerate(zip(expected, found, strict=False)):
        if before.command != after.command or (times and not _equal(before, after, tolerance_ps)):
            return place
    return None if len(expected) == len(found) else min(len(expected), len(found))


def _ordinal(place: int) -> str:
    number = place + 1
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _stage_sentence(pair: StagePair) -> str:
    was, now = pair.texts
    if pair.stage in ENDINGS:
        return f"its {pair.stage} is {now}, expected {was}"
    if pair.stage in ("submitted", "completed"):
        return f"it was {pair.stage} at {now}, expected {was}"
    return f"its {pair.stage.replace('_', ' ')} took {now}, expected {was}"


def _why(stages: tuple[StagePair, ...]) -> list[str]:
    """The first difference in the command's life, a summary of the rest, and the largest difference."""
    differing = [pair for pair in stages if pair.differs]
    if not differing:
        return ["its own times are the same: another command came in between"]
    names = ", ".join(pair.stage for pair in differing[1:])
    why = [f"what differs first of it: {_stage_sentence(differing[0])}" + (f"; then {names}" if names else "")]
    # A different ending explains different times.
    why = [f"how it ended differs: {_stage_sentence(pair)}" for pair in differing[1:] if pair.stage in ENDINGS] + why
    lasting = [pair for pair in differing if pair.stage not in MOMENTS]
    most = max(lasting, key=lambda pair: pair.distance_ps, default=differing[0])
    return why if most is differing[0] else [*why, f"what differs most of it: {_stage_sentence(most)}"]


def tell_record(expected: list[Record], found: list[Record], place: int) -> Divergence:
    """The divergence at a place in the order of completion."""
    before = expected[place] if place < len(expected) else None
    after = found[place] if place < len(found) else None
    shown, last = before or after, after or before
    assert shown is not None and last is not None, "one of the two runs goes on"
    was = next((record for record in expected if record.command == shown.command), None)
    now = next((record for record in found if record.command == shown.command), None)
    stages = stage_pairs(was, now)
    if before is None:
        headline = f"{shown.named} completed as the {_ordinal(place)}, expected only {len(expected)} commands"
        why = ["it is not among what is expected"]
    elif now is None:
        headline = f"{shown.named} never completed; expected as the {_ordinal(place)}"
        why = [f"{len(found)} commands completed, expected {len(expected)}"]
    elif after is None or after.command != before.command:
        instead = after.named if after else "nothing"
        headline = f"{instead} completed as the {_ordinal(place)}, expected {shown.named}"
        why = [f"{shown.named}: {sentence}" for sentence in _why(stages)]
    else:
        what = "other times" if (before.status, before.sense) == (after.status, after.sense) else "another ending"
        headline = f"{shown.named}, the {_ordinal(place)} to complete, has {what} than expected"
        why = _why(stages)
    return Divergence(
        headline=headline,
        command=shown.named,
        time_ps=last.completed_ps,
        last_equal_ps=expected[place - 1].completed_ps if place else 0,
        why=tuple(why),
        expected=_completion(before),
        found=_completion(after),
        stages=stages,
    )


def _completion(record: Record | None) -> str:
    if record is None:
        return "nothing more"
    return f"{record.named} completed at {time_text(record.completed_ps)} after {time_text(record.response_ps)}"
