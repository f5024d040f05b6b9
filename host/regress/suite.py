# SPDX-License-Identifier: Apache-2.0
"""The choice of cases, their order, and how many run at a time.

Cases that take longest begin first. Durations are known from the last time on this machine, and kept beside the results, never
in them. Otherwise the case's own estimate is used.
"""

import fnmatch
import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

from case_file import FILE, Case, load_case
from errors import RegressError

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "output")]

from execute.sweep import Done, Failed, Sweep  # noqa: E402
from execute.sweep import carry_out as carry_out_sweep  # noqa: E402
from result_files import make_folder, write_text  # noqa: E402

DURATIONS = "durations.json"
RTL = ".rtl"  # follows the name of a case that rtl runs
RTL_SECONDS = 0.1  # about the duration of a command
LEAST_COMMANDS = 60  # rtl runs at least this many commands of a small suite
Result = TypeVar("Result")


def folders_of(place: Path) -> list[Path]:
    """The folders of a suite's cases, by name; or the folder of a single case."""
    if (place / FILE).is_file():
        return [place]
    return sorted(file.parent for file in place.glob(f"*/{FILE}"))


def choose(words: list[str], suite: Path, name: str = "*") -> list[Case]:
    """The cases that words name: folders of suites or cases, or names in `suite`, with * and ?.

    `name` selects among them. Raises RegressError for a word without cases.
    """
    folders: dict[Path, None] = {}
    for word in words or [str(suite)]:
        if Path(word).is_dir() and folders_of(Path(word)):
            named = folders_of(Path(word))
        else:
            named = [folder for folder in folders_of(suite) if fnmatch.fnmatchcase(folder.name, word)]
        if not named:
            raise RegressError(f"there is no case '{word}' in {suite}; 'headstack regress --list' names them all")
        folders.update(dict.fromkeys(folder.resolve() for folder in named))
    cases = [load_case(folder) for folder in folders]
    names = [case.name for case in cases]
    for case in cases:
        if names.count(case.name) > 1:
            raise RegressError(f"{case.file}: another case is named '{case.name}', too; rename one of the folders")
    chosen = [case for case in cases if fnmatch.fnmatchcase(case.name, name)]
    if not chosen:
        raise RegressError(f"none of {len(cases)} cases is left by --filter")
    return chosen


def on_rtl(cases: list[Case], share: float, seed: str) -> list[Case]:
    """The part of the cases that also run on rtl: a share of all their commands, in an order made by the seed.

    They have names of their own, the same expectations, and must do exactly what vp does.
    """
    able = [case for case in cases if case.platform == "vp" and not case.story]
    left = max(share * sum(case.commands for case in able), LEAST_COMMANDS) if share > 0 else 0.0
    chosen: set[str] = set()
    for case in sorted(able, key=lambda case: hashlib.sha256(f"{seed} {case.name}".encode()).digest()):
        if case.commands <= left:
            chosen.add(case.name)
            left -= case.commands
    return [
        replace(
            case, name=f"{case.name}{RTL}", platform="rtl", cost_s=case.commands * RTL_SECONDS,
            compare=("events", "records"), tolerance_cycles=0,
        )
        for case in able
        if case.name in chosen
    ]


class Durations:
    """The wall time of each case's last run here, in seconds."""

    def __init__(self, out: Path) -> None:
        self.now: dict[str, float] = {}  # durations of cases that ended since
        self._file = out / DURATIONS
        try:
            self._seconds: dict[str, float] = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._seconds = {}

    def expected(self, case: Case) -> float:
        """The expected duration, used for the order alone."""
        return self._seconds.get(case.name, case.cost_s)

    def note(self, case: Case, seconds: float) -> None:
        """Notes the duration after a run."""
        self._seconds[case.name] = self.now[case.name] = round(seconds, 2)

    def save(self) -> None:
        """Saves the durations for the next time."""
        make_folder(self._file.parent)
        write_text(self._file, json.dumps(self._seconds, indent=0, sort_keys=True))


class Timed(Generic[Result]):
    """Work on cases whose durations are noted. Threads may share it."""

    def __init__(self, work: Callable[[Case], Result], durations: Durations) -> None:
        self._work, self._durations, self._lock = work, durations, threading.Lock()

    def __call__(self, case: Case) -> Result:
        begin = time.monotonic()
        result = self._work(case)
        with self._lock:
            self._durations.note(case, time.monotonic() - begin)
        return result


def carry_out(
    cases: list[Case],
    work: Callable[[Case], Result],
    stop: Callable[[], None],
    jobs: int,
    durations: Durations,
    is_trouble: Callable[[Result], bool],
) -> Done[Result]:
    """Does `work` for every case, several at a time. Ctrl-C calls `stop`, and keeps finished results."""
    sweep = Sweep(
        cases, Timed(work, durations), name=lambda case: case.name, key=lambda case: case.name,
        urgency=durations.expected, is_trouble=is_trouble, noun="cases",
    )  # fmt: skip
    try:
        with ThreadPoolExecutor(jobs) as workers:
            return carry_out_sweep(sweep, workers, stop)
    except Failed as failed:
        raise failed.error from None
    finally:
        durations.save()
