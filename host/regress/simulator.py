"""Runs of a case: the command line, the process, and what it leaves.

A run has a folder of its own. Processes are in sessions of their own: Ctrl-C is for the suite, which then ends them.
"""

import json
import os
import shlex
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from case_file import Case
from errors import RegressError, Stopped
from storyline import Played, program_of, read_play
from synthetic import Synthetic, write_trace


@dataclass(frozen=True)
class Outcome:
    """A run that is over."""

    folder: Path
    status: int
    message: str  # what it said on stderr

    def summary(self) -> dict[str, Any]:
        """summary.json."""
        summary: dict[str, Any] = json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))
        return summary


class Simulator:
    """headstack-run, for threads that share it."""

    def __init__(self, program: Path, root: Path, firmware: Path | None = None) -> None:
        self._program, self._root, self._firmware = program, root, firmware
        self._lock = threading.Lock()
        self._alive: set[subprocess.Popen[str]] = set()
        self._stopping = False

    @property
    def elf(self) -> Path:
        """The firmware's program."""
        return self._firmware or self._program.parent.parent / "firmware/drive.elf"

    def trace_of(self, case: Case, folder: Path) -> Path:
        """Where the case's trace is, or will be."""
        return case.trace if isinstance(case.trace, Path) else folder / "case.trace"

    def make_trace(self, case: Case, folder: Path) -> Path:
        """The case's trace, made where it is synthetic."""
        file = self.trace_of(case, folder)
        if isinstance(case.trace, Synthetic):
            write_trace(file, case.trace)
        return file

    def case_words(self, case: Case, trace: Path) -> list[str]:
        """What a run of the case is, but for its folder: words of `headstack run`."""
        words = ["--drive", case.drive, "--trace", str(trace), "--platform", case.platform]
        words += ["--policy", case.policy, "--queue-depth", str(case.queue_depth)]
        if case.limit:
            words += ["--limit", str(case.limit)]
        if case.loop:
            words.append(f"--{case.loop}")
        if self._firmware is not None and case.platform != "native":
            words += ["--firmware", str(self._firmware)]
        return words + list(case.words)

    def run(self, case: Case, trace: Path, out: Path, more: list[str]) -> Outcome:
        """Raises Stopped after stop()."""
        line = [str(self._program), *self.case_words(case, trace), "--out", str(out), *more]
        status, _, message = self._carry_out(line, subprocess.DEVNULL)
        lines = message.strip().removeprefix("headstack: error: ").splitlines()
        if status < 0:
            lines.append(f"ended by signal {-status}")
        return Outcome(out, status, "; ".join(lines))

    def play(self, case: Case) -> Played:
        """A storyline. Raises Stopped after stop(), and RegressError when it cannot be played."""
        assert isinstance(case.trace, Path)
        program = program_of(self._program, case)
        line = [str(program), "--platform", case.platform, "--replay", str(case.trace)]
        status, output, message = self._carry_out(line, subprocess.PIPE)
        played = read_play(output)
        if status not in (0, 1) or (status == 1) != bool(played.finding):
            raise RegressError(f"{case.file}: the storyline cannot be played: {message.strip() or f'status {status}'}")
        return played

    def _carry_out(self, line: list[str], stdout: int) -> tuple[int, str, str]:
        """Status, standard output where it is wanted, standard error."""
        environment = {**os.environ, "HEADSTACK_ROOT": str(self._root), "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        with self._lock:
            if self._stopping:
                raise Stopped
            process = subprocess.Popen(
                line, stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment,
                start_new_session=True,
            )  # fmt: skip
            self._alive.add(process)
        try:
            output, message = process.communicate()
        finally:
            with self._lock:
                self._alive.discard(process)
        if self._stopping:
            raise Stopped
        return process.returncode, output or "", message

    def stop(self) -> None:
        """Ends what runs, and lets nothing else begin."""
        with self._lock:
            self._stopping = True
            for process in self._alive:
                process.kill()


def shown(words: list[str], root: Path) -> str:
    """A command line for people: paths from the root's folder on."""
    return shlex.join(word.removeprefix(f"{root}/") for word in words)
