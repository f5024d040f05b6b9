# SPDX-License-Identifier: Apache-2.0
"""Cases that replay a storyline of the adversary (tests/fuzz/README.md), as `headstack fuzz drive` leaves them.

Such a case fails when the drive does what no drive may: the adversary's own judgement, which no blessing moves. What an
accepted play told, line by line, is kept beside it, and a play that tells another is a change.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from case_file import Case
from divergence import Divergence
from errors import RegressError
from golden import compress, unpack

TRANSCRIPT = "transcript.txt.xz"
PROGRAMS = {"native": "headstack-fuzz", "vp": "headstack-fuzz-vp", "rtl": "headstack-fuzz-rtl"}
FINDING = "FINDING "
PICOSECONDS_PER_MILLISECOND = 10**9


@dataclass(frozen=True)
class Played:
    """What a play told."""

    lines: tuple[str, ...]
    finding: str  # in one line; empty when there is none


def program_of(run: Path, case: Case) -> Path:
    """The adversary's program of the build that has `headstack-run`."""
    program = run.parent.parent / "tests/fuzz/drive" / PROGRAMS[case.platform]
    if not program.is_file():
        raise RegressError(f"{case.file}: it needs {program}, which is not built; ./headstack build builds it")
    return program


def read_play(output: str) -> Played:
    """Standard output of a replay."""
    lines = tuple(line.rstrip() for line in output.splitlines())
    for number, line in enumerate(lines):
        if line.startswith(FINDING):
            words = [other.split(maxsplit=1)[1] for other in lines[number + 1 : number + 3] if len(other.split()) > 1]
            return Played(lines, f"{line.removeprefix(FINDING)}: {'; expected: '.join(words)}")
    return Played(lines, "")


def is_blessed_play(case: Case) -> bool:
    """There is something to compare with."""
    return (case.folder / TRANSCRIPT).exists()


def load_play(case: Case) -> tuple[str, ...]:
    """Raises RegressError when it is broken."""
    return tuple(unpack(case.folder / TRANSCRIPT, "utf-8").splitlines())


def store_play(case: Case, played: Played) -> None:
    """In the place of the one before, whole or not at all."""
    fresh = case.folder / f".{TRANSCRIPT}.new"
    fresh.write_bytes(compress("\n".join(played.lines) + "\n", "utf-8"))
    os.replace(fresh, case.folder / TRANSCRIPT)


def _time_ps(line: str) -> int:
    """Of a transcript's line: '4.203875 ms  command 1 ...'."""
    words = line.split(maxsplit=2)
    if len(words) < 2 or words[1] != "ms":
        return 0
    return round(float(words[0]) * PICOSECONDS_PER_MILLISECOND)


def first_other_line(expected: tuple[str, ...], found: tuple[str, ...]) -> Divergence | None:
    """None when the play is as it was."""
    for number in range(max(len(expected), len(found))):
        was = expected[number].strip() if number < len(expected) else "the end"
        now = found[number].strip() if number < len(found) else "the end"
        if was == now:
            continue
        last = _time_ps(found[number - 1]) if number else 0
        why = ("what hosts hear of this storyline is another thing, or comes at another time",)
        headline = f"line {number + 1}: {now}; expected {was}"
        return Divergence(headline, f"line {number + 1}", _time_ps(now) or last, why, was, now, last_equal_ps=last)
    return None
