# SPDX-License-Identifier: Apache-2.0
"""Estimates from the measured times alone: the host's bus, and the time at which a read's data begins to leave.

Both are straight lines through many commands, fitted by least squares. Commands far off the line (more than FAR median
deviations) are removed, round by round, since a drive sometimes retries or recalibrates.
"""

from dataclasses import dataclass

import numpy as np
from declaration import BLOCK_BYTES
from numpy.typing import NDArray
from service_times import READ, WRITE, Commands, Mask

FAR = 4.0  # in median absolute deviations
ROUNDS = 6
FEWEST = 30  # commands that a line is drawn through
MOST_SCATTER_MS = 0.3  # some sectors: a line through what is spread over the revolution means nothing

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """constant + factors * columns, through `count` commands of `given`."""

    constant: float
    factors: tuple[float, ...]
    count: int
    given: int
    scatter: float  # median distance of the given from the line, in the unit of the values


def fit(columns: list[Values], values: Values) -> Line | None:
    """None when there are too few commands, or nothing differs between them."""
    matrix = np.column_stack([np.ones(len(values)), *columns])
    kept = np.ones(len(values), dtype=bool)
    solution = np.zeros(matrix.shape[1])
    for _ in range(ROUNDS):
        if kept.sum() < FEWEST or np.linalg.matrix_rank(matrix[kept]) < matrix.shape[1]:
            return None
        solution = np.linalg.lstsq(matrix[kept], values[kept], rcond=None)[0]
        away = np.abs(values - matrix @ solution)
        # An exact line has no deviations to count in; a rounding error is none either.
        kept = away <= max(FAR * float(np.median(away[kept])), 1e-9)
    scatter = float(np.median(np.abs(values - matrix @ solution)))
    return Line(float(solution[0]), tuple(float(one) for one in solution[1:]), int(kept.sum()), len(values), scatter)


def bus_line(commands: Commands) -> Line | None:
    """Real time of reads in sequence after a read against their blocks: ms, and ms a block."""
    hits = (commands.operation == READ) & commands.in_sequence & commands.behind(READ) & ~commands.on_media
    return fit([commands.blocks[hits].astype(float)], commands.real[hits])


def byte_ns(line: Line) -> float:
    """The time of a byte on the measuring host's bus."""
    return line.factors[0] * 1e6 / BLOCK_BYTES


def departure_line(commands: Commands, near: Mask, block_ms: float, revolution_ms: float) -> Line | None:
    """When the real drive begins to send what it reads: constant in ms, and factor as a share of the run's media time.

    With a bus slower than the media, a read ends when the media have done that share and all blocks have passed the bus. Only
    reads after a write that is `near` count, and only if both platters agree within half a revolution. None also when the
    commands are too far from any line, as with unrelated angles of the two platters.
    """
    chosen = (
        (commands.operation == READ)
        & near
        & ~commands.in_sequence
        & commands.behind(WRITE)
        & commands.on_media
        & (np.abs(commands.difference) < revolution_ms / 2)
    )
    after = commands.real - commands.before_media - commands.blocks * block_ms
    line = fit([commands.stages["media_transfer"][chosen]], after[chosen])
    return None if line is None or line.scatter > MOST_SCATTER_MS else line
