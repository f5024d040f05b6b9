# SPDX-License-Identifier: Apache-2.0
"""Makes one run of a sweep of cost_sweeps.py: the work of host/sweep, with the numbers of `cost`.

A closed loop fills its queue at the beginning, and drains it at the end. So `request_ms`, the time of a request, counts only while
the queue is full. That lasts from the completion after which the first queue is served to the last submission. Responses and
stages are those of all requests.

A run with a ledger (host/observe/event_ledger.hpp) also has the core's cycles from the first request on. They are summed by part
of the firmware, and by the event that ends them.
"""

import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from cost_load import write_load
from cost_parts import FirmwareParts
from drive_file import PS_PER_MS, capacity_blocks
from errors import ExperimentError
from numpy.typing import NDArray
from one_depth_run import made
from records import KEPT

HOST = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HOST / "sweep"), str(HOST)]
sys.path += [str(HOST / "report"), str(HOST / "output")]

from clock import CLOCK_PS  # noqa: E402
from execute.simulator import Ended, Simulator  # noqa: E402
from execute.store import Spec  # noqa: E402
from execute.workplace import Workplace  # noqa: E402
from one_point import make_run  # noqa: E402
from record_file import NONE, read_header, read_records, require_columns  # noqa: E402
from scenarios import DRIVE_KEY, table_value  # noqa: E402
from spread import rank  # noqa: E402

MS_PER_S, BYTES_PER_MB, BLOCK_BYTES = 1000.0, 1e6, 512
# Stages of a command, which sum to its response (host/README.md).
STAGES = (
    "issued", "selection", "command", "queued", "chosen", "seek", "settle", "head_switch", "rotation", "media_transfer", "bus_wait",
    "bus_data", "status",
)  # fmt: skip
EXPOSED = "search_exposed"  # the part of `queued` in which the media wait for the choice
COLUMNS = ("submitted_ps", "completed_ps", "response_ps", "blocks", "status", *(f"{name}_ps" for name in (*STAGES, EXPOSED)))
DEADLINE = "deadline_ps"
ISSUE, ASLEEP, BUFFER = "issue", "(asleep)", "BUFFER+"  # words of ledger.txt, and of accesses.txt

Column = NDArray[np.int64]


def full_queue(submitted: Column, completed: Column, depth: int) -> tuple[int, int]:
    """The time in which the queue is full, in picoseconds, and the number of completions in it. `completed` rises.

    Raises ExperimentError when the queue is not served once.
    """
    begin, end = completed[depth - 1] if depth <= len(completed) else 0, submitted.max()
    count = int(np.count_nonzero((completed > begin) & (completed <= end)))
    if depth > len(completed) or count == 0:
        raise ExperimentError(f"{len(completed)} requests do not serve a queue of {depth}; give more 'requests'")
    return int(end - begin), count


def reduce_records(columns: dict[str, Column], depth: int) -> dict[str, float]:
    """The numbers of a run: times in milliseconds. Raises ExperimentError.

    Percentiles are nearest ranks. `missed_percent` is the share of deadlines that were missed, if there are any.
    """
    if np.any(columns["status"] != 0):
        raise ExperimentError("a command did not end with GOOD; replay the trace with headstack run to see which")
    response = np.sort(columns["response_ps"])
    elapsed_ps, count = full_queue(columns["submitted_ps"], columns["completed_ps"], depth)
    request_ms = elapsed_ps / count / PS_PER_MS
    numbers = {
        "requests": len(response),
        "counted": count,
        "request_ms": request_ms,
        "requests_per_s": MS_PER_S / request_ms,
        "mb_per_s": float(np.mean(columns["blocks"])) * BLOCK_BYTES / BYTES_PER_MB * MS_PER_S / request_ms,
        "response_mean_ms": float(np.mean(response)) / PS_PER_MS,
        "response_p99_ms": int(response[rank(len(response), 990)]) / PS_PER_MS,
        "response_p999_ms": int(response[rank(len(response), 999)]) / PS_PER_MS,
        "response_max_ms": int(response[-1]) / PS_PER_MS,
    }
    if DEADLINE in columns:
        due = columns[DEADLINE] != NONE
        late = columns["response_ps"][due] > columns[DEADLINE][due]
        numbers["missed_percent"] = 100 * float(np.mean(late))
    return numbers | {f"{name}_ms": float(np.mean(columns[f"{name}_ps"])) / PS_PER_MS for name in (*STAGES, EXPOSED)}


def read_columns(file: Path) -> dict[str, Column]:
    """The columns of a records file, in the order of completion. Raises RunError."""
    require_columns(file, list(COLUMNS))
    names = [*COLUMNS, *([DEADLINE] if DEADLINE in read_header(file) else [])]
    pieces = list(read_records(file))
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in names}


def reduce_ledger(lines: Iterable[str], part_of: Callable[[str], str]) -> dict[str, Any]:
    """The work of a ledger's core after the first request: cycles awake, instructions, and the cycles by part and by event.

    The cycles of an event are those since the event before. `first_edge` is the clock edge of the first request.
    """
    first_edge: int | None = None
    parts: dict[str, int] = {}
    events: dict[str, int] = {}
    instructions = 0
    for line in lines:
        words = line.split()
        if words[0] == ISSUE:
            first_edge = int(words[1]) // CLOCK_PS if first_edge is None else first_edge
        elif first_edge is not None:
            for work in words[5:]:
                name, cycles, retired = work.rsplit(":", 2)
                if name != ASLEEP:
                    part = part_of(name)
                    parts[part] = parts.get(part, 0) + int(cycles)
                    events[words[1]] = events.get(words[1], 0) + int(cycles)
                    instructions += int(retired)
    if first_edge is None:
        raise ExperimentError("the ledger has no request; repeat the run")
    return {
        "first_edge": first_edge, "cycles": sum(parts.values()), "instructions": instructions, "parts": parts, "events": events,
    }  # fmt: skip


def count_accesses(lines: Iterable[str], first_edge: int) -> dict[str, int]:
    """The accesses of accesses.txt to registers, and to the sector buffer, from an edge on."""
    counts = {"register_accesses": 0, "buffer_accesses": 0}
    for line in lines:
        edge, _, _, _, name = line.split()[:5]
        if int(edge) >= first_edge:
            counts["buffer_accesses" if name.startswith(BUFFER) else "register_accesses"] += 1
    return counts


def _reduce(ended: Ended, workplace: Workplace) -> dict[str, Any]:
    summary = ended.summary()
    result: dict[str, Any] = reduce_records(read_columns(ended.folder / "records.csv"), summary["queue_depth"])
    result |= {name: summary[name] for name in KEPT}
    ledger, accesses = ended.folder / "ledger.txt", ended.folder / "accesses.txt"
    if ledger.exists():
        with ledger.open(encoding="ascii") as lines:
            result |= reduce_ledger(lines, _parts(workplace.simulator).part_of)
    if ledger.exists() and accesses.exists():
        with accesses.open(encoding="ascii") as lines:
            result |= count_accesses(lines, result["first_edge"])
    return result


@cache
def _parts(simulator: Simulator) -> FirmwareParts:
    return FirmwareParts(simulator.elf, simulator.root)


@cache
def _capacity(simulator: Simulator, drive: Path) -> int:
    return capacity_blocks(simulator, drive)


def make(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """The reduced result. Raises ExperimentError, also for a run that failed, and Stopped when the run is ended from outside."""
    drive = workplace.files[table_value(spec["scenario"], DRIVE_KEY)]
    capacity = _capacity(workplace.simulator, drive)
    load, seed = spec["load"], spec["seed"]
    return made(make_run(spec, workplace, lambda ended: _reduce(ended, workplace), lambda file: write_load(file, load, capacity, seed)))
