# SPDX-License-Identifier: Apache-2.0
"""The seek curve: time over distance for reads and writes, all distances and the short ones."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

import style
from drive_data import Drive

SHORT_FRACTION = 20  # the second panel ends at a twentieth of the stroke ...
SHORT_AT_LEAST = 100  # ... but shows at least so many cylinders, where the drive has them


def draw_seek(drive: Drive) -> Figure:
    """Left: all distances, linear. Right: short distances, logarithmic."""
    figure = style.new_figure(13, 6.4, f"{drive.name}: seek curve")
    full, short = figure.subplots(1, 2, width_ratios=(1.25, 1))
    stroke = drive.cylinders - 1
    short_end = min(stroke, max(SHORT_AT_LEAST, stroke // SHORT_FRACTION))
    for axes, end in ((full, stroke), (short, short_end)):
        _curves(axes, drive, end)
        _references(axes, drive)
        _points(axes, drive, end)
        axes.set_xlabel("seek distance, cylinders")
        axes.set_ylabel("time, ms")
        axes.spines["right"].set_visible(False)
    _frame_full(full, drive)
    _frame_short(short, drive, short_end)
    style.legend_below(figure, full, short)
    return figure


def _curves(axes: Axes, drive: Drive, end: int) -> None:
    """Read and write time at every distance 1 .. end; one line where they are the same."""
    distance = np.arange(1, end + 1)
    marker = "." if len(distance) == 1 else None
    read_label = "read" if drive.write_settle_ms else "read and write (write settle 0)"
    if drive.write_settle_ms:
        label = f"write (write settle {drive.write_settle_ms:+.3f} ms)"
        write = drive.write_ms[1 : end + 1]
        axes.plot(distance, write, color=style.VERMILION, label=label, marker=marker)
    read = drive.seek_ms[1 : end + 1]
    axes.plot(distance, read, color=style.BLUE, label=read_label, marker=marker)


def _references(axes: Axes, drive: Drive) -> None:
    """Times to compare with: a revolution, half of it, a head switch, the mean seek."""
    turn = drive.revolution_ms
    lines = (
        (turn, "--", style.BLACK, f"one revolution {turn:.3f} ms"),
        (turn / 2, ":", style.BLACK, f"half a revolution {turn / 2:.3f} ms"),
        (drive.head_switch_ms, "-.", style.GREEN, f"head switch {drive.head_switch_ms:.3f} ms"),
        (drive.mean_seek_ms, "--", style.BLUE, f"mean seek {drive.mean_seek_ms:.3f} ms"),
    )
    for time, dashes, colour, label in lines:
        axes.axhline(time, linestyle=dashes, color=colour, linewidth=1.1, label=label, zorder=1.5)


def _points(axes: Axes, drive: Drive, end: int) -> None:
    """The rows of `drive info`, and the published times where the description has them."""
    rows = [row for row in drive.info_rows if row[0] <= end]
    x, read, write = zip(*rows, strict=True) if rows else ((), (), ())
    axes.plot(x, read, "o", ms=4.5, color=style.BLUE, mfc="white", label="rows of drive info")
    if drive.write_settle_ms:
        axes.plot(x, write, "o", ms=4.5, color=style.VERMILION, mfc="white")
    table = [point for point in drive.published_points if point[0] <= end]
    if table:
        axes.plot(*zip(*table, strict=True), "x", ms=4, color=style.BLACK, label="published table")
    published = drive.published_ms
    places = {"single_cylinder_seek_ms": 1, "full_stroke_seek_ms": drive.cylinders - 1}
    points = [(at, published[key]) for key, at in places.items() if key in published and at <= end]
    if points:
        label = "published, 1 cylinder and full stroke"
        x, times = zip(*points, strict=True)
        axes.plot(x, times, "D", ms=7, mfc="none", mew=1.5, color=style.PURPLE, label=label)
    if "average_seek_ms" in published:
        mean = published["average_seek_ms"]
        axes.axhline(
            mean,
            linestyle="-.",
            color=style.PURPLE,
            linewidth=1.1,
            label=f"published average {mean:.3f} ms",
            zorder=1.5,
        )


def _frame_full(axes: Axes, drive: Drive) -> None:
    """Both axes from zero; the mean seek tied to the distance that takes as long."""
    axes.set_title("all distances")
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, max(drive.cylinders - 1, 1) * 1.015)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
    style.group_ticks(axes)
    if drive.cylinders == 1:
        axes.text(
            0.5, 0.5, "one cylinder: the arm never seeks", transform=axes.transAxes, ha="center"
        )
        return
    mean = drive.mean_seek_ms
    reached = int(np.argmax(drive.seek_ms >= mean))
    axes.plot([reached], [mean], "s", ms=7, color=style.BLUE, zorder=3)
    x, side = (14, "left") if reached < 0.7 * (drive.cylinders - 1) else (-14, "right")
    axes.annotate(
        f"mean seek, as long as\n{style.counted(reached, 'cylinder')}",
        (reached, mean),
        xytext=(x, -10),
        textcoords="offset points",
        ha=side,
        va="top",
        color=style.BLUE,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5, "alpha": 0.85},
    )


def _frame_short(axes: Axes, drive: Drive, end: int) -> None:
    """The range of the curves only: references that lie far above would flatten them."""
    axes.set_title(f"short distances, up to {style.counted(end, 'cylinder')}, logarithmic")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(0.9, max(end, 2) * 1.1)
    style.group_ticks(axes)
    axes.grid(which="minor", axis="x", color="#F2F2F2")
    times = np.concatenate((drive.seek_ms[1 : end + 1], drive.write_ms[1 : end + 1]))
    top = float(times.max()) * 1.08 if len(times) and times.max() > 0 else drive.revolution_ms
    axes.set_ylim(0, top)
    axes.yaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 2.5, 5, 10]))
    style.right_axis(axes, 1 / drive.revolution_ms, "revolutions")
