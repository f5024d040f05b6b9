# SPDX-License-Identifier: Apache-2.0
"""The time of a scheduling decision on the drive's own core, by policy and by depth of the queue.

    bench_decisions.py RUN_PROGRAM [--drive DRIVE] [--decisions N] [--policies "P ..."] [--depths "D ..."]

Runs are 4 KB random reads in a closed loop on vp, in the cycles of the electronics. A decision lasts from PLAN_BEGIN to PLAN_END
(firmware/events.h), while all commands but the one in service wait. The figures are medians and the longest of N, since a policy
that serves groups takes longer at the begin of one. Two of three reads have a deadline, up to twice the wait of a full queue.
Some are therefore hopeless, and most can be met. Each run stops after N decisions. Times are simulated, and equal on every
machine.
"""

import argparse
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_replay import capacity_of, fail, set_environment, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from policy_table import policies  # noqa: E402

# Of each policy as it is; and what of the others searches otherwise: gscan, by schedules kept and by units.
POLICIES = [*policies(), "gstf:frozen", "gscan:u=8", "gscan:u=16", "gscan:u=32", "gscan:kmax=4"]
DEPTHS = [1, 16, 64, 256, 1024, 4096]
CLOCK_MHZ = 40
# About what a random access takes.
ACCESS_US = 8000

# Arrivals and ends change the depth by one or two while a decision is made.
SLACK = 2


def decisions(events: Path, depth: int) -> list[int]:
    """Cycles of each decision among so many, but the first, which the filling of the queue interrupts."""
    cycles, began = [], None
    for line in events.read_text(encoding="ascii").splitlines():
        fields = line.split()
        if len(fields) != 3:
            continue  # not written to its end yet
        edge, name, argument = int(fields[0]), fields[1], int(fields[2], 16)
        if name == "PLAN_BEGIN":
            began = edge if depth - SLACK <= argument & 0xFFFF <= depth else None
        elif name == "PLAN_END" and began is not None:
            cycles.append(edge - began)
            began = None
    return cycles[1:]


def measure(program: Path, folder: Path, drive: str, policy: str, depth: int, count: int) -> list[int]:
    """Runs until `count` decisions are there; with fewer in a whole run, none."""
    trace = folder / f"{depth}.trace"
    if not trace.exists():
        write_trace(trace, depth + 4 * count + 100, capacity_of(program, drive), 2 * (depth + 1) * ACCESS_US)
    out = folder / "run"
    line = [str(program), "--platform", "vp", "--drive", drive, "--trace", str(trace), "--policy", policy,
            "--depth", str(depth + 1), "--deadlines", "message", "observe.events=true", "--out", str(out), "--force"]
    events = out / "events.txt"
    events.unlink(missing_ok=True)
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        while run.poll() is None:
            time.sleep(0.2)
            if events.exists() and len(decisions(events, depth)) >= count:
                run.send_signal(signal.SIGINT)
                break
        message = run.communicate()[1]
    if run.returncode not in (0, 128 + signal.SIGINT):
        fail(f"{' '.join(line)}: {message.strip()}")
    found = decisions(events, depth)[:count]
    return found if len(found) == count else []


def main() -> None:
    """Runs, and prints a table."""
    parser = CommandParser(prog="headstack bench decisions", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--drive", default="cheetah_9lp", help="drive on which decisions are made (%(default)s)")
    parser.add_argument("--decisions", type=int, default=101, help="decisions per policy and depth (%(default)s)")
    parser.add_argument("--policies", default=" ".join(POLICIES), help="policies, separated by blanks")
    parser.add_argument("--depths", default=" ".join(map(str, DEPTHS)), help="queue depths, separated by blanks")
    options = parser.parse_args()
    depths = [int(depth) for depth in options.depths.split()]
    if options.decisions < 3 or min(depths) < 1 or max(depths) > 5119:
        parser.error("--decisions is 3 or more, depths are 1 to 5119")
    set_environment()
    program = options.program.resolve()
    print(f"{options.drive}: cycles of a decision, median (longest) of {options.decisions}; "
          f"{CLOCK_MHZ} of them are a microsecond; -: fewer decisions among so many\n")
    print(f"{'policy':<14}" + "".join(f"{f'depth {depth}':>18}" for depth in depths))
    with tempfile.TemporaryDirectory() as name:
        for policy in options.policies.split():
            print(f"{policy:<14}", end="", flush=True)
            for depth in depths:
                found = measure(program, Path(name), options.drive, policy, depth, options.decisions)
                shown = f"{statistics.median_high(found)} ({max(found)})" if found else "-"
                print(f"{shown:>18}", end="", flush=True)
            print()


if __name__ == "__main__":
    run_program(main)
