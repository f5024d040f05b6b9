# SPDX-License-Identifier: Apache-2.0
"""headstack debug: a run that waits for a debugger, and the debugger with --launch."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from bootstrap import ROOT, CommandError, become, build_folder, chosen_preset, prepare, wait_for
from programs import RUN

WAITS_AT = "headstack: waiting for a debugger at "
EXECUTES = "headstack: the core executes "


def debug(words: Sequence[str], *, launch: bool) -> int:
    """@param words: of a run. @return the exit status. Raises CommandError."""
    has_address = any(word == "--gdb" or word.startswith("--gdb=") for word in words)
    if launch and has_address:
        raise CommandError("--launch chooses the address itself; leave out --gdb, or --launch")
    prepare([RUN], chosen_preset(), translate=True)
    program = os.path.join(build_folder(chosen_preset()), RUN)
    # A socket of this user's alone; a port would be open to every program of the machine, and to the browser's pages.
    line = [program, *words, *([] if has_address else ["--gdb", "unix"])]
    return _launch(line) if launch else become(line)


def _launch(line: Sequence[str]) -> int:
    """The simulator in the background, the debugger in the foreground. The simulator ends with the debugger."""
    gdb = os.environ.get("HEADSTACK_GDB", "gdb-multiarch")
    debugger = shutil.which(gdb)
    if debugger is None:
        raise CommandError(f"there is no {gdb}; 'headstack setup' installs gdb-multiarch")
    with tempfile.TemporaryFile() as log:
        # Not in the terminal's foreground: Ctrl-C is the debugger's.
        simulator = subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        try:
            program, socket = _wait_for_socket(simulator, log.fileno())
            status = simulator.wait() if not socket else wait_for(
                [debugger, "-q", "-iex", "set confirm off", "-ex", f"source {ROOT}/host/debug/headstack_gdb.py",
                 "-ex", f"target extended-remote {socket}", program],
                takes_interrupts=True,
            )  # fmt: skip
        finally:
            simulator.terminate()
            simulator.wait()
        sys.stderr.write(_said(log.fileno()))
    return status


def _said(log: int) -> str:
    return os.pread(log, os.fstat(log).st_size, 0).decode(errors="replace")


def _wait_for_socket(simulator: subprocess.Popen[bytes], log: int) -> tuple[str, str]:
    """Which program it executes, and where it listens; empty when it has ended."""
    while True:
        program = ""
        # Whole lines only: the last may still be written.
        for text in _said(log).split("\n")[:-1]:
            if text.startswith(EXECUTES):
                program = text.removeprefix(EXECUTES)
            if text.startswith(WAITS_AT):
                return program, text.removeprefix(WAITS_AT)
        if simulator.poll() is not None:
            return "", ""
        time.sleep(0.05)
