# SPDX-License-Identifier: Apache-2.0
"""Makes one run of walkers on the drive, as one_run.py makes the others; and reduces its records.

Service times count as in "Disk Performance Enhancement through Markov-based Cylinder Remapping". With one request outstanding a
service lasts from its issue to its completion: the gap before it does not count. With more outstanding, the mean service is the
time from one completion to the next: the drive never waits long. Then only the time counts in which all walkers still have
requests.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from declared import MOST_OUT
from drive_file import PS_PER_MS
from errors import ExperimentError
from records import Column, read_columns
from remap_load import IDLE, PUBLISHED, REQUEST_BLOCKS, SETTLED, SHARE, write_requests
from remap_maps import NO_MAP, RUN_WORDS
from trace_load import Served, commands_of, reduce_commands, write_commands

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import FileSetting, Word  # noqa: E402
from execute.workplace import Workplace  # noqa: E402
from remap.arrangement import Map, read_map  # noqa: E402
from remap.requests import BEFORE_THE_CHOICE  # noqa: E402

Spec = dict[str, Any]
STAGES = ("seek_ps", "settle_ps", "head_switch_ps", "rotation_ps", "media_transfer_ps")
PARTS_OF_A_RUN = 50
COLUMNS = ("command", "blocks", "submitted_ps", "completed_ps", "status", *STAGES)
WAITING = tuple(f"{stage}_ps" for stage in BEFORE_THE_CHOICE)


def map_of(spec: Spec, workplace: Workplace) -> Map | None:
    """The map by which the run's units lie."""
    return None if spec["map"] == NO_MAP else read_map(workplace.files[spec["map"]])


def write_trace(file: Path, spec: Spec, workplace: Workplace) -> None:
    """Writes the trace of a run on the drive."""
    if "trace" in spec["remap"]:
        write_commands(file, spec["remap"], _commands(spec, workplace))
    else:
        # Where the drive moves the blocks, the trace has the host's own addresses.
        write_requests(file, spec, None if "moves" in spec["remap"] else map_of(spec, workplace))


def _commands(spec: Spec, workplace: Workplace) -> Served:
    """The commands of a real trace."""
    load = spec["remap"] | {"seed": spec["seed"]}
    return commands_of(load, workplace.files[load["trace"]["file"]], map_of(spec, workplace))


def words(spec: Spec, workplace: Workplace) -> list[Word]:
    """The words of a run, beside drive, trace, policy and platform."""
    load = spec["remap"]
    told: list[Word] = ["--depth", str(MOST_OUT if "rate" in load else load["walkers"]), *RUN_WORDS]
    told += [f"drive.controller={load.get('controller', PUBLISHED)}"]
    if "seek_scale" in load:
        told += seek_words(workplace.files[spec["drive"]], load["seek_scale"])
    if "moves" not in spec["remap"] or spec["map"] == NO_MAP:
        return told
    kind, _, number = spec["remap"]["moves"].partition(":")
    moving = {
        SETTLED: ["remap.settled=true", "remap.idle_ms=0"],
        IDLE: [f"remap.idle_ms={number}"],
        SHARE: [f"remap.share_percent={number}", "remap.idle_ms=65535"],
    }
    return [*told, FileSetting("remap.maps", workplace.files[spec["map"]]), *moving[kind]]


def seek_words(drive: Path, scale: float) -> list[str]:
    """The settings that multiply a drive's seek times. Raises ExperimentError if they are not given as a formula."""
    seek = tomllib.loads(drive.read_text(encoding="utf-8"))["design"]["seek"]
    if "pieces" not in seek:
        raise ExperimentError(f"{drive}: 'seek_scale' needs a drive whose seeks have a formula ([[design.seek.pieces]]); leave it out")
    times = ("constant_ms", "sqrt_ms", "linear_ms")
    pieces = [{key: value * scale if key in times else value for key, value in piece.items()} for piece in seek["pieces"]]
    rows = ", ".join("{ " + ", ".join(f"{key} = {value!r}" for key, value in piece.items()) + " }" for piece in pieces)
    words = [f"drive.design.seek.pieces=[ {rows} ]"]
    words += [f"drive.design.seek.settle_ms={seek['settle_ms'] * scale!r}"] if "settle_ms" in seek else []
    # The arm's top speed is a speed, not a time.
    speed = "coast_cylinders_per_ms"
    return words + ([f"drive.design.seek.{speed}={seek[speed] / scale!r}"] if speed in seek else [])


MOVES = "  moves of blocks: "  # a line of a run's summary, with the counters of log page 33h
MOVE_COUNTERS = ("moves", "left", "requests", "media_ms", "waits", "longest_wait_us", "copied_again")


def move_counters(summary: str) -> dict[str, int]:
    """The counters of a run on a drive that moves its blocks. Raises ExperimentError."""
    lines = [line.removeprefix(MOVES) for line in summary.splitlines() if line.startswith(MOVES)]
    if len(lines) != 1:
        raise ExperimentError("the run's summary has no counters of moves; build headstack-run and host/experiment alike")
    counters = dict(word.rsplit(" ", 1) for word in lines[0].split(", "))
    return {f"moving_{name}": int(counters[name]) for name in MOVE_COUNTERS}


def over_time(columns: dict[str, Column]) -> list[float]:
    """Mean responses of parts of a run, in the order of commands, in milliseconds."""
    order = np.argsort(columns["command"])
    response = (columns["completed_ps"] - columns["submitted_ps"])[order] / PS_PER_MS
    return [float(np.mean(part)) for part in np.array_split(response, PARTS_OF_A_RUN)]


def reduce_run(spec: Spec, folder: Path, workplace: Workplace) -> dict[str, Any]:
    """Reduces a run. Raises ExperimentError."""
    load = spec["remap"]
    if "trace" in load:
        return reduce_commands(load, read_columns(folder / "records.csv", COLUMNS), _commands(spec, workplace))
    if "rate" in load:
        return reduce_arrivals(read_columns(folder / "records.csv", (*COLUMNS, *WAITING)), spec["requests"])
    columns = read_columns(folder / "records.csv", COLUMNS)
    result = reduce_walks(columns, spec["requests"], load["walkers"], load["closed"], load.get("sectors", REQUEST_BLOCKS))
    if "moves" not in load:
        return result
    result["elapsed_ms"] = float(columns["completed_ps"].max() - columns["submitted_ps"].min()) / PS_PER_MS
    result["parts_ms"] = over_time(columns)
    return result | (move_counters((folder / "summary.txt").read_text(encoding="utf-8")) if spec["map"] != NO_MAP else {})


def check_whole(columns: dict[str, Column], requests: int, sectors: int) -> None:
    """Checks that all requests were served. Raises ExperimentError."""
    if np.any(columns["status"] != 0):
        raise ExperimentError("a command did not end with GOOD; replay the trace with headstack run to see which")
    whole = np.count_nonzero(columns["blocks"] == sectors)
    if len(columns["command"]) != requests or whole != requests:
        raise ExperimentError(f"{whole} of {requests} requests came back whole")


def reduce_arrivals(columns: dict[str, Column], requests: int, sectors: int = REQUEST_BLOCKS) -> dict[str, Any]:
    """The times of a run whose requests arrive at their own times, in milliseconds: means over all of them.

    A request waits from its arrival in the host to its choice. Its service is the rest of its response.
    """
    check_whole(columns, requests, sectors)
    response = columns["completed_ps"] - columns["submitted_ps"]
    waiting = sum((columns[stage] for stage in WAITING), start=np.zeros(requests, dtype=np.int64))
    means = {name.replace("_ps", "_ms"): float(np.mean(columns[name])) / PS_PER_MS for name in STAGES}
    return {
        "requests": requests,
        "counted": requests,
        "service_ms": float(np.mean(response - waiting)) / PS_PER_MS,
        "waiting_mean_ms": float(np.mean(waiting)) / PS_PER_MS,
        "response_mean_ms": float(np.mean(response)) / PS_PER_MS,
        "response_max_ms": float(np.max(response)) / PS_PER_MS,
        **means,
    }


def reduce_walks(
    columns: dict[str, Column], requests: int, walkers: int, closed: bool, sectors: int = REQUEST_BLOCKS
) -> dict[str, Any]:
    """The times of a run in milliseconds: means over the requests that count."""
    check_whole(columns, requests, sectors)
    submitted, completed = columns["submitted_ps"], columns["completed_ps"]
    whose = np.zeros(requests, dtype=np.int64) if closed else columns["command"] % walkers
    last = np.zeros(int(whose.max()) + 1, dtype=np.int64)
    np.maximum.at(last, whose, submitted)
    # Requests count from the first completion until the first walker has no more.
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
