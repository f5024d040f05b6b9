# SPDX-License-Identifier: Apache-2.0
"""Random loads on rtl and on vp: whatever the two runs leave is equal, byte for byte.

equal_runs.py RUN_PROGRAM [FIRST..LAST | new:COUNT | found] [--jobs N] [--keep FOLDER]

A seed makes a load: a copy of a drive with faults, a trace over its whole capacity, and keys of a scenario. Each key can be
drawn (loads/options.py). `new` takes COUNT seeds that nobody has run, and prints them; `found` plays the loads that have differed
once (loads/found.py).

Event logs, records, register accesses, ledger, profile, timeline, summary, exit status and media file are compared. A load that
differs is made smaller; its files go into a folder, and its command lines are printed.
"""

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "host"), str(ROOT / "host/output"), str(ROOT / "tests"), str(ROOT / "tests/fidelity")]

from command_line import CommandParser  # noqa: E402
from execute.errors import ExecuteError  # noqa: E402
from execute.places import add_jobs, end_as_on_ctrl_c, jobs_here  # noqa: E402
from execute.simulator import Simulator  # noqa: E402
from execute.sweep import Failed, Sweep, carry_out  # noqa: E402
from loads.found import FOUND  # noqa: E402
from loads.load import Load, load_of  # noqa: E402
from loads.pair import command_lines, play  # noqa: E402
from loads.shrink import shrink  # noqa: E402
from result_files import INTERRUPTED  # noqa: E402
from result_files import run as run_program  # noqa: E402
from seed_range import seeds_of  # noqa: E402

DEFAULT_SEEDS = "new:6"
KEPT = ROOT / "build/equal-runs"


def loads_of(word: str) -> list[Load]:
    """What the command line asks for."""
    return FOUND if word == "found" else [load_of(seed) for seed in seeds_of(word)]


def tried(simulator: Simulator, load: Load, keep: Path, shrinks: bool) -> str:
    """What is wrong with the load, with the lines that show it; empty when it is equal."""
    verdict = play(simulator, load)
    if not verdict.wrong:
        return ""
    if shrinks and not verdict.is_refused:
        load, verdict = shrink(load, verdict, lambda smaller: play(simulator, smaller))
    return f"{verdict.wrong}\n  {command_lines(load, keep / load.name.replace(' ', '-'))}"


def main() -> int:
    parser = CommandParser(prog="headstack fuzz platforms", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, help=argparse.SUPPRESS)
    seeds = "new:N, N seeds that nobody has run; FIRST..LAST; or found: loads that differed once (%(default)s)"
    parser.add_argument("seeds", nargs="?", default=DEFAULT_SEEDS, metavar="SEEDS", help=seeds)
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="FOLDER", help="folder for the files of loads that differ (%(default)s)")
    parser.add_argument("--no-shrink", action="store_true", help="report a load that differs without minimizing it")
    add_jobs(parser)
    options = parser.parse_args()
    if not re.fullmatch(r"new:[1-9]\d*|\d+\.\.\d+|found", options.seeds):
        parser.error(f"'{options.seeds}' are no seeds; say {DEFAULT_SEEDS}, 1..12 or found")
    end_as_on_ctrl_c()
    simulator = Simulator(options.run.resolve(), ROOT)
    loads = loads_of(options.seeds)

    def tell(load: Load, what: str) -> None:
        if what:
            print(f"{load.name}: {what}", flush=True)

    sweep = Sweep(
        loads, lambda load: tried(simulator, load, options.keep.resolve(), not options.no_shrink), name=lambda load: load.name, key=id,
        tell=tell, is_trouble=bool, noun="loads",
    )  # fmt: skip
    try:
        with ThreadPoolExecutor(jobs_here(options.jobs)) as workers:
            done = carry_out(sweep, workers, simulator.stop)
    except (Failed, ExecuteError) as failed:
        print(f"headstack: error: {failed}", file=sys.stderr)
        return 1
    print(f"{done.results.count('')} of {len(loads)} loads are the same on both platforms")
    return INTERRUPTED if done.interrupted else 0 if done.results.count("") == len(loads) else 1


if __name__ == "__main__":
    run_program(main)
