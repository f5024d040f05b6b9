# SPDX-License-Identifier: Apache-2.0
"""Pictures of simulated beside measured times: a panel for each drive, the real one black, ours in colour."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))

import style  # noqa: E402
from comparison import Comparison  # noqa: E402
from looks import legend, log_axis, new_figure, plain_number  # noqa: E402
from platter import Guess, angles, media_writes  # noqa: E402
from spread import even_ranks  # noqa: E402

POINTS = 600  # of a curve
REAL, OURS = style.BLACK, style.VERMILION
NEAR_RANGE_MS = 1.0  # the middle of the differences, by itself
NEAR_BINS, WIDE_BINS = 80, 120
LEAST_SPAN_MS = 0.01
SHARE_TICKS = (0, 0.25, 0.5, 0.75, 1)
MOST_DOTS = 1200
SIZE_LOOKS = {
    "reads from the buffer": (style.SKY, "o"),
    "reads from the media, after a write": (style.VERMILION, "s"),
    "writes to the media, after a write": (style.BLACK, "D"),
    "writes into the buffer": (style.GREEN, "^"),
}


def _percent(value: float, _position: int | None = None) -> str:
    return f"{100 * value:g} %"


def _panels(compared: Sequence[Comparison], height_in: float, rows: int = 1) -> tuple[Figure, list[list[Axes]]]:
    figure = new_figure(height_in)
    grid = figure.subplots(rows, len(compared), squeeze=False)
    for axes, one in zip(grid[0], compared, strict=True):
        axes.set_title(one.drive.title.removeprefix("Seagate ").removeprefix("HP "))
    return figure, [list(row) for row in grid]


def _quantiles(values: np.ndarray) -> np.ndarray:
    return np.sort(values)[np.unique(even_ranks(len(values), POINTS))]


def distribution_picture(compared: Sequence[Comparison]) -> Figure:
    """Cumulative curves, and below them the upper half from the median on, larger."""
    figure, (whole, upper) = _panels(compared, 6.0, rows=2)
    for top, bottom, one in zip(whole, upper, compared, strict=True):
        for values, colour, line, label in (
            (one.commands.real, REAL, "-", "measured"),
            (one.commands.simulated, OURS, "--", "simulated"),
        ):
            points = _quantiles(values)
            share = np.linspace(0, 1, len(points))
            for axes in (top, bottom):
                axes.plot(points, share, color=colour, linestyle=line, label=label, drawstyle="steps-post")
        median, last_tenth = (float(end) for end in np.percentile(one.commands.real, (50, 90)))
        top.set_xlim(0, float(np.percentile(one.commands.real, 99.9)))
        top.set_ylim(0, 1.005)
        top.set_yticks(SHARE_TICKS)
        # A few commands may all have taken the same time, but an axis needs some length.
        bottom.set_xlim(median, max(last_tenth, median + LEAST_SPAN_MS))
        bottom.set_ylim(0.5, 0.9)
        bottom.set_xlabel("service time, ms")
        for axes in (top, bottom):
            axes.yaxis.set_major_formatter(FuncFormatter(_percent))
    whole[0].set_ylabel("took at most so long")
    upper[0].set_ylabel("the same, 50 to 90 %")
    legend(figure, whole)
    return figure


def quantile_picture(compared: Sequence[Comparison]) -> Figure:
    """Quantiles of the measured times across, of the simulated ones up."""
    figure, (panels,) = _panels(compared, 3.3)
    for axes, one in zip(panels, compared, strict=True):
        real, ours = _quantiles(one.commands.real), _quantiles(one.commands.simulated)
        ends = [min(real[0], ours[0]), max(real[-1], ours[-1])]
        axes.plot(ends, ends, color=REAL, linewidth=0.9, label="equal")
        axes.plot(real, ours, color=OURS, linestyle="", marker=".", markersize=3, label="quantiles")
        log_axis(axes, "x")
        log_axis(axes, "y")
        axes.set_aspect("equal")
        axes.set_xlabel("measured, ms")
    panels[0].set_ylabel("simulated, ms")
    legend(figure, panels)
    return figure


def difference_picture(compared: Sequence[Comparison]) -> Figure:
    """How many commands are how far apart: over more than a revolution, and within a millisecond."""
    figure, (wide, near) = _panels(compared, 5.4, rows=2)
    for top, bottom, one in zip(wide, near, compared, strict=True):
        revolution = one.drive.revolution_ms
        difference = one.commands.difference
        reach = 1.25 * revolution
        top.hist(np.clip(difference, -reach, reach), bins=WIDE_BINS, range=(-reach, reach), color=style.BLUE)
        for place in (-revolution, revolution):
            top.axvline(place, color=OURS, linestyle="--", linewidth=1.0, label="a revolution apart")
        top.set_yscale("log")
        top.yaxis.set_major_formatter(FuncFormatter(plain_number))
        top.set_xlabel("simulated \N{MINUS SIGN} measured, ms")
        bottom.hist(difference, bins=NEAR_BINS, range=(-NEAR_RANGE_MS, NEAR_RANGE_MS), color=style.BLUE)
        bottom.set_xlabel("the same, within a millisecond")
    for row in (wide, near):
        row[0].set_ylabel("commands")
    legend(figure, wide)
    return figure


def size_picture(compared: Sequence[Comparison]) -> Figure:
    """Median difference by size, with quartiles."""
    figure, (panels,) = _panels(compared, 3.8)
    for axes, one in zip(panels, compared, strict=True):
        for name, classes in one.by_size.items():
            colour, marker = SIZE_LOOKS[name]
            low, middle, high = np.transpose([row.quartiles_ms for row in classes])
            largest = [row.up_to for row in classes]
            axes.errorbar(
                largest, middle, yerr=(middle - low, high - middle), color=colour, marker=marker, markersize=4,
                capsize=2, linewidth=1.2, label=name,
            )
        axes.axhline(0, color=REAL, linewidth=0.9)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.set_xlabel("blocks, at most")
    panels[0].set_ylabel("simulated \N{MINUS SIGN} measured, ms")
    legend(figure, panels)
    return figure


def angle_picture(rows: Sequence[tuple[str, Comparison, Guess | None]]) -> Figure:
    """The angle between the two platters at the end of each write: as it is, less what the spindle's speed explains.

    Given: title, comparison, and the speed, None or not found where there is none.
    """
    figure = new_figure(2.4 * len(rows) + 0.4)
    grid = figure.subplots(len(rows), 2, squeeze=False, sharex="row", sharey=True)
    for (title, one, speed), (plain, turned) in zip(rows, grid, strict=True):
        revolution = one.drive.revolution_ms
        chosen = np.flatnonzero(media_writes(one.commands))
        chosen = chosen[:: max(1, -(-len(chosen) // MOST_DOTS))]
        time = (one.commands.submitted + one.commands.simulated)[chosen]
        angle = angles(one.commands, revolution)[chosen]
        ppm = speed.value if speed is not None and speed.found else 0.0
        straight = angle + time / revolution * ppm * 1e-6
        # Where the platters began is nobody's doing: the middle of the right panel is what they have most in common.
        zero = np.angle(np.mean(np.exp(2j * np.pi * straight))) / (2 * np.pi) - 0.5
        for axes, turns in ((plain, angle), (turned, straight)):
            axes.plot(time / 1000, (turns - zero) % 1, ".", markersize=2, color=style.BLUE, rasterized=True)
            axes.set_ylim(0, 1)
        plain.set_title(title)
        told = f"less revolutions {ppm:+.0f} ppm longer".replace("-", "\N{MINUS SIGN}")
        turned.set_title(told if ppm else "no speed found that explains it")
        plain.set_ylabel("angle, revolutions")
    for axes in grid[-1]:
        axes.set_xlabel("time, s")
    return figure
