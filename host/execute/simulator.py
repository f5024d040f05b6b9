# SPDX-License-Identifier: Apache-2.0
"""One run of a simulator: the command line, the process, and what it leaves.

Processes are in sessions of their own: Ctrl-C is for the command, which then ends them. They end with the thread that
began them, too, also where that is killed.
"""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ExecuteError, Stopped

ERROR = "headstack: error: "
NATIVE, RTL = "native", "rtl"  # platforms: the firmware compiled for this machine; the electronics
# Of util-linux, which Debian never is without. What it runs takes its place.
DIES_WITH_PARENT = ["setpriv", "--pdeathsig", "KILL"]


@dataclass(frozen=True)
class FileSetting:
    """KEY=FILE of a scenario, as a word of a run."""

    key: str
    file: Path

    def __str__(self) -> str:
        return f"{self.key}={self.file}"


# Of a run's command line. A Path, or the file of a FileSetting, is read, or below the run's folder is written.
Word = str | Path | FileSetting


def runs_on(words: Iterable[Word], platform: str) -> bool:
    """Whether a run's words choose the platform, by the flag or by the key."""
    return any(word in (platform, f"platform={platform}") for word in words)


class Processes:
    """The running processes, for threads that share them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._alive: set[subprocess.Popen[str]] = set()
        self._stopping = False

    def call(
        self,
        line: Sequence[str],
        environment: dict[str, str],
        *,
        cwd: Path | None = None,
        feed: str | None = None,
        keep_output: bool = False,
    ) -> tuple[int, str, str]:
        """Status, standard output where it is kept, standard error. Raises ExecuteError, and Stopped after stop()."""
        if not os.access(line[0], os.X_OK):
            raise ExecuteError(f"{line[0]}: there is no such program; run ./headstack build")
        with self._lock:
            if self._stopping:
                raise Stopped
            process = subprocess.Popen(
                [*DIES_WITH_PARENT, *line],
                stdin=subprocess.DEVNULL if feed is None else subprocess.PIPE,
                stdout=subprocess.PIPE if keep_output else subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
                cwd=cwd,
                start_new_session=True,
            )
            self._alive.add(process)
        try:
            output, message = process.communicate(feed)
        finally:
            with self._lock:
                self._alive.discard(process)
        if self._stopping:
            raise Stopped
        return process.returncode, output or "", message

    def stop(self) -> None:
        """Ends running processes, with all their children, and lets nothing else begin."""
        with self._lock:
            self._stopping = True
            for process in self._alive:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def said(status: int, error_output: str) -> str:
    """A program's last message in one line: from its error on, if there is one."""
    lines = error_output.strip().splitlines()
    errors = [number for number, line in enumerate(lines) if line.startswith(ERROR)]
    lines = lines[errors[0] :] if errors else lines
    lines = [line.removeprefix(ERROR) for line in lines]
    if status < 0:
        lines.append(f"ended by signal {-status}")
    return "; ".join(lines)


@dataclass(frozen=True)
class Ended:
    """A run that is over."""

    folder: Path
    status: int
    message: str  # its message on standard error, in one line

    def summary(self) -> dict[str, Any]:
        """summary.json."""
        summary: dict[str, Any] = json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))
        return summary


class Simulator:
    """headstack-run of a build and what stands beside it, for threads that share it."""

    def __init__(self, program: Path, root: Path, firmware: Path | None = None) -> None:
        """`root` has sim/drives; `firmware` is another drive.elf than the build's."""
        self.program, self.root, self.firmware = program, root, firmware
        self._processes = Processes()

    @property
    def elf(self) -> Path:
        """The firmware's program."""
        return self.firmware or self.program.parent.parent / "firmware/drive.elf"

    @property
    def translations(self) -> Path:
        """The folder of native code for the build's firmware (sim/core/translation_file.hpp)."""
        return self.program.parent.parent / "firmware/translations"

    @property
    def electronics(self) -> Path:
        """The program that headstack-run becomes for rtl (host/run/main_fast.cpp)."""
        return self.program.with_name(f"{self.program.name}-rtl")

    def firmware_words(self, words: Iterable[Word]) -> list[str]:
        """The firmware's words, which follow those of a run: another drive.elf is for the platforms that execute one."""
        return ["--firmware", str(self.firmware)] if self.firmware is not None and not runs_on(words, NATIVE) else []

    def run(self, words: Sequence[Word], out: Path) -> Ended:
        """A run that leaves its files in `out`.

        Raises ExecuteError, and Stopped after stop().
        """
        return self.run_in(None, words, out)

    def run_in(self, cwd: Path | None, words: Sequence[Word], out: Path) -> Ended:
        """Makes a run, with paths relative to `cwd`."""
        line = [str(self.program), *map(str, words), *self.firmware_words(words), "--out", str(out)]
        status, _, message = self._processes.call(line, self._environment(), cwd=cwd)
        return Ended(out if cwd is None else cwd / out, status, said(status, message))

    def run_all(self, runs: Sequence[tuple[Sequence[str | Path], Path]]) -> list[Ended]:
        """Several runs, in order, each with its words and folder: by one process where nothing is to be said of them.

        Raises as run() does. Of `rtl` there is one in a process.
        """
        if len(runs) > 1 and not any(runs_on(words, RTL) for words, _ in runs):
            batch = runs[0][1].with_name(f"{runs[0][1].name}.batch")
            lines = [[*map(str, words), *self.firmware_words(words), "--out", str(out)] for words, out in runs]
            batch.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            line = [str(self.program), "--batch", str(batch)]
            status, _, message = self._processes.call(line, self._environment())
            if status == 0 and not message:
                return [Ended(out, 0, "") for _, out in runs]
            for _, out in runs:
                shutil.rmtree(out, ignore_errors=True)
        # Each by itself says what it has to.
        return [self.run(words, out) for words, out in runs]

    def call(self, program: Path, words: Iterable[Word], cwd: Path | None = None) -> tuple[int, str, str]:
        """Runs another program of the build: status, standard output, standard error. Raises as run() does."""
        return self._processes.call([str(program), *map(str, words)], self._environment(), cwd=cwd, keep_output=True)

    def stop(self) -> None:
        """Ends running processes, and lets nothing else begin."""
        self._processes.stop()

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "HEADSTACK_ROOT": str(self.root), "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
