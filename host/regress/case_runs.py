# SPDX-License-Identifier: Apache-2.0
"""Runs of a case: the words of its command line, its trace, and what it leaves."""

import shlex
import sys
from pathlib import Path

from case_file import Case
from errors import RegressError
from storyline import Played, program_of, read_play
from synthetic import Synthetic, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Ended, Simulator  # noqa: E402


class CaseRuns:
    """Of cases, by one simulator; for threads that share it."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    @property
    def elf(self) -> Path:
        """The firmware's program."""
        return self._simulator.elf

    def trace_of(self, case: Case, folder: Path) -> Path:
        """Where the case's trace is, or will be."""
        return case.trace if isinstance(case.trace, Path) else folder / "case.trace"

    def make_trace(self, case: Case, folder: Path) -> Path:
        """The case's trace, made where it is synthetic."""
        file = self.trace_of(case, folder)
        if isinstance(case.trace, Synthetic):
            write_trace(file, case.trace)
        return file

    def _words(self, case: Case, trace: Path) -> list[str | Path]:
        drive = Path(case.drive) if case.drive.endswith(".toml") else case.drive
        words: list[str | Path] = ["--drive", drive, "--trace", trace, "--platform", case.platform]
        words += ["--policy", case.policy, "--queue-depth", str(case.queue_depth)]
        if case.limit:
            words += ["--limit", str(case.limit)]
        if case.loop:
            words.append(f"--{case.loop}")
        return words

    def command_words(self, case: Case, trace: Path) -> list[str]:
        """What a run of the case is, but for its folder: words of `headstack run`, for people."""
        words = self._words(case, trace)
        return [*map(str, words), *self._simulator.firmware_words(words), *case.words]

    def run(self, case: Case, trace: Path, out: Path, more: list[str | Path]) -> Ended:
        """Raises Stopped after stop(), and ExecuteError when it cannot be made."""
        return self._simulator.run([*self._words(case, trace), *case.words, *more], out)

    def play(self, case: Case) -> Played:
        """A storyline. Raises Stopped after stop(), and RegressError when it cannot be played."""
        assert isinstance(case.trace, Path)
        program = program_of(self._simulator.program, case)
        status, output, message = self._simulator.call(
            program, ["--platform", case.platform, "--replay", case.trace]
        )
        played = read_play(output)
        if status not in (0, 1) or (status == 1) != bool(played.finding):
            raise RegressError(f"{case.file}: the storyline cannot be played: {message.strip() or f'status {status}'}")
        return played


def shown(words: list[str], root: Path) -> str:
    """A command line for people: paths from the root's folder on."""
    return shlex.join(word.removeprefix(f"{root}/") for word in words)
