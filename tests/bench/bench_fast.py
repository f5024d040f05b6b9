# SPDX-License-Identifier: Apache-2.0
"""Speed of vp under 4 KB random reads with full records, and what a search costs.

    bench_fast.py RUN_PROGRAM [--commands N] [--runs R]

Whole runs of the program, from start to summary, by hyperfine: medians of R. The curve is `stf` from depth 1 to
5,000; its last column is what a command costs more than at depth 1, by candidate. Where the time goes is sampled by `perf`, where that is installed.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_replay import capacity_of, fail, print_shares, set_environment, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402

LOADS = [("cheetah_9lp", "fcfs", 8), ("cheetah_9lp", "stf", 64), ("cheetah_9lp", "stf", 256), ("eagle", "stf", 1000)]
CURVE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

# The first pattern that a symbol matches says whose time it is.
PARTS = [
    ("the core", re.compile(r"headstack::(core::|tlm::ExactCore)")),
    ("the agenda", re.compile(r"headstack::tlm::(Agenda|Alarm)")),
    ("register models", re.compile(r"headstack::tlm::(?!Transaction|Disk)")),
    ("bus", re.compile(r"headstack::tlm::Transaction")),
    ("host adapter", re.compile(r"initiator::")),
    ("mechanics and media", re.compile(r"headstack::(tlm::Disk|channel|mechanics|media|geometry)")),
    ("replay and records", re.compile(r"headstack::(run|report|replay)|fmt::|write<char")),
    ("library and system", re.compile(r"^(std::|_|malloc|cfree|free|mem|operator|clock|0x|do_|[a-z]+_user|asm_)")),
]


def median_seconds(line: list[str], runs: int, folder: Path) -> float:
    """The median time of whole runs."""
    done = subprocess.run(["hyperfine", "--runs", str(runs), "--warmup", "1", "-N", "--style", "none",
                           "--export-json", folder / "times.json", " ".join(line)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"{' '.join(line)}: {done.stderr.strip()}")
    return json.loads((folder / "times.json").read_text(encoding="utf-8"))["results"][0]["median"]


def command_line(program: Path, folder: Path, drive: str, policy: str, depth: int, commands: int) -> list[str]:
    """One run, on a trace of its own."""
    trace = folder / f"{drive}_{commands}.trace"
    if not trace.exists():
        write_trace(trace, commands, capacity_of(program, drive))
    return [str(program), "--platform", "vp", "--drive", drive, "--trace", str(trace), "--policy", policy,
            "--depth", str(depth), "--out", str(folder / "run"), "--force"]


def main() -> None:
    """Runs, and prints tables."""
    parser = CommandParser(prog="headstack bench fast", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--commands", type=int, default=100_000, help="commands per run (%(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="number of runs (%(default)s)")
    options = parser.parse_args()
    if options.commands < 1000 or options.runs < 2:
        parser.error("--commands is 1000 or more, --runs 2 or more")
    if shutil.which("hyperfine") is None:
        fail("hyperfine is not installed: run ./headstack setup")
    set_environment()
    program = options.program.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [(load, command_line(program, folder, *load, options.commands)) for load in LOADS]
        print(f"4 KB random reads, {options.commands} of them; medians of {options.runs}\n")
        print(f"{'load':<28}{'commands/s':>12}{'us each':>10}")
        for (drive, policy, depth), line in lines:
            seconds = median_seconds(line, options.runs, folder)
            print(f"{f'{drive} {policy} depth {depth}':<28}{options.commands / seconds:>12.0f}"
                  f"{1e6 * seconds / options.commands:>10.2f}", flush=True)
        print(f"\n{'stf, depth':<12}{'us each':>10}{'ns a candidate':>18}")
        first = 0.0
        for depth in CURVE:
            line = command_line(program, folder, "cheetah_9lp", "stf", depth, options.commands)
            each = 1e6 * median_seconds(line, options.runs, folder) / options.commands
            first = first or each
            more = f"{1e3 * (each - first) / depth:>18.2f}" if depth > 1 else ""
            print(f"{depth:<12}{each:>10.2f}{more}", flush=True)
        print_shares([(f"{drive} {policy} depth {depth}", line) for (drive, policy, depth), line in lines], folder, PARTS)


if __name__ == "__main__":
    run_program(main)
