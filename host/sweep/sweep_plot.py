# SPDX-License-Identifier: Apache-2.0
"""The picture of a sweep: mean response times with their 95 % intervals.

The numeric axis with the most values is horizontal, or the last axis if none is numeric. The first of the others has a line for
each of its values. Each combination of values of the rest has a panel.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product, repeat
from pathlib import Path

HOST = Path(__file__).resolve().parents[1]
sys.path += [str(HOST / "experiment"), str(HOST / "plots")]

import style  # noqa: E402
from axes import Axis  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import LogLocator  # noqa: E402
from pictures import LOOKS, Curve, draw, queue_axis  # noqa: E402
from sweep_table import MEAN, Table  # noqa: E402

WHAT = "mean response time"
SINGLE_IN = (8.0, 5.4)
PANEL_IN = (5.0, 3.8)
LEGEND_IN = 0.8
ASIDE = 0.4  # width over which the lines' points are spread, as a part of the distance of two words on the horizontal axis
MOST_ACROSS = 3
MOST_PANELS = 24  # more are no picture: the table has them
LOG_FROM = 8.0  # ratio of the largest to the smallest number of a logarithmic horizontal axis, at least
LOG_Y_FROM = 20.0  # likewise of the means
COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.ORANGE, style.PURPLE, style.SKY, style.BLACK, style.GREY)
MARKERS = "osD^vpX*"
LINES = ("-", "--", ":", "-.")
POLICY_KEY = "settings.policy"


@dataclass(frozen=True)
class Layout:
    """Which of a table's axes is horizontal, which has the lines, and which have the panels. None: the table lacks one."""

    across: int | None
    lines: int | None
    panels: tuple[int, ...]


def layout_of(axes: Sequence[Axis]) -> Layout:
    """Chooses the axes for the picture, as this file's head says."""
    places = list(range(len(axes)))
    numeric = [place for place in places if axes[place].is_numeric]
    across = max(numeric, key=lambda place: len(axes[place].values), default=places[-1] if places else None)
    others = [place for place in places if place != across]
    return Layout(across, others[0] if others else None, tuple(others[1:]))


def looks(axis: Axis | None) -> list[tuple[str, str, str]]:
    """Colour, marker and line of each value. A policy without parameters looks as it does in the pictures of experiments."""
    if axis is None:
        return [(COLOURS[0], MARKERS[0], LINES[0])]
    own: dict[str, tuple[str, str]] = {}
    for value in axis.values:
        look = LOOKS.get(value.text) if axis.path == POLICY_KEY else None
        if look and look not in own.values():
            own[value.text] = look
    free = _free_looks({part for look in own.values() for part in look})
    return [(*own[value.text], LINES[0]) if value.text in own else next(free, (style.GREY, ".", "")) for value in axis.values]


def _free_looks(taken: set[str]) -> Iterator[tuple[str, str, str]]:
    """Pairs of colours and markers that are not taken. Once they are used up, all pairs follow with another line."""
    colours, markers = [one for one in COLOURS if one not in taken], [one for one in MARKERS if one not in taken]
    yield from zip(colours, markers, repeat(LINES[0]))
    for line in LINES[1:]:
        yield from zip(COLOURS, MARKERS, repeat(line))


def positions(axis: Axis | None) -> list[float]:
    """Where each value stands on the horizontal axis."""
    if axis is None:
        return [0.0]
    if not axis.is_numeric:
        return [float(place) for place in range(len(axis.values))]
    return [float(value.number or 0.0) for value in axis.values]


def curves_of(table: Table, layout: Layout, panel: tuple[int, ...]) -> list[Curve]:
    """The curves of one panel, given by its places on the axes of panels."""
    axes = table.axes
    across = axes[layout.across] if layout.across is not None else None
    lines = axes[layout.lines] if layout.lines is not None else None
    is_numeric = across is not None and across.is_numeric
    at = positions(across)
    curves = []
    styles = looks(lines)
    for number, (colour, marker, line) in enumerate(styles):
        aside = 0.0 if is_numeric else ASIDE * ((number + 0.5) / len(styles) - 0.5)
        points = []
        for cell in table.cells:
            is_here = all(cell.places[axis] == place for axis, place in zip(layout.panels, panel, strict=True))
            is_on_line = layout.lines is None or cell.places[layout.lines] == number
            if is_here and is_on_line and cell.runs:
                place = cell.places[layout.across] if layout.across is not None else 0
                points.append((at[place] + aside, cell.figures[MEAN.name]))
        label = f"{lines.key} {lines.values[number].text}" if lines else ""
        curves.append(Curve(label, sorted(points, key=lambda point: point[0]), colour, marker, line if is_numeric else ""))
    return curves


def _title_of(table: Table, layout: Layout, panel: tuple[int, ...]) -> str:
    """The title of a panel: the values that it is for."""
    fixed = [(table.axes[axis], place) for axis, place in zip(layout.panels, panel, strict=True)]
    return ", ".join(f"{axis.key} {axis.values[place].text}" for axis, place in fixed)


def _set_across(axes: Axes, axis: Axis | None) -> None:
    """Ticks and label of the horizontal axis."""
    at = positions(axis)
    if axis is None:
        axes.set_xticks([])
        return
    label = f"{axis.path}, {axis.unit}" if axis.unit else axis.path
    if not axis.is_numeric:
        axes.set_xticks(at, [value.text for value in axis.values])
        axes.set_xlim(-0.5, len(at) - 0.5)
        axes.set_xlabel(label)
    elif min(at) > 0 and max(at) / min(at) >= LOG_FROM:
        queue_axis(axes, at, label)
    else:
        axes.set_xlabel(label)


def _set_upwards(axes: Axes, means: Sequence[float], lows: Sequence[float]) -> None:
    """Scale of the vertical axis: logarithmic if the means are far apart, else linear from 0."""
    if min(lows) > 0 and max(means) / min(means) >= LOG_Y_FROM:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        style.group_ticks(axes, "y")
    else:
        axes.set_ylim(bottom=0)


def panels_of(table: Table, layout: Layout) -> list[tuple[int, ...]]:
    """Places on the axes of panels, for each panel."""
    return list(product(*(range(len(table.axes[place].values)) for place in layout.panels)))


def figure_of(table: Table) -> Figure:
    """The picture, with the same vertical axis in all panels."""
    layout = layout_of(table.axes)
    drawn = [(panel, curves_of(table, layout, panel)) for panel in panels_of(table, layout)]
    columns = min(MOST_ACROSS, len(drawn))
    rows = math.ceil(len(drawn) / columns)
    width, height = SINGLE_IN if len(drawn) == 1 else (PANEL_IN[0] * columns, PANEL_IN[1] * rows + LEGEND_IN)
    figure = style.new_figure(width, height, table.heading or WHAT)
    grid = list(figure.subplots(rows, columns, squeeze=False, sharey=True).flat)
    for number, (axes, (panel, curves)) in enumerate(zip(grid, drawn, strict=False)):
        draw(axes, curves)
        _set_across(axes, table.axes[layout.across] if layout.across is not None else None)
        axes.set_title(_title_of(table, layout, panel))
        if number % columns == 0:
            axes.set_ylabel(f"{WHAT}, ms" + (f"\n(95 % intervals, {table.seeds} seeds)" if table.runs_each > 1 else ""))
    for axes in grid[len(drawn) :]:
        axes.set_visible(False)
    # Once all panels are drawn: a limit that is set ends the search for the others' largest values.
    points = [point for _, curves in drawn for curve in curves for _, point in curve.points]
    for axes in grid:
        _set_upwards(axes, [point.mean for point in points], [point.low for point in points])
    if layout.lines is not None:
        style.legend_below(figure, *grid[: len(drawn)])
    return figure


def draw_table(table: Table, file: Path) -> str:
    """Writes the picture. Returns why there is none, or "". Raises OutputError."""
    count = len(panels_of(table, layout_of(table.axes)))
    if count > MOST_PANELS:
        return f"{count} panels are no picture: {MOST_PANELS} are the most; sweep fewer keys at a time"
    style.save(figure_of(table), file)
    return ""
