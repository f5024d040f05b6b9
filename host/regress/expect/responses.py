# SPDX-License-Identifier: Apache-2.0
"""What the host can measure: means of random loads, and the response of a command that finds the drive idle.

Responses use the host's own times alone, submission and completion; no stage, and no event of the firmware.
"""

from itertools import pairwise
from typing import Any

from errors import RegressError
from run_records import Record

from divergence import time_text
from expect.mechanics import PS_PER_MS
from expect.motion import Track, track_of
from expect.world import REACTION_PS, Answer, World, judge

ROUNDED_SECTORS = 1e-6


def _milliseconds(world: World, of: str) -> list[float]:
    services = [service for service in world.journal.services if service.record.operation != "flush"]
    if of == "service":  # the time from one completion to the next
        ends = sorted(service.record.completed_ps for service in services)
        return [(after - before) / PS_PER_MS for before, after in pairwise(ends)]
    stages = {"seek": ("seek", "settle", "head_switch"), "rotation": ("rotation",)}[of]
    return [sum(service.stages[name] for name in stages) / PS_PER_MS for service in services]


def mean(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `mean`: a stage, or the time from one completion to the next, against the value and scatter of theory.
    """
    values = _milliseconds(world, given["of"])
    found = sum(values) / max(len(values), 1)
    expected = f"mean {given['of']} {given['ms']:g} ms, within {given['within_ms']:g} ms"
    return Answer(
        bool(values) and abs(found - given["ms"]) <= given["within_ms"], expected, f"{found:.3f} ms of {len(values)}"
    )


def _finds_idle(record: Record, others: list[Record]) -> bool:
    """Whether no other command was out between its submission and its completion."""
    return all(
        other is record or other.completed_ps <= record.submitted_ps or other.submitted_ps >= record.completed_ps
        for other in others
    )


def _media_end_ps(world: World, record: Record, heads: Track, begin_ps: int, reaction_ps: int = 0) -> int:
    """The end of the last sector, if the arm leaves `heads` at `begin_ps`, by closed forms alone.

    At a track's end the formatter goes on by itself, or the firmware acts, which takes `reaction_ps`.
    """
    mechanics, is_write, now = world.mechanics, record.operation == "write", begin_ps - reaction_ps
    for stretch in world.stretches(record.lba, record.blocks):
        now += reaction_ps + mechanics.positioning(heads, track_of(stretch), is_write).total
        heads = track_of(stretch)
        behind = mechanics.turns(now) * stretch.place.sectors - stretch.place.mark
        # A sector that follows at once is caught: `now` is a whole picosecond, and so differs a little from its mark.
        wait = (ROUNDED_SECTORS - behind) % stretch.place.sectors - ROUNDED_SECTORS
        now += round((wait + stretch.blocks) * mechanics.period_ps / stretch.place.sectors)
    return now


def responses(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `responses`: from the end of one isolated command to the end of the next."""
    if world.has_cache:
        raise RegressError("with a cache the media read ahead, and nobody says how far; expect no 'responses'")
    before_ps, behind_ps = (round(given[name] * 10**6) for name in ("before_us", "behind_us"))
    period = world.mechanics.period_ps
    records = sorted(world.journal.records, key=lambda one: one.completed_ps)
    faults, checked = [], 0
    for last, record in pairwise(records):
        if record.operation == "flush" or last.operation == "flush" or not _finds_idle(record, records):
            continue
        checked += 1
        heads = track_of(world.stretches(last.lba, last.blocks)[-1])
        # If the arm leaves earlier or later, it gets the same sectors, or those of a revolution later.
        earliest = _media_end_ps(world, record, heads, record.submitted_ps)
        latest = _media_end_ps(world, record, heads, record.submitted_ps + before_ps, REACTION_PS)
        turns = round((latest - earliest) / period)
        late = [record.completed_ps - earliest - turn * period for turn in range(turns + 1)]
        if not any(0 <= one <= behind_ps for one in late):
            told = f"{record.named} took {time_text(record.response_ps)}"
            faults.append(f"{told}, its last sector was there after {time_text(earliest - record.submitted_ps)}")
    expected = (
        f"completed {given['behind_us']:g} us at most after its last sector, which it was told of within "
        f"{given['before_us']:g} us"
    )
    return judge(faults, expected, checked, "isolated command", max(len(records) // 10, 1))
