"""Reads records.csv in pieces: 20 million commands take the memory of some ten thousand.

Every column is a whole number: times in picoseconds, `operation` one of OPERATIONS by its place there. A field that is
left empty is NONE.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from run_folder import RunError

OPERATIONS = ("read", "write", "flush")
NONE = -1  # no record has a negative number in it
PIECE_BYTES = 8 << 20

Column = NDArray[np.int64]


class Records:
    """Some of a file's records, in the order of the file: of completion."""

    def __init__(self, names: list[str], values: NDArray[np.int64]) -> None:
        self._at = {name: index for index, name in enumerate(names)}
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: str) -> bool:
        return name in self._at

    def __getitem__(self, name: str) -> Column:
        return self._values[:, self._at[name]]


def read_header(file: Path) -> list[str]:
    """The names of the columns. Raises RunError."""
    try:
        with file.open(encoding="ascii") as lines:
            return lines.readline().rstrip("\n").split(",")
    except (OSError, ValueError) as error:
        raise RunError(f"{file}: {error}; repeat the run") from None


def require_columns(file: Path, wanted: list[str]) -> None:
    """Raises RunError when one of them is missing."""
    names = read_header(file)
    missing = [name for name in wanted if name not in names]
    if missing:
        raise RunError(f"{file}: no column {missing[0]}; repeat the run with a headstack of this version")


def _numbers(text: bytes) -> bytes:
    """The lines as one sequence of numbers with commas between them."""
    for number, operation in enumerate(OPERATIONS):
        text = text.replace(b"," + operation.encode() + b",", b",%d," % number)
    if b",," in text or b",\n" in text:
        # Twice: a field between two empty ones has its commas taken by its neighbours.
        for _ in range(2):
            text = text.replace(b",,", b",%d," % NONE)
        text = text.replace(b",\n", b",%d\n" % NONE)
    return text.replace(b"\n", b",")


def _parse(text: bytes, columns: int) -> NDArray[np.int64] | None:
    """The lines' values, or None when there is something else in them than so many numbers each."""
    try:
        values = np.fromstring(_numbers(text), dtype=np.int64, sep=",")
    except ValueError:
        return None
    if len(values) != text.count(b"\n") * columns:
        return None
    return values.reshape(-1, columns)


def _find_bad_line(text: bytes, columns: int) -> int:
    """Which line of a piece is the bad one, from 0."""
    for index, line in enumerate(text.splitlines(keepends=True)):
        if not line.endswith(b"\n") or line.count(b",") != columns - 1 or _parse(line, columns) is None:
            return index
    return 0


def read_records(file: Path, piece_bytes: int = PIECE_BYTES) -> Iterator[Records]:
    """The file's records, piece by piece. Raises RunError."""
    names = read_header(file)
    line = 2
    try:
        with file.open("rb") as lines:
            lines.readline()
            while text := lines.read(piece_bytes):
                text += lines.readline()
                values = _parse(text, len(names)) if text.endswith(b"\n") else None
                if values is None:
                    bad = line + _find_bad_line(text, len(names))
                    raise RunError(f"{file}:{bad}: not {len(names)} numbers in a whole line; repeat the run")
                line += len(values)
                yield Records(names, values)
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; repeat the run") from None
