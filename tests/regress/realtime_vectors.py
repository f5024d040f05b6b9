# SPDX-License-Identifier: Apache-2.0
"""The static queues of an independent program (../shared/vectors/realtime_static_queues.csv), served by a definition.

Its head line has the drive: 56,000 cylinders at 7200 rpm, 0.5 ms overhead, every rotation half a turn, every transfer 1 ms.
seek(d) = 0.9 + 0.05855 sqrt(d) ms up to 18,667 cylinders, then linear to 16.8 ms at 55,999.
"""

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from support import ROOT
from expect.policy import DriveFacts, Moment, Request, make_policy

FILE = ROOT.parent / "shared/vectors/realtime_static_queues.csv"
MS = 10**9
TURN_MS = 60_000 / 7200
FIXED_MS = 0.5 + TURN_MS / 2 + 1
CYLINDERS, KNEE = 56_000, 18_667
AT_KNEE_MS = 0.9 + 0.05855 * math.sqrt(KNEE)


class Row(NamedTuple):
    """A queue, and the order in which it is served."""

    scenario: str
    head: int
    requests: list[tuple[float, int, float]]  # arrival ms, cylinder, deadline in ms after arrival or 0
    order: list[int]
    finish_ms: list[float]


def seek_ms(distance: int) -> float:
    """The seek curve of the head line."""
    if distance == 0:
        return 0.0
    if distance <= KNEE:
        return 0.9 + 0.05855 * math.sqrt(distance)
    return AT_KNEE_MS + (16.8 - AT_KNEE_MS) * (distance - KNEE) / (CYLINDERS - 1 - KNEE)


DRIVE = DriveFacts(
    CYLINDERS,
    (sum(seek_ms(d) * 2 * (CYLINDERS - d) for d in range(1, CYLINDERS)) / CYLINDERS**2 + TURN_MS / 2) * MS,
    0.5 * MS,
)


def rows(policy: str, file: Path = FILE) -> Iterator[Row]:
    """The rows of a policy, by its name in the file."""
    lines = (line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    for fields in csv.DictReader(lines):
        if fields["policy"] != policy:
            continue
        requests = []
        for text in fields["requests"].split():
            arrival, _, rest = text.partition("@")
            cylinder, _, deadline = rest.partition(":")
            requests.append((float(arrival), int(cylinder), float(deadline)))
        order = [int(one) for one in fields["order"].split()]
        finish = [float(one) for one in fields["finish_ms"].split()]
        yield Row(fields["scenario"], int(fields["head"]), requests, order, finish)


def _moment(now_ms: float, at: int, waiting: Sequence[Request]) -> Moment:
    def move_ps(before: Request | None, request: Request) -> float:
        return seek_ms(abs(request.cylinder - (at if before is None else before.cylinder))) * MS

    def mean_ends_ps(order: Sequence[Request]) -> list[float]:
        ends, end = [], now_ms * MS
        for before, request in zip([None, *order], order, strict=False):
            end += FIXED_MS * MS + move_ps(before, request)
            ends.append(end)
        return ends

    def access_ps(request: Request) -> float:
        return FIXED_MS * MS + move_ps(None, request)

    def seek_ps(request: Request) -> float:
        return move_ps(None, request)

    def fixed_ps(request: Request) -> float:
        return FIXED_MS * MS

    return Moment(now_ms * MS, at, access_ps, access_ps, waiting, access_ps, mean_ends_ps, seek_ps, move_ps, fixed_ps)


def serve(row: Row, policy: str) -> tuple[list[int], list[float]]:
    """The order and the ends, ms, by the definition. A choice is among the requests that arrived before the end of the access
    before.
    """
    reference, now, at = make_policy(policy, DRIVE), 0.0, row.head
    coming = [
        # Real time is stream 0 and best effort stream 1, as in the file's program.
        Request(number, number, cylinder, round(arrival * MS), False,
                round((arrival + due) * MS) if due else None, 0 if due else 1)
        for number, (arrival, cylinder, due) in enumerate(row.requests)
    ]  # fmt: skip
    waiting: list[Request] = []
    order, ends = [], []
    while coming or waiting:
        if not waiting:
            now = max(now, coming[0].arrived_ps / MS)
        while coming and coming[0].arrived_ps <= now * MS:
            waiting = [*waiting, coming.pop(0)]
            reference.arrived(waiting[-1], _moment(now, at, waiting))
        moment = _moment(now, at, waiting)
        chosen = min(waiting, key=lambda one: (*reference.key(one, moment), one.order))
        waiting = [one for one in waiting if one != chosen]
        reference.served(chosen, waiting, moment)
        now, at = now + FIXED_MS + seek_ms(abs(chosen.cylinder - at)), chosen.cylinder
        order.append(chosen.number)
        ends.append(now)
    return order, ends
