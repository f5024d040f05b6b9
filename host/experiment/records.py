# SPDX-License-Identifier: Apache-2.0
"""Reduces the records of one run to the numbers of an experiment.

The queue of the papers holds Q requests *to choose from*. A finished request is replaced at once, in time for the next choice.
A drive makes its next choice when the heads are free. That is just before its host can receive the status and send another
command. So a run keeps one command more than Q outstanding, the one on the media: then Q others wait at every choice. Each
counts as queued from the first completion after its submission on. The first command only places the heads, and the clock
starts when it is done. Choices, their times and their response times are then exactly those of the papers' rule. A policy that
uses ages must be configured, as every request is one access older than in the papers: `wstf:age=choice`.

In an open loop a request is queued from its arrival on, and the clock starts with the first arrival.
"""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from drive_file import PS_PER_MS, Drive
from errors import ExperimentError
from numpy.typing import NDArray

KEPT = ("missed_revolutions", "lost_revolutions", "requeued", "firmware_cycles")  # values that are taken from a run's summary
BANDS = 10  # bands of cylinders, from the outermost to the innermost
# Instants and times of a command after its choice.
SERVICE_COLUMNS = ("chosen_ps", "seek_ps", "settle_ps", "head_switch_ps", "rotation_ps", "media_transfer_ps")
SEEK_COLUMNS = ("seek_ps", "settle_ps", "head_switch_ps")
COLUMNS = ("lba", "submitted_ps", "completed_ps", "status", *SERVICE_COLUMNS)

Column = NDArray[np.int64]


def read_columns(file: Path, columns: Sequence[str]) -> dict[str, Column]:
    """Columns of whole numbers of a records file, in the order of completion. Raises ExperimentError."""
    with open(file, encoding="ascii") as lines:
        header = lines.readline().strip().split(",")
        missing = [name for name in columns if name not in header]
        if missing:
            raise ExperimentError(f"{file}: no column {missing[0]}; build headstack-run from the sources of host/experiment")
        values = np.loadtxt(
            lines, dtype=np.int64, delimiter=",", usecols=[header.index(name) for name in columns], ndmin=2
        )
    return {name: values[:, index] for index, name in enumerate(columns)}


def read_records(file: Path) -> dict[str, Column]:
    """Reads the columns that are needed, in the order of completion. Raises ExperimentError."""
    return read_columns(file, COLUMNS)


def _turns(cylinders: Column) -> int:
    """How often the arm changes its direction."""
    steps = np.diff(cylinders)
    directions = np.sign(steps[steps != 0])
    return int(np.count_nonzero(np.diff(directions)))


def _band_means(cylinders: Column, response_ms: NDArray[np.float64], total: int) -> list[float]:
    bands = cylinders * BANDS // total
    return [float(np.mean(response_ms[bands == band])) if np.any(bands == band) else 0.0 for band in range(BANDS)]


def reduce_records(columns: dict[str, Column], drive: Drive, sectors: int, closed: bool) -> dict[str, Any]:
    """Reduces a run: times in milliseconds, `utilization` as transfer time over elapsed time.

    `io_ms` is elapsed time per request. `requests_per_sweep` is how many the arm serves between two turns. Two runs that
    served the same requests in the same order have the same `order`.
    """
    completed, submitted = columns["completed_ps"], columns["submitted_ps"]
    if np.any(columns["status"] != 0):
        raise ExperimentError("a command did not end with GOOD; replay the trace with headstack run to see which")
    if closed:
        begin = int(completed[0])
        counted = slice(1, None)
        arrived = completed[np.searchsorted(completed, submitted, side="right")][counted]
    else:
        begin = int(np.min(submitted))
        counted = slice(0, None)
        arrived = submitted
    response_ms = (completed[counted] - arrived) / PS_PER_MS
    count = len(response_ms)
    elapsed_ms = (int(completed[-1]) - begin) / PS_PER_MS
    all_cylinders = columns["lba"] // drive.sectors_per_cylinder
    cylinders = all_cylinders[counted]
    service_ms = sum(columns[name][counted] for name in SERVICE_COLUMNS) / PS_PER_MS
    seek_ms = sum(columns[name][counted] for name in SEEK_COLUMNS) / PS_PER_MS
    return {
        "requests": count,
        "elapsed_ms": elapsed_ms,
        "utilization": count * drive.transfer_ms(sectors) / elapsed_ms,
        "io_ms": elapsed_ms / count,
        "response_mean_ms": float(np.mean(response_ms)),
        "response_deviation_ms": float(np.std(response_ms)),
        "response_max_ms": float(np.max(response_ms)),
        "waiting_mean_ms": float(np.mean(response_ms - service_ms)),
        "seek_mean_ms": float(np.mean(seek_ms)),
        "rotation_mean_ms": float(np.mean(columns["rotation_ps"][counted])) / PS_PER_MS,
        "distance_mean_cylinders": float(np.mean(np.abs(np.diff(all_cylinders)))),
        "requests_per_sweep": count / (_turns(all_cylinders) + 1),
        "order": zlib.crc32(columns["lba"].astype("<i8").tobytes()),
        "band_response_ms": _band_means(cylinders, response_ms, drive.cylinders),
    }
