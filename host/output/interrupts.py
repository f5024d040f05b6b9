# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in programs in Python: KeyboardInterrupt where a program can tell it from a failure.

    with taking_interrupts():
        ...

A KeyboardInterrupt inside an import does not reach us as one. Modules in C make "initialization failed" of it, class
bodies "Error calling __set_name__", weak references a note on standard error. So it is raised where no import goes on.
"""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

RETRY_SECONDS = 0.01


class _Held:
    """Whether interrupts wait, and whether one is waiting. Handlers of signals run in the main thread alone."""

    depth = 0
    waiting = False


IMPORT_SYSTEM = "<frozen importlib._bootstrap>"  # the file of its functions


def _in_import(frame: FrameType | None) -> bool:
    """A module is being loaded below this frame."""
    while frame is not None:
        if frame.f_code.co_filename == IMPORT_SYSTEM:
            return True
        frame = frame.f_back
    return False


def interrupt(_: int, frame: FrameType | None) -> None:
    """A handler of signals. Raises KeyboardInterrupt: at once, as soon as no module is being loaded, or after holding_interrupts()."""
    if _Held.depth:
        _Held.waiting = True
        return
    if _in_import(frame):
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, RETRY_SECONDS)
        return
    raise KeyboardInterrupt


@contextlib.contextmanager
def holding_interrupts() -> Iterator[None]:
    """An interrupt() in this block is raised at its end, unless the block ends with an error. For code that takes locks which other
    threads need to end.
    """
    _Held.depth += 1
    try:
        yield
    except BaseException:
        _Held.depth -= 1
        _Held.waiting = False
        raise
    _Held.depth -= 1
    if _Held.waiting and not _Held.depth:
        _Held.waiting = False
        raise KeyboardInterrupt


@contextlib.contextmanager
def taking_interrupts() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt in this block, unless it is ignored (nohup). After it, Ctrl-C does what it did before."""
    before = signal.getsignal(signal.SIGINT)
    if before != signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, before)
