# SPDX-License-Identifier: Apache-2.0
"""Curves with error bars in the look of headstack's other pictures: one function for all figures of an experiment."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plots"))

import style  # noqa: E402
from interval import Interval  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.ticker import NullFormatter, ScalarFormatter  # noqa: E402

WIDTH_IN, HEIGHT_IN = 8.0, 5.4
TICKS_APART = 1.16  # ratio of neighbours on a logarithmic axis whose numbers do not touch


@dataclass(frozen=True)
class Curve:
    """Points (x, mean with interval) and how they look. `line` is a matplotlib line style, "" for points alone."""

    label: str
    points: Sequence[tuple[float, Interval]]
    colour: str
    marker: str = "o"
    line: str = "-"


# Colour and marker by policy, which are the same in every picture.
LOOKS: dict[str, tuple[str, str]] = {
    "fcfs": (style.BLACK, "o"),
    "sstf": (style.ORANGE, "s"),
    "scan": (style.SKY, "v"),
    "cscan": (style.GREEN, "^"),
    "stf": (style.VERMILION, "D"),
    "gstf210": (style.BLUE, "p"),
    "gstf210-frozen": (style.SKY, "h"),
    "gstf": (style.BLUE, "p"),
    "wstf": (style.PURPLE, "*"),
    "wstf-adaptive": (style.GREY, "X"),
    "edf": (style.PURPLE, "*"),
    "dscan": (style.GREEN, "^"),
    "fdscan": (style.VERMILION, "D"),
    "stfd": (style.BLUE, "p"),
    "walk": (style.GREY, "X"),
}
OTHER_LOOK = (style.GREY, ".")


def look(label: str) -> tuple[str, str]:
    """Colour and marker of a policy."""
    return LOOKS.get(label, OTHER_LOOK)


def plain(points: Sequence[tuple[float, float]]) -> list[tuple[float, Interval]]:
    """Points without intervals, for values that were worked out."""
    return [(x, Interval(y, math.nan, 1)) for x, y in points]


def draw(axes: Axes, curves: Sequence[Curve]) -> None:
    """Draws all curves that have points, with their 95 % intervals."""
    for curve in curves:
        if not curve.points:
            continue
        x = [at for at, _ in curve.points]
        y = [value.mean for _, value in curve.points]
        bars = [0.0 if math.isnan(value.half) else value.half for _, value in curve.points]
        axes.errorbar(
            x,
            y,
            yerr=bars if any(bars) else None,
            label=curve.label,
            color=curve.colour,
            marker=curve.marker or None,
            linestyle=curve.line or "none",
            markersize=5.5,
            capsize=3,
        )


def queue_axis(axes: Axes, ticks: Sequence[float], label: str) -> None:
    """Makes a logarithmic axis with the loads as its ticks, as far as there is room."""
    kept: list[float] = []
    for tick in sorted(ticks, reverse=True):
        if not kept or tick * TICKS_APART <= kept[-1]:
            kept.append(tick)
    axes.set_xscale("log")
    axes.set_xticks(kept)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="x", which="minor", length=0)
    axes.set_xlabel(label)


def picture(
    file: Path,
    title: str,
    curves: Sequence[Curve],
    x_label: str,
    y_label: str,
    *,
    log_y: bool = False,
    axis: str = "log",
) -> None:
    """One figure with one pair of axes. Nothing is written when no curve has points. Raises OSError.

    `axis` is the horizontal one: "log", with the loads as ticks; "zero", linear from 0 on; "plain", linear, where the
    loads are.
    """
    shown = [curve for curve in curves if curve.points]
    if not shown:
        return
    figure = style.new_figure(WIDTH_IN, HEIGHT_IN, title)
    axes = figure.subplots()
    draw(axes, shown)
    ticks = sorted({x for curve in shown for x, _ in curve.points})
    if axis == "log":
        queue_axis(axes, ticks, x_label)
    else:
        axes.set_xlabel(x_label)
        if axis == "zero":
            axes.set_xlim(left=0)
        else:
            axes.set_xticks(ticks)
    axes.set_ylabel(y_label)
    if log_y:
        axes.set_yscale("log")
        style.group_ticks(axes, "y")
    else:
        axes.set_ylim(bottom=0)
    style.legend_below(figure, axes)
    style.save(figure, file)
