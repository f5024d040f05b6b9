# SPDX-License-Identifier: Apache-2.0
"""Reads records.csv in pieces: 20 million commands take the memory of some ten thousand.

Every column is a whole number: times are in picoseconds, and `sense` is a sense_number(). `operation`, `outcome` and `class`
are places in OPERATIONS, OUTCOMES and CLASSES. An empty field is NONE. The column `options`, the last where there is one, is
left out.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from run_folder import RunError

OPERATIONS = ("read", "write", "flush", "verify")
OUTCOMES = ("complete", "aborted", "bus-reset", "cleared", "qerr", "overlap")
CLASSES = ("best-effort", "real-time")
NONE = -(1 << 63)  # the value of an empty field; no record has so low a number
PIECE_BYTES = 8 << 20
DEFERRED = 1 << 20  # bit of a sense that is about an earlier command

Column = NDArray[np.int64]


class Records:
    """A piece of a file's records, in the order of completion."""

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
    """Checks the columns. Raises RunError when a wanted one is missing."""
    names = read_header(file)
    missing = [name for name in wanted if name not in names]
    if missing:
        raise RunError(f"{file}: no column {missing[0]}; repeat the run with a headstack of this version")


# Each operation is identified by a letter of its own, which becomes its number; its other letters are dropped, and a line ends
# as its fields do. One pass over the bytes does all of that.
TELLING = b"awlv"
DROPPED = bytes(sorted(set("".join(OPERATIONS).encode()) - set(TELLING)))
NEWLINE = ord("\n")
TO_NUMBERS = bytes.maketrans(TELLING + b"\n", b"0123,")
OPTIONS = re.compile(rb",[^,\n]*\n")
SENSE = re.compile(rb",([0-9A-F])/([0-9A-F]{2})/([0-9A-F]{2})( deferred)?,")


def sense_number(text: str) -> int:
    """The number of a sense such as "4/02/00" or "4/03/00 deferred": key << 16 | code << 8 | qualifier, and DEFERRED."""
    codes, _, deferred = text.partition(" ")
    return int(codes.replace("/", ""), 16) + (DEFERRED if deferred else 0)


def sense_text(number: int) -> str:
    """The text of a sense_number()."""
    deferred = " deferred" if number & DEFERRED else ""
    return f"{number >> 16 & 0xF:X}/{number >> 8 & 0xFF:02X}/{number & 0xFF:02X}{deferred}"


def _number_of_sense(match: re.Match[bytes]) -> bytes:
    return b",%d," % sense_number(match.group(0)[1:-1].decode())


def _parse(text: bytes, names: list[str]) -> NDArray[np.int64] | None:
    """The lines' values; None when a line has something else than the expected numbers."""
    if names[-1] == "options":
        text, names = OPTIONS.sub(b"\n", text), names[:-1]
    for column, words in (("outcome", OUTCOMES), ("class", CLASSES)):
        for number, word in enumerate(words if column in names else ()):
            text = text.replace(b",%s," % word.encode(), b",%d," % number)
    # Most commands have no sense, and the file has no slash before the first one.
    if "sense" in names and b"/" in text:
        text = SENSE.sub(_number_of_sense, text)
    numbers = text.translate(TO_NUMBERS, DROPPED)
    dropped = len(text) - len(numbers)
    # It takes two passes: a field between two empty ones shares its commas with its neighbours.
    for _ in range(2 if b",," in numbers else 0):
        numbers = numbers.replace(b",,", b",%d," % NONE)
    try:
        values = np.fromstring(numbers, dtype=np.int64, sep=",")
    except ValueError:
        return None
    # numpy counts many times as fast as bytes.count().
    lines = int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == NEWLINE))
    if len(values) != lines * len(names):
        return None
    values = values.reshape(-1, len(names))
    # Letters occur in operations only, and must make up whole ones.
    operations = values[:, names.index("operation")]
    if operations.min() < 0 or operations.max() >= len(OPERATIONS):
        return None
    letters = np.array([len(operation) - 1 for operation in OPERATIONS])
    return values if int(letters[operations].sum()) == dropped else None


def _find_bad_line(text: bytes, names: list[str]) -> int:
    """Which line of a piece is the bad one, from 0."""
    for index, line in enumerate(text.splitlines(keepends=True)):
        if not line.endswith(b"\n") or line.count(b",") != len(names) - 1 or _parse(line, names) is None:
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
                values = _parse(text, names) if text.endswith(b"\n") else None
                if values is None:
                    bad = line + _find_bad_line(text, names)
                    raise RunError(f"{file}:{bad}: not {len(names)} numbers in a whole line; repeat the run")
                line += len(values)
                yield Records(names[: values.shape[1]], values)
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; repeat the run") from None
