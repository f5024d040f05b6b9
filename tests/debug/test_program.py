# SPDX-License-Identifier: Apache-2.0
"""The debugger has the symbols of the program that the drive's core executes, and refuses another's.

    test_program.py HEADSTACK_RUN BUILD_FOLDER GDB

The other program is the firmware with two instructions more in its first function: all others lie elsewhere.
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/regress"))

from patched_firmware import build_patched  # noqa: E402

RUN, BUILD, GDB = Path(), Path(), ""  # from the command line
# The first statement of the first function, memset().
OLD = "  const uint32_t word = (uint32_t)(uint8_t)value * 0x01010101U;\n"
TRACE = ROOT / "traces/measured/ext4-git-sqlite.trace"
LOAD = ["--drive", "eagle", "--platform", "vp", "--limit", "2", "--trace", str(TRACE)]
WAITS = "headstack: waiting for a debugger at "


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.shifted = build_patched(BUILD, cls.folder, "firmware/kernel/memory.c", OLD, f'  __asm__ volatile("nop; nop; nop; nop");\n{OLD}')
        cls.own = BUILD / "firmware/drive.elf"

    def address_of(self, program: Path, function: str) -> str:
        text = self.gdb("-ex", f"info address {function}", program)
        return text.split("is a function at address ")[1].split(".")[0]

    @staticmethod
    def gdb(*words: object) -> str:
        line = [GDB, "-q", "-nx", "-batch", "-iex", "set confirm off", *map(str, words)]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=120)
        return done.stdout

    def attach(self, socket: str, program: Path | None, *commands: str) -> str:
        words: list[object] = ["-x", ROOT / "host/debug/headstack_gdb.py", "-ex", f"target extended-remote {socket}"]
        for command in commands:
            words += ["-ex", command]
        return self.gdb(*words, *([program] if program else []))

    @contextlib.contextmanager
    def run_of(self, program: Path) -> Iterator[str]:
        """A run that waits; its socket."""
        out = Path(tempfile.mkdtemp(dir=self.folder))
        line = [RUN, *LOAD, "--firmware", program, "--out", out / "run", "--gdb", f"unix:{out}/s"]
        environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT)}
        with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=environment) as run:
            assert run.stderr is not None
            for text in run.stderr:
                if text.startswith(WAITS):
                    break
            try:
                yield text.removeprefix(WAITS).strip()
            finally:
                run.terminate()
                run.communicate()

    def test_the_programs_differ_in_their_addresses_alone(self) -> None:
        self.assertNotEqual(self.address_of(self.shifted, "main"), self.address_of(self.own, "main"))

    def test_debug_launch_has_the_symbols_of_the_firmware_that_runs(self) -> None:
        script = self.folder / "gdb"
        script.write_text(f'#!/bin/sh\nexec {GDB} -nx -batch "$@" -ex "break main" -ex continue -ex "info symbol \\$pc" -ex kill\n')
        script.chmod(0o755)
        line = [ROOT / "headstack", "debug", "--launch", *LOAD, "--firmware", self.shifted, "--out", self.folder / "launched"]
        done = subprocess.run(line, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                              env={**os.environ, "HEADSTACK_GDB": str(script), "HEADSTACK_PRESET": BUILD.name})  # fmt: skip
        self.assertIn("Breakpoint 1, ", done.stdout, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^main( \+ \d+)? in section \.text$")
        self.assertNotIn("another program", done.stdout + done.stderr)

    def test_symbols_of_another_program_are_refused_and_the_run_waits(self) -> None:
        with self.run_of(self.shifted) as socket:
            told = self.attach(socket, self.own, "info registers pc")
            self.assertRegex(told, rf"{re.escape(str(self.own))} is another program: its \.\w+ differs from the drive's RAM")
            self.assertNotRegex(told, r"(?m)^pc +0x")
            told = self.attach(socket, self.shifted, "info symbol $pc", "kill")
            self.assertNotIn("another program", told)
            self.assertIn("reset_vector", told)

    def test_a_file_that_is_loaded_later_is_refused_too(self) -> None:
        with self.run_of(self.shifted) as socket:
            told = self.attach(socket, self.shifted, f"symbol-file {self.own}", "info registers pc")
            self.assertIn("is another program", told)
            self.assertNotRegex(told, r"(?m)^pc +0x")

    # GDB asks for the name of the program (qXfer:exec-file:read) where its user gives none.
    def test_without_a_file_the_debugger_takes_that_of_the_run(self) -> None:
        with self.run_of(self.shifted) as socket:
            told = self.attach(socket, None, "info symbol $pc", "print &main", "kill")
            self.assertIn(self.address_of(self.shifted, "main"), told)
            self.assertNotIn("another program", told)

    # The third choice is reported for another task: the audit finds that task's record wrong, and the run goes on to its end.
    def test_a_record_that_does_not_hold_is_shown_at_its_own_time(self) -> None:
        old = ("  task->state = TASK_ACTIVE;\n  trace_port_hal_event(TRACE_TASK_CHOSEN, index_of(service, task));\n"
               "  const enum spindle_state")  # fmt: skip
        new = old.replace("task));", "task) + (++begun == 3 ? 1U : 0U));").replace("  trace", "  static uint32_t begun;\n  trace", 1)
        out = self.folder / "misreported"
        broken = build_patched(BUILD, self.folder / "begun", "firmware/transfer/service.c", old, new)
        line = [RUN, "--drive", "eagle", "--platform", "vp", "--limit", "20", "--trace", TRACE, "--depth", "4",
                "--firmware", broken, "--out", out]  # fmt: skip
        done = subprocess.run(line, capture_output=True, text=True, check=False, env={**os.environ, "HEADSTACK_ROOT": str(ROOT)})
        self.assertEqual(done.returncode, 1)
        text = (out / "post-mortem.txt").read_text(encoding="utf-8")
        sentence, instant = text.splitlines()[:2]
        at_ms = float(re.fullmatch(r"at ([0-9.]+) ms of simulated time; the run ended at [0-9.]+ ms", instant)[1])  # type: ignore[index]
        self.assertRegex(sentence, r"^command \d+: TASK_CHOSEN names task \d+ while the media serve task \d+$")
        # GDB stands 2 ms before it, and the events have its neighbours.
        stop_ps = int(re.search(r"--run-until 'time (\d+)ps'", text)[1])  # type: ignore[index]
        self.assertAlmostEqual(stop_ps / 1e9, at_ms - 2, delta=1e-6)
        times_ms = [float(found) for found in re.findall(r"^ *([0-9.]+) ms  edge \d+ ", text, re.MULTILINE)]
        self.assertLess(times_ms[0], at_ms)
        self.assertIn(at_ms, times_ms)


if __name__ == "__main__":
    GDB, BUILD, RUN = sys.argv.pop(), Path(sys.argv.pop()).resolve(), Path(sys.argv.pop()).resolve()
    unittest.main()
