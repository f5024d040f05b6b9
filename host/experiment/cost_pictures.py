# SPDX-License-Identifier: Apache-2.0
"""The pictures of the page of `cost`."""

from collections.abc import Sequence
from pathlib import Path

from cost_load import DEPTH, SIZE, Costs, sweep_on
from cost_numbers import AXIS_NAMES, LADDER, ledgers, loads_of, longer_over, part_cycles, rungs, steps_us
from cost_parts import OTHER, PARTS
from interval import Interval
from pictures import HEIGHT_IN, WIDTH_IN, Curve, draw, look, queue_axis
from results import Results
from style import BLACK, BLUE, GREEN, GREY, ORANGE, PALE, PURPLE, SKY, VERMILION, legend_below, new_figure, save

TITLE = "Time of a request: the drive's own electronics over ideal ones"
LADDER_COLOURS = (SKY, GREEN, ORANGE, VERMILION)
DRIVE_LOOKS = ((BLACK, "o"), (ORANGE, "s"), (BLUE, "p"), (VERMILION, "D"), (GREEN, "^"), (PURPLE, "*"))
PART_COLOURS = (
    GREY, SKY, ORANGE, PALE, GREEN, BLUE, VERMILION, PURPLE, BLACK, "#F0E442",
)  # fmt: skip


def _draw_depths(results: Results, costs: Costs, file: Path) -> None:
    """A panel for each drive, a curve for each policy, in the sweeps over depths. A policy of several sweeps is that of the first."""
    sweeps = [sweep for sweep in costs.sweeps if sweep.axis == DEPTH and len(loads_of(results, sweep)) > 1]
    drives = list(dict.fromkeys(drive for sweep in sweeps for drive in sweep.drives))
    if not drives:
        return
    figure = new_figure(1.6 * WIDTH_IN, HEIGHT_IN * ((len(drives) + 1) // 2), TITLE)
    panels = figure.subplots((len(drives) + 1) // 2, 2, squeeze=False, sharey=True).flat
    used = []
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
        used.append(axes)
    for axes in list(panels)[len(drives) :]:
        axes.set_visible(False)
    legend_below(figure, *used, columns=6)
    save(figure, file)


def _draw_sizes(results: Results, costs: Costs, file: Path) -> None:
    """A panel for each sweep over sizes, a curve for each drive, with the sweep's first policy."""
    sweeps = [sweep for sweep in costs.sweeps if sweep.axis == SIZE and len(loads_of(results, sweep)) > 1]
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


def _draw_stacks(file: Path, title: str, x_label: str, rows: Sequence[tuple[str, Sequence[float]]], parts: Sequence[tuple[str, str]]) -> None:
    """A horizontal bar for each row, from its parts one after the other; parts below 0 go to the left."""
    if not rows:
        return
    figure = new_figure(1.4 * WIDTH_IN, 1.6 + 0.32 * len(rows), title)
    axes = figure.subplots()
    for place, (_, values) in enumerate(rows):
        right = left = 0.0
        for value, (name, colour) in zip(values, parts, strict=True):
            axes.barh(place, value, left=right if value >= 0 else left, color=colour, label=name if place == 0 else "")
            right, left = right + max(value, 0.0), left + min(value, 0.0)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(x_label)
    legend_below(figure, axes, columns=5)
    save(figure, file)


def draw_cost(results: Results, costs: Costs, folder: Path) -> None:
    """Draws depth.png, size.png, parts.png and cycles.png, as far as there are runs. Raises OSError."""
    _draw_depths(results, costs, folder / "depth.png")
    _draw_sizes(results, costs, folder / "size.png")
    steps = [(", ".join(rung.cells), [step.mean for step in steps_us(results, rung)]) for rung in rungs(results, costs)]
    _draw_stacks(
        folder / "parts.png", "What the electronics add to a request", "us a request", steps,
        list(zip(LADDER.values(), LADDER_COLOURS, strict=True)),
    )  # fmt: skip
    cycles = [(", ".join(place.cells), [part_cycles(results, place, part).mean for part in (*PARTS, OTHER)]) for place in ledgers(results, costs)]
    names = [(f"{part}: {what}" if what else part, colour) for (part, what), colour in zip((*PARTS.items(), (OTHER, "")), PART_COLOURS, strict=True)]
    _draw_stacks(folder / "cycles.png", "The core's cycles, by part of the firmware", "cycles a request", cycles, names)
