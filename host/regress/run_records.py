# SPDX-License-Identifier: Apache-2.0
"""records.csv of a run: a line for each command, in the order of completion, times in picoseconds."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from errors import RegressError

OPERATIONS = {"R": "read", "W": "write", "F": "flush"}
# The last column before the stages, and the first one after them. Old runs have no column of sense.
_STATUS, _SENSE = "status", "sense"
_BESIDE = "search_exposed_ps"


@dataclass(frozen=True)
class Record:
    """The record of one command."""

    command: int
    operation: str
    lba: int
    blocks: int
    submitted_ps: int
    completed_ps: int
    status: int
    search_exposed_ps: int
    stages: tuple[tuple[str, int], ...]  # by name, in the order in which a command passes them; ps
    deadline_ps: int | None = None  # after the submission; None: it has none
    sense: str = ""  # "4/02/00" of a CHECK CONDITION

    @property
    def response_ps(self) -> int:
        """The time from submission to completion."""
        return self.completed_ps - self.submitted_ps

    @property
    def named(self) -> str:
        """The command in words."""
        what = OPERATIONS.get(self.operation, self.operation)
        blocks = f"{self.blocks} block{'' if self.blocks == 1 else 's'}"
        place = "" if self.operation == "F" else f" LBA {self.lba}, {blocks}"
        return f"command {self.command} ({what}{place})"


def parse_records(lines: Iterable[str], name: str) -> list[Record]:
    """Parses the lines of a file; `name` is for messages."""
    reader = csv.DictReader(lines)
    records = []
    try:
        names = list(reader.fieldnames or ())
        # Columns after the stages are the trace's own, or additions.
        before = _SENSE if _SENSE in names else _STATUS
        stages = names[names.index(before) + 1 : names.index(_BESIDE)] if names else []
        for row in reader:
            records.append(
                Record(
                    int(row["command"]), row["operation"], int(row["lba"]), int(row["blocks"]),
                    int(row["submitted_ps"]), int(row["completed_ps"]), int(row["status"]), int(row[_BESIDE]),
                    tuple((key.removesuffix("_ps"), int(row[key])) for key in stages),
                    int(row["deadline_ps"]) if row.get("deadline_ps") else None,
                    row.get(_SENSE) or "",
                )
            )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise RegressError(f"{name}, line {reader.line_num}: not a command's record: {error}") from None
    return records


def read_records(file: Path) -> list[Record]:
    """Reads records.csv of a run."""
    try:
        with file.open(encoding="ascii", newline="") as lines:
            return parse_records(lines, str(file))
    except OSError as error:
        raise RegressError(f"{file}: {error.strerror}; the run did not leave it") from None


def mean_response_ms(records: list[Record]) -> float:
    """The mean response of all commands; 0 without any."""
    return sum(record.response_ps for record in records) / max(len(records), 1) / 1e9


def mean_service_ms(records: list[Record]) -> float:
    """The mean time from one completion to the next, from the first submission on."""
    if not records:
        return 0.0
    begin = min(record.submitted_ps for record in records)
    return (max(record.completed_ps for record in records) - begin) / len(records) / 1e9
