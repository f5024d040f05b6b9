# SPDX-License-Identifier: Apache-2.0
"""The unrolled skew view: does the skew of a zone cover the switch from track to track?

A row is a track, x the angle. A read leaves a track where it began, at its start angle. Then the
switch takes its time, the platter turns on, and the head waits for the next track's start:

    skew  = (start of next - start of this)  mod 1       revolutions
    wait  = (skew - switch time / revolution) mod 1      revolutions

The skew covers the switch if the switch time, less whole turns, fits in the skew. Otherwise the head is too late and waits for
almost a turn.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes

import style
from drive_data import Drive, Track

ROWS_AT_MOST = 26
ROWS_AT_LEAST = 8  # room for so many, that fewer stay as thin
SAME_ANGLE = 1e-7  # revolutions; start angles are whole steps of 2^-32
BAR_HALF_HEIGHT = 0.17


@dataclass(frozen=True)
class Step:
    """The step from one track to the next. Angles and times are in revolutions."""

    leave: float
    read_switch: float
    write_switch: float
    skew: float

    def covered(self, switch: float) -> bool:
        """Does the skew leave time for a switch of so many revolutions?"""
        return switch % 1.0 <= self.skew + SAME_ANGLE

    def wait(self, switch: float) -> float:
        """What is lost after the switch: 0 .. 1."""
        early = self.skew - switch % 1.0
        return max(early, 0.0) if self.covered(switch) else 1.0 + early


def draw(axes: Axes, drive: Drive) -> None:
    """The first zone's tracks in the order of the blocks, around the first change of cylinder."""
    tracks, first = _window(drive.zones[0].tracks)
    steps = [_step(drive, *pair) for pair in pairwise(tracks)]
    for row, track in enumerate(tracks):
        axes.plot([0, 1], [row, row], color=style.PALE, linewidth=3.5, zorder=1)
        axes.plot(
            track.start_angle,
            row,
            "o",
            color=style.BLUE,
            ms=6,
            zorder=4,
            clip_on=False,
            label="_" if row else "track's sector 0: start and end of its read",
        )
    for row, step in enumerate(steps):
        _draw_switch(axes, row, step, tracks[row].cylinder != tracks[row + 1].cylinder)
        if not drive.mean_latency:
            _draw_path(axes, row, step)
    _frame(axes, drive, tracks, first)
    if not steps:
        axes.text(
            0.5, 0.3, "one track: nothing to switch to", transform=axes.transAxes, ha="center"
        )
    elif not drive.mean_latency:
        _waits(axes, steps, len(tracks))


def _window(tracks: list[Track]) -> tuple[list[Track], int]:
    """At most ROWS_AT_MOST tracks around the first change of cylinder; how many come before."""
    if len(tracks) <= ROWS_AT_MOST:
        return tracks, 0
    change = next(
        (n for n, track in enumerate(tracks) if track.cylinder != tracks[0].cylinder), len(tracks)
    )
    first = min(max(change - ROWS_AT_MOST // 2, 0), len(tracks) - ROWS_AT_MOST)
    return tracks[first : first + ROWS_AT_MOST], first


def _step(drive: Drive, before: Track, after: Track) -> Step:
    turn = drive.revolution_ms
    read_ms = drive.switch_ms(before, after)
    skew = (after.start_angle - before.start_angle) % 1.0
    if skew > 1 - SAME_ANGLE:
        skew = 0.0
    write_ms = read_ms + max(drive.write_settle_ms, 0.0)
    return Step(before.start_angle, read_ms / turn, write_ms / turn, skew)


def _pieces(start: float, length: float) -> list[tuple[float, float]]:
    """An arc as (from, width) within 0 .. 1; one longer than a turn covers the circle."""
    if length >= 1:
        return [(0.0, 1.0)]
    start %= 1.0
    if start + length <= 1:
        return [(start, length)]
    return [(start, 1 - start), (0.0, start + length - 1)]


def _bar(axes: Axes, at: float, arc: tuple[float, float], look: dict[str, Any]) -> None:
    axes.broken_barh(_pieces(*arc), (at - BAR_HALF_HEIGHT, 2 * BAR_HALF_HEIGHT), **look)


def _draw_switch(axes: Axes, row: int, step: Step, seeks: bool) -> None:
    """Bars from the track's end on: the switch, and what a write adds to it."""
    at = row + 0.5
    colour = style.ORANGE if seeks else style.SKY
    label = "seek to the next cylinder" if seeks else "head switch"
    _bar(
        axes,
        at,
        (step.leave, step.read_switch),
        {"facecolor": colour, "edgecolor": colour, "linewidth": 1, "label": label, "zorder": 2},
    )
    extra = step.write_switch - step.read_switch
    if extra > 0:
        _bar(
            axes,
            at,
            (step.leave + step.read_switch, extra),
            {
                "facecolor": "none",
                "edgecolor": style.PURPLE,
                "hatch": "/////",
                "linewidth": 0.8,
                "label": "write settle",
                "zorder": 2.5,
            },
        )


def _draw_path(axes: Axes, row: int, step: Step) -> None:
    """Down from the track's end, along switch and wait, down to the next track's start."""
    at = row + 0.5
    travelled = step.read_switch + step.wait(step.read_switch)
    end = step.leave + travelled
    path: dict[str, Any] = {"color": style.BLACK, "linewidth": 0.9, "zorder": 3}
    for start, width in _pieces(step.leave, travelled):
        axes.plot(
            [start, start + width], [at, at], **path, label="time of a read, wrapping at the index"
        )
    axes.plot([step.leave % 1] * 2, [row, at], **path)
    axes.plot([end % 1 if (end % 1) < 1 - SAME_ANGLE else 0.0] * 2, [at, row + 1], **path)


def _frame(axes: Axes, drive: Drive, tracks: list[Track], first: int) -> None:
    zone = drive.zones[0]
    rows = len(tracks)
    axes.set_ylim(max(rows, ROWS_AT_LEAST) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_yticks(
        range(rows),
        [f"{track.cylinder}/{track.head}" for track in tracks],
        fontsize=8 if rows > 16 else 9.5,
    )
    axes.set_ylabel(f"track, cylinder/head, as blocks run ({drive.mapping} mapping)")
    axes.set_xlabel("angle, revolutions after the index")
    axes.grid(visible=False, axis="y")
    axes.spines["right"].set_visible(False)
    shown = "first tracks" if first == 0 else f"tracks {first} to {first + rows - 1}"
    note = (
        f"skew {style.counted(zone.track_skew_sectors, 'sector')} to the next head, "
        f"{zone.cylinder_skew_sectors} to the next cylinder"
    )
    if drive.mean_latency:
        note = "this drive charges half a turn to every access: angles do not count"
    axes.set_title(
        f"Zone 0, {shown}: {note}\n1 revolution = {drive.revolution_ms:.3f} ms "
        f"= {style.counted(zone.sectors_per_track, 'sector')}"
    )


def _waits(axes: Axes, steps: list[Step], rows: int) -> None:
    """The wait after every switch, right of its bar: read, write. A late one is red and marked."""
    size = 8 if rows > 16 else 9
    columns = ((1.02, "read", "read_switch"), (1.175, "write", "write_switch"))
    data = axes.get_yaxis_transform()
    axes.text(1.02, 1.003, "wait, revolutions", transform=axes.transAxes, fontsize=9, va="bottom")
    for x, name, field in columns:
        axes.text(x, -0.15, name, transform=data, fontsize=9, fontweight="bold", va="center")
        for row, step in enumerate(steps):
            switch = getattr(step, field)
            late = not step.covered(switch)
            text = f"{step.wait(switch):.3f}" + (" late" if late else "")
            axes.text(
                x,
                row + 0.5,
                text,
                transform=data,
                fontsize=size,
                va="center",
                color=style.VERMILION if late else style.BLACK,
                fontweight="bold" if late else "normal",
            )
