# SPDX-License-Identifier: Apache-2.0
"""A picture of counts: transitions between groups, busy groups, and where arrangements put them."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from . import HOST
from .arrangement import identity, pipe_organ
from .counts import Counts, Numbers
from .errors import RemapError
from .markov import energy_of, pi_of

sys.path.insert(0, str(HOST / "plots"))

import style  # noqa: E402

CELLS = 256  # of a side of the matrix, at most
KINDS = (".png", ".svg")


def binned(counts: Counts, places: Numbers, cells: int) -> np.ndarray:
    """[cells, cells]: transitions between parts of the drive, by where groups are placed."""
    row = places[counts.pairs[:, 0]] * cells // counts.groups
    column = places[counts.pairs[:, 1]] * cells // counts.groups
    return np.bincount(row * cells + column, weights=counts.pairs[:, 2], minlength=cells * cells).reshape(cells, cells)


def _draw_matrix(axes: Axes, counts: Counts, places: Numbers, name: str) -> None:
    cells = min(CELLS, counts.groups)
    matrix = binned(counts, places, cells)
    shown = np.ma.masked_equal(matrix, 0)
    axes.imshow(shown, origin="lower", extent=(0, counts.groups, 0, counts.groups), cmap=style.SEQUENTIAL,
                norm=LogNorm(vmin=1, vmax=max(2.0, float(matrix.max()))), interpolation="nearest")  # fmt: skip
    axes.set(title=f"{name}: energy {energy_of(counts, places):,.1f}", xlabel="next group", ylabel="group")
    style.group_ticks(axes, "x")
    style.group_ticks(axes, "y")


def _draw_visits(axes: Axes, counts: Counts, places: Numbers) -> None:
    share = np.zeros(counts.groups)
    share[places] = 100 * pi_of(counts)
    axes.vlines(np.flatnonzero(share), 0, share[share > 0], color=style.BLUE, linewidth=0.8)
    axes.set(xlabel="slot", ylabel="accesses, %", xlim=(0, counts.groups), ylim=(0, None))
    style.group_ticks(axes, "x")


def draw_counts(file: Path, counts: Counts, arrangements: Sequence[tuple[str, Numbers]]) -> None:
    """A column for each arrangement, the identity and the pipe organ first. Raises RemapError and OutputError."""
    if file.suffix not in KINDS:
        raise RemapError(f"--picture {file}: what kind of picture? give a name that ends in {' or '.join(KINDS)}")
    shown = [("identity", identity(counts.groups)), ("pipe organ", pipe_organ(counts.visits)), *arrangements]
    figure = style.new_figure(5.2 * len(shown), 8, f"Transitions between {counts.groups:,} groups of {counts.group_blocks} blocks")
    grid = figure.subplots(2, len(shown), squeeze=False, gridspec_kw={"height_ratios": (3, 1)})
    for column, (name, places) in enumerate(shown):
        _draw_matrix(grid[0][column], counts, places, name)
        _draw_visits(grid[1][column], counts, places)
    style.save(figure, file)
