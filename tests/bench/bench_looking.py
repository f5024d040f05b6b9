# SPDX-License-Identifier: Apache-2.0
"""The cost of inspecting a run: waves, timeline, snapshots, a debugger, as ratios within one benchmark.

    bench_looking.py RUN_PROGRAM [--commands N] [--repeat R] [--gdb GDB]

All runs have the same random reads. The kinds of inspection alternate, R times, so that other load on the machine affects all of
them. Figures are medians of the simulator's own processor time. All but the first use the inspecting build of the electronics;
waves in a window that never comes show that build alone.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench_replay import capacity_of, fail, set_environment, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from command_line import CommandParser, progress_wanted  # noqa: E402
from result_files import run as run_program  # noqa: E402

DRIVE = "hp_c3323a"


@dataclass(frozen=True)
class Way:
    """A way to look; FILE in its arguments stands for a path without suffix."""

    name: str
    arguments: str = ""
    debugger: bool = False


BASE = Way("inspecting build, nothing looked at", "--wave FILE.fst observe.waves.windows=time:1000s..1001s")
WAYS = [
    Way("fast build, nothing looked at"),
    BASE,
    Way("timeline", "observe.timeline=true"),
    Way("snapshots every 10 ms", "observe.snapshot_every=10ms"),
    Way("GDB attached, no breakpoints", "--gdb unix:FILE.gdb observe.snapshot_every=0s", debugger=True),
    Way("waves of one command", "--wave FILE.fst observe.waves.windows=cmd:10"),
    Way("waves of everything", "--wave FILE.fst"),
]


@dataclass
class Cost:
    """The cost of one run."""

    user_s: float
    written_mb: float
    simulated_s: float


def debug(gdb: str, elf: Path, socket: Path) -> subprocess.Popen:
    """A debugger that connects as soon as it can, and lets the run go on to its end."""
    connect = f"{gdb} -q -batch -ex 'target remote {socket}' -ex continue {elf}"
    script = f"while [ ! -S {socket} ]; do sleep 0.02; done; exec {connect}"
    return subprocess.Popen(["sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def measure(way: Way, options: argparse.Namespace, folder: Path) -> Cost:
    """One run, looked at in one way."""
    file = folder / "looked"
    line = [str(options.program), "--platform", "rtl", "--drive", DRIVE, "--trace", str(folder / "trace"),
            "--out", str(folder / "run"), "--force"]
    line += way.arguments.replace("FILE", str(file)).split()
    with open(folder / "errors", "w+", encoding="utf-8") as errors:
        simulator = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        debugger = None
        if way.debugger:
            elf = options.program.parent.parent / "firmware/drive.elf"
            debugger = debug(options.gdb, elf, file.with_suffix(".gdb"))
        # With those that it waited for itself: a run with snapshots is a process of its own.
        _, status, usage = os.wait4(simulator.pid, 0)
        simulator.returncode = os.waitstatus_to_exitcode(status)
        if debugger is not None:
            debugger.wait()
        if simulator.returncode != 0:
            errors.seek(0)
            fail(f"{' '.join(line)}: {errors.read().strip()}")
    files = [*folder.glob("looked*"), *folder.glob("run/timeline.perfetto")]
    written = sum(path.stat().st_size for path in files)
    for path in files:
        path.unlink()
    summary = json.loads((folder / "run/summary.json").read_text(encoding="utf-8"))
    return Cost(usage.ru_utime, written / 1e6, summary["simulated_ps"] / 1e12)


def main() -> None:
    """Measures and prints."""
    parser = CommandParser(prog="headstack bench looking", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--commands", type=int, default=20, help="commands per run (%(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="number of repetitions (%(default)s)")
    parser.add_argument("--gdb", default="gdb-multiarch", help="program name of the debugger (%(default)s); if it is missing, its row is omitted")
    options = parser.parse_args()
    if options.commands < 11 or options.repeat < 1:
        parser.error("--commands is 11 or more, --repeat 1 or more")
    set_environment()
    ways = [way for way in WAYS if not way.debugger or shutil.which(options.gdb)]
    costs: dict[str, list[Cost]] = {way.name: [] for way in ways}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_trace(folder / "trace", options.commands, capacity_of(options.program, DRIVE))
        for turn in range(options.repeat):
            for number, way in enumerate(ways, 1):
                if progress_wanted():
                    print(f"\r\033[Kturn {turn + 1} of {options.repeat}, {number} of {len(ways)}", end="",
                          file=sys.stderr, flush=True)
                costs[way.name].append(measure(way, options, folder))
    if progress_wanted():
        print("\r\033[K", end="", file=sys.stderr)
    simulated_s = costs[BASE.name][0].simulated_s
    base_s = statistics.median(cost.user_s for cost in costs[BASE.name])
    print(f"{options.commands} random reads of 4 KB on {DRIVE}, {simulated_s:.2f} s simulated; "
          f"medians of {options.repeat}\n")
    print(f"{'':38}{'ratio':>7}{'user s':>9}{'MB per simulated s':>21}")
    for way in ways:
        user_s = statistics.median(cost.user_s for cost in costs[way.name])
        written = costs[way.name][0].written_mb / simulated_s
        print(f"{way.name:38}{user_s / base_s:7.2f}{user_s:9.2f}{f'{written:.1f}' if written else '':>21}")


if __name__ == "__main__":
    try:
        run_program(main)
    except KeyboardInterrupt:
        print("\nbench_looking: interrupted", file=sys.stderr)
        sys.exit(130)
