# SPDX-License-Identifier: Apache-2.0
"""Arm and platter: a run's records against the closed forms of the drive's description.

The records have the mechanics' own instants (host/observe/stage_log.hpp). So these bounds do not depend on the firmware: they
are a clock period, the coarsest of those instants. When the firmware acts late, a sector may have passed. That costs whole
revolutions, which are counted.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from errors import RegressError
from event_log import CLOCK_PS

from divergence import time_text
from expect.journal import Service
from expect.layout import Stretch
from expect.world import Answer, World, judge

Track = tuple[int, int]  # cylinder, head
# From the firmware's first access for a run until the formatter is armed: some 20 accesses to its registers.
ARMING_PS = 5_000_000


def track_of(stretch: Stretch) -> Track:
    """The track of a stretch."""
    return stretch.place.cylinder, stretch.place.head


def _stretches(world: World, service: Service) -> list[Stretch]:
    return world.stretches(service.record.lba, service.record.blocks)


def moved_blocks(world: World) -> list[Service]:
    """Commands that moved blocks to or from the media by themselves, in the order of arrival."""
    return [one for one in world.journal.services if one.record.operation != "flush" and one.on_media]


FEW = 10


def _enough(world: World, services: list[Service]) -> int:
    """The least number of commands that a check must cover: half of them; with a cache, which serves many without the media, a
    few.
    """
    return max(min(FEW, len(services)) if world.has_cache else len(services) // 2, 1)


# ----------------------------------------------------------------------------------------- the arm


class Way(NamedTuple):
    """The heads' way for one command: their track, perhaps an edge to which the policy sends them, and the command's tracks.
    """

    heads: Track
    over: Track | None
    tracks: list[Track]

    @property
    def legs(self) -> list[tuple[Track, Track]]:
        """The movements from track to track; the first one goes to the edge, if there is one."""
        return list(pairwise([self.heads, *([self.over] if self.over else []), *self.tracks]))


def _ways(world: World, stretches: list[Stretch], heads: Track) -> list[Way]:
    """The possible ways: direct, or by an edge where the policy goes there."""
    last = int(world.design["cylinders"]) - 1
    edges = {"scan": [0, last], "cscan": [last]} if "edge" in world.case.policy else {}
    tracks = [track_of(stretch) for stretch in stretches]
    overs = [None, *((edge, heads[1]) for edge in edges.get(world.case.policy.split(":")[0], []))]
    return [Way(heads, over, tracks) for over in overs]


def _recorded_fault(world: World, service: Service, way: Way) -> str:
    """The fault of the record's own seek, settling and head switch."""
    least = slack = 0
    for place, leg in enumerate(way.legs):
        # Nothing is written at an edge, so the heads may leave it before they are settled for writing.
        passes = way.over is not None and place == 0
        least += world.mechanics.positioning(*leg, service.is_write and not passes).total
        slack += CLOCK_PS + (world.mechanics.write_settle_ps if service.is_write and passes else 0)
    if service.is_write and way.legs[0][0] == way.legs[0][1]:
        slack += world.mechanics.write_settle_ps  # the heads came for a read: they may not be settled for writing yet
    found = sum(service.stages[name] for name in ("seek", "settle", "head_switch"))
    if least - CLOCK_PS <= found <= least + slack:
        return ""
    return f"{service.record.named} moved for {time_text(found)}, from {way.heads} it takes {time_text(least)}"


def _entered_by_itself(stretches: list[Stretch], service: Service) -> list[bool]:
    """For each stretch, whether the formatter entered it by itself."""
    begins = [sum(one.blocks for one in stretches[:place]) for place in range(len(stretches))]
    first: dict[int, bool] = {}
    done = 0
    for run in service.runs:
        first.setdefault(sum(begin <= done for begin in begins) - 1, run.chained)
        done += run.done
    return [first.get(place, False) for place in range(len(stretches))]


def _clock_fault(world: World, service: Service, way: Way, stretches: list[Stretch]) -> str:
    """The fault of a move by the firmware's clock. The clock shows an end never before it, and some time after it."""
    # The formatter also sent the heads to each run that it entered by itself.
    chained = [False] * (len(way.legs) - len(way.tracks)) + _entered_by_itself(stretches, service)
    legs = [leg for leg, by_itself in zip(way.legs, chained, strict=True) if leg[0] != leg[1] and not by_itself]
    moves = service.moves
    if not legs or (moves[0].cylinder, moves[0].head) == way.heads:
        moves = moves[1:]  # the heads were on this track already, which the firmware could not see
    if [(move.cylinder, move.head) for move in moves] != [end for _, end in legs]:
        return f"{service.record.named} went to {[(one.cylinder, one.head) for one in moves]}, its tracks: {way.tracks}"
    for leg, move in zip(legs, moves, strict=True):
        takes = world.mechanics.positioning(*leg, is_write=False).total
        lasted = (move.end_ps or 0) - move.begin_ps
        if lasted < takes - CLOCK_PS:
            return (
                f"{service.record.named}: by the firmware's clock {time_text(lasted)} from {leg[0]} to {leg[1]}, "
                f"which takes {time_text(takes)}"
            )
    return ""


def seeks(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `seeks`: from the end of each command to the next in the order of service, by the arm's own curve."""
    if world.design.get("write_offset_ms"):
        raise RegressError("the arm also moves between a read and a write (write_offset_ms); expect no 'seeks'")
    if world.has_cache:
        raise RegressError("with a cache the media read ahead, and nobody says how far; expect no 'seeks'")
    heads: Track | None = (0, 0)  # at time 0
    faults, checked = [], 0
    for service in world.journal.in_order:
        if service.record.operation == "flush":
            continue
        stretches = _stretches(world, service)
        if heads is not None and not service.behind_unknown:
            checked += 1
            told = [
                _recorded_fault(world, service, way) or _clock_fault(world, service, way, stretches)
                for way in _ways(world, stretches, heads)
            ]
            faults += [] if "" in told else told[:1]
        heads = track_of(stretches[-1])
    least = _enough(world, moved_blocks(world))
    return judge(faults, "seek, settling and head switch of each as published", checked, "command", least)


# ------------------------------------------------------------------------------------- the platter


def _transfer_end_ps(service: Service) -> int | None:
    """The instant at which the last check byte passed, by the record: only status and bus follow it there.

    None if it cannot be computed: the media stood still in between, or a write's data were still moving when it was chosen.
    """
    stages, record = service.stages, service.record
    if service.waited or service.hit_ps is not None or service.reported_ps is not None:
        return None
    behind = stages["status"] + stages["bus_wait"]
    if not service.is_write:
        return record.completed_ps - behind - stages["bus_data"]
    chosen = service.chosen_ps or 0
    return record.completed_ps - behind if all(end < chosen for end in service.data_ends_ps) else None


def _off_ps(world: World, time_ps: int, turn: Fraction) -> Fraction:
    """The difference of the platter's angle from `turn` at a time, as a time."""
    ahead = (world.mechanics.turns(time_ps) - turn) % 1
    return min(ahead, 1 - ahead) * world.mechanics.period_ps


def _angle_fault(world: World, service: Service, end_ps: int) -> str:
    """The fault of the last sector's angle and of the time until it passed."""
    last = _stretches(world, service)[-1]
    mark = last.place.mark + last.blocks - 1 + world.strobe
    off = _off_ps(world, end_ps, mark / last.place.sectors)
    if off > CLOCK_PS:
        return f"{service.record.named} ended {time_text(round(off))} from where its last sector ends"
    return ""


def _wait_fault(world: World, service: Service, end_ps: int) -> str:
    """The fault of the wait. The formatter takes the first pass after it is armed, so the last run began within a revolution.
    """
    if world.has_cache:
        return ""  # the run may be the continuation of another command's
    run, last = service.runs[-1], _stretches(world, service)[-1]
    if run.chained:
        return ""  # the begin of the run is not known
    period = world.mechanics.period_ps
    began = end_ps - period * (run.sectors - 1 + world.strobe) / last.place.sectors
    if run.begin_ps - CLOCK_PS <= began <= run.begin_ps + period + ARMING_PS:
        return ""
    return (
        f"{service.record.named}: the formatter listened at {time_text(run.begin_ps)} and its sectors began at "
        f"{time_text(round(began))}, not in the revolution after it"
    )


def angles(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `angles`: the platter's angle at the end of a transfer is that of the last sector."""
    services = moved_blocks(world)
    known = [(one, end) for one in services if (end := _transfer_end_ps(one)) is not None]
    faults = [_angle_fault(world, one, end) or _wait_fault(world, one, end) for one, end in known]
    period = world.mechanics.period_ps
    expected = f"at {float(60 * 10**12 / period):g} rpm each last sector where zones and skews have it, at its first pass"
    return judge([fault for fault in faults if fault], expected, len(known), "command", _enough(world, services))


def transfers(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `transfers`: from byte 0 of the first sector to the last check byte, track by track."""
    services = moved_blocks(world)
    checked = [one for one in services if one.hit_ps is None and one.reported_ps is None and not one.retries]
    faults = []
    for service in checked:
        takes, stretches = Fraction(0), _stretches(world, service)
        for stretch in stretches:
            takes += world.mechanics.period_ps * (stretch.blocks - 1 + world.strobe) / stretch.place.sectors
        found = service.stages["media_transfer"]
        # If the media stood still in between, a sector's rest counts as rotation: the transfer is shorter, never longer.
        least = 0 if service.waited else takes - len(stretches) * CLOCK_PS
        if not least <= found <= takes + len(stretches) * CLOCK_PS:
            faults.append(f"{service.record.named} passed in {time_text(found)}, takes {time_text(round(takes))}")
    return judge(faults, "each sector its share of a revolution of its zone's track", len(checked), "command",
                 _enough(world, services))  # fmt: skip


def stream(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `stream`: commands that follow each other on the media, from the end of one to the end of the next."""
    period = world.mechanics.period_ps
    faults, checked, lost = [], 0, Fraction(0)
    served = [one for one in world.journal.in_order if one.record.operation != "flush"]
    for before, service in pairwise(served):
        ends = _transfer_end_ps(before), _transfer_end_ps(service)
        stretches = _stretches(world, service)
        joined = service.record.lba == before.record.lba + before.record.blocks
        if ends[0] is None or ends[1] is None or not joined:
            continue
        checked += 1
        # All sectors of the command, and on each further track the skew that the drive has for the movement.
        marks = sum(Fraction(one.blocks, one.place.sectors) for one in stretches)
        marks += _skews(_stretches(world, before)[-1:] + stretches)
        turns = (ends[1] - ends[0]) / period - marks
        lost += turns
        # Each track may cost one revolution, if the following sector has passed.
        if not 0 <= round(turns) <= len(stretches) or abs(turns - round(turns)) * period > CLOCK_PS:
            faults.append(f"{service.record.named} ended {float(turns):.4f} revolutions later than a stream would")
    answer = judge(faults, "0 to 1 revolutions lost for each track of a command, and no part of one", checked,
                   "command that joins", _enough(world, served))  # fmt: skip
    if not answer.holds:
        return answer
    return answer._replace(found=f"{float(lost / checked):.2f} revolutions lost a command, of {checked} that join")


def _skews(stretches: list[Stretch]) -> Fraction:
    """Revolutions from the end of each stretch to the beginning of the next."""
    total = Fraction(0)
    for one, other in pairwise(stretches):
        end = Fraction(one.place.mark + one.blocks, one.place.sectors)
        total += (Fraction(other.place.mark, other.place.sectors) - end) % 1
    return total


def retries(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `retries`: a read has as many further reads as its flawed blocks need, with a revolution for each."""
    flaws = {flaw["lba"]: flaw["retries"] for flaw in world.specimen.get("flaws", []) if flaw["kind"] == "correctable"}
    period = world.mechanics.period_ps
    faults, checked = [], 0
    for service in moved_blocks(world):
        record = service.record
        wanted = sum(flaws.get(lba, 0) for lba in range(record.lba, record.lba + record.blocks))
        checked += wanted > 0
        if service.retries != wanted:
            faults.append(f"{record.named} was read again {service.retries} times, its flaws take {wanted}")
        elif service.stages["rotation"] < (wanted - 1) * period:
            faults.append(f"{record.named} waited {time_text(service.stages['rotation'])} for {wanted} further reads")
    return judge(faults, "as many further reads as the flaws take, a revolution for each", checked,
                 "command with flaws")  # fmt: skip
