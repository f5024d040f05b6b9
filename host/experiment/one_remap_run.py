# SPDX-License-Identifier: Apache-2.0
"""Makes one run of walkers on the drive, as one_run.py makes the others; and reduces its records.

Service times count as in "Disk Performance Enhancement through Markov-based Cylinder Remapping". With one request outstanding a
service lasts from its issue to its completion: the gap before it does not count. With more outstanding, the mean service is the
time from one completion to the next: the drive never waits long. Then only the time counts in which all walkers still have
requests.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from drive_file import PS_PER_MS
from errors import ExperimentError
from records import Column, read_columns
from remap_load import REQUEST_BLOCKS, write_requests
from remap_maps import NO_MAP, RUN_WORDS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.workplace import Workplace  # noqa: E402
from remap.arrangement import Map, read_map  # noqa: E402

Spec = dict[str, Any]
STAGES = ("seek_ps", "settle_ps", "head_switch_ps", "rotation_ps", "media_transfer_ps")
COLUMNS = ("command", "blocks", "submitted_ps", "completed_ps", "status", *STAGES)


def map_of(spec: Spec, workplace: Workplace) -> Map | None:
    """What its units lie by."""
    return None if spec["map"] == NO_MAP else read_map(workplace.files[spec["map"]])


def write_trace(file: Path, spec: Spec, workplace: Workplace) -> None:
    """For the drive."""
    write_requests(file, spec, map_of(spec, workplace))


def words(spec: Spec) -> list[str | Path]:
    """What it is told beside drive, trace, policy and platform."""
    return ["--queue-depth", str(spec["remap"]["walkers"]), *RUN_WORDS]


def reduce_run(spec: Spec, folder: Path) -> dict[str, Any]:
    """Raises ExperimentError."""
    load = spec["remap"]
    return reduce_walks(read_columns(folder / "records.csv", COLUMNS), spec["requests"], load["walkers"], load["closed"])


def reduce_walks(columns: dict[str, Column], requests: int, walkers: int, closed: bool) -> dict[str, Any]:
    """Times in milliseconds, all of them means over the requests that count."""
    if np.any(columns["status"] != 0):
        raise ExperimentError("a command did not end with GOOD; replay the trace with headstack run to see which")
    if len(columns["command"]) != requests or np.any(columns["blocks"] != REQUEST_BLOCKS):
        raise ExperimentError(f"{len(columns['command'])} of {requests} requests came back whole")
    submitted, completed = columns["submitted_ps"], columns["completed_ps"]
    whose = np.zeros(requests, dtype=np.int64) if closed else columns["command"] % walkers
    last = np.zeros(int(whose.max()) + 1, dtype=np.int64)
    np.maximum.at(last, whose, submitted)
    # From the first completion on, until the first walker has nothing more.
    counts = completed <= last.min()
    if walkers == 1:
        service_ms = float(np.mean((completed - submitted)[counts])) / PS_PER_MS
    else:
        ends = completed[counts]
        if len(ends) < 2:
            raise ExperimentError(f"a walker ends before two requests are done; give more than {requests} requests")
        service_ms = float(ends[-1] - ends[0]) / (len(ends) - 1) / PS_PER_MS
    means = {name.replace("_ps", "_ms"): float(np.mean(columns[name][counts])) / PS_PER_MS for name in STAGES}
    response_ms = (completed - submitted)[counts] / PS_PER_MS
    return {
        "requests": requests,
        "counted": int(np.count_nonzero(counts)),
        "service_ms": service_ms,
        "response_mean_ms": float(np.mean(response_ms)),
        "response_max_ms": float(np.max(response_ms)),
        **means,
    }
