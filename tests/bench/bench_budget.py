# SPDX-License-Identifier: Apache-2.0
"""The cost of a command for the firmware and for this machine, compared with a budget.

    bench_budget.py RUN_PROGRAM [--write REASON] [--firmware-only] [--table FILE]

The firmware's cycles are simulated, and valgrind's callgrind counts the host's instructions. Neither depends on the load or speed
of a machine. The cost of a command comes from the difference of two run lengths; start-up is a whole run of one request.
`headstack trace synth` makes the traces, with one seed. Instructions depend on compiler and C library: they are compared only
with a table that was written with the same ones.

Exit status: 0 nothing is above its budget by more than 3 %; 1 something is.
"""

import argparse
import contextlib
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from bench_replay import SEED, fail, run_once, set_environment  # noqa: E402
from budget_table import (  # noqa: E402
    BOUND,
    FIRMWARE,
    HOST,
    QUANTITIES,
    Costs,
    Table,
    TableError,
    is_above,
    is_below,
    percent_off,
    read_table,
    write_table,
)
from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402

DRIVE = "cheetah_9lp"
TABLE = Path(__file__).resolve().parent / "budget.toml"
RENEW = 'headstack bench budget --write "reason"'
# At the first, a queue of 256 is full.
SHORT, LONG = 300, 800


@dataclass(frozen=True)
class Load:
    """4 KB requests anywhere on the drive, in a closed loop."""

    read_share: int
    options: tuple[str, ...]


LOADS = {
    "reads, fcfs depth 8": Load(1, ("--policy", "fcfs", "--depth", "8")),
    "reads, fcfs depth 64": Load(1, ("--policy", "fcfs", "--depth", "64")),
    "reads, stf depth 256": Load(1, ("--policy", "stf", "--depth", "256")),
    "cached writes, fcfs depth 32": Load(0, ("--policy", "fcfs", "--depth", "32", "--cache", "read-write")),
}
START_UP, START_UP_LOAD = "start-up", LOADS["reads, fcfs depth 8"]
NAMES = [*LOADS, START_UP]
# What we want to get to.
GOALS = {(load, quantity): goal for load in LOADS for quantity, goal in ((HOST, 60_000), (FIRMWARE, 8_000))}
GOALS[START_UP, HOST] = 20_000_000


class Meter:
    """Counts what runs of a program cost."""

    def __init__(self, program: Path, folder: Path, quantities: tuple[str, ...]) -> None:
        self._program, self._folder, self._quantities = program, folder, quantities

    def _trace(self, read_share: int, count: int) -> Path:
        file = self._folder / f"{read_share}_{count}.trace"
        if not file.exists():
            subprocess.run([self._program.parent / "headstack", "trace", "synth", "--drive", DRIVE, "--arrivals", "closed",
                            "--read-share", str(read_share), "--count", str(count), "--seed", str(SEED), "-o", file],
                           check=True, capture_output=True)
        return file

    def _run(self, load: Load, count: int) -> dict[str, int]:
        """So many requests, with start-up and end."""
        line = [str(self._program), "--platform", "vp", "--drive", DRIVE, *load.options,
                "--trace", str(self._trace(load.read_share, count)), "--out", str(self._folder / "run"), "--force"]
        if HOST not in self._quantities:
            return {FIRMWARE: run_once(line, self._folder)["firmware_cycles"]}
        log = self._folder / "valgrind.log"
        line = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}", *line]
        cycles = run_once(line, self._folder)["firmware_cycles"]
        text = log.read_text(encoding="utf-8", errors="replace")
        counted = re.search(r"Collected : (\d+)", text)
        if counted is None:
            fail(f"valgrind says no count, but: {text.strip()}")
        return {FIRMWARE: cycles, HOST: int(counted[1])}

    def cost(self, name: str) -> dict[str, int]:
        """The cost of a command, or of start-up."""
        if name == START_UP:
            return self._run(START_UP_LOAD, 1)
        short, long = (self._run(LOADS[name], count) for count in (SHORT, LONG))
        return {quantity: round((long[quantity] - short[quantity]) / (LONG - SHORT)) for quantity in self._quantities}


def toolchain_of(program: Path) -> str:
    """What compiled the program, by its own note, the C library here, and the processor: the library chooses by that how
    it copies and clears."""
    notes = subprocess.run(["readelf", "--string-dump=.comment", program], check=True, capture_output=True, text=True)
    compilers = sorted(set(re.findall(r"\]\s+(.+)", notes.stdout)))
    processor = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return ", ".join([*compilers, " ".join(platform.libc_ver()), processor[1] if processor else platform.machine()])


def require_translation(program: Path) -> None:
    """Checks that there is a translation. Without it a run goes on, and takes many times the instructions."""
    elf = program.parents[1] / "firmware/drive.elf"
    translated = elf.with_name("drive.elf.translated")
    if not translated.exists() or translated.stat().st_mtime < elf.stat().st_mtime:
        fail(f"{translated} is missing or older than drive.elf: run ./headstack build")


def print_costs(costs: Iterator[tuple[str, dict[str, int]]], budgets: Costs) -> Costs:
    """A line for each as it comes; gives them all."""
    print(f"{'load':<30}{'cost':<19}{'measured':>12}{'budget':>12}{'deviation':>11}{'goal':>12}")
    whole: Costs = {}
    for load, cost in costs:
        whole[load] = cost
        for quantity, measured in cost.items():
            budget, goal = budgets.get(load, {}).get(quantity), GOALS.get((load, quantity))
            beside = f"{budget:>12,}{percent_off(measured, budget):>11}" if budget else " " * 23
            line = f"{load:<30}{quantity:<19}{measured:>12,}{beside}" + (f"{goal:>12,}" if goal else "")
            print(line.rstrip(), flush=True)
    return whole


def conclude(costs: Costs, budgets: Costs) -> int:
    """Says what is off by more than the bound; the exit status."""
    pairs = [(f"{load}: {quantity}", measured, budgets[load][quantity])
             for load, cost in costs.items() for quantity, measured in cost.items() if quantity in budgets[load]]
    above = [(name, percent_off(measured, budget)) for name, measured, budget in pairs if is_above(measured, budget)]
    below = [(name, percent_off(measured, budget)) for name, measured, budget in pairs if is_below(measured, budget)]
    for found, what, remedy in ((below, "below", "lower the budget"), (above, "above", "mend it, or say why")):
        if found:
            print(f"\n{what} budget by more than {BOUND:.0%}; {remedy}: {RENEW}")
            print("\n".join(f"  {name} {off}" for name, off in found))
    return 1 if above else 0


def comparable(table: Table, toolchain: str) -> Costs:
    """The budgets that this build can be held to."""
    if table.toolchain == toolchain:
        return table.costs
    print(f"host instructions are not compared: here they are by {toolchain}, the budgets by {table.toolchain}\n")
    return {load: {FIRMWARE: cost[FIRMWARE]} for load, cost in table.costs.items()}


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = CommandParser(prog="headstack bench budget", description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--write", metavar="REASON", help="set the budget to the measured costs, and note the reason in the table")
    parser.add_argument("--firmware-only", action="store_true", help="count no host instructions; needs no valgrind")
    parser.add_argument("--table", type=Path, default=TABLE, metavar="FILE", help="budget table (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print the table as JSON; all other output goes to standard error")
    options = parser.parse_args()
    if options.write is not None and (options.firmware_only or not options.write.strip()):
        parser.error("--write needs a reason, and no --firmware-only: a table has both")
    return options


def table_json(costs: Costs, budgets: Costs) -> str:
    """What print_costs() prints."""
    rows = [{"load": load, "cost": quantity, "measured": measured, "budget": budgets.get(load, {}).get(quantity),
             "goal": GOALS.get((load, quantity))} for load, cost in costs.items() for quantity, measured in cost.items()]
    return json.dumps(rows, indent=2)


def main() -> int:
    """The command's exit status."""
    options = arguments()
    set_environment()
    if not options.json:
        return measure(options)[0]
    with contextlib.redirect_stdout(sys.stderr):
        status, costs, budgets = measure(options)
    print(table_json(costs, budgets))
    return status


def measure(options: argparse.Namespace) -> tuple[int, Costs, Costs]:
    """Measures, prints; compares or writes. The exit status, what was measured, and the budgets."""
    program = options.program.resolve()
    if not options.firmware_only:
        if shutil.which("valgrind") is None:
            fail("valgrind is not installed: run ./headstack setup, or add --firmware-only")
        require_translation(program)
    toolchain = toolchain_of(program)
    budgets: Costs = {}
    try:
        budgets = comparable(read_table(options.table, NAMES), toolchain)
    except TableError as error:
        if options.write is None:
            fail(f"{error}; write it anew: {RENEW}")
    with tempfile.TemporaryDirectory() as folder:
        meter = Meter(program, Path(folder), (FIRMWARE,) if options.firmware_only else QUANTITIES)
        costs = print_costs(((name, meter.cost(name)) for name in NAMES), budgets)
    if options.write is None:
        return conclude(costs, budgets), costs, budgets
    write_table(options.table, Table(options.write.strip(), toolchain, costs))
    print(f"\nwrote {options.table}")
    return 0, costs, budgets


if __name__ == "__main__":
    run_program(main)
