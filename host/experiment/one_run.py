# SPDX-License-Identifier: Apache-2.0
"""Makes runs: their traces, the drive under each, and what is left of its records.

What a run is stands in its spec, plain data without a path, so that it can be made on any machine (host/execute).
Short runs are made as a bundle, by one process: its start would take a third of their time. Everything that they write
lives in a folder of its own, which is gone afterwards.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import one_deadline_run
import one_remap_run
import one_stream_run
from drive_file import load_drive
from errors import ExperimentError
from one_deadline_run import MODEL
from records import read_records, reduce_records
from stream_records import load_cylinders

from traces import layout_on, poisson_arrivals_us, random_blocks, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Ended, Word  # noqa: E402
from execute.store import Spec  # noqa: E402
from execute.workplace import Workplace  # noqa: E402

DRIVE = "drive.toml"  # of a workplace's files
MOST_OUT = 5_120  # firmware/queue/task_set.h: TASK_SET_CAPACITY
PLATFORM_OPTIONS = {
    "ideal": ["--platform", "native", "platform.ideal_electronics=true"],
    "charged": ["--platform", "vp"],
    "rtl": ["--platform", "rtl"],
}
US_PER_MS = 1000.0
# The second number of a trace's seed: blocks and arrival times do not depend on each other.
BLOCKS, ARRIVALS = 0, 1
KEPT = ("missed_revolutions", "lost_revolutions", "requeued", "firmware_cycles")  # of a summary


def _write_trace(file: Path, spec: Spec, workplace: Workplace) -> None:
    if "deadlines" in spec:
        one_deadline_run.write_trace(file, spec)
        return
    if "remap" in spec:
        one_remap_run.write_trace(file, spec, workplace)
        return
    if "workload" in spec:
        one_stream_run.write_trace(file, spec, load_cylinders(workplace.files[spec["drive"]]))
        return
    layout = layout_on(load_drive(workplace.files[DRIVE]), spec["sectors"])
    # One more in a closed loop: the command that places the heads (records.py).
    count = spec["requests"] + (1 if spec["queue"] else 0)
    load = spec["queue"] or spec["rate"]
    blocks = random_blocks(layout, count, (spec["seed"], BLOCKS, load))
    arrivals = None
    if spec["rate"]:
        gap_us = spec["unit_ms"] * US_PER_MS / spec["rate"]
        arrivals = poisson_arrivals_us(count, gap_us, (spec["seed"], ARRIVALS, load))
    write_trace(file, layout.first_sector(blocks), spec["sectors"], arrivals)


def _words(spec: Spec, trace: Path, workplace: Workplace) -> list[Word]:
    depth = spec["queue"] + 1 if spec.get("queue") else MOST_OUT
    drive = workplace.files[spec.get("drive", DRIVE)]
    words: list[Word] = ["--drive", drive, "--trace", trace, *one_stream_run.choice_words(spec["policy"])]
    if "remap" in spec:
        return words + [*PLATFORM_OPTIONS[spec["electronics"]], *one_remap_run.words(spec, workplace)]
    words += ["--depth", str(depth), *PLATFORM_OPTIONS[spec["electronics"]]]
    if "workload" in spec:
        return words + one_stream_run.words(spec)
    return words + one_deadline_run.words(spec) if "deadlines" in spec else words


def call(spec: Spec, trace: Path, out: Path, workplace: Workplace) -> Ended:
    """The drive under a trace."""
    return workplace.simulator.run(_words(spec, trace, workplace), out)


def _reduce(spec: Spec, ended: Ended, workplace: Workplace) -> dict[str, Any]:
    """What is left of a run. Raises ExperimentError."""
    if ended.status != 0:
        raise ExperimentError(
            f"policy '{spec['policy']}' failed with status {ended.status}: {ended.message or 'no message'}"
        )
    summary = ended.summary()
    kept = {name: summary[name] for name in KEPT}
    if "deadlines" in spec:
        one_deadline_run.check(spec, ended.message)
        return one_deadline_run.reduce_run(spec, ended.folder, summary) | kept
    if "remap" in spec:
        return one_remap_run.reduce_run(spec, ended.folder, workplace) | kept
    if "workload" in spec:
        cylinders = load_cylinders(workplace.files[spec["drive"]])
        return one_stream_run.reduce_run(spec, ended.folder, summary, cylinders) | kept
    result = reduce_records(
        read_records(ended.folder / "records.csv"),
        load_drive(workplace.files[DRIVE]),
        spec["sectors"],
        closed=spec["queue"] > 0,
    )
    if result["requests"] != spec["requests"]:
        raise ExperimentError(f"{result['requests']} of {spec['requests']} requests came back")
    return result | kept


def make(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """The reduced result. Raises ExperimentError, or Stopped when it is ended from outside."""
    return make_bundle({"runs": [spec], "names": [""]}, workplace)[0]


def make_bundle(bundle: Spec, workplace: Workplace) -> list[dict[str, Any]]:
    """The results of several runs, of one kind of electronics. Raises ExperimentError, with the name of the run."""
    specs, names = bundle["runs"], bundle["names"]
    with tempfile.TemporaryDirectory(dir=workplace.scratch) as folder_name:
        folder = Path(folder_name)
        runs: list[tuple[list[str | Path], Path]] = []
        for number, spec in enumerate(specs):
            if spec["electronics"] != MODEL:
                _write_trace(folder / f"trace-{number}", spec, workplace)
                runs.append((_words(spec, folder / f"trace-{number}", workplace), folder / f"run-{number}"))
        ends = iter(workplace.simulator.run_all(runs))
        results = []
        for name, spec in zip(names, specs, strict=True):
            try:
                results.append(
                    one_deadline_run.run_model(spec)
                    if spec["electronics"] == MODEL
                    else _reduce(spec, next(ends), workplace)
                )
            except ExperimentError as error:
                raise ExperimentError(f"{name}: {error}" if name else str(error)) from error
        return results
