# SPDX-License-Identifier: Apache-2.0
"""Memory and speed of a long replay on the fast platform, from its first tenth to its last.

    bench_memory.py RUN_PROGRAM [--requests N] [--drive D] [--most-mb MB]

Reads and writes of 4 KB, half each, anywhere on the drive and within its first GiB, in a closed loop. At each tenth of the trace
the kernel reports the memory and processor time of the process, which do not depend on other load. The records that a run has
written say how far it is. The output compares the last tenth of a run with its first. Memory grows while a run touches new blocks; 20
million requests touch all of them in their first tenth. Records go to /dev/null: 20 million of them would be 4 GB.

The column `beyond` is the largest memory without what a run must keep of blocks that were written. With --most-mb, more than that is
an error.
"""

import argparse
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bench_replay import BLOCKS, SEED, capacity_of, fail, set_environment

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402

TENTHS = 10
BYTES_A_BLOCK = 16  # of a written block: its version and how its data are made (host/README.md, what hosts do)
LINES_AT_ONCE = 100_000
POLL_SECONDS = 0.02
GIB_BLOCKS = 2**30 // 512
TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")


def write_mixed_trace(file: Path, requests: int, blocks: int) -> int:
    """Seeded reads and writes within so many blocks. Returns how many blocks are written at least once."""
    source = random.Random(SEED)
    places = blocks // BLOCKS
    written = bytearray(places)
    with file.open("w", encoding="ascii") as out:
        out.write("headstack-trace 1\ntime-unit us\nloop closed\nrequests\n")
        for first in range(0, requests, LINES_AT_ONCE):
            lines = []
            for _ in range(min(LINES_AT_ONCE, requests - first)):
                writes, place = source.getrandbits(1), source.randrange(places)
                written[place] |= writes
                lines.append(f"- {'RW'[writes]} {place * BLOCKS} {BLOCKS} -\n")
            out.writelines(lines)
    return BLOCKS * sum(written)


def bytes_written(process: Path) -> int:
    """All that the process has written: records, and next to nothing else before its end."""
    text = (process / "io").read_text(encoding="ascii")
    return int(text.split("wchar:")[1].split()[0])


def resident_mb(process: Path) -> float:
    """What the process holds in memory."""
    text = (process / "status").read_text(encoding="ascii")
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def processor_seconds(process: Path) -> float:
    """User and system time that the process took."""
    fields = (process / "stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK_SECONDS


class Sample(NamedTuple):
    """A look at a process."""

    written: int  # bytes
    seconds: float  # of the processor
    mb: float  # in memory


@dataclass(frozen=True)
class Course:
    """A run, measured on its way."""

    marks: list[Sample]  # the first after each tenth of what it wrote
    seconds: float  # of the processor, in all
    most_mb: float

    @property
    def last_to_first(self) -> float:
        """Speed of the last tenth in units of the first one's."""
        last = self.marks[-1].seconds - self.marks[-2].seconds
        return self.marks[0].seconds / max(last, TICK_SECONDS)


def tenths(samples: list[Sample]) -> list[Sample]:
    """The first sample after each tenth of the output of a run that has ended."""
    total = samples[-1].written if samples else 0
    return [next(one for one in samples if one.written * TENTHS >= total * tenth) for tenth in range(1, TENTHS + 1)] if total else []


def follow(line: list[str]) -> Course:
    """Runs it."""
    samples: list[Sample] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        run = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=errors, text=True)
        process = Path(f"/proc/{run.pid}")
        while True:
            ended, status, usage = os.wait4(run.pid, os.WNOHANG)
            if ended:
                break
            # It may end between two looks, and has no memory any more.
            with contextlib.suppress(OSError, IndexError):
                samples.append(Sample(bytes_written(process), processor_seconds(process), resident_mb(process)))
            time.sleep(POLL_SECONDS)
        run.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        if run.returncode != 0:
            fail(f"{' '.join(line)}: {errors.read().strip()}")
    marks = tenths(samples)
    if len(set(marks)) < TENTHS:
        fail("the run was over before its tenths could be told apart; give more --requests")
    return Course(marks, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main() -> None:
    """Runs, and prints a table."""
    parser = CommandParser(prog="headstack bench memory", description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--drive", default="cheetah_9lp", help="drive of the replay (%(default)s)")
    parser.add_argument("--requests", type=int, default=2_000_000, help="requests of the replay (%(default)s)")
    parser.add_argument("--most-mb", type=float, metavar="MB", help="limit in MB for a run's memory beyond the data written; more is an error")
    options = parser.parse_args()
    if options.requests < 100_000:
        parser.error("--requests is 100000 or more")
    set_environment()
    program = options.program.resolve()
    capacity = capacity_of(program, options.drive)
    print(f"{options.requests} reads and writes of 4 KB on {options.drive}\n")
    print(f"{'within':<14}{'commands/CPU s':>16}{'last/first':>12}{'MB at 10 %':>12}{'at most':>10}{'beyond':>10}")
    for name, blocks in (("the drive", capacity), ("1 GiB", min(GIB_BLOCKS, capacity))):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary).resolve()
            trace = folder / "trace"
            written = write_mixed_trace(trace, options.requests, blocks)
            (folder / "run").mkdir()
            (folder / "run/records.csv").symlink_to("/dev/null")
            course = follow([str(program), "--platform", "vp", "--drive", options.drive, "--trace", str(trace),
                             "--depth", "8", "--out", str(folder / "run"), "--force"])
        beyond = course.most_mb - written * BYTES_A_BLOCK / 2**20
        print(f"{name:<14}{options.requests / course.seconds:>16.0f}{course.last_to_first:>12.2f}{course.marks[0].mb:>12.0f}"
              f"{course.most_mb:>10.0f}{beyond:>10.0f}", flush=True)
        if options.most_mb is not None and beyond > options.most_mb:
            fail(f"{name}: {beyond:.0f} MB beyond what was written, more than {options.most_mb:g}: something grows with the run")


if __name__ == "__main__":
    run_program(main)
