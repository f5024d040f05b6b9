# SPDX-License-Identifier: Apache-2.0
"""The predictor's margin against throughput: the cost of a margin that is too small, and of one that is too large.

    bench_margin.py RUN_PROGRAM --out DIR [--commands N] [--platform vp|rtl] [--margins "M ..."]

Each load is replayed with each margin (settings.predictor_margin_us). With too small a margin the arm arrives too late for
its sector, and waits a revolution. With too large a margin it passes sectors that it could catch. Writes DIR/margin.csv and
DIR/margin.png. Simulated time, so that it is the same on every machine.
"""

import argparse
import csv
import random
import sys
from dataclasses import dataclass
from pathlib import Path

from bench_replay import ROOT, capacity_of, run_once, set_environment

sys.path.insert(0, str(ROOT / "host/plots"))

import style  # noqa: E402
from matplotlib.ticker import ScalarFormatter  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402

MARGINS_US = [0, 10, 20, 30, 40, 50, 55, 60, 65, 70, 80, 120, 200, 400]
SEED = 1


@dataclass(frozen=True)
class Load:
    """4 KB requests anywhere on a drive, or on its outermost part, in a closed loop."""

    drive: str
    policy: str
    depth: int
    writes: float  # share
    part: float = 1.0  # of the blocks

    def describe(self) -> str:
        """The result in words."""
        mix = f", {self.writes:.0%} writes" if self.writes else ""
        where = f", {self.part:.0%} of it" if self.part < 1 else ""
        return f"{self.drive}{where}, {self.policy}, depth {self.depth}{mix}"


@dataclass(frozen=True)
class RunOf:
    """How a load is replayed."""

    program: Path
    folder: Path  # for the trace and the results
    commands: int
    platform: str = "vp"
    seed: int = SEED


LOADS = [
    Load("cheetah_9lp", "stf", 8, 0.0),
    Load("cheetah_9lp", "stf", 64, 0.0),
    Load("cheetah_9lp", "stf", 64, 0.5),
    Load("cheetah_9lp", "stf", 1024, 0.0),
    Load("hp_c3323a", "stf", 64, 0.5),
    Load("atlas_10k", "stf", 64, 0.5),
    Load("atlas_10k", "stf", 64, 0.0, part=0.01),
    Load("atlas_10k", "stf", 64, 0.5, part=0.01),
]


def write_trace(file: Path, load: Load, commands: int, capacity: int, seed: int) -> None:
    """The requests of a load."""
    source = random.Random(seed)
    places = int(capacity * load.part) // 8
    lines = ["headstack-trace 1", "time-unit us", "loop closed", "requests"]
    for _ in range(commands):
        kind = "W" if source.random() < load.writes else "R"
        lines.append(f"- {kind} {source.randrange(places) * 8} 8 -")
    file.write_text("\n".join(lines) + "\n", encoding="ascii")


def measure(run: RunOf, load: Load, margin_us: int | None) -> tuple[float, float]:
    """Commands per second of simulated time, and missed revolutions in 1,000 commands. None: the drive's own margin."""
    trace = run.folder / "margin.trace"
    write_trace(trace, load, run.commands, capacity_of(run.program, load.drive), run.seed)
    line = [str(run.program), "--drive", load.drive, "--trace", str(trace), "--policy", load.policy,
            "--depth", str(load.depth), "--platform", run.platform, "--out", str(run.folder / "run"), "--force"]
    if margin_us is not None:
        line += [f"settings.predictor_margin_us={margin_us}"]
    summary = run_once(line, run.folder)
    missed = 1000 * summary["missed_revolutions"] / summary["result"]["commands"]
    return summary["result"]["commands_per_second"], missed


def draw(file: Path, curves: dict[Load, list[tuple[int, float, float]]]) -> None:
    """Throughput, as a share of each load's best, above missed revolutions."""
    figure = style.new_figure(7.5, 8, "The predictor's margin against throughput")
    above, below = figure.subplots(2, 1, sharex=True)
    for load, rows in curves.items():
        margins = [row[0] for row in rows]
        best = max(row[1] for row in rows)
        above.plot(margins, [100 * row[1] / best for row in rows], marker="o", markersize=3, label=load.describe())
        below.plot(margins, [row[2] for row in rows], marker="o", markersize=3)
    above.set_ylabel("throughput, % of the best")
    below.set_ylabel("missed revolutions, in 1,000 commands")
    below.set_xlabel("margin, us")
    below.set_xscale("symlog", linthresh=10)
    below.xaxis.set_major_formatter(ScalarFormatter())
    style.legend_below(figure, above, columns=2)
    style.save(figure, file)


def main() -> None:
    """Measures, prints, writes."""
    parser = CommandParser(prog="headstack bench margin", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench")
    parser.add_argument("--commands", type=int, default=10_000, help="commands per run (%(default)s)")
    parser.add_argument("--platform", choices=["vp", "rtl"], default="vp", help="platform of the runs (%(default)s)")
    parser.add_argument("--margins", default=" ".join(map(str, MARGINS_US)), help="predictor margins in us, separated by blanks")
    parser.add_argument("--loads", type=int, default=len(LOADS), help="number of loads to run (default: all)")
    options = parser.parse_args()
    margins = [int(margin) for margin in options.margins.split()]
    if options.commands < 100 or not margins or min(margins) < 0:
        parser.error("--commands is 100 or more, margins are 0 or more")
    set_environment()
    options.program = options.program.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    curves: dict[Load, list[tuple[int, float, float]]] = {}
    print(f"commands/s (missed revolutions in 1,000 commands), {options.commands} commands, {options.platform}\n")
    print(f"{'margin, us':<48}" + "".join(f"{margin:>15}" for margin in margins))
    run = RunOf(options.program, options.out, options.commands, options.platform)
    for load in LOADS[: options.loads]:
        print(f"{load.describe():<48}", end="", flush=True)
        curves[load] = []
        for margin in margins:
            rate, missed = measure(run, load, margin)
            curves[load].append((margin, rate, missed))
            print(f"{f'{rate:.1f} ({missed:.1f})':>15}", end="", flush=True)
        print()
    with open(options.out / "margin.csv", "w", encoding="ascii", newline="") as file:
        table = csv.writer(file)
        table.writerow(["drive", "policy", "depth", "writes", "part", "margin_us", "commands_per_second", "missed_per_1000"])
        for load, rows in curves.items():
            for margin, rate, missed in rows:
                which = [load.drive, load.policy, load.depth, load.writes, load.part]
                table.writerow([*which, margin, f"{rate:.3f}", f"{missed:.3f}"])
    draw(options.out / "margin.png", curves)
    print(f"\nwrote {options.out}: margin.csv, margin.png")


if __name__ == "__main__":
    run_program(main)
