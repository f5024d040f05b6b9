# SPDX-License-Identifier: Apache-2.0
"""The results, one line of JSON per mutant, kept between runs; and the scores."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from config import Equivalent
from mutant import Mutant
from trial import Verdict

KILLED, SURVIVED, IDENTICAL, NOT_COMPILING = "killed", "survived", "identical", "not-compiling"
REVIEWED, DUPLICATE, MISSING = "reviewed", "duplicate", "missing"


@dataclass(frozen=True)
class Row:
    """A verdict on a mutant. `fingerprint` is of the tests; the verdict holds only for them and for this file's
    digest.
    """

    area: str
    id: str
    file_digest: str
    fingerprint: str
    status: str
    by: str
    code: str
    seconds: float
    mutant: str  # describe(), for readers of the file


class Results:
    """The file results.jsonl: a later line replaces an earlier one about the same mutant."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[tuple[str, str], Row] = {}
        if not path.exists():
            return
        text = path.read_text()
        for line in text.split("\n"):
            self._read(line)
        if text and not text.endswith("\n"):  # ends a line that was cut off
            path.write_text(text + "\n")

    def _read(self, line: str) -> None:
        try:
            row = Row(**json.loads(line))
        except (json.JSONDecodeError, TypeError):
            return  # cut off when the run was stopped
        self.rows[row.area, row.id] = row

    def add(self, row: Row) -> None:
        self.rows[row.area, row.id] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as out:
            out.write(json.dumps(asdict(row)) + "\n")

    def find(self, area: str, mutant: Mutant, file_digest: str, fingerprint: str, keep_kills: bool) -> Row | None:
        """The row of a mutant, if it still holds. `keep_kills`: a kill by earlier builds of the tests holds, too."""
        row = self.rows.get((area, mutant.id))
        if row is None or row.file_digest != file_digest:
            return None
        if row.fingerprint == fingerprint or row.status in (IDENTICAL, NOT_COMPILING):
            return row
        return row if keep_kills and row.status == KILLED else None

    def verdicts_by_code(self, area: str, fingerprint: str) -> dict[str, Verdict]:
        return {
            row.code: Verdict(row.status, row.by, row.code, 0)
            for row in self.rows.values()
            if row.area == area and row.fingerprint == fingerprint and row.status in (KILLED, SURVIVED)}


@dataclass
class Score:
    area: str
    wanted: int  # 0: all mutants of the area
    possible: int
    counts: Counter[str]
    survivors: list[Mutant]
    seconds: float

    @property
    def counted(self) -> int:
        return self.counts[KILLED] + self.counts[SURVIVED]

    @property
    def tried(self) -> int:
        return self.counted + sum(self.counts[s] for s in (IDENTICAL, NOT_COMPILING, REVIEWED, DUPLICATE))

    @property
    def percent(self) -> float:
        return 100 * self.counts[KILLED] / self.counted if self.counted else math.nan

    def is_complete(self) -> bool:
        return self.counts[MISSING] == 0


def is_reviewed(mutant: Mutant, equivalents: Iterable[Equivalent]) -> bool:
    return any(e.fits(mutant) for e in equivalents)


def score(area: str, order: list[Mutant], wanted: int, rows: dict[str, Row], equivalents: list[Equivalent]) -> Score:
    """Scores the first `wanted` mutants of `order` that count, or all if it is 0.

    A mutant does not count if it does not compile, or was reviewed and found equivalent. Nor does it count if its
    object code is that of the original or of an earlier mutant. @param rows: those that still hold, by id.
    """
    found = Score(area, wanted, len(order), Counter(), [], 0.0)
    codes: set[str] = set()
    for mutant in order:
        if wanted and found.counted == wanted:
            break
        if is_reviewed(mutant, equivalents):
            found.counts[REVIEWED] += 1
            continue
        row = rows.get(mutant.id)
        if row is None:
            found.counts[MISSING] += 1
            break
        found.seconds += row.seconds
        if row.status in (KILLED, SURVIVED) and row.code in codes:
            found.counts[DUPLICATE] += 1
            continue
        codes.add(row.code)
        found.counts[row.status] += 1
        if row.status == SURVIVED:
            found.survivors.append(mutant)
    return found


def missing(order: list[Mutant], wanted: int, rows: dict[str, Row], equivalents: list[Equivalent]) -> list[Mutant]:
    """The mutants to try next: the sample, extended as long as some of its mutants do not count."""
    found: list[Mutant] = []
    codes: set[str] = set()
    counting = 0
    for mutant in order:
        if wanted and counting == wanted:
            break
        row = rows.get(mutant.id)
        if is_reviewed(mutant, equivalents):
            continue
        if row is None:
            found.append(mutant)
            counting += 1
        elif row.status in (KILLED, SURVIVED) and row.code not in codes:
            codes.add(row.code)
            counting += 1
    return found


def table_rows(scores: list[Score]) -> list[dict[str, Any]]:
    """A row for each area. It has only counts, which are equal on every machine. `percent` is rounded down, and None if
    no mutant counted.
    """
    return [
        {
            "area": s.area, "mutants": s.possible, "tried": s.tried, "not_compiling": s.counts[NOT_COMPILING],
            "same_code": s.counts[IDENTICAL] + s.counts[DUPLICATE], "reviewed": s.counts[REVIEWED], "counted": s.counted,
            "killed": s.counts[KILLED], "survived": s.counts[SURVIVED],
            "percent": math.floor(s.percent * 10) / 10 if s.counted else None, "complete": s.is_complete(),
        }
        for s in scores
    ]  # fmt: skip


def table(scores: list[Score], seed: int) -> str:
    """The rows of table_rows() in Markdown."""
    lines = [
        "| area | mutants there are | tried | not compiling | same code | equivalent, reviewed | counted | killed | survived | score |",
        "|---|---|---|---|---|---|---|---|---|---|"]
    for row in table_rows(scores):
        percent = "none" if row["percent"] is None else f"{row['percent']:.1f} %"
        note = "" if row["complete"] else " (unfinished)"
        lines.append(
            f"| {row['area']} | {row['mutants']:,} | {row['tried']} | {row['not_compiling']} | {row['same_code']} "
            f"| {row['reviewed']} | {row['counted']} | {row['killed']} | {row['survived']} | {percent}{note} |")
    return "\n".join([f"Seed {seed}.", "", *lines, ""])
