"""Measures what the firmware's instructions cost on the cycle-accurate drive, for the fast platform.

    calibrate.py RUN_PROGRAM --out COSTS.toml [--commands N]

Replays seeded loads under every policy with `--measure-costs`, adds the pairs up, and writes a cost table
(sim/tlm/cost_table.hpp has its format). Where what came before a pair makes a difference to it, the pair is
listed for that, too.
"""

import argparse
import csv
import datetime
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import run as run_program  # noqa: E402
from result_files import write_text  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
DRIVE = "cheetah_9lp"
CAPACITY = 17_918_387
SEED = 1


@dataclass
class Load:
    """Seeded requests in a closed loop."""

    policy: str
    depth: int
    writes: float  # share
    blocks: tuple[int, ...]
    near: int  # requests lie within so many blocks; 0: anywhere
    flushes: float = 0.0  # share
    runs: float = 0.0  # share that goes on where the request before ended
    words: tuple[str, ...] = ()  # of `headstack run`
    trace: str = ""  # in traces/, instead of all that but policy and depth


LOADS = [
    Load("fcfs", 1, 0.0, (8,), 0),
    Load("fcfs", 1, 0.5, (1, 8, 64), 0),
    Load("fcfs", 8, 0.0, (8,), 0),
    Load("fcfs", 8, 0.5, (8, 33), 0),
    Load("sstf", 16, 0.3, (8,), 0),
    Load("stf", 8, 0.5, (8,), 0),
    Load("stf", 32, 0.3, (1, 8, 16), 0),
    Load("stf", 64, 0.0, (8,), 0),
    Load("stf", 64, 0.5, (8, 64), 40_000),
    Load("stf", 300, 0.2, (8,), 0),
    Load("fcfs", 32, 0.6, (2, 8, 200), 4_000),
    Load("stf", 32, 0.6, (2, 8, 200), 4_000),
    Load("fcfs", 32, 0.9, (8,), 80_000, flushes=0.1, runs=0.7),
    Load("stf", 32, 0.9, (8, 8, 16), 80_000, flushes=0.1, runs=0.7),
    Load("stf", 24, 0.5, (8, 8, 64, 300), 60_000, flushes=0.05, runs=0.3),
    # As deep as it takes for a search that goes from near to far; while the queue fills and drains, one by one.
    Load("sstf", 80, 0.3, (8,), 0),
    Load("scan", 60, 0.3, (8,), 0),
    Load("cscan", 60, 0.3, (8,), 0),
    Load("fscan", 100, 0.3, (8,), 0),
    Load("vr", 60, 0.3, (8,), 0),
    Load("wscan:window=200", 60, 0.3, (8,), 0),
    Load("eschenbach:order=20", 60, 0.3, (8,), 0),
    Load("gstf", 100, 0.3, (8,), 0),
    Load("gstf:group=300,bounce", 60, 0.3, (8,), 0),
    Load("gstf:frozen", 150, 0.3, (8,), 0),
    Load("wstf", 100, 0.3, (8,), 0),
    Load("wstf:m_per_request", 60, 0.3, (8,), 0),
    # What a file system does: its bursts keep the bus busy, and few cycles decide who gets it next.
    Load("fcfs", 32, 0.0, (), 0, trace="measured/ext4-git-sqlite.trace"),
    Load("stf", 32, 0.0, (), 0, trace="measured/ext4-git-sqlite.trace"),
]

# The cache: hits, what is just being read ahead, what is dropped; reported writes. They say what the loads above say
# nothing of: what both do costs what it costs the drive as it comes up, whose ways are fewer.
FURTHER_LOADS = [
    Load("fcfs", 1, 0.0, (8,), 400_000, runs=0.7, words=("--cache", "read")),
    Load("fcfs", 1, 0.4, (1, 8, 64), 40_000, runs=0.6, words=("--cache", "read-write")),
    Load("stf", 6, 0.3, (2, 8, 16), 4_000, flushes=0.03, runs=0.6, words=("--cache", "read-write")),
    Load("stf", 32, 0.4, (8, 8, 200), 60_000, flushes=0.05, runs=0.5, words=("--cache", "read-write:segments=6")),
    Load("fcfs", 3, 0.4, (1, 8), 40_000, runs=0.5, words=("--cache", "read-write", "--controller", "published")),
]


@dataclass
class Sum:
    """What a pair took in all."""

    count: int = 0
    cycles: int = 0

    def mean(self) -> float:
        """Cycles, each time."""
        return self.cycles / self.count

    def add(self, other: "Sum") -> None:
        """Both together."""
        self.count += other.count
        self.cycles += other.cycles


# By before, from, to.
Sums = dict[tuple[str, str, str], Sum]

# A difference that counts, cycles.
TELLING = 0.25
# As seldom as that chance, not the way, may have made it.
SELDOM = 4


def fail(message: str) -> None:
    """One line on stderr, then the end."""
    print(f"calibrate: error: {message}", file=sys.stderr)
    sys.exit(1)


def write_trace(file: Path, load: Load, commands: int) -> None:
    """The requests of a load."""
    source = random.Random(SEED)
    lines = ["headstack-trace 1", "time-unit us", "loop closed", "requests"]
    lba, blocks = 0, 0
    for _ in range(commands):
        if source.random() < load.flushes:
            lines.append("- F 0 0 -")
            continue
        lba += blocks
        blocks = source.choice(load.blocks)
        if source.random() >= load.runs or lba + blocks > CAPACITY:
            lba = source.randrange((load.near or CAPACITY) - blocks)
        lines.append(f"- {'W' if source.random() < load.writes else 'R'} {lba} {blocks} -")
    file.write_text("\n".join(lines) + "\n", encoding="ascii")


def measure(program: Path, load: Load, commands: int, folder: Path) -> None:
    """Replays one load; its pairs are in FOLDER/run/costs.csv."""
    folder.mkdir()
    trace = ROOT / "traces" / load.trace if load.trace else folder / "trace"
    if not load.trace:
        write_trace(trace, load, commands)
    line = [str(program), "--drive", DRIVE, "--trace", str(trace), "--limit", str(commands), "--policy", load.policy,
            "--queue-depth", str(load.depth), *load.words, "--measure-costs", "--out", str(folder / "run")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode == 128 + signal.SIGINT:
        raise KeyboardInterrupt  # the terminal sends it to the runs, too
    if done.returncode != 0:
        fail(f"{' '.join(line)}: {done.stderr.strip()}")


def add_unknown(further: Sums, sums: Sums) -> None:
    """Adds what `sums` has nothing of: not behind that waypoint, or not at all."""
    for key, total in further.items():
        if key not in sums:
            sums[key].add(total)


def add(folder: Path, sums: Sums) -> None:
    """One load's pairs, added to the others."""
    with open(folder / "run/costs.csv", encoding="ascii", newline="") as file:
        for row in csv.DictReader(file):
            sums[row["before"], row["from"], row["to"]].add(Sum(int(row["count"]), int(row["cycles"])))


def contexts(general: Sum, by_before: dict[str, Sum]) -> list[tuple[list[str], float]]:
    """Which before make a difference to a pair, and the cycles it takes behind them: alike ones together."""
    names: dict[int, list[str]] = defaultdict(list)
    sums: dict[int, Sum] = defaultdict(Sum)
    for before, total in sorted(by_before.items()):
        if total.count >= SELDOM and abs(total.mean() - general.mean()) >= TELLING:
            alike = round(total.mean() / TELLING)
            names[alike].append(before)
            sums[alike].add(total)
    return [(names[alike], sums[alike].mean()) for alike in sorted(names)]


def to_toml(sums: Sums, commit: str) -> str:
    """The cost file."""
    pairs: dict[tuple[str, str], Sum] = defaultdict(Sum)
    by_before: dict[tuple[str, str], dict[str, Sum]] = defaultdict(dict)
    everything = Sum()
    for (before, begin, end), total in sums.items():
        pairs[begin, end].add(total)
        by_before[begin, end][before] = total
        everything.add(total)
    lines = [
        "# Made by `headstack calibrate`; sim/tlm/cost_table.hpp has the format.",
        'format = "headstack costs 3"',
        f'commit = "{commit}"',
        f'date = "{datetime.date.today().isoformat()}"',
        f"default_cycles = {everything.mean():.2f}",
    ]
    for (begin, end), total in sorted(pairs.items()):
        lines += ["", "[[pair]]", f'from = "{begin}"', f'to = "{end}"', f"cycles = {total.mean():.3f}"]
        for names, cycles in contexts(total, by_before[begin, end]):
            quoted = ", ".join(f'"{name}"' for name in names)
            lines += ["", "[[pair]]", f"before = [{quoted}]", f'from = "{begin}"', f'to = "{end}"',
                      f"cycles = {cycles:.3f}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="headstack-run")
    parser.add_argument("--out", type=Path, default=ROOT / "sim/tlm/costs.toml")
    parser.add_argument("--commands", type=int, default=400, help="of each load")
    options = parser.parse_args()
    if options.commands < 10:
        parser.error("--commands is 10 or more")
    os.environ.setdefault("HEADSTACK_ROOT", str(ROOT))
    os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
    commit = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True,
                            text=True, check=False).stdout.strip() or "unknown"
    sums: Sums = defaultdict(Sum)
    further: Sums = defaultdict(Sum)
    loads = LOADS + FURTHER_LOADS
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as workers:
        folders = [Path(name) / str(number) for number in range(len(loads))]
        runs = [workers.submit(measure, options.program, load, options.commands, folder)
                for load, folder in zip(loads, folders)]
        try:
            # In the order of the loads, whichever is done first.
            for number, run in enumerate(runs, 1):
                if sys.stderr.isatty():
                    print(f"\r\033[Kload {number} of {len(loads)}", end="", file=sys.stderr, flush=True)
                run.result()
                add(folders[number - 1], sums if number <= len(LOADS) else further)
        except BaseException:  # a load failed, or Ctrl-C: begin no other
            workers.shutdown(cancel_futures=True)
            raise
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    add_unknown(further, sums)
    write_text(options.out, to_toml(sums, commit))
    pairs = {(begin, end) for _, begin, end in sums}
    print(f"{options.out}: {len(pairs)} pairs, measured {sum(total.count for total in sums.values())} times")


def interruptible() -> int:
    """Exit status."""
    try:
        main()
    except KeyboardInterrupt:
        print("\ncalibrate: interrupted; nothing is written", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    run_program(interruptible)
