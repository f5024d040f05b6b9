# SPDX-License-Identifier: Apache-2.0
"""Builds the firmware of another commit, below build/against, and its simulator if that is asked for.

    COMMIT/source   its files, without the golden cases
    COMMIT/build    its build: only the firmware's program, by the commit's own CMake files
    COMMIT/log.txt  what the steps print
    COMMIT-whole    the same with the simulator

A finished build is used again; only the files that a comparison needs are kept. An interrupted build continues where it
stopped.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from errors import RegressError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import alone_in, make_folder, write_text  # noqa: E402

FOLDER = "build/against"
SIMULATOR = "headstack-run"
COMMIT_DIGITS = 12
LAST_LINES = 15  # lines of a failed step that are shown
PATIENCE_S = 10  # time until a step that should end is killed
ENDS_WITH_PARENT = ["setpriv", "--pdeathsig", "TERM"]  # util-linux; the program takes its place


@dataclass(frozen=True)
class Built:
    """The paths of a built commit's parts."""

    source: Path
    build: Path

    @property
    def elf(self) -> Path:
        """The firmware's program."""
        return self.build / "firmware/drive.elf"

    @property
    def simulator(self) -> Path:
        """The simulator's program."""
        return self.build / f"host/{SIMULATOR}"


def build_commit(commit: str, root: Path, say: Callable[[str], None], *, whole: bool = False) -> Built:
    """The build of a commit's firmware, and with `whole` of its simulator; made if it is not there. `say` gets progress.

    Raises RegressError and OutputError.
    """
    folder = root / FOLDER / f"{commit[:COMMIT_DIGITS]}{'-whole' if whole else ''}"
    what, patience, targets = ("firmware", "about half a minute", ["drive"])
    if whole:
        what, patience, targets = "firmware and simulator", "many minutes", ["drive", SIMULATOR]
    built, finished = Built(folder / "source", folder / "build"), folder / "finished"
    with alone_in(folder, "--against"):
        if finished.is_file() and built.elf.is_file():
            return built
        say(f"building {what} of {commit[:COMMIT_DIGITS]} in {FOLDER}/{folder.name} ({patience})")
        log = folder / "log.txt"
        log.unlink(missing_ok=True)
        if not built.source.is_dir():
            _unpack(commit, root, built.source)
        python = Path(sys.prefix) / "bin"
        cmake = ["cmake", "-S", str(built.source), "-B", str(built.build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 f"-DHEADSTACK_PYTHON_BIN={python}"]  # fmt: skip
        _step("configure", commit, cmake, log)
        _step("build", commit, ["ninja", "-C", str(built.build), *targets], log)
        if not built.elf.is_file():
            raise RegressError(f"--against: {commit[:COMMIT_DIGITS]} builds no firmware/drive.elf; name a later commit")
        if whole and not built.simulator.is_file():
            raise RegressError(f"--whole: {commit[:COMMIT_DIGITS]} builds no {SIMULATOR}; leave --whole out")
        write_text(finished, f"{commit}\n")
        if not whole:
            _remove_others(built.source / "firmware")
        _remove_others(built.build / "firmware", built.build / "hdl", *([built.build / "host"] if whole else []))
    return built


def _remove_others(*kept: Path) -> None:
    """Removes all files beside the kept ones."""
    for entry in set(kept[0].parent.iterdir()) - set(kept):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _unpack(commit: str, root: Path, source: Path) -> None:
    """Unpacks the commit's files, completely or not at all."""
    line = ["git", "-C", str(root), "archive", commit, "--", ".", ":!tests/golden"]
    with tempfile.TemporaryDirectory(dir=source.parent) as name:
        fresh = Path(name) / "source"
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as archive:
            assert archive.stdout is not None and archive.stderr is not None
            try:
                with tarfile.open(fileobj=archive.stdout, mode="r|") as files:
                    files.extractall(fresh)
            except tarfile.TarError:
                message = archive.stderr.read().decode(errors="replace").strip()
                raise RegressError(f"--against: git cannot write the files of {commit[:COMMIT_DIGITS]}: {message}") from None
        make_folder(source.parent)
        os.rename(fresh, source)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a step. Ninja's compilers are in process groups of their own, which it ends when it gets SIGTERM."""
    process.terminate()
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _step(what: str, commit: str, line: Sequence[str], log: Path) -> None:
    """Runs one program, whose output goes to the log. On an interruption it ends the program and all its children."""
    if shutil.which(line[0]) is None:
        raise RegressError(f"--against: there is no {line[0]}, which builds firmware; run ./headstack setup")
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*ENDS_WITH_PARENT, *line], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            status = process.wait()
        except BaseException:
            _end(process)
            raise
    if status != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        last = "\n".join(f"  {text}" for text in lines[-LAST_LINES:])
        raise RegressError(f"--against: {commit[:COMMIT_DIGITS]} does not {what}; name another commit. The end of {log}:\n{last}")
