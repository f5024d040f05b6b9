# SPDX-License-Identifier: Apache-2.0
"""What can be neither lost nor made: requests, blocks, time of the arm and of the bus, acknowledged data."""

from collections import Counter
from itertools import pairwise
from typing import Any

from errors import RegressError
from event_log import CLOCK_PS

from divergence import time_text
from expect.journal import Service
from expect.requests import Asked
from expect.world import REACTION_PS, Answer, World, judge, plural

GRID_PS = 10**9  # host/replay/replayer.cpp: a trace begins with a whole millisecond
BLOCK_BYTES = 512
MECHANICAL = ("seek", "settle", "head_switch", "rotation", "media_transfer")


def requests(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `requests`: each request of the trace was sent once, unchanged."""
    asked = {request.number: request for request in world.asked}
    count = Counter(record.command for record in world.journal.records)
    faults = [f"command {number} has no record" for number in asked if not count[number]]
    faults += [f"command {number} completed {times} times" for number, times in count.items() if times > 1]
    faults += [f"command {number} is not in the trace" for number in count if number not in asked]
    for record in world.journal.records:
        request = asked.get(record.command)
        if request is None:
            continue
        was = (record.operation, record.lba, record.blocks)
        if was != (request.operation, request.lba, request.blocks):
            faults.append(f"{record.named} is in the trace as {request.operation} LBA {request.lba}, {request.blocks}")
        if (record.deadline_ps is None) != (request.deadline_ps is None) or (
            world.trace.loop != "open" and record.deadline_ps != request.deadline_ps
        ):
            faults.append(f"{record.named} is due {record.deadline_ps} ps later, in the trace {request.deadline_ps}")
        if record.status != 0:
            faults.append(f"{record.named} ended with status {record.status}")
    return judge(
        faults, f"the trace's {plural(len(asked), 'request')}, each once and with GOOD", len(count), "command"
    )


def arrivals(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `arrivals`: a request is sent at its own time, after the one before it, when there is room for it."""
    records = sorted(world.journal.records, key=lambda one: one.command)
    ended = sorted(record.completed_ps for record in records)
    loop, depth = world.trace.loop, world.depth
    if world.warm_up:
        raise RegressError("the requests after a warm-up go out at times that it decides; expect no 'arrivals'")
    speedup = float(world.case.value("load.speedup", 1))
    think_ps = world.case.time_ps("load.think", "0s")
    first = min((record.submitted_ps for record in records), default=0)
    start = first - int((world.asked[0].arrival_ps or 0) / speedup) if loop == "open" else first
    faults = [] if start % GRID_PS == 0 else [f"the trace begins at {time_text(start)}, not with a whole millisecond"]
    before = start
    for place, record in enumerate(records):
        due = start
        if loop == "open":
            due += int((world.asked[place].arrival_ps or 0) / speedup)
        elif loop == "think" and place:
            due = records[place - 1].completed_ps + think_ps  # with one initiator, one request is out
        room = ended[place - depth] if place >= depth else start
        before = max(due, room, before)
        if record.submitted_ps != before:
            faults.append(f"{record.named} went out at {time_text(record.submitted_ps)}, due at {time_text(before)}")
    rule = {
        "open": f"at the trace's times{'' if speedup == 1 else f' / {speedup:g}'}, {depth} out at most",
        "closed": f"the k-th at the end of the (k - {depth})-th",
        "think": f"{time_text(think_ps)} after the end of the one before",
    }
    return judge(faults, f"issued {rule[loop]}, to the picosecond", len(records), "command")


def _way_fault(service: Service) -> str:
    """The fault of a command's events from the queue to the end on the media: none is missing, and all are in order."""
    begins = [service.queued_ps, service.chosen_ps, *(one.begin_ps for one in (*service.moves, *service.runs))]
    ends = [*(one.end_ps for one in (*service.moves, *service.runs)), service.media_done_ps]
    known = [time for time in (*begins, *ends) if time is not None]
    if len(known) < len(begins) + len(ends):
        return f"{service.record.named}: the firmware never told the end of a movement, of a run or of its work"
    if known[1] < known[0] or min(known[2:]) < known[1]:
        return f"{service.record.named}: the media worked for it before it was chosen, or that before it was there"
    if max(known) > known[-1]:
        return f"{service.record.named}: the media were told to be done before they were"
    return ""


def _clock_faults(service: Service) -> list[str]:
    """The faults of the firmware's clock edges against the record's own instants, which are from host, bus and mechanics."""
    record = service.record
    if service.reported_ps is not None:
        return []  # its task goes on without its status
    if len(service.status_ps) != 1 or service.ended_ps is None:
        return [f"{record.named} was answered {len(service.status_ps)} times, and its task ended: {service.ended_ps}"]
    sent = service.status_ps[0]
    stage = record.completed_ps - service.stages["status"] - REACTION_PS, record.completed_ps + CLOCK_PS
    faults = []
    if not stage[0] <= sent <= stage[1]:
        faults.append(f"{record.named}: its status was sent at {time_text(sent)}, outside of its stage")
    if service.is_write and (service.media_done_ps is None or sent < service.media_done_ps):
        faults.append(f"{record.named} had its status before its last sector was on the media")
    return faults


def times(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `times`: stages, response and clock edges of every command."""
    faults = []
    for service in world.journal.services:
        record, stages = service.record, service.stages
        if sum(stages.values()) != record.response_ps or min(stages.values()) < 0:
            total = time_text(sum(stages.values()))
            faults.append(f"{record.named}: its stages sum to {total}, its response is {time_text(record.response_ps)}")
        faults += _clock_faults(service)
        if service.on_media and not world.has_cache and (fault := _way_fault(service)):
            faults.append(fault)
    expected = "stages that sum to the response; its steps in their order, and a write's status after its last sector"
    return judge(faults, expected, len(world.journal.services), "command")


def media(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `media`: the one arm serves one command at a time."""
    faults = []
    records = world.journal.records
    busy = sum(service.stages[name] for service in world.journal.services for name in MECHANICAL)
    elapsed = max(record.completed_ps for record in records) - min(record.submitted_ps for record in records)
    if busy > elapsed:
        faults.append(f"arm and platter worked for {time_text(busy)} within {time_text(elapsed)}")
    free, who = 0, None
    served = [service for service in world.journal.in_order if service.on_media]
    for service in served:
        if service.chosen_ps is not None and service.chosen_ps < free and who is not None:
            faults.append(f"{service.record.named} was begun before the end of {who.record.named}")
        free, who = service.media_done_ps or free, service
        passed = sum(run.done for run in service.runs)
        # With a cache a run is for several commands: for joined ones, and for read-ahead.
        if not world.has_cache and passed != service.record.blocks:
            faults.append(f"{service.record.named}: {plural(passed, 'sector')} passed for it")
    expected = "one command after the other under one arm; as many sectors for each as it has blocks"
    return judge(faults, expected, len(served), "command")


def _connection_faults(world: World) -> list[str]:
    """The faults of connections. Each ends with BUS FREE; each without a status is a DISCONNECT, which one reselection
    follows.
    """
    count = Counter(event.name for event in world.journal.events)
    selected, reselected = count["SELECTED"], count["RESELECTED"]
    # The last connection may be open at the end of the log.
    ends = [event.name for event in world.journal.events if event.name in ("SELECTED", "RESELECTED", "BUS_FREE")]
    freed = count["BUS_FREE"] + (ends[-1:] != ["BUS_FREE"])
    equal = (
        ("selections", selected, "commands received", count["COMMAND_RECEIVED"]),
        ("selections", selected, "statuses", count["STATUS_SENT"]),
        ("connections", selected + reselected, "times that the bus was freed", freed),
        ("disconnects", freed - count["STATUS_SENT"], "reselections", reselected),
    )
    return [f"{one} {name}, {other} {what}" for name, one, what, other in equal if one != other]


def _phases(services: list[Service]) -> list[tuple[int, int, Service]]:
    return sorted(
        ((begin, end, one) for one in services for begin, end in zip(one.data_begins_ps, one.data_ends_ps, strict=False)),
        key=lambda phase: phase[:2],
    )


def bus(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `bus`: the one bus serves one command at a time."""
    rate = given["mb_per_s"]
    block_ps = BLOCK_BYTES / rate * 10**6
    services = [one for one in world.journal.services if one.record.operation != "flush"]
    faults = _connection_faults(world)
    phases = _phases(services)
    for (_, end, one), (begin, _, other) in pairwise(phases):
        if begin < end:
            faults.append(f"data of {other.record.named} moved while those of {one.record.named} did")
    for service in services:
        record = service.record
        if service.granted_blocks != record.blocks:
            faults.append(f"{record.named}: {plural(service.granted_blocks, 'block')} moved on the bus")
        begun, ended = len(service.data_begins_ps), len(service.data_ends_ps)
        lasted = sum(service.data_ends_ps) - sum(service.data_begins_ps)
        if begun != ended:
            faults.append(f"{record.named} began {plural(begun, 'data phase')}, and {ended} ended")
        elif lasted < record.blocks * block_ps:
            faults.append(f"{record.named} moved in {time_text(lasted)}, faster than {rate:g} MB/s")
    expected = f"one data phase at a time, every block once, {rate:g} MB/s at most; as many reselections as disconnects"
    return judge(faults, expected, len(services), "command")


def verified(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `verified`: all blocks of reads were compared with the version written last."""
    reads = [request for request in world.trace.requests if request.operation == "read"]
    wanted = sum(request.blocks for request in reads)
    found = int(world.journal.summary["verified_blocks"])
    return Answer(found == wanted, f"{plural(wanted, 'block')} of reads compared", f"{plural(found, 'block')}")


def flushes(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `flushes`: SYNCHRONIZE CACHE ends when the media hold all data acknowledged before it (SBC)."""
    services = world.journal.services
    faults = []
    flushed = [one for one in services if one.record.operation == "flush"]
    for flush in flushed:
        for write in services:
            if not write.is_write or write.record.completed_ps > flush.record.submitted_ps:
                continue
            if write.media_done_ps is None or write.media_done_ps > flush.record.completed_ps:
                faults.append(f"{flush.record.named} ended before {write.record.named} was on the media")
    return judge(faults, "every write that was acknowledged before a flush on the media before its end", len(flushed),
                 "flush")  # fmt: skip


def conflicting(one: Asked, other: Asked) -> bool:
    """Whether the order of the two matters: they overlap, and one of them writes."""
    return "write" in (one.operation, other.operation) and one.overlaps(other)
