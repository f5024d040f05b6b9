# SPDX-License-Identifier: Apache-2.0
"""Counts of a stream of groups: visits, successive pairs, gaps of the host; and their file.

A group is `group_blocks` successive blocks, and the first group begins at `first_block`: 160 blocks are a virtual
cylinder. The stream is in the order of service. It has one pair less than visits. A gap lasts from the end of one
command to the arrival of the next.

    {"format": "headstack-counts-1", "first_block": 0, "group_blocks": 160, "groups": N,
     "visits": [[group, count], ...], "pairs": [[a, b, count], ...], "gaps": [[from_us, count], ...]}
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from result_files import write_text

from .errors import RemapError

FORMAT = "headstack-counts-1"
# The lower ends of the bins of gaps, in microseconds: 0, 1, and then by factors of the root of 2 up to 32.8 ms.
GAP_BINS_US = (0.0, *(2 ** (k / 2) for k in range(31)))
MOST_GROUPS = 1 << 20

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Counts:
    """The counts of one stream. Pairs are ordered by a, then b. Each occurs once, with a count above 0."""

    first_block: int
    group_blocks: int
    visits: Numbers  # each group's number of visits
    pairs: Numbers  # [pairs, 3]: a, b, count
    gaps: tuple[tuple[float, int], ...] = ()  # lower end in microseconds, count; ascending

    @property
    def groups(self) -> int:
        """The number of groups, visited or not."""
        return len(self.visits)

    @property
    def accesses(self) -> int:
        """The sum of all visits."""
        return int(self.visits.sum())

    def departures(self) -> Numbers:
        """The number of visits of each group that another visit follows."""
        return np.bincount(self.pairs[:, 0], weights=self.pairs[:, 2], minlength=self.groups).astype(np.int64)

    def matrix(self) -> NDArray[np.float64]:
        """The count of each pair as [groups, groups]. It is meant for few groups."""
        full = np.zeros((self.groups, self.groups))
        full[self.pairs[:, 0], self.pairs[:, 1]] = self.pairs[:, 2]
        return full


def pairs_of(stream: Numbers, groups: int) -> Numbers:
    """Counts successive groups, in the form of Counts.pairs."""
    codes, count = np.unique(stream[:-1] * groups + stream[1:], return_counts=True)
    return np.stack([codes // groups, codes % groups, count], axis=1).astype(np.int64)


def gaps_of(gaps_us: NDArray[np.float64]) -> tuple[tuple[float, int], ...]:
    """A histogram of the gaps, without empty bins."""
    bins = np.searchsorted(np.array(GAP_BINS_US), gaps_us, side="right") - 1
    count = np.bincount(bins, minlength=len(GAP_BINS_US)).tolist()
    return tuple((from_us, number) for from_us, number in zip(GAP_BINS_US, count, strict=True) if number)


def count_stream(
    stream: Numbers, groups: int, first_block: int, group_blocks: int, gaps_us: NDArray[np.float64] | None = None
) -> Counts:
    """Counts a stream of groups in the order of service, each below `groups`."""
    return Counts(
        first_block,
        group_blocks,
        np.bincount(stream, minlength=groups).astype(np.int64),
        pairs_of(stream, groups),
        () if gaps_us is None else gaps_of(gaps_us),
    )


def write_counts(file: Path, counts: Counts) -> None:
    """Writes counts, with one line for each key. Raises OutputError."""
    visited = np.flatnonzero(counts.visits)
    values: dict[str, Any] = {
        "format": FORMAT,
        "first_block": counts.first_block,
        "group_blocks": counts.group_blocks,
        "groups": counts.groups,
        "visits": [[int(group), int(counts.visits[group])] for group in visited],
        "pairs": counts.pairs.tolist(),
        "gaps": [[round(from_us, 3), count] for from_us, count in counts.gaps],
    }
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())
    write_text(file, f"{{\n{lines}\n}}\n")


def load_json(file: Path, form: str, what: str) -> dict[str, Any]:
    """Reads a file of ours whose format is `form`. Raises RemapError."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RemapError(f"{file}: {error.strerror}; give {what}") from None
    except ValueError as error:
        raise RemapError(f"{file}: not JSON ({error}); give {what}") from None
    if not isinstance(values, dict) or values.get("format") != form:
        raise RemapError(f"{file}: 'format' is not '{form}'; give {what}")
    return values


def whole(file: Path, values: dict[str, Any], key: str, least: int, most: int) -> int:
    """A whole number of a file. Raises RemapError."""
    value = values.get(key)
    if type(value) is not int or not least <= value <= most:
        raise RemapError(f"{file}: '{key}' is {value!r}; give a whole number from {least} to {most}")
    return value


def table(file: Path, values: dict[str, Any], key: str, columns: int) -> Numbers:
    """A table of whole numbers from 0 on. Raises RemapError."""
    rows = values.get(key)
    good = isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == columns and all(type(one) is int and 0 <= one < 1 << 53 for one in row)
        for row in rows
    )
    if not good:
        raise RemapError(f"{file}: '{key}' is no list of rows of {columns} whole numbers; write it anew")
    return np.array(rows, dtype=np.int64).reshape(-1, columns)


def _gaps(file: Path, values: dict[str, Any]) -> tuple[tuple[float, int], ...]:
    rows = values.get("gaps", [])
    good = isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == 2 and type(row[0]) in (int, float) and type(row[1]) is int and row[1] >= 0
        for row in rows
    )
    if not good or any(a[0] >= b[0] for a, b in zip(rows, rows[1:], strict=False)):
        raise RemapError(f"{file}: 'gaps' is no list of [from_us, count], ascending; write it anew")
    return tuple((float(from_us), count) for from_us, count in rows)


def read_counts(file: Path) -> Counts:
    """Reads counts. Raises RemapError."""
    values = load_json(file, FORMAT, "counts that 'headstack remap analyse -o' wrote")
    groups = whole(file, values, "groups", 1, MOST_GROUPS)
    visits, pairs = table(file, values, "visits", 2), table(file, values, "pairs", 3)
    for key, groups_of in (("visits", visits[:, :1]), ("pairs", pairs[:, :2])):
        if np.any(groups_of >= groups):
            raise RemapError(f"{file}: '{key}' has group {int(groups_of.max())}, but there are {groups}; write it anew")
    if len(np.unique(visits[:, 0])) != len(visits) or len(np.unique(pairs[:, 0] * groups + pairs[:, 1])) != len(pairs):
        raise RemapError(f"{file}: a group or a pair is there twice; write it anew")
    pairs = pairs[(pairs[:, 2] > 0)]
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    full = np.zeros(groups, dtype=np.int64)
    full[visits[:, 0]] = visits[:, 1]
    return Counts(
        whole(file, values, "first_block", 0, 1 << 48),
        whole(file, values, "group_blocks", 1, 1 << 32),
        full,
        pairs,
        _gaps(file, values),
    )
