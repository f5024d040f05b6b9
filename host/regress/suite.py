"""Which cases, in which order, how many at a time.

Those that take longest begin first. How long is known from the last time on this machine, kept beside the results and
never in them, else from the case's own guess.
"""

import fnmatch
import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from case_file import FILE, Case, load_case
from errors import RegressError, Stopped

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from command_line import progress_wanted  # noqa: E402
from result_files import make_folder, write_text  # noqa: E402

DURATIONS = "durations.json"
RTL = ".rtl"  # behind the name of a case that rtl runs
RTL_SECONDS = 0.1  # about what it takes for a command
LEAST_COMMANDS = 60  # of a suite that is small, rtl runs so many
Result = TypeVar("Result")


def folders_of(place: Path) -> list[Path]:
    """Of the cases of a suite, by name; of a case itself."""
    if (place / FILE).is_file():
        return [place]
    return sorted(file.parent for file in place.glob(f"*/{FILE}"))


def choose(words: list[str], suite: Path, root: Path, name: str = "*") -> list[Case]:
    """The cases that words name: folders of suites or cases, or names in `suite`, with * and ?.

    `name` leaves others out. Raises RegressError for a word that names none.
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
    cases = [load_case(folder, root) for folder in folders]
    names = [case.name for case in cases]
    for case in cases:
        if names.count(case.name) > 1:
            raise RegressError(f"{case.file}: another case is named '{case.name}', too; rename one of the folders")
    chosen = [case for case in cases if fnmatch.fnmatchcase(case.name, name)]
    if not chosen:
        raise RegressError(f"none of {len(cases)} cases is left by --filter")
    return chosen


def on_rtl(cases: list[Case], share: float, seed: str) -> list[Case]:
    """The part of them that rtl runs, too, in an order that the seed makes: so much of all their commands.

    The same runs, held to the same expectation, under names of their own.
    """
    able = [case for case in cases if case.platform == "vp" and not case.storyline]
    left = max(share * sum(case.commands for case in able), LEAST_COMMANDS) if share > 0 else 0.0
    chosen: set[str] = set()
    for case in sorted(able, key=lambda case: hashlib.sha256(f"{seed} {case.name}".encode()).digest()):
        if case.commands <= left:
            chosen.add(case.name)
            left -= case.commands
    return [
        replace(case, name=f"{case.name}{RTL}", platform="rtl", cost_s=case.commands * RTL_SECONDS)
        for case in able
        if case.name in chosen
    ]


class Durations:
    """Wall seconds of each case's last run here."""

    def __init__(self, out: Path) -> None:
        self._file = out / DURATIONS
        try:
            self._seconds: dict[str, float] = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._seconds = {}

    def expected(self, case: Case) -> float:
        """For the order alone."""
        return self._seconds.get(case.name, case.cost_s)

    def note(self, case: Case, seconds: float) -> None:
        """After a run."""
        self._seconds[case.name] = round(seconds, 2)

    def save(self) -> None:
        """For the next time."""
        make_folder(self._file.parent)
        write_text(self._file, json.dumps(self._seconds, indent=0, sort_keys=True))


@dataclass
class Progress:
    """The line on a terminal; nothing anywhere else."""

    total: int
    done: int = 0
    trouble: int = 0

    def show(self, last: str = "") -> None:
        """After each case, and at the beginning."""
        if progress_wanted():
            trouble = f", {self.trouble} not as expected" if self.trouble else ""
            text = f"\r\033[K{self.done} of {self.total} cases{trouble}{': ' if last else ''}{last}"
            print(text, end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Takes the line away."""
        if progress_wanted():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Done(Generic[Result]):
    """What was made of the cases, in their order; fewer than there are, when the suite was interrupted."""

    results: list[Result]
    interrupted: bool


def carry_out(
    cases: list[Case],
    work: Callable[[Case], Result],
    stop: Callable[[], None],
    jobs: int,
    durations: Durations,
    is_trouble: Callable[[Result], bool],
) -> Done[Result]:
    """Does `work` for every case, several at a time. Ctrl-C calls `stop`, and keeps what is done."""
    progress, lock = Progress(len(cases)), threading.Lock()
    results: dict[str, Result] = {}

    def one(case: Case) -> Result:
        begin = time.monotonic()
        result = work(case)
        with lock:
            durations.note(case, time.monotonic() - begin)
        return result

    interrupted = False
    workers = ThreadPoolExecutor(jobs)
    futures: dict[Future[Result], Case] = {}
    try:
        progress.show()
        for case in sorted(cases, key=durations.expected, reverse=True):
            futures[workers.submit(one, case)] = case
        for future in as_completed(futures):
            results[futures[future].name] = future.result()
            progress.done += 1
            progress.trouble += is_trouble(future.result())
            progress.show(futures[future].name)
    except (KeyboardInterrupt, Stopped):
        interrupted = True
        stop()
    except BaseException:
        stop()
        raise
    finally:
        workers.shutdown(wait=True, cancel_futures=True)
        progress.clear()
        durations.save()
    for future, case in futures.items():
        if interrupted and future.done() and not future.cancelled() and future.exception() is None:
            results[case.name] = future.result()
    return Done([results[case.name] for case in cases if case.name in results], interrupted)
