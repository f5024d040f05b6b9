# SPDX-License-Identifier: Apache-2.0
"""Reduces the records of a run of streams to the numbers for the figures of "A Pruning-based Disk Scheduling Algorithm".

A real-time request misses when it ends after its deadline. Misses in a row count within a stream, in the order of arrival. Jitter
is the mean change of response from one request of a stream to its next, over the real-time streams. (RFC 3550, section 6.4.1,
adds a smoothing.) A seek distance is that between the first blocks of two commands in the order of service. Each command is
served to its end before the next.
"""

import math
import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from errors import ExperimentError
from numpy.typing import NDArray

from drive_file import PS_PER_MS
from records import Column, read_columns
from stream_load import Requests

COLUMNS = ("command", "submitted_ps", "completed_ps", "status", "seek_ps", "rotation_ps")
PS_PER_US = 1_000_000
MS_PER_S = 1000.0
SECTOR_BYTES, MB = 512, 1024 * 1024


@dataclass(frozen=True)
class Cylinders:
    """The cylinder of a block, for a drive without spares, slips and reserved sectors."""

    first_block: Column  # the first block of each zone
    first_cylinder: Column
    per_cylinder: Column
    blocks: int

    def of(self, lba: Column) -> Column:
        """The cylinder of each block."""
        zone = np.searchsorted(self.first_block, lba, side="right") - 1
        return self.first_cylinder[zone] + (lba - self.first_block[zone]) // self.per_cylinder[zone]


PLAIN_ZONE = {"first_cylinder", "last_cylinder", "sectors_per_track", "track_skew", "cylinder_skew"}


def load_cylinders(file: Path) -> Cylinders:
    """Reads a drive's description. Raises ExperimentError if blocks do not follow the sectors."""
    try:
        design = tomllib.loads(file.read_text(encoding="utf-8"))["design"]
        zones, heads = design["zones"], design["heads"]
        if any(set(zone) - PLAIN_ZONE for zone in zones) or "sparing" in design or "reserved_cylinders" in design:
            raise ExperimentError(f"{file}: has spares, slips or reserved parts; streams need a drive without")
        first_cylinder = np.array([zone["first_cylinder"] for zone in zones], dtype=np.int64)
        per_cylinder = np.array([zone["sectors_per_track"] * heads for zone in zones], dtype=np.int64)
        counts = np.array([zone["last_cylinder"] + 1 for zone in zones]) - first_cylinder
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise ExperimentError(f"{file}: {error}; name a drive of 'headstack drive list'") from error
    blocks = np.concatenate([[0], np.cumsum(counts * per_cylinder)])
    return Cylinders(blocks[:-1], first_cylinder, per_cylinder, int(blocks[-1]))


def read_records(file: Path) -> dict[str, Column]:
    """Reads the columns that are needed, in the order of completion. Raises ExperimentError."""
    return read_columns(file, COLUMNS)


def _mean(values: NDArray[Any]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def longest_row(missed: NDArray[np.bool_]) -> int:
    """The longest run of misses."""
    longest = row = 0
    for one in missed.tolist():
        row = row + 1 if one else 0
        longest = max(longest, row)
    return longest


def _stream(response_ms: NDArray[Any], missed: NDArray[np.bool_], sectors: Column, elapsed_ms: float) -> dict[str, Any]:
    """The numbers of one stream, in the order of arrival."""
    return {
        "requests": len(response_ms),
        "response_mean_ms": _mean(response_ms),
        "response_max_ms": float(np.max(response_ms, initial=0.0)),
        "missed": int(np.count_nonzero(missed)),
        "missed_in_a_row": longest_row(missed),
        "jitter_ms": _mean(np.abs(np.diff(response_ms))),
        "mb_per_s": float(np.sum(sectors)) * SECTOR_BYTES / MB / elapsed_ms * MS_PER_S,
    }


LOG_10 = math.log(10)


def waiting_at_arrivals(submitted_ps: Column, completed_ps: Column) -> Column:
    """For each arrival, how many requests wait just after it: itself included, without the one that is served."""
    arrival, end = np.sort(submitted_ps), np.sort(completed_ps)
    out = np.arange(1, len(arrival) + 1) - np.searchsorted(end, arrival, side="right")
    return np.maximum(out - 1, 1)


def orders_log10(waiting: Column) -> float:
    """log10 of the sum of n! over all arrivals: in how many orders the waiting requests could be served."""
    logs = np.array([math.lgamma(n + 1) for n in waiting.tolist()]) / LOG_10
    most = float(np.max(logs))
    return most + math.log10(float(np.sum(10 ** (logs - most))))


def reduce_streams(columns: dict[str, Column], requests: Requests, cylinders: Cylinders | None) -> dict[str, Any]:
    """Reduces a run. Times are in milliseconds. `waiting_mean` is the mean number of outstanding requests over time (Little's
    law). Without `cylinders` the result has no seek distance.
    """
    if np.any(columns["status"] != 0):
        raise ExperimentError("a command did not end with GOOD; replay the trace with headstack run to see which")
    command = columns["command"]
    if len(command) != len(requests.lba):
        raise ExperimentError(f"{len(command)} of {len(requests.lba)} requests came back")
    response_ps = (columns["completed_ps"] - columns["submitted_ps"])[np.argsort(command)]
    real_time = requests.is_real_time
    # Deadlines are rounded to the picosecond, as in the trace.
    due_ps = np.round(np.nan_to_num(requests.deadline_us) * PS_PER_US).astype(np.int64)
    missed = real_time & (response_ps > due_ps)
    response_ms = response_ps / PS_PER_MS
    elapsed_ms = int(np.max(columns["completed_ps"]) - np.min(columns["submitted_ps"])) / PS_PER_MS
    streams = []
    for number in range(int(np.max(requests.stream)) + 1):
        own = requests.stream == number
        streams.append(_stream(response_ms[own], missed[own], requests.sectors[own], elapsed_ms))
    urgent = [streams[number] for number in np.unique(requests.stream[real_time])]
    distances = None if cylinders is None else np.abs(np.diff(cylinders.of(requests.lba[command])))
    return {
        "requests": len(command),
        "elapsed_ms": elapsed_ms,
        "response_mean_ms": _mean(response_ms),
        "response_max_ms": float(np.max(response_ms)),
        "response_rt_ms": _mean(response_ms[real_time]),
        "response_be_ms": _mean(response_ms[~real_time]),
        "rt_served": int(np.count_nonzero(real_time)),
        "rt_missed": int(np.count_nonzero(missed)),
        "missed_in_a_row": max((stream["missed_in_a_row"] for stream in urgent), default=0),
        "jitter_ms": _mean(np.array([stream["jitter_ms"] for stream in urgent])),
        "requests_per_s": len(command) / elapsed_ms * MS_PER_S,
        "mb_per_s": sum(stream["mb_per_s"] for stream in streams),
        "distance_total_cylinders": None if distances is None else int(np.sum(distances)),
        "seek_mean_ms": _mean(columns["seek_ps"]) / PS_PER_MS,
        "rotation_mean_ms": _mean(columns["rotation_ps"]) / PS_PER_MS,
        "waiting_mean": float(np.sum(response_ms)) / elapsed_ms,
        "orders_sum_log10": orders_log10(waiting_at_arrivals(columns["submitted_ps"], columns["completed_ps"])),
        "order": zlib.crc32(command.astype("<i8").tobytes()),
        "streams": streams,
    }


def work_of(counts: dict[str, int]) -> dict[str, float]:
    """The work of gscan, in the mean over its arrivals: units, schedules made and kept, units weighed."""
    arrivals = max(1, counts["arrival_times"])
    return {
        "created": counts["arrival_created"],
        "units_mean": counts["arrival_units"] / arrivals,
        "created_mean": counts["arrival_created"] / arrivals,
        "kept_mean": counts["arrival_kept"] / arrivals,
        "evaluations_mean": (counts["arrival_evaluations"] + counts["decision_evaluations"]) / arrivals,
    }
