# SPDX-License-Identifier: Apache-2.0
"""What bench_memory.py works out of what it measures, and whether the memory of a run grows with its commands.

    test_memory.py [RUN_PROGRAM COMMANDS]

With a program it compares runs of 10,000 commands and of so many.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/bench"))

from bench_memory import Course, Sample, bytes_written, tenths, write_mixed_trace  # noqa: E402

PROGRAM, COMMANDS = "", 0
FEW = 10_000
SPAN = 8_000  # blocks: each run touches all of them
MOST_BYTES_A_COMMAND = 32  # an object of any kind that is kept for each command takes more


class Figures(unittest.TestCase):
    def test_tenths_are_of_what_was_written_and_not_of_time_or_of_what_was_read(self) -> None:
        """A run first reads programs and tables, which were once taken for the first tenth of its trace."""
        start = [Sample(0, second / 10, 5.0) for second in range(10)]
        course = [Sample(100 * step, 1.0 + step, 10.0 + step) for step in range(1, 101)]
        marks = tenths(start + course)
        self.assertEqual([mark.written for mark in marks], [1000 * tenth for tenth in range(1, 11)])
        self.assertEqual(marks[0], Sample(1000, 11.0, 20.0))
        self.assertEqual(tenths([]), [])
        self.assertEqual(tenths(start), [])

    def test_a_process_says_what_it_has_written(self) -> None:
        process = Path(f"/proc/{os.getpid()}")
        before = bytes_written(process)
        with open("/dev/null", "wb", buffering=0) as null:
            null.write(bytes(4_000))
        self.assertGreaterEqual(bytes_written(process) - before, 4_000)

    def test_written_blocks_are_counted_once(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            trace = Path(name) / "trace"
            written = write_mixed_trace(trace, 1000, 80)
            lines = trace.read_text(encoding="ascii").splitlines()[4:]
            places = {line.split()[2] for line in lines if line.split()[1] == "W"}
            self.assertEqual((len(lines), written), (1000, 8 * len(places)))

    def test_a_run_that_is_as_fast_at_its_end_has_1(self) -> None:
        marks = [Sample(second, float(second), 10.0) for second in range(1, 11)]
        self.assertAlmostEqual(Course(marks, 10.0, 10.0).last_to_first, 1.0)
        marks[-1] = Sample(10, 11.0, 10.0)
        self.assertAlmostEqual(Course(marks, 11.0, 10.0).last_to_first, 0.5)


class Runs(unittest.TestCase):
    def most_bytes(self, commands: int) -> int:
        """The largest memory of such a run."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            write_mixed_trace(folder / "trace", commands, SPAN)
            line = [PROGRAM, "--platform", "vp", "--drive", "cheetah_9lp", "--trace", folder / "trace", "--out", folder / "out",
                    "--depth", "8"]  # fmt: skip
            environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT)}
            run = subprocess.Popen(list(map(str, line)), stdout=subprocess.DEVNULL, env=environment)
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(run.returncode, 0)
            return usage.ru_maxrss * 1024

    def test_memory_does_not_grow_with_the_commands(self) -> None:
        if not PROGRAM:
            self.skipTest("no program given")
        growth = self.most_bytes(COMMANDS) - self.most_bytes(FEW)
        self.assertLess(growth, MOST_BYTES_A_COMMAND * (COMMANDS - FEW), f"{growth / (COMMANDS - FEW):.0f} bytes a command")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        COMMANDS = int(sys.argv.pop())
        PROGRAM = sys.argv.pop()
    unittest.main()
