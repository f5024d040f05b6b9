# SPDX-License-Identifier: Apache-2.0
"""Runs of a case: the words of its command line, its trace, and its results."""

import shlex
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from case_file import NATIVE, Case
from errors import RegressError
from run_cache import RunCache, words_recorded
from storyline import finding_of, program_of
from synthetic import Synthetic, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Ended, FileSetting, Simulator, Word, said  # noqa: E402

PRINT = "--print-scenario"
# Files that a run leaves beside its records. None of them changes the run.
EVENTS, LEDGER, TIMELINE = (f"observe.{name}=true" for name in ("events", "ledger", "timeline"))


class CaseRuns:
    """Runs of cases by one simulator with one program. Threads may share it."""

    def __init__(self, simulator: Simulator, cache: RunCache | None = None, elf: Path | None = None) -> None:
        """Prepares the runs. `cache` keeps runs; `elf` replaces the simulator's own program."""
        self._simulator, self._cache, self._other = simulator, cache, elf
        self._canonical: dict[tuple[str | Path, ...], str] = {}

    @property
    def elf(self) -> Path:
        """The firmware's program."""
        return self._other or self._simulator.elf

    def elf_of(self, case: Case) -> Path:
        """The program that runs a case."""
        return case.program or self.elf

    def trace_of(self, case: Case, folder: Path) -> Path:
        """The path of the case's trace, whether it exists yet or not."""
        return case.trace if isinstance(case.trace, Path) else folder / "case.trace"

    def make_trace(self, case: Case, folder: Path) -> Path:
        """The case's trace. A synthetic trace is made."""
        file = self.trace_of(case, folder)
        if isinstance(case.trace, Synthetic):
            write_trace(file, case.trace)
        return file

    def _program_words(self, case: Case) -> list[FileSetting]:
        """The word for the program, if it is not the simulator's own. The program of native is a part of the simulator."""
        other = case.program or self._other
        return [FileSetting("firmware", other)] if other is not None and case.platform != NATIVE else []

    def _words(self, case: Case) -> list[Word]:
        """The words for the scenario and its changes. Files get names of their own, so that the run can be made in any folder.
        """
        words: list[Word] = [case.file, *case.changes, f"platform={case.platform}"]
        if isinstance(case.drive, Path):
            words.append(FileSetting("drive", case.drive))
        if isinstance(case.trace, Path):
            words.append(FileSetting("trace", case.trace))
        return [*words, *self._program_words(case)]

    def command_words(self, case: Case) -> list[str]:
        """The words of `headstack run` that repeat a run of the case, without its folder."""
        words = [str(case.file), *case.changes, f"platform={case.platform}"]
        return [*words, *map(str, self._program_words(case))]

    def canonical(self, case: Case) -> str:
        """The scenario in its canonical form. Raises RegressError with the simulator's sentence, and Stopped after stop()."""
        asked = (case.file, *case.changes, case.platform)
        if asked not in self._canonical:
            words = [case.file, *case.changes, f"platform={case.platform}", PRINT]
            status, output, message = self._simulator.call(self._simulator.program, words)
            if status != 0:
                raise RegressError(said(status, message))
            self._canonical[asked] = output
        return self._canonical[asked]

    def run(self, case: Case, out: Path, more: Iterable[Word]) -> Ended:
        """Makes a run, with more words. Raises Stopped after stop(), ExecuteError when it cannot be made, and OutputError."""
        words = list(more)
        recorded = words_recorded(words)
        if self._cache is None or recorded is None:
            return self._simulator.run([*self._words(case), *words], out)
        spec = self._cache.spec(case, self.canonical(case), self.elf_of(case), recorded)
        kept = self._cache.get(spec, out)
        if kept is not None:
            return kept
        ended = self._simulator.run([*self._words(case), *words], out)
        self._cache.put(spec, ended)
        return ended

    def play(self, case: Case) -> str:
        """The adversary's finding in a storyline, in one line; "" if there is none.

        Raises Stopped after stop(), and RegressError when it cannot be played.
        """
        assert case.story is not None
        program = program_of(self._simulator.program, case)
        status, output, message = self._simulator.call(
            program, ["--platform", case.platform, "--replay", case.story]
        )
        finding = finding_of(output)
        if status not in (0, 1) or (status == 1) != bool(finding):
            raise RegressError(f"{case.file}: the storyline cannot be played: {message.strip() or f'status {status}'}")
        return finding


def check_scenarios(cases: list[Case], runs: CaseRuns, jobs: int) -> None:
    """Checks that the simulator accepts the scenario of each case. Raises RegressError for the first that it refuses."""
    with ThreadPoolExecutor(jobs) as workers:
        for _ in workers.map(runs.canonical, [case for case in cases if not case.story]):
            pass


def shown(words: list[str], root: Path) -> str:
    """A command line as text, with paths relative to the root."""
    return shlex.join(word.removeprefix(f"{root}/") for word in words)
