# SPDX-License-Identifier: Apache-2.0
"""The angular layout: the platter from above, and the skew from track to track, unrolled."""

import math
from typing import Any

import matplotlib
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

import skew_panel
import style
from drive_data import Drive

HUB_RADIUS = 0.36  # of the outer radius; assumed, as a drive's description has no lengths
TICKS_AT_MOST = 72  # sector boundaries drawn around the densest zone
RINGS_WITH_EDGES = 30
LABEL_ROOM = 0.048  # radius that a zone's number needs


def draw_layout(drive: Drive) -> Figure:
    """Left: the platter. Right: the first zone's tracks in the order of the blocks."""
    figure = style.new_figure(14, 8.6, f"{drive.name}: angular layout")
    left, right = figure.subfigures(1, 2, width_ratios=(1, 1.3), squeeze=False)[0]
    _platter(left.add_subplot(projection="polar"), drive)
    skew = right.add_subplot()
    skew_panel.draw(skew, drive)
    style.legend_below(figure, skew, columns=5)
    return figure


def _radius(drive: Drive, cylinder: float) -> float:
    """Cylinder 0 at radius 1, the last one's inner edge at the hub, evenly between."""
    return 1 - (1 - HUB_RADIUS) * cylinder / drive.cylinders


def _tick_step(drive: Drive) -> int:
    """Every how many sectors a tick: the same in all zones, so that densities compare."""
    most = max(zone.sectors_per_track for zone in drive.zones)
    steps = (factor * power for power in (1, 10, 100, 1000) for factor in (1, 2, 5))
    return next(step for step in steps if most / step <= TICKS_AT_MOST)


def _colours() -> Colormap:
    """The sequential colours without their dark end, where ticks would not show."""
    return ListedColormap(matplotlib.colormaps[style.SEQUENTIAL](np.linspace(0.04, 0.44, 200)))


def _platter(axes: PolarAxes, drive: Drive) -> None:
    """Zones as rings, outermost first; angles in revolutions, clockwise from the index on top."""
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    axes.set_anchor("N")
    axes.tick_params(axis="x", pad=7)
    axes.set_yticks([])
    axes.set_xticks(np.arange(8) / 8 * math.tau, [f"{n / 8:g}" for n in range(8)])
    axes.grid(visible=False)
    axes.spines["polar"].set_visible(False)
    sectors = [zone.sectors_per_track for zone in drive.zones]
    norm = Normalize(min(sectors) - 1, max(sectors) + 1)
    _rings(axes, drive, norm)
    step = _tick_step(drive)
    for index in range(len(drive.zones)):
        _sector_ticks(axes, drive, index, step)
    _zone_numbers(axes, drive)
    for inner, outer in ((0, HUB_RADIUS), (1, 1.04)):
        axes.plot([0, 0], [inner, outer], color=style.VERMILION, linewidth=2.5, clip_on=False)
    axes.text(0, 0, "index", color=style.VERMILION, ha="center", va="top", fontweight="bold")
    tick = "every sector boundary" if step == 1 else f"a tick every {step} sectors"
    grey = "; grey: in no zone" if drive.gaps() else ""
    axes.set_title(
        f"Platter: {tick} on each zone's first track\n"
        f"(blue: its sector 0); revolutions after the index; hub assumed{grey}",
        pad=16,
    )
    if len(set(sectors)) > 1:
        below = axes.inset_axes((0.15, -0.125, 0.7, 0.025))  # in the room that the circle leaves
        below.set_in_layout(False)
        axes.figure.colorbar(
            ScalarMappable(norm, _colours()),
            cax=below,
            label="sectors per track",
            orientation="horizontal",
        )


def _rings(axes: PolarAxes, drive: Drive, norm: Normalize) -> None:
    """One ring per zone, grey for cylinders in no zone."""
    colours = _colours()
    has_edges = len(drive.zones) <= RINGS_WITH_EDGES  # the edge shows a gap of one cylinder, too
    edge, gap_edge = ("white", style.GREY) if has_edges else ("none", "none")
    areas: list[tuple[tuple[int, int], Any, str]] = [
        ((zone.first_cylinder, zone.last_cylinder), colours(norm(zone.sectors_per_track)), edge)
        for zone in drive.zones
    ]
    areas += [(gap, style.GREY, gap_edge) for gap in drive.gaps()]
    for (first, last), colour, edge in areas:
        outer, inner = _radius(drive, first), _radius(drive, last + 1)
        axes.bar(
            0,
            outer - inner,
            width=math.tau,
            bottom=inner,
            align="edge",
            color=colour,
            edgecolor=edge,
            linewidth=0.8,
        )


def _sector_ticks(axes: PolarAxes, drive: Drive, index: int, step: int) -> None:
    """Boundaries of sectors 0, step, 2 step ... across the zone's ring; sector 0 stands out."""
    zone = drive.zones[index]
    start = zone.tracks[0].start_angle if zone.tracks else 0.0
    sectors = np.arange(0, zone.sectors_per_track, step)
    angles = (start + sectors / zone.sectors_per_track) * math.tau
    outer, inner = _radius(drive, zone.first_cylinder), _radius(drive, zone.last_cylinder + 1)
    axes.vlines(angles, inner, outer, color=style.BLACK, linewidth=0.5, alpha=0.75)
    axes.plot([angles[0]] * 2, [inner, outer], color=style.BLUE, linewidth=2.6, zorder=3.5)


def _zone_numbers(axes: PolarAxes, drive: Drive) -> None:
    """Numbers down the half turn, left out where rings are too narrow for them."""
    free = math.inf
    for number, zone in enumerate(drive.zones):
        middle = _radius(drive, (zone.first_cylinder + zone.last_cylinder + 1) / 2)
        if free - middle < LABEL_ROOM:
            continue
        free = middle
        axes.text(
            math.tau / 2,
            middle,
            str(number),
            fontsize=8,
            ha="center",
            va="center",
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.9},
        )
