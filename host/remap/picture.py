# SPDX-License-Identifier: Apache-2.0
"""A picture of counts: transitions between groups, busy groups, and their places in arrangements.

The visits of a group are spread evenly over its units, as an arrangement does it.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from numpy.typing import NDArray

from . import HOST
from .arrangement import identity, pipe_organ
from .counts import Counts, Numbers
from .errors import RemapError
from .markov import energy_of, energy_of_units, pi_of

sys.path.insert(0, str(HOST / "plots"))

import style  # noqa: E402

CELLS = 256  # cells along each side of the matrix, at most
CHUNK = 4_096  # pairs that are spread in one operation
KINDS = (".png", ".svg")
Arrangement = tuple[str, Numbers, int]  # its name, the slot of each unit, and the units of a group


def spread_over(places: Numbers, parts: int, groups: int, cells: int) -> NDArray[np.float64]:
    """The share of each group that lies in each part of the drive, as [groups, cells]."""
    cell = places * cells // (groups * parts)
    group = np.arange(groups * parts) // parts
    return np.bincount(group * cells + cell, minlength=groups * cells).reshape(groups, cells) / parts


def binned(counts: Counts, places: Numbers, cells: int, parts: int = 1) -> NDArray[np.float64]:
    """Transitions between parts of the drive, as [cells, cells], by the places of groups or of their units."""
    shares = spread_over(places, parts, counts.groups, cells)
    matrix = np.zeros((cells, cells))
    for begin in range(0, len(counts.pairs), CHUNK):
        first, then, count = counts.pairs[begin : begin + CHUNK].T
        matrix += (shares[first] * count[:, None]).T @ shares[then]
    return matrix


def _draw_matrix(axes: Axes, counts: Counts, shown: Arrangement) -> None:
    name, places, parts = shown
    cells = min(CELLS, counts.groups)
    matrix = binned(counts, places, cells, parts)
    # Less than one access has no colour. The count of a pair of groups is spread over many pairs of units.
    masked = np.ma.masked_less(matrix, 1)
    energy = energy_of(counts, places) if parts == 1 else energy_of_units(counts, places, parts)
    axes.imshow(masked, origin="lower", extent=(0, counts.groups, 0, counts.groups), cmap=style.SEQUENTIAL,
                norm=LogNorm(vmin=1, vmax=max(2.0, float(matrix.max()))), interpolation="nearest")  # fmt: skip
    axes.set(title=f"{name}: energy {energy:,.1f}", xlabel="next access, groups of blocks", ylabel="access, groups of blocks")
    style.group_ticks(axes, "x")
    style.group_ticks(axes, "y")


def _draw_visits(axes: Axes, counts: Counts, shown: Arrangement) -> None:
    _, places, parts = shown
    share = np.zeros(counts.groups * parts)
    share[places] = np.repeat(100 * pi_of(counts) / parts, parts)
    at = np.arange(len(share)) / parts
    axes.vlines(at[share > 0], 0, share[share > 0], color=style.BLUE, linewidth=0.8)
    axes.set(xlabel="place on the drive, groups of blocks", ylabel="accesses, %", xlim=(0, counts.groups), ylim=(0, None))
    style.group_ticks(axes, "x")


def draw_counts(file: Path, counts: Counts, arrangements: Sequence[Arrangement]) -> None:
    """Draws a column for each arrangement, the identity and the pipe organ first. Raises RemapError and OutputError."""
    if file.suffix not in KINDS:
        raise RemapError(f"--picture {file}: what kind of picture? give a name that ends in {' or '.join(KINDS)}")
    own: list[Arrangement] = [("identity", identity(counts.groups), 1), ("pipe organ", pipe_organ(counts.visits), 1)]
    shown = [*own, *arrangements]
    figure = style.new_figure(5.2 * len(shown), 8, f"Transitions between {counts.groups:,} groups of {counts.group_blocks} blocks")
    grid = figure.subplots(2, len(shown), squeeze=False, gridspec_kw={"height_ratios": (3, 1)})
    for column, one in enumerate(shown):
        _draw_matrix(grid[0][column], counts, one)
        _draw_visits(grid[1][column], counts, one)
    style.save(figure, file)
