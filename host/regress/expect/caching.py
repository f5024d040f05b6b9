# SPDX-License-Identifier: Apache-2.0
"""What a cache may and must serve, from the earlier requests alone: no model of its inside."""

from itertools import pairwise
from typing import Any

from expect.journal import Service
from expect.world import Answer, World, judge


def _came_near(service: Service, earlier: list[Service], reach_blocks: int) -> bool:
    """Whether every block was asked for before, or follows a read within reach."""
    begin, end = service.record.lba, service.record.lba + service.record.blocks
    missing = set(range(begin, end))
    for other in earlier:
        near = other.record.lba + other.record.blocks + (0 if other.is_write else reach_blocks)
        if other.record.lba < end and begin < near:
            missing -= set(range(max(begin, other.record.lba), min(end, near)))
        if not missing:
            return True
    return False


def _due(services: list[Service], stream_blocks: int) -> list[Service]:
    """Reads that continue the read before, not far after the one that came from the media.

    The media read on after a read when nothing else waits, so its followers are in the buffer or on their way to it.
    """
    due, begin = [], 0
    for before, service in pairwise(services):
        joins = service.record.lba == before.record.lba + before.record.blocks
        reads = before.record.operation == service.record.operation == "read"
        if before.hit_ps is None:
            begin = before.record.lba
        if joins and reads and service.record.lba + service.record.blocks <= begin + stream_blocks:
            due.append(service)
    return due


def hits(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `hits`: no hit of what cannot be in the buffer, and a hit of all that must be there."""
    services, stream, reach = world.journal.services, given["stream_blocks"], given["reach_blocks"]
    served = [one for one in services if one.hit_ps is not None]
    faults = []
    for service in served:
        if service.record.operation != "read":
            faults.append(f"{service.record.named} was served from the cache")
        elif not _came_near(service, services[: service.arrival], reach):
            faults.append(f"{service.record.named} was served from the cache, and its blocks never came near it")
    for service in _due(services, stream):
        if service.hit_ps is None:
            faults.append(f"{service.record.named} goes on with a stream and was no hit")
    expected = f"hits of blocks that were asked for before, or follow a read within {reach}"
    if stream:
        expected += f"; and of every read that goes on with one within {stream} blocks"
    return judge(faults, expected, len(served), "hit")
