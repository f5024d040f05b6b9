# SPDX-License-Identifier: Apache-2.0
"""The pictures of the page of `cost`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from cost_load import DEPTH, SIZE, Costs, sweep_on
from cost_numbers import AXIS_NAMES, LADDER, Case, compared, ledger_cases, loads_of, longer_over, part_cycles, ladder_cases, steps_us
from cost_parts import OTHER, PARTS
from interval import Interval
from matplotlib.axes import Axes
from pictures import HEIGHT_IN, WIDTH_IN, Curve, draw, look, queue_axis
from results import Results
from style import BLACK, BLUE, GREEN, GREY, ORANGE, PALE, PURPLE, SKY, VERMILION, legend_below, new_figure, save

LEAST_SIZES = 2  # a table says as much of so few
BAR_IN = 0.3  # height of a bar and its gap
TITLE = "Time of a request: the drive's own electronics over ideal ones"
LADDER_COLOURS = (SKY, GREEN, ORANGE, VERMILION)
DRIVE_LOOKS = ((BLACK, "o"), (ORANGE, "s"), (BLUE, "p"), (VERMILION, "D"), (GREEN, "^"), (PURPLE, "*"))
PART_COLOURS = (
    GREY, SKY, ORANGE, PALE, GREEN, BLUE, VERMILION, PURPLE, BLACK, "#F0E442",
)  # fmt: skip


def _draw_depths(results: Results, costs: Costs, file: Path) -> None:
    """A panel for each drive, a curve for each policy, in the sweeps over depths. A policy of several sweeps is that of the first."""
    sweeps = [sweep for sweep in compared(costs) if sweep.axis == DEPTH and len(loads_of(results, sweep)) > 1]
    drives = list(dict.fromkeys(drive for sweep in sweeps for drive in sweep.drives))
    if not drives:
        return
    figure = new_figure(1.6 * WIDTH_IN, HEIGHT_IN * ((len(drives) + 1) // 2), TITLE)
    panels = list(figure.subplots((len(drives) + 1) // 2, 2, squeeze=False, sharey=True).flat)
    for drive, axes in zip(drives, panels, strict=False):
        shown: dict[str, list[tuple[float, Interval]]] = {}
        for sweep in sweeps:
            for policy in results.labels(sweep_on(sweep.name, drive)):
                if policy not in shown and (points := longer_over(results, sweep, drive, policy)):
                    shown[policy] = points
        draw(axes, [Curve(policy, points, *look(policy.partition(":")[0])) for policy, points in shown.items()])
        axes.set_title(drive)
        axes.set_ylabel("longer, %")
        axes.axhline(0, color=GREY, linewidth=0.8)
        queue_axis(axes, sorted({load for points in shown.values() for load, _ in points}), AXIS_NAMES[DEPTH])
    for axes in panels[len(drives) :]:
        axes.set_visible(False)
    legend_below(figure, *panels[: len(drives)], columns=6)
    save(figure, file)


def _draw_sizes(results: Results, costs: Costs, file: Path) -> None:
    """A panel for each sweep over more than two sizes, a curve for each drive, with the sweep's first policy."""
    sweeps = [sweep for sweep in compared(costs) if sweep.axis == SIZE and len(loads_of(results, sweep)) > LEAST_SIZES]
    if not sweeps:
        return
    drives = list(dict.fromkeys(drive for sweep in sweeps for drive in sweep.drives))
    height = (len(sweeps) + 1) // 2
    figure = new_figure(1.6 * WIDTH_IN, 0.8 * HEIGHT_IN * height, TITLE)
    panels = list(figure.subplots(height, 2, squeeze=False).flat)
    for sweep, axes in zip(sweeps, panels, strict=False):
        for drive, (colour, marker) in zip(drives, DRIVE_LOOKS, strict=False):
            policies = results.labels(sweep_on(sweep.name, drive))
            if policies:
                draw(axes, [Curve(drive, longer_over(results, sweep, drive, policies[0]), colour, marker)])
        axes.set_title(sweep.title)
        axes.set_ylabel("longer, %")
        axes.axhline(0, color=GREY, linewidth=0.8)
        queue_axis(axes, loads_of(results, sweep), AXIS_NAMES[SIZE])
    for axes in panels[len(sweeps) :]:
        axes.set_visible(False)
    legend_below(figure, *panels[: len(sweeps)])
    save(figure, file)


Rows = Sequence[tuple[str, Sequence[float]]]


def _stack(axes: Axes, rows: Rows, parts: Sequence[tuple[str, str]]) -> None:
    """A horizontal bar for each row, from its parts one after the other; parts below 0 go to the left."""
    axes.use_sticky_edges = False  # Otherwise the longest bar ends at the border.
    for place, (_, values) in enumerate(rows):
        right = left = 0.0
        for value, (name, colour) in zip(values, parts, strict=True):
            axes.barh(place, value, left=right if value >= 0 else left, color=colour, label=name if place == 0 else "")
            right, left = right + max(value, 0.0), left + min(value, 0.0)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")


def _draw_stacks(file: Path, title: str, x_label: str, groups: dict[str, Rows], parts: Sequence[tuple[str, str]]) -> None:
    """A panel of bars for each group."""
    counts = [len(rows) for rows in groups.values()]
    if not counts:
        return
    figure = new_figure(1.4 * WIDTH_IN, 1.2 + 0.9 * len(counts) + BAR_IN * sum(counts), title)
    panels = figure.subplots(len(counts), 1, squeeze=False, gridspec_kw={"height_ratios": counts}).flat
    for (name, rows), axes in zip(groups.items(), panels, strict=True):
        _stack(axes, rows, parts)
        axes.set_title(name)
        axes.set_xlabel(x_label)
    legend_below(figure, *figure.axes, columns=3)
    save(figure, file)


def _groups(cases: Sequence[Case], numbers: Callable[[Case], Sequence[float]]) -> dict[str, Rows]:
    """The numbers of cases by the title of their sweep."""
    groups: dict[str, list[tuple[str, Sequence[float]]]] = {}
    for case in cases:
        title, *rest = case.cells
        groups.setdefault(title, []).append((", ".join(rest), numbers(case)))
    return dict(groups)


def draw_cost(results: Results, costs: Costs, folder: Path) -> None:
    """Draws depth.png, size.png, parts.png and cycles.png, as far as there are runs. Raises OSError."""
    _draw_depths(results, costs, folder / "depth.png")
    _draw_sizes(results, costs, folder / "size.png")
    steps = _groups(ladder_cases(results, costs), lambda case: [step.mean for step in steps_us(results, case)])
    ladder = list(zip(LADDER.values(), LADDER_COLOURS, strict=True))
    _draw_stacks(folder / "parts.png", "What the electronics add to the time of a request", "us a request", steps, ladder)
    work = ledger_cases(results, costs)
    shown = [part for part in (*PARTS, OTHER) if any(part_cycles(results, case, part).mean for case in work)]
    cycles = _groups(work, lambda case: [part_cycles(results, case, part).mean for part in shown])
    names = [(f"{part}: {PARTS[part]}" if part in PARTS else part, colour) for part, colour in zip(shown, PART_COLOURS, strict=False)]
    _draw_stacks(folder / "cycles.png", "The core's cycles, by part of the firmware", "cycles a request", cycles, names)
