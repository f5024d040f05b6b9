# SPDX-License-Identifier: Apache-2.0
"""Memory and speed of a long replay on the fast platform, from its first tenth to its last.

    bench_memory.py RUN_PROGRAM [--requests N] [--drive D]

Reads and writes of 4 KB, half each, anywhere on the drive and within its first GiB, in a closed loop. At each tenth of the trace
the kernel reports the memory and processor time of the process, which do not depend on other load. The output compares the last
tenth of a run with its first. Memory grows while a run touches new blocks; 20 million requests touch all of them in their first
tenth. Records go to /dev/null: 20 million of them would be 4 GB.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_replay import BLOCKS, SEED, capacity_of, fail, set_environment

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402

TENTHS = 10
LINES_AT_ONCE = 100_000
POLL_SECONDS = 0.02
GIB_BLOCKS = 2**30 // 512
TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")


def write_mixed_trace(file: Path, requests: int, blocks: int) -> None:
    """Seeded reads and writes within so many blocks."""
    source = random.Random(SEED)
    places = blocks // BLOCKS
    with file.open("w", encoding="ascii") as out:
        out.write("headstack-trace 1\ntime-unit us\nloop closed\nrequests\n")
        for first in range(0, requests, LINES_AT_ONCE):
            out.writelines(f"- {'RW'[source.getrandbits(1)]} {source.randrange(places) * BLOCKS} {BLOCKS} -\n"
                           for _ in range(min(LINES_AT_ONCE, requests - first)))


def bytes_read(process: Path) -> int:
    """All that the process has read: the trace, and before it some hundred kilobytes of tables."""
    text = (process / "io").read_text(encoding="ascii")
    return int(text.split("rchar:")[1].split()[0])


def resident_mb(process: Path) -> float:
    """What the process holds in memory."""
    text = (process / "status").read_text(encoding="ascii")
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def processor_seconds(process: Path) -> float:
    """User and system time that the process took."""
    fields = (process / "stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK_SECONDS


def tenths(line: list[str], trace: Path) -> list[tuple[float, float]]:
    """Runs it: (processor seconds so far, MB held) after each tenth of the trace."""
    size = trace.stat().st_size
    marks: list[tuple[float, float]] = []
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        process = Path(f"/proc/{run.pid}")
        while run.poll() is None:
            try:
                if bytes_read(process) >= size * (len(marks) + 1) // TENTHS and len(marks) < TENTHS:
                    marks.append((processor_seconds(process), resident_mb(process)))
            except (OSError, IndexError):
                pass  # it ended between two looks, and has no memory any more
            time.sleep(POLL_SECONDS)
        if run.returncode != 0:
            fail(f"{' '.join(line)}: {run.stderr.read().strip()}")
    if len(marks) < TENTHS - 1:
        fail("the run was over before its tenths could be told apart; give more --requests")
    return marks


def main() -> None:
    """Runs, and prints a table."""
    parser = CommandParser(prog="headstack bench memory", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--drive", default="cheetah_9lp")
    parser.add_argument("--requests", type=int, default=2_000_000)
    options = parser.parse_args()
    if options.requests < 100_000:
        parser.error("--requests is 100000 or more")
    set_environment()
    program = options.program.resolve()
    capacity = capacity_of(program, options.drive)
    print(f"{options.requests} reads and writes of 4 KB on {options.drive}\n")
    print(f"{'within':<14}{'commands/CPU s':>16}{'last/first':>12}{'MB at 10 %':>12}{'at 100 %':>10}{'last/first':>12}")
    for name, blocks in (("the drive", capacity), ("1 GiB", min(GIB_BLOCKS, capacity))):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary).resolve()
            trace = folder / "trace"
            write_mixed_trace(trace, options.requests, blocks)
            (folder / "run").mkdir()
            (folder / "run/records.csv").symlink_to("/dev/null")
            marks = tenths([str(program), "--platform", "vp", "--drive", options.drive, "--trace", str(trace),
                            "--queue-depth", "8", "--out", str(folder / "run"), "--force"], trace)
        first, last = marks[0], marks[-1]
        last_tenth = last[0] - marks[-2][0]
        speed = options.requests * len(marks) / TENTHS / last[0]
        print(f"{name:<14}{speed:>16.0f}{first[0] / last_tenth:>12.2f}{first[1]:>12.0f}{last[1]:>10.0f}"
              f"{last[1] / first[1]:>12.2f}", flush=True)


if __name__ == "__main__":
    run_program(main)
