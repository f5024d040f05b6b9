"""Makes one run: its trace, the drive under it, and what is left of its records.

What a run is stands in its spec, plain data without a path, so that it can be made on any machine (host/execute).
Everything that it writes lives in a folder of its own, which is gone afterwards.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from drive_file import load_drive
from errors import ExperimentError
from records import read_records, reduce_records

from traces import Layout, layout_on, poisson_arrivals_us, random_blocks, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Ended  # noqa: E402
from execute.store import Spec  # noqa: E402
from execute.workplace import Workplace  # noqa: E402

DRIVE = "drive.toml"  # of a workplace's files
MOST_OUT = 5_120  # firmware/queue/task_set.h: TASK_SET_CAPACITY
PLATFORM_OPTIONS = {
    "ideal": ["--platform", "native", "--ideal-electronics"],
    "charged": ["--platform", "vp"],
    "rtl": ["--platform", "rtl"],
}
US_PER_MS = 1000.0
# The second number of a trace's seed: blocks and arrival times do not depend on each other.
BLOCKS, ARRIVALS = 0, 1
KEPT = ("missed_revolutions", "lost_revolutions", "requeued", "firmware_cycles")  # of a summary


def _write_trace(file: Path, spec: Spec, layout: Layout) -> None:
    # One more in a closed loop: the command that places the heads (records.py).
    count = spec["requests"] + (1 if spec["queue"] else 0)
    load = spec["queue"] or spec["rate"]
    blocks = random_blocks(layout, count, (spec["seed"], BLOCKS, load))
    arrivals = None
    if spec["rate"]:
        gap_us = spec["unit_ms"] * US_PER_MS / spec["rate"]
        arrivals = poisson_arrivals_us(count, gap_us, (spec["seed"], ARRIVALS, load))
    write_trace(file, layout.first_sector(blocks), spec["sectors"], arrivals)


def call(spec: Spec, trace: Path, out: Path, workplace: Workplace) -> Ended:
    """The drive under a trace."""
    depth = spec["queue"] + 1 if spec["queue"] else MOST_OUT
    words: list[str | Path] = ["--drive", workplace.files[DRIVE], "--trace", trace, "--policy", spec["policy"]]
    words += ["--queue-depth", str(depth), *PLATFORM_OPTIONS[spec["electronics"]]]
    return workplace.simulator.run(words, out)


def make(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """The reduced result. Raises ExperimentError, or Stopped when it is ended from outside."""
    drive = load_drive(workplace.files[DRIVE])
    with tempfile.TemporaryDirectory(dir=workplace.scratch) as name:
        folder = Path(name)
        _write_trace(folder / "trace", spec, layout_on(drive, spec["sectors"]))
        ended = call(spec, folder / "trace", folder / "run", workplace)
        if ended.status != 0:
            raise ExperimentError(
                f"policy '{spec['policy']}' failed with status {ended.status}: {ended.message or 'no message'}"
            )
        result = reduce_records(
            read_records(folder / "run/records.csv"), drive, spec["sectors"], closed=spec["queue"] > 0
        )
        if result["requests"] != spec["requests"]:
            raise ExperimentError(f"{result['requests']} of {spec['requests']} requests came back")
        summary = ended.summary()
    return result | {name: summary[name] for name in KEPT}
