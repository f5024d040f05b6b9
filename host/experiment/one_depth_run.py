# SPDX-License-Identifier: Apache-2.0
"""Makes one run of a sweep of depths.py: the work of host/sweep, with the trace and the numbers of the papers."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from drive_file import PS_PER_MS, Drive, load_drive
from errors import ExperimentError
from movable_head_formulas import Disk, fcfs_service_ms
from records import KEPT, read_records, reduce_records

from traces import (
    crowded_blocks,
    layout_on,
    order_of_host,
    poisson_arrivals_us,
    random_blocks,
    random_lengths,
    random_pieces,
    think_times_us,
    write_terminals,
    write_trace,
)

HOST = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HOST / "sweep"), str(HOST)]

from execute.simulator import Ended  # noqa: E402
from execute.store import Spec  # noqa: E402
from execute.workplace import Workplace  # noqa: E402
from one_point import FAILURE, REMARK, figures, make_run  # noqa: E402
from scenarios import DRIVE_KEY, table_value  # noqa: E402

US_PER_MS, MS_PER_S = 1000.0, 1000.0
CROWDED = 0.95  # share of requests on the first cylinders, where a sweep crowds them there
# The second number of a trace's seed: what is drawn from it does not depend on the rest.
BLOCKS, ARRIVALS, LENGTHS, THINKS = range(4)


def unit_ms_of(drive: Drive, saturation: int, length: int = 1) -> float:
    """The unit of time in which fcfs can serve `saturation` requests of so many sectors, by the corrected formula (5)."""
    return saturation * (fcfs_service_ms(Disk.of(drive)) + drive.transfer_ms(length - 1))


def _write_terminals(file: Path, load: dict[str, Any], seed: int, drive: Drive) -> None:
    """The same requests at all rates, for all policies and numbers of terminals."""
    count, length = load["requests"], load["length"]
    lengths = random_lengths(count, length, (seed, LENGTHS, length))
    lbas = random_pieces(layout_on(drive, 1), lengths, (seed, BLOCKS, length))
    think_us = load["terminals"] * unit_ms_of(drive, load["saturation"], length) * US_PER_MS / load["rate"]
    write_terminals(file, lbas, lengths, think_times_us(count, think_us, (seed, THINKS)), load["terminals"])


def _write_pairs(file: Path, load: dict[str, Any]) -> None:
    """Reads of sector 0 and of a sector some way behind it, in turn."""
    lbas = np.arange(load["requests"]) % 2 * load["apart"]
    write_terminals(file, lbas, np.ones_like(lbas), np.full(len(lbas), load["think_ms"] * US_PER_MS), 1)


def _write_from_host(file: Path, load: dict[str, Any], seed: int, drive: Drive) -> None:
    """Reads that a host schedules itself: one at a time, each a constant think time after the last."""
    layout, queue = layout_on(drive, load["sectors"]), load["queue"]
    blocks = random_blocks(layout, load["requests"] + 1, (seed, BLOCKS, queue))
    sent = order_of_host(blocks, blocks // layout.per_cylinder, queue, load["policy"])
    lengths, thinks_us = np.full(len(sent), load["sectors"]), np.full(len(sent), load["think_ms"] * US_PER_MS)
    write_terminals(file, layout.first_sector(sent), lengths, thinks_us, 1)


def write_load(file: Path, load: dict[str, Any], seed: int, drive: Drive) -> None:
    """Writes the trace of a run (depths.py). It is the same for all policies."""
    if "apart" in load:
        _write_pairs(file, load)
        return
    if "think_ms" in load:
        _write_from_host(file, load, seed, drive)
        return
    if "terminals" in load:
        _write_terminals(file, load, seed, drive)
        return
    layout = layout_on(drive, load["sectors"])
    # A closed loop has one more request: the command that places the heads (records.py).
    count = load["requests"] + (1 if load["queue"] else 0)
    axis = load["queue"] or load["rate"]
    if "crowd" in load:
        blocks = crowded_blocks(layout, count, load["crowd"], CROWDED, (seed, BLOCKS, axis))
    else:
        blocks = random_blocks(layout, count, (seed, BLOCKS, axis))
    arrivals = None
    if not load["queue"]:
        gap_us = unit_ms_of(drive, load["saturation"]) * US_PER_MS / load["rate"]
        arrivals = poisson_arrivals_us(count, gap_us, (seed, ARRIVALS, axis))
    write_trace(file, layout.first_sector(blocks), load["sectors"], arrivals)


def _reduce(ended: Ended, load: dict[str, Any], drive: Drive) -> dict[str, Any]:
    columns = read_records(ended.folder / "records.csv")
    result = reduce_records(columns, drive, load.get("length", load["sectors"]), closed=load["queue"] > 0)
    if result["requests"] != load["requests"]:
        raise ExperimentError(f"{result['requests']} of {load['requests']} requests came back")
    if "crowd" in load:
        response_ps = columns["completed_ps"] - columns["submitted_ps"]
        others = columns["lba"] // drive.sectors_per_cylinder >= load["crowd"]
        result |= {"others_max_ms": float(np.max(response_ps[others], initial=0)) / PS_PER_MS}
    summary = ended.summary()
    return result | {name: summary[name] for name in KEPT}


def _reduce_synthetic(ended: Ended) -> dict[str, Any]:
    """The numbers of random requests on any drive, whose places are not known here."""
    found = figures(ended)
    if found["not_good"]:
        raise ExperimentError(f"{found['not_good']} commands did not end with GOOD; repeat the run with headstack run")
    summary = ended.summary()
    numbers = {"requests": found["commands"], "io_ms": MS_PER_S / found["commands_per_second"], "response_mean_ms": found["mean_ms"]}
    return numbers | {"band_response_ms": []} | {name: summary[name] for name in KEPT}


def made(result: dict[str, Any]) -> dict[str, Any]:
    """The result of make_run() without its warning. Raises ExperimentError for a run that failed."""
    if FAILURE in result:
        raise ExperimentError(result[FAILURE])
    result.pop(REMARK, None)
    return result


def make(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """The reduced result. Raises ExperimentError, also for a run that failed, and Stopped when the run is ended from outside.
    """
    if "load" not in spec:
        return made(make_run(spec, workplace, _reduce_synthetic))
    load, drive = spec["load"], load_drive(workplace.files[table_value(spec["scenario"], DRIVE_KEY)])
    return made(
        make_run(
            spec, workplace, lambda ended: _reduce(ended, load, drive), lambda file: write_load(file, load, spec["seed"], drive)
        )
    )
