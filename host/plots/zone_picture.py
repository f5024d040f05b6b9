# SPDX-License-Identifier: Apache-2.0
"""The zone map: sectors per track, rates and capacity over the cylinders, outermost first."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

import style
from drive_data import Drive

LABEL_GAP = 0.0165  # of the width: the height of a line of 8-point text turned upright
MAX_LABELS = int(1 / LABEL_GAP)


def draw_zones(drive: Drive) -> Figure:
    """Top: sectors per track and rates. Between: each zone's first LBA. Bottom: capacity."""
    figure = style.new_figure(13, 8, f"{drive.name}: zones")
    room = 0.3 if len(drive.zones) > 1 else 0.08  # the one label is "0"
    top, strip, bottom = figure.subplots(3, 1, sharex=True, height_ratios=(1.25, room, 0.9))
    _density(top, drive)
    _first_lbas(strip, top, drive)
    _capacity(bottom, drive)
    for axes in (top, bottom):
        _gaps(axes, drive)
        axes.spines["right"].set_visible(axes is top)
    top.tick_params(labelbottom=False)
    bottom.set_xlabel("cylinder (0 is the outermost)")
    bottom.set_xlim(0, drive.cylinders)
    bottom.xaxis.set_major_locator(MaxNLocator(10, integer=True, steps=[1, 2, 5, 10]))
    style.group_ticks(bottom)
    style.group_ticks(bottom, "y")
    style.legend_below(figure, top, bottom)
    return figure


def _steps(drive: Drive, values: list[float]) -> tuple[list[float], list[float]]:
    """x and y of one level line per zone, broken (nan) between zones with a gap between them."""
    x: list[float] = []
    y: list[float] = []
    for zone, value in zip(drive.zones, values, strict=True):
        if x and x[-1] != zone.first_cylinder:
            x.append(x[-1])
            y.append(np.nan)
        x += [zone.first_cylinder, zone.last_cylinder + 1]
        y += [value, value]
    return x, y


def _density(axes: Axes, drive: Drive) -> None:
    """Sectors per track on the left, MB/s on the right: one line, as they are proportional."""
    sectors = [zone.sectors_per_track for zone in drive.zones]
    one_sector = drive.sector_bytes / 1e3 / drive.revolution_ms  # MB/s
    sequential = [zone.sequential_rate_mb_per_s / one_sector for zone in drive.zones]
    axes.plot(
        *_steps(drive, [float(n) for n in sectors]),
        color=style.BLUE,
        linewidth=2.2,
        label="sectors per track (left), media rate (right)",
    )
    axes.plot(
        *_steps(drive, sequential),
        color=style.VERMILION,
        linestyle=(0, (5, 1.5)),
        label="sequential read rate, skews included (right)",
    )
    axes.set_ylim(0, max(*sectors, *sequential, 1) * 1.12)
    axes.set_ylabel("sectors per track")
    style.right_axis(axes, one_sector, "MB/s (10\N{SUPERSCRIPT SIX} bytes of data)")
    least, most = min(sectors), max(sectors)
    span = f"{most} to {least} sectors" if least < most else style.counted(most, "sector")
    axes.set_title(
        ", ".join(
            (
                style.counted(len(sectors), "zone"),
                f"{span} per track",
                style.counted(drive.cylinders, "cylinder"),
                style.counted(drive.heads, "head"),
                f"{style.grouped(drive.rpm)} rpm",
            )
        )
    )


def _first_lbas(axes: Axes, above: Axes, drive: Drive) -> None:
    """Upright labels, pushed apart, each tied to the cylinder where its zone starts."""
    every = -(-len(drive.zones) // MAX_LABELS)
    zones = drive.zones[::every]
    wanted = [zone.first_cylinder / drive.cylinders for zone in zones]
    places = style.spread(wanted, LABEL_GAP, 0, 1)
    for zone, start, place in zip(zones, wanted, places, strict=True):
        line = axes.annotate(
            "",
            (start, 0),
            (place, 0.97),
            xycoords=above.transAxes,
            textcoords=axes.transAxes,
            arrowprops={
                "arrowstyle": "-",
                "color": style.GREY,
                "linewidth": 0.8,
                "shrinkA": 0,
                "shrinkB": 0,
            },
            annotation_clip=False,
        )
        line.set_in_layout(False)
        axes.text(
            place,
            0.95,
            style.grouped(zone.first_lba),
            rotation=90,
            fontsize=8,
            va="top",
            ha="center",
            transform=axes.transAxes,
        )
    axes.set_ylabel(
        "first\nLBA" if every == 1 else f"first\nLBA,\n1 of {every}",
        rotation=0,
        ha="right",
        va="center",
        labelpad=12,
    )
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.tick_params(bottom=False, labelbottom=False)
    axes.spines[:].set_visible(False)


def _capacity(axes: Axes, drive: Drive) -> None:
    """Data bytes in the cylinders up to x; a gap adds nothing."""
    total = drive.capacity_blocks * drive.sector_bytes
    unit, scale = ("GB", 1e9) if total >= 2e9 else ("MB", 1e6)
    x, blocks = [0.0], [0.0]
    for zone in drive.zones:
        x += [zone.first_cylinder, zone.last_cylinder + 1]
        blocks += [blocks[-1], blocks[-1] + zone.blocks]
    x.append(drive.cylinders)
    blocks.append(blocks[-1])
    axes.plot(
        x,
        np.array(blocks) * drive.sector_bytes / scale,
        color=style.GREEN,
        label="capacity up to this cylinder",
    )
    published = drive.published_capacity_blocks
    if published is not None:
        axes.axhline(
            published * drive.sector_bytes / scale,
            linestyle="--",
            color=style.PURPLE,
            linewidth=1.5,
            label=f"published: {style.grouped(published)} blocks",
        )
    axes.set_ylim(0, max(total, (published or 0) * drive.sector_bytes, 1) / scale * 1.12)
    axes.set_ylabel(f"cumulative capacity, {unit}")
    axes.set_title(
        f"{style.counted(drive.capacity_blocks, 'block')} of {drive.sector_bytes} bytes: "
        f"{total / scale:,.3f} {unit}"
    )


def _gaps(axes: Axes, drive: Drive) -> None:
    """Cylinders outside every zone. The edge line keeps a single one visible."""
    label = "reserved: in no zone"
    for first, last in drive.gaps():
        axes.axvspan(
            first,
            last + 1,
            facecolor=style.PALE,
            edgecolor="#ABABAB",
            linewidth=1,
            zorder=0.5,
            label=label,
        )
        label = "_"
