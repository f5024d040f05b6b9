# SPDX-License-Identifier: Apache-2.0
"""How far the arm goes from one access to the next, by the places of their blocks."""

from collections.abc import Callable

import numpy as np
from cylinders import Cylinders
from numpy.typing import NDArray
from record_file import Column

# Records come in the order of completion, which is nearly that of the media. Accesses are sorted piece by piece, and this many
# of a piece wait for the next one: more than commands ever overtake each other by.
UNORDERED = 4096


class Arm:
    """Adds up the arm's distances over accesses, in cylinders. Its place before the first access is not in the records."""

    def __init__(self, cylinders: Cylinders, stretch_of: Callable[[Column], Column], stretches: int) -> None:
        """Prepares the sums. `stretch_of` maps a moment to its stretch of time, of `stretches`."""
        self._cylinders = cylinders
        self._stretch_of = stretch_of
        self._waiting = np.zeros((0, 3), np.int64)  # begin, first block, blocks
        self._at: int | None = None
        self._count = np.zeros(stretches)
        self._sum = np.zeros(stretches)
        self.distances = np.zeros(cylinders.count, np.int64)  # number of accesses by distance; complete after finish()

    def add(self, begin: Column, lba: Column, blocks: Column) -> None:
        """Adds accesses, by the moments at which they were chosen."""
        accesses = np.concatenate((self._waiting, np.column_stack((begin, lba, blocks))))
        accesses = accesses[np.argsort(accesses[:, 0], kind="stable")]
        ready = max(len(accesses) - UNORDERED, 0)
        self._waiting = accesses[ready:]
        self._move(accesses[:ready])

    def finish(self) -> NDArray[np.float64]:
        """The mean distance in each stretch, NaN where there was no access."""
        self._move(self._waiting)
        self._waiting = self._waiting[:0]
        return np.where(self._count > 0, self._sum / np.maximum(self._count, 1), np.nan)

    def _move(self, accesses: NDArray[np.int64]) -> None:
        """Adds the arm's movements over sorted accesses."""
        if len(accesses) == 0:
            return
        begin, lba, blocks = accesses.T
        first = self._cylinders.of(lba)
        last = self._cylinders.of(lba + np.maximum(blocks - 1, 0))
        came_from = np.concatenate(([first[0] if self._at is None else self._at], last[:-1]))
        distance, stretch = np.abs(first - came_from), self._stretch_of(begin)
        if self._at is None:
            distance, stretch = distance[1:], stretch[1:]
        self._at = int(last[-1])
        self._count += np.bincount(stretch, minlength=len(self._count))
        self._sum += np.bincount(stretch, distance.astype(np.float64), minlength=len(self._sum))
        self.distances += np.bincount(distance, minlength=len(self.distances))
