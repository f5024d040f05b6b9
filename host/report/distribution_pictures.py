# SPDX-License-Identifier: Apache-2.0
"""Pictures of distributions: response times, seek distances, the same commands in two runs, a real drive and the simulated."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from looks import above_zero, heat_colours, legend, log_axis, new_figure, plain_number, run_look, short
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from measures import Measures
from numpy.typing import NDArray
from paired import Paired
from spread import Curve

PANELS_IN_A_ROW = 3
PANELS_WIDTH_IN = 8.2  # width of square panels beside a scale
SHARE_TICKS = (0, 0.25, 0.5, 0.75, 0.9, 1)


def _percent(value: float, _position: int | None = None) -> str:
    return f"{100 * value:g} %"


def _steps(axes: Axes, ms: NDArray[np.float64], points: Curve, index: int, label: str) -> None:
    """A cumulative curve over these times."""
    colour, line = run_look(index)
    axes.plot(ms, points.share, color=colour, linestyle=line, drawstyle="steps-post", label=label)


def _share_axis(axes: Axes) -> None:
    axes.set_ylim(0, 1.005)
    axes.set_yticks(SHARE_TICKS)
    axes.yaxis.set_major_formatter(FuncFormatter(_percent))


def response_picture(runs: Sequence[Measures]) -> Figure:
    """Cumulative response times, and beside them the tail: the share of slower commands."""
    figure = new_figure(4.2)
    body, tail = figure.subplots(1, 2)
    for index, one in enumerate(runs):
        _steps(body, above_zero(one.response_curve.ms), one.response_curve, index, short(one.run.label))
        colour, line = run_look(index)
        points = one.response_curve
        slower = points.share < 1
        tail.plot(above_zero(points.ms[slower]), 1 - points.share[slower], color=colour, linestyle=line,
                  drawstyle="steps-post")
    _share_axis(body)
    body.set_ylabel("commands that took at most so long")
    tail.set_ylabel("commands that took longer")
    log_axis(tail, "y")
    # A single command has no tail, and axes without data have no limits.
    tail.set_ylim(0.5 / max(one.response.count for one in runs), 1.5)
    tail.yaxis.set_major_formatter(FuncFormatter(_percent))
    log_axis(body, "x")
    log_axis(tail, "x")
    tail.set_xlim(body.get_xlim())
    for axes in (body, tail):
        axes.set_xlabel("response time, ms")
    legend(figure, [body])
    return figure


def operation_picture(runs: Sequence[Measures]) -> Figure:
    """Cumulative response times, one pair of axes for each operation."""
    operations = list(dict.fromkeys(name for one in runs for name in one.curve_of))
    figure = new_figure(3.7)
    panels = figure.subplots(1, len(operations), sharey=True, squeeze=False)[0]
    for axes, operation in zip(panels, operations, strict=True):
        for index, one in enumerate(runs):
            if operation in one.curve_of:
                points = one.curve_of[operation]
                _steps(axes, above_zero(points.ms), points, index, short(one.run.label))
        log_axis(axes, "x")
        _share_axis(axes)
        axes.set_title(operation)
        axes.set_xlabel("response time, ms")
    panels[0].set_ylabel("commands that took at most so long")
    legend(figure, list(panels))
    return figure


def seek_picture(runs: Sequence[Measures]) -> Figure:
    """Cumulative distances of the arm."""
    figure = new_figure(3.4)
    axes = figure.subplots()
    for index, one in enumerate(runs):
        if one.seek_cylinders is None or not one.seek_cylinders.any():
            continue
        counts = np.cumsum(one.seek_cylinders)
        moved = np.flatnonzero(one.seek_cylinders)
        colour, line = run_look(index)
        axes.plot(moved, counts[moved] / counts[-1], color=colour, linestyle=line, drawstyle="steps-post",
                  label=short(one.run.label))
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
    _share_axis(axes)
    axes.set_xlabel("distance from the access before, cylinders (0: the same one)")
    axes.set_ylabel("accesses that went at most so far")
    legend(figure, [axes])
    return figure


def paired_picture(pairs: Sequence[Paired]) -> Figure:
    """Response times of the same commands as a density: the reference run on x, the other on y."""
    columns = 2 if len(pairs) in (2, 4) else min(len(pairs), PANELS_IN_A_ROW)
    rows = -(-len(pairs) // columns)
    figure = new_figure(min(PANELS_WIDTH_IN / columns, PANELS_WIDTH_IN / 2) * rows)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    most = max(int(pair.density.counts.max()) for pair in pairs)
    mesh = None
    for axes, pair in zip(panels, pairs, strict=False):
        density = pair.density
        shown = np.ma.masked_equal(density.counts.T, 0)
        mesh = axes.pcolormesh(
            density.edges_ms, density.edges_ms, shown, norm=LogNorm(1, max(most, 2)), cmap=heat_colours(),
            rasterized=True,
        )
        ends = density.edges_ms[[0, -1]]
        axes.plot(ends, ends, color="#000000", linewidth=0.9)
        log_axis(axes, "x")
        log_axis(axes, "y")
        axes.set_aspect("equal")
        axes.set_xlabel(f"{short(pair.first.label)}, ms")
        axes.set_ylabel(f"{short(pair.run.label)}, ms")
    for axes in panels[len(pairs) :]:
        axes.set_visible(False)
    bar = figure.colorbar(mesh, ax=list(panels), shrink=0.8, label="commands")
    bar.ax.yaxis.set_major_formatter(FuncFormatter(plain_number))
    return figure


def change_picture(pairs: Sequence[Paired]) -> Figure:
    """Cumulative change of response time of the same commands. Runs have the same colours as elsewhere."""
    figure = new_figure(3.4)
    axes = figure.subplots()
    for pair in pairs:
        _steps(axes, pair.difference.ms, pair.difference, pair.place, short(pair.title))
    axes.axvline(0, color="#000000", linewidth=0.9)
    axes.set_xscale("symlog", linthresh=1)
    axes.xaxis.set_major_formatter(FuncFormatter(_signed))
    _share_axis(axes)
    axes.set_xlabel("change of the response time, ms (left: faster)")
    axes.set_ylabel("commands at most there")
    legend(figure, [axes])
    return figure


def _signed(value: float, _position: int | None = None) -> str:
    return "0" if value == 0 else f"{value:+,g}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class Quantiles:
    """A run and a real drive: the times, in ms, below which a share of the commands stayed."""

    place: int  # number of the run
    label: str
    share: NDArray[np.float64]
    measured_ms: NDArray[np.float64]
    simulated_ms: NDArray[np.float64]


def realism_picture(runs: Sequence[Quantiles]) -> Figure:
    """Both cumulative curves, whose horizontal distance is the demerit; and the quantiles of one over those of the other."""
    figure = new_figure(4.6)
    curves, quantiles = figure.subplots(1, 2)
    times = above_zero(np.concatenate([values for one in runs for values in (one.measured_ms, one.simulated_ms)]))
    ends = [times.min(), times.max()]
    quantiles.plot(ends, ends, color="#000000", linewidth=0.9, label="equal")
    for one in runs:
        colour, line = run_look(one.place)
        name, measured, simulated = short(one.label), above_zero(one.measured_ms), above_zero(one.simulated_ms)
        curves.plot(simulated, one.share, color=colour, linestyle=line, label=f"{name}, simulated")
        curves.plot(measured, one.share, color=colour, linestyle=":", label=f"{name}, measured")
        quantiles.plot(measured, simulated, color=colour, linestyle=line, marker=".", markersize=3)
    _share_axis(curves)
    log_axis(curves, "x")
    curves.set_xlabel("response time, ms")
    curves.set_ylabel("commands that took at most so long")
    log_axis(quantiles, "x")
    log_axis(quantiles, "y")
    quantiles.set_aspect("equal")
    quantiles.set_xlabel("measured on the real drive, ms")
    quantiles.set_ylabel("simulated, ms")
    legend(figure, [curves, quantiles])
    return figure
