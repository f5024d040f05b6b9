# SPDX-License-Identifier: Apache-2.0
"""Output of commands: complete files and standard output, or one error.

    with writing(file) as part:      # `file` is there whole, or as it was before
        figure.savefig(part)
    write_text(file, text)
    keep_inputs(file, trace)  # never over what is read
    keep_others(file)      # nor over what is there
    with alone_in(folder): ...       # nobody else writes there meanwhile
    run(main)                        # ends the program

host/output/output_file.hpp is the same for the programs in C++.
"""

import contextlib
import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

from interrupts import taking_interrupts

REMEDIES = {
    errno.ENOSPC: "make room on its disk, or write to another",
    errno.EDQUOT: "make room in this user's quota, or write to another disk",
    errno.EFBIG: "lift the limit for files (ulimit -f), or write to a file system with larger ones",
    errno.EACCES: "write to a folder of this user's, or change the permissions",
    errno.EPERM: "write to a folder of this user's, or change the permissions",
    errno.EROFS: "write to a file system that is not read-only",
    errno.ENOENT: "make its folder first",
    errno.EEXIST: "give another name: there is a file of this name",
    errno.ENOTDIR: "give a path that leads through folders only",
    errno.EISDIR: "give another name: there is a folder of this name",
    errno.ENAMETOOLONG: "give a shorter name",
}
MARK_BYTES = 4096
STANDARD_OUTPUT = "standard output"
INTERRUPTED = 130
PIPE_CLOSED = 128 + 13  # as a shell says it of a program that SIGPIPE ended


class OutputError(Exception):
    """NAME: what is wrong: the system's reason; remedy."""


def output_error(name: str, error: OSError) -> OutputError:
    """The error for `name`, which could not be made or written."""
    remedy = REMEDIES.get(error.errno or 0)
    reason = f"{name}: cannot be written: {error.strerror or error}"
    return OutputError(f"{reason}; {remedy}" if remedy else reason)


def told(error: Exception) -> str:
    """The error as a sentence. What prints does not say where: then it is standard output."""
    if not isinstance(error, OSError):
        return str(error)
    if error.filename is None:
        return str(output_error(STANDARD_OUTPUT, error))
    return f"{error.filename}: {error.strerror}"


def is_about(error: OSError, *files: Path) -> bool:
    """Whether the error is about one of these files. Errors of writes name no file."""
    return error.filename is None or any(str(error.filename) == str(file) for file in files)


@contextlib.contextmanager
def writing(file: Path) -> Iterator[Path]:
    """Gives a path beside `file`, which becomes `file` after the block if nothing went wrong in it.

    So an older file is there until a whole one takes its place. A device or a pipe is written to as it is. Raises
    OutputError.
    """
    place = Path(os.path.realpath(file))
    whole = not place.exists() or place.is_file()
    part = place.with_name(f".{place.name}.{os.getpid()}.part") if whole else place
    try:
        yield part
        if whole:
            if place.exists():
                shutil.copymode(place, part)
            os.replace(part, place)
    except OSError as error:
        if not is_about(error, part, place):
            raise
        raise output_error(str(file), error) from None
    finally:
        if whole:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def write_text(file: Path, text: str) -> None:
    """Writes a whole file, in UTF-8, its lines ended as they are. Raises OutputError."""
    with writing(file) as part:
        part.write_text(text, encoding="utf-8", newline="")


def write_bytes(file: Path, content: bytes) -> None:
    """Writes a whole file of bytes. Raises OutputError."""
    with writing(file) as part:
        part.write_bytes(content)


FORCE = "give --force to overwrite it"


def keep_inputs(file: Path, *inputs: Path) -> None:
    """Refuses to write over a file that is read. Raises OutputError."""
    for one in inputs:
        with contextlib.suppress(OSError):
            if file.is_file() and file.samefile(one):
                raise OutputError(f"{file}: is what the command reads; give another name")


def keep_others(file: Path, mark: bytes = b"", remedy: str = FORCE) -> None:
    """Refuses to replace an existing file, unless its begin has the mark of a command's own file. Raises OutputError."""
    try:
        if not file.is_file() or file.stat().st_size == 0 and mark:
            return
        with file.open("rb") as content:
            if mark and mark in content.read(MARK_BYTES):
                return
    except OSError as error:
        raise output_error(str(file), error) from None
    why = "exists, and this command did not write it" if mark else "exists"
    raise OutputError(f"{file}: {why}; {remedy}")


def make_folder(folder: Path) -> None:
    """Makes a folder, with missing ones above it. Raises OutputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise output_error(str(folder), error) from None


def _holder(folder: Path) -> str:
    """The process that has the lock of a folder, if the system shows it."""
    inode = str(folder.stat().st_ino)
    with contextlib.suppress(OSError):
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            words = line.split()  # NUMBER: FLOCK ADVISORY WRITE PROCESS MAJOR:MINOR:INODE FIRST LAST
            if words[1] == "FLOCK" and words[5].split(":")[-1] == inode:
                return f"process {words[4]}"
    return "another process"


@contextlib.contextmanager
def alone_in(folder: Path, option: str = "--out") -> Iterator[None]:
    """Makes the folder, and keeps others that ask for it out of it. Raises OutputError when one is there already."""
    make_folder(folder)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(
                f"{option} {folder}: {_holder(folder)} is writing there; wait for its end, or give another folder"
            ) from None
        yield
    finally:
        os.close(descriptor)


def _finish_standard_output() -> None:
    """Checks that all printed output was written. Raises OutputError."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # It is not to be tried once more at the program's end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise output_error(STANDARD_OUTPUT, error) from None


def fail(message: str) -> NoReturn:
    """Ends the program with one line on standard error and status 1."""
    print("headstack: error: " + " ".join(message.split()), file=sys.stderr)
    raise SystemExit(1)


def run(main: Callable[[], int | None]) -> NoReturn:
    """Ends the program with the exit status of `main`, or with 1 when something it should leave is not whole."""
    status: int | str | None = 1
    try:
        with taking_interrupts():
            try:
                status = main() or 0
            except SystemExit as stop:
                status = stop.code
            finally:
                _finish_standard_output()
    except BrokenPipeError:
        status = PIPE_CLOSED
    except KeyboardInterrupt:
        status = INTERRUPTED
    except (OutputError, OSError) as error:
        print(f"headstack: error: {told(error)}", file=sys.stderr)
        status = status or 1
    sys.exit(status)
