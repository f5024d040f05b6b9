# SPDX-License-Identifier: Apache-2.0
"""Reduces the records of a run with deadlines to the numbers for the paper's figures.

A read misses when it ends after its deadline. A write misses when it finds the write buffer full on its arrival. A drive with the
buffer counts them. A policy with one pool for reads and writes uses no buffer. There a write misses when as many earlier writes
as the buffer has frames have not reached the media. `writes_found` counts that for every size of the buffer at once, since such a
run does not depend on it. A write with a deadline misses when it ends at the media after it.
"""

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deadline_load import MOST_FRAMES, Requests
from drive_file import PS_PER_MS
from errors import ExperimentError
from records import BANDS, Column, read_columns

COLUMNS = ("command", "submitted_ps", "completed_ps", "status")
PS_PER_US = 1_000_000


def read_records(file: Path) -> dict[str, Column]:
    """Reads the columns that are needed, in the order of completion. Raises ExperimentError."""
    return read_columns(file, COLUMNS)


def writes_found(arrival: NDArray[Any], end: NDArray[Any]) -> list[int]:
    """How many writes find a buffer of 0, 1, ... MOST_FRAMES frames full, if the buffer had no other effect.

    `arrival` ascends. A write that ends at the moment of another's arrival has left its frame.
    """
    ended = np.searchsorted(np.sort(end), arrival, side="right")
    inside = np.arange(len(arrival)) - ended
    return [int(np.count_nonzero(inside >= frames)) for frames in range(MOST_FRAMES + 1)]


def _mean(values: NDArray[Any]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def reduce_deadlines(
    columns: dict[str, Column], requests: Requests, pages: int, full_on_arrival: int | None
) -> dict[str, Any]:
    """Times in milliseconds. `full_on_arrival`: writes that found no free frame; None: there is no buffer.

    Distances are in pages, between one command's end and the next one's place, in the order of completion.
    """
    if np.any(columns["status"] != 0):
        raise ExperimentError("a command did not end with GOOD; replay the trace with headstack run to see which")
    command = columns["command"]
    response_ps = columns["completed_ps"] - columns["submitted_ps"]
    is_read = ~requests.is_write[command]
    # Deadlines are rounded to the picosecond, as in the trace.
    has_deadline = np.isfinite(requests.deadline_us[command])
    deadline_ps = np.round(np.where(has_deadline, requests.deadline_us[command], 0) * PS_PER_US).astype(np.int64)
    late_ps = (response_ps - deadline_ps)[is_read]
    missed = late_ps > 0
    is_timed_write = ~is_read & has_deadline
    if np.any(is_timed_write):
        full_on_arrival = int(np.count_nonzero((response_ps > deadline_ps)[is_timed_write]))
    place = requests.place[command]
    bands = place[is_read][missed] * BANDS // pages
    by_number = np.argsort(command)
    is_write = requests.is_write[command][by_number]
    found = writes_found(columns["submitted_ps"][by_number][is_write], columns["completed_ps"][by_number][is_write])
    reads = int(np.count_nonzero(is_read))
    return {
        "requests": len(command),
        "reads_served": reads,
        "writes_arrived": len(command) - reads,
        "reads_missed": int(np.count_nonzero(missed)),
        "writes_missed": full_on_arrival,
        "writes_found": found if full_on_arrival is None else None,
        "tardy_mean_ms": _mean(late_ps[missed]) / PS_PER_MS,
        "response_mean_ms": _mean(response_ps[is_read]) / PS_PER_MS,
        "response_max_ms": float(np.max(response_ps[is_read], initial=0)) / PS_PER_MS,
        "distance_mean_pages": _mean(np.abs(np.diff(place))),
        "elapsed_ms": int(np.max(columns["completed_ps"]) - np.min(columns["submitted_ps"])) / PS_PER_MS,
        "order": zlib.crc32(command.astype("<i8").tobytes()),
        "band_missed": [int(np.count_nonzero(bands == band)) for band in range(BANDS)],
    }


def finish(result: dict[str, Any], frames: int) -> dict[str, Any]:
    """The result with the writes that a buffer of this size would have missed, if the run itself had no buffer."""
    found = result["writes_found"]
    kept = {name: value for name, value in result.items() if name != "writes_found"}
    return kept if found is None else kept | {"writes_missed": found[frames]}
