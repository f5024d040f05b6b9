# SPDX-License-Identifier: Apache-2.0
"""Speed of the cycle-accurate drive under 4 KB random reads, with and without clock gating.

    bench_replay.py RUN_PROGRAM [--drive D] [--commands N] [--repeat R]

Each row is a queue depth and its policy, gated and not. The two take turns, R times, so that a machine that is
busy with something else slows down both; the figures are medians. Where the time goes is sampled by `perf`, where
that is installed.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = 8  # 4 KB of 512-byte blocks
SEED = 1
LOADS = [(1, "fcfs"), (32, "stf")]
SPEED = "simulated seconds per second"  # beside the keys of summary.json

# The first pattern that a symbol matches says whose time it is.
PARTS = [
    ("Verilated: core", re.compile(r"Vsoc_fast.*___(nba_sequent__TOP__(0|4)|nba_comb__TOP__(1|8|9|16))\b")),
    ("Verilated: blocks, rest", re.compile(r"Vsoc_fast|VerilatedSoc")),
    ("clock and SoC interface", re.compile(r"headstack::soc")),
    ("bus, initiator, checker", re.compile(r"headstack::(bus|initiator)")),
    ("mechanics, channel, media", re.compile(r"headstack::(channel|mechanics|media|geometry|platform)")),
    ("SystemC kernel", re.compile(r"sc_core|sc_dt")),
]


def set_environment() -> None:
    """What the programs under test ask for, wherever this was started."""
    os.environ.setdefault("HEADSTACK_ROOT", str(ROOT))
    os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"


def fail(message: str) -> None:
    """One line on stderr, then the end."""
    print(f"headstack: error: {message}", file=sys.stderr)
    sys.exit(1)


def write_trace(file: Path, commands: int, capacity: int, deadline_us: int = 0) -> None:
    """Seeded reads anywhere on the drive, in a closed loop. Two of three have a deadline at most so late, if not 0."""
    source = random.Random(SEED)

    def deadline(index: int) -> str:
        return str(source.randrange(deadline_us)) if deadline_us and index % 3 else "-"

    lines = ["headstack-trace 4", "time-unit us", "loop closed", "columns time operation lba blocks deadline", "requests"]
    lines += [f"- R {source.randrange(capacity - BLOCKS)} {BLOCKS} {deadline(index)}" for index in range(commands)]
    file.write_text("\n".join(lines) + "\n", encoding="ascii")


def capacity_of(program: Path, drive: str) -> int:
    """Blocks of a drive, as the front end beside the run program says."""
    front_end = program.parent / "headstack"
    answer = subprocess.run([front_end, "drive", "info", drive, "--json"], check=False, stdout=subprocess.PIPE)
    if answer.returncode != 0:
        sys.exit(1)  # it has said why
    return json.loads(answer.stdout)["capacity_blocks"]


def arguments(load: tuple[int, str], options: argparse.Namespace, folder: Path, gated: bool) -> list[str]:
    """The command line of one run."""
    depth, policy = load
    line = [str(options.program), "--platform", "rtl", "--drive", options.drive, "--trace", str(folder / "trace"), "--policy", policy,
            "--depth", str(depth), "--out", str(folder / "run"), "--force"]
    return line + ([] if gated else ["platform.gating=false"])


def run_once(line: list[str], folder: Path) -> dict[str, Any]:
    """The summary of one run, with the speed that the run printed."""
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"{' '.join(line)}: {done.stderr.strip()}")
    speed = re.search(r"([0-9.]+) simulated seconds per second", done.stdout)
    if speed is None:
        fail(f"{' '.join(line)}: printed no speed")
    return {**json.loads((folder / "run/summary.json").read_text(encoding="utf-8")), SPEED: float(speed[1])}


def speeds(summary: dict[str, Any]) -> tuple[float, float]:
    """Commands per second of wall time, and simulated seconds per second of wall time."""
    ratio = summary[SPEED]
    wall = summary["simulated_ps"] / 1e12 / ratio
    return summary["result"]["commands"] / wall, ratio


def median_of(runs: list[tuple[float, float]]) -> tuple[float, float]:
    """Medians of both figures."""
    return statistics.median(run[0] for run in runs), statistics.median(run[1] for run in runs)


def shares(line: list[str], folder: Path, patterns: list[tuple[str, re.Pattern[str]]]) -> Counter[str]:
    """Percent of the samples by part, with perf; `patterns` as PARTS."""
    data = folder / "perf.data"
    subprocess.run(["perf", "record", "-q", "-F", "999", "-o", data, *line], check=True, capture_output=True)
    report = subprocess.run(["perf", "report", "-i", data, "--no-children", "--stdio", "-F", "overhead,sym"],
                            check=True, capture_output=True, text=True)
    parts: Counter[str] = Counter()
    for row in report.stdout.splitlines():
        found = re.match(r"\s*([0-9.]+)%\s+\[[.k]\]\s+(.*)", row)
        if found is None:
            continue
        part = next((name for name, pattern in patterns if pattern.search(found[2])), "other")
        parts[part] += float(found[1])
    return parts


def print_shares(rows: list[tuple[str, list[str]]], folder: Path, patterns: list[tuple[str, re.Pattern[str]]]) -> None:
    """Where the time goes, a line for each (name, command line)."""
    if shutil.which("perf") is None:
        print("\nwhere the time goes: install perf (apt-get install linux-perf) to see it")
        return
    print("\nwhere the time goes, % of samples:")
    for name, line in rows:
        text = "; ".join(f"{part} {percent:.0f}" for part, percent in shares(line, folder, patterns).most_common())
        print(f"  {name}: {text}")


def main() -> None:
    """Runs, and prints a table."""
    parser = CommandParser(prog="headstack bench replay", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--drive", default="cheetah_9lp", help="drive of the replay (%(default)s)")
    parser.add_argument("--commands", type=int, default=40, help="commands per run (%(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="number of repetitions (%(default)s)")
    options = parser.parse_args()
    if options.commands < 10 or options.repeat < 1:
        parser.error("--commands is 10 or more, --repeat 1 or more")
    set_environment()
    capacity = capacity_of(options.program, options.drive)
    print(f"4 KB random reads on {options.drive}; medians of {options.repeat}\n")
    print(f"{'load':<14}{'commands/s':>12}{'ungated':>10}{'simulated s/s':>16}{'ungated':>10}{'gain':>7}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_trace(folder / "trace", options.commands, capacity)
        for load in LOADS:
            runs: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
            for _ in range(options.repeat):
                for gated in (True, False):
                    runs[gated].append(speeds(run_once(arguments(load, options, folder, gated), folder)))
            gated_speed, ungated_speed = median_of(runs[True]), median_of(runs[False])
            print(f"{load[1]} depth {load[0]:<3}".ljust(14) + f"{gated_speed[0]:>12.1f}{ungated_speed[0]:>10.2f}"
                  f"{gated_speed[1]:>16.4f}{ungated_speed[1]:>10.4f}{gated_speed[1] / ungated_speed[1]:>7.1f}",
                  flush=True)
        print_shares([(f"gated, {policy} depth {depth}", arguments((depth, policy), options, folder, True))
                      for depth, policy in LOADS], folder, PARTS)


if __name__ == "__main__":
    run_program(main)
