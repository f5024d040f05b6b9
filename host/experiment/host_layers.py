# SPDX-License-Identifier: Apache-2.0
"""Upper layers of two schedulers of table I of Kim, Bahn and Won. They are in the host, above the drive's queue.

`horizon` (Povzner, Sawyer and Brandt 2010) gives every request a deadline, which follows from the target of its stream. A
real-time stream has a latency as its target: the deadline of the workload. A best-effort stream has a throughput as its target:
the mean rate at which it asks. Its request is due one gap after its arrival, or after the due time of the stream's request
before, whichever is later. So requests beyond the rate are due later, and do not take the time of other streams. The papers that
we have leave the target of best effort open; this one is ours. The drive's queue is the lower layer.

`chen` (Chen and Little 1993) serves streams round-robin, and bounds a round by statistics of service times. A round lasts as long
as the shortest gap of a real-time stream. `headstack admission` says how many requests it holds, so that only a given share of the
rounds is late. Each real-time stream gets one request a round, which is its rate or more. The best-effort streams share the
others, and get one request each at least. The drive receives these quotas as the parameter k of streams, and serves the rounds.
"""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from errors import ExperimentError
from stream_load import US_PER_MS, Floats, Requests
from stream_records import MS_PER_S, SECTOR_BYTES

from workload import REAL_TIME

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Simulator, said  # noqa: E402

LAYERS = HORIZON, CHEN = ("horizon", "chen")
# Increase it when a layer gives other deadlines or quotas for the same workload.
LAYER_VERSION = 1
KB_SECTORS = 1024 // SECTOR_BYTES
LARGEST_QUOTA = 255  # the byte k of mode page 20h/01h

Spec = dict[str, Any]


# ----------------------------------------------------------------------------------------------------------------- admission


def admission(
    simulator: Simulator, drive: Path, bytes_per_second: float, blocks: int, round_ms: float = 0, schemes: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """The answers of `headstack admission`, by scheme. Raises ExperimentError.

    With `round_ms` 0 a round is the time for which a request lasts. Without `schemes` all are asked.
    """
    words: list[str | Path] = ["admission", drive, "--rate", f"{bytes_per_second / 1000:.9f}kB", "--blocks", str(blocks), "--json"]
    words += ["--round", f"{round_ms:.9f}ms"] if round_ms else []
    words += ["--scheme", ",".join(schemes)] if schemes else []
    status, output, message = simulator.call(simulator.program.with_name("headstack"), words)
    if status != 0:
        raise ExperimentError(f"headstack admission for {drive}: {said(status, message)}")
    return {row["scheme"]: row for row in json.loads(output)["schemes"]}


# ------------------------------------------------------------------------------------------------------------------- horizon


def due_by_rate(arrival_us: Floats, gap_us: float) -> Floats:
    """The absolute due times of a stream's requests at one request per gap."""
    due, before = np.empty(len(arrival_us)), -math.inf
    for number, at in enumerate(arrival_us.tolist()):
        due[number] = before = max(at, before) + gap_us
    return due


def with_deadlines(requests: Requests, streams: Sequence[Spec], scale: float) -> Requests:
    """The same requests with the deadlines of `horizon`. All of them are real time then."""
    deadline_us = requests.deadline_us.copy()
    for number, stream in enumerate(streams):
        if stream["service_class"] == REAL_TIME:
            continue
        own = requests.stream == number
        arrival_us = requests.arrival_us[own]
        deadline_us[own] = due_by_rate(arrival_us, stream["gap_ms"] * scale * US_PER_MS) - arrival_us
    return replace(requests, deadline_us=deadline_us)


# ---------------------------------------------------------------------------------------------------------------------- chen


def round_ms_of(streams: Sequence[Spec], scale: float) -> float:
    """The length of a round. Raises ExperimentError if there is no real-time stream."""
    gaps = [stream["gap_ms"] * scale for stream in streams if stream["service_class"] == REAL_TIME]
    if not gaps:
        raise ExperimentError(f"layer '{CHEN}': the workload has no real-time stream; give it one, or leave the layer out")
    return min(gaps)


def mean_blocks(streams: Sequence[Spec]) -> int:
    """The mean length of the requests of all streams, in blocks, rounded up."""
    rates = [1 / stream["gap_ms"] for stream in streams]
    sizes_kb = [sum(stream["size_kb"]) / 2 for stream in streams]
    return math.ceil(sum(rate * size for rate, size in zip(rates, sizes_kb, strict=True)) / sum(rates) * KB_SECTORS)


def requests_of_round(simulator: Simulator, drive: Path, streams: Sequence[Spec], scale: float) -> int:
    """The number of requests that a round of `chen` holds. Raises ExperimentError."""
    length_ms, blocks = round_ms_of(streams, scale), mean_blocks(streams)
    # A stream at half of this rate has one request a round, so streams are requests.
    rate = blocks * SECTOR_BYTES / length_ms * MS_PER_S / 2
    return int(admission(simulator, drive, rate, blocks, length_ms, [CHEN])[CHEN]["streams"])


def quotas_of(streams: Sequence[Spec], requests: int) -> list[int]:
    """The requests of each stream in a round that holds `requests`."""
    urgent = [stream["service_class"] == REAL_TIME for stream in streams]
    others = urgent.count(False)
    share = max(1, (requests - sum(urgent)) // others) if others else 0
    return [1 if is_urgent else min(share, LARGEST_QUOTA) for is_urgent in urgent]
