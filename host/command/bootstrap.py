# SPDX-License-Identifier: Apache-2.0
"""Functions of the script `headstack` for its commands: targets are built in the chosen preset.

Only what every start needs is imported here: `headstack run` waits for it.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # typing's own takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

ROOT = os.environ.get("HEADSTACK_ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.environ.get("HEADSTACK_PYTHON") or sys.executable
RELEASE = "release"


def chosen_preset() -> str:
    """HEADSTACK_PRESET, or the default."""
    return os.environ.get("HEADSTACK_PRESET") or RELEASE


def build_folder(preset: str) -> str:
    """Where a preset is built."""
    return os.path.join(ROOT, "build", preset)


def quiet() -> bool:
    """Whether --quiet is in force: only warnings, errors and results are printed."""
    return "HEADSTACK_QUIET" in os.environ


def note(text: str) -> None:
    """Prints progress on standard error."""
    if not quiet():
        print(f"headstack: {text}", file=sys.stderr)


class CommandError(Exception):
    """An error with its remedy. The exit status is 1."""


def exit_status(code: int) -> int:
    """The exit status in a shell's form: 128 + S for a program that signal S ended, whose `code` is -S."""
    return code if code >= 0 else 128 - code


def wait_for(arguments: Sequence[str], environment: dict[str, str] | None = None, *, stdin: int = 0, stdout: int = 1,
             takes_interrupts: bool = False) -> int:
    """Runs a program to its end, also when Ctrl-C asks for that. @return its exit status as a shell says it.

    Raises KeyboardInterrupt after a program that was interrupted, unless it makes its own use of interrupts.
    """
    interrupts: list[int] = []
    # A handler and not SIG_IGN: the program would keep that.
    before = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        process = os.posix_spawn(
            arguments[0], list(arguments), environment or dict(os.environ),
            # The program has ours, closed ones, too.
            file_actions=[(os.POSIX_SPAWN_DUP2, ours, its) for ours, its in ((stdin, 0), (stdout, 1)) if ours != its],
        )  # fmt: skip
        _, status = os.waitpid(process, 0)
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupts and not takes_interrupts:
        raise KeyboardInterrupt
    return exit_status(os.waitstatus_to_exitcode(status))


def prepare(targets: Sequence[str], preset: str, *, translate: bool = False) -> None:
    """Brings the targets up to date. Ends this program if that fails; the build has printed the reason."""
    words = [os.path.join(ROOT, "headstack"), "--prepare", *(["--translate"] if translate else []), *targets]
    status = wait_for(words, {**os.environ, "HEADSTACK_PRESET": preset})
    if status != 0:
        sys.exit(status)


def end_on_interrupt() -> None:
    """Ctrl-C, also one that was held back, ends this process without a word, unless it is ignored (nohup)."""
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def become(arguments: Sequence[str], *, holds_interrupts: bool = False) -> NoReturn:
    """This process continues as another program. A program that takes interrupts itself (start.py) gets none before it is
    ready.
    """
    sys.stdout.flush()
    if holds_interrupts:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    os.execv(arguments[0], list(arguments))
