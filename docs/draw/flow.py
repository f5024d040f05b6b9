# SPDX-License-Identifier: Apache-2.0
"""Pictures of a run: the event flow of one read, and who has a clock meanwhile."""

import bisect
from collections.abc import Callable

import runs
import waves
from canvas import Canvas
from pictures import clock_users

_LEFT, _WIDE = 92, 616
# Stages of a record in their order, and how they are shown.
_STAGES = (
    ("issued", "a"), ("selection", "a"), ("command", "a"), ("queued", "d"), ("chosen", "d"), ("seek", "c"), ("settle", "c"),
    ("head_switch", "c"), ("rotation", "box"), ("media_transfer", "b"), ("bus_wait", "d"), ("bus_data", "a"), ("status", "a"),
)  # fmt: skip


class _Axis:
    """A stretch of time across the picture."""

    def __init__(self, first_ps: int, last_ps: int) -> None:
        self.first, self.last = first_ps, last_ps

    def x(self, time_ps: float) -> float:
        """Where a time is, held within the axis."""
        share = (time_ps - self.first) / (self.last - self.first)
        return _LEFT + _WIDE * min(1.0, max(0.0, share))

    def has(self, time_ps: float) -> bool:
        """Whether a time is on it."""
        return self.first <= time_ps <= self.last


def stages(record: dict[str, int]) -> list[tuple[str, str, int, int]]:
    """Name, kind, begin and end of each stage that takes time. They sum to the response time."""
    at = record["submitted_ps"]
    found = []
    for name, kind in _STAGES:
        lasts = record[f"{name}_ps"]
        if lasts:
            found.append((name, kind, at, at + lasts))
        at += lasts
    if at != record["completed_ps"]:
        raise waves.SourceError("records.csv: the stages do not sum to the response time")
    return found


def _spans(run: runs.Run, begins: tuple[str, ...], ends: tuple[str, ...]) -> list[tuple[int, int]]:
    found, start = [], None
    for event in run.events:
        if event.name in begins:
            start = event.time_ps
        elif event.name in ends and start is not None:
            found.append((start, event.time_ps))
            start = None
    return found


def _panel(picture: Canvas, top: float, axis: _Axis, run: runs.Run, labels: bool) -> None:
    """Four lanes over one stretch of time: record, bus, firmware, mechanics."""
    for index, name in enumerate(("record", "bus", "firmware", "arm")):
        picture.text(8, top + 18 + 30 * index, name, bold=True)
        picture.line([(_LEFT, top + 26 + 30 * index), (_LEFT + _WIDE, top + 26 + 30 * index)], "grid")
    for name, kind, begin, end in stages(run.record):
        left, right = axis.x(begin), axis.x(end)
        if right - left < 0.5:
            continue
        picture.box(left, top + 4, right - left, 20, kind, 0)
        if right - left > 7.2 * len(name):
            picture.text((left + right) / 2, top + 18, name.replace("_", " "), size=12, anchor="middle")
    for begin, end in _spans(run, ("SELECTED", "RESELECTED"), ("BUS_FREE",)):
        if axis.x(end) > axis.x(begin):
            picture.box(axis.x(begin), top + 34, max(axis.x(end) - axis.x(begin), 1), 20, "a", 0)
    for begin, end in _spans(run, ("DATA_PHASE_BEGIN",), ("DATA_PHASE_END",)):
        if axis.x(end) - axis.x(begin) > 1:
            picture.box(axis.x(begin), top + 37, axis.x(end) - axis.x(begin), 14, "b", 0)
            if axis.x(end) - axis.x(begin) > 60:
                picture.text((axis.x(begin) + axis.x(end)) / 2, top + 48, "data", size=12, anchor="middle")
    for event in run.events:
        if axis.has(event.time_ps):
            picture.line([(axis.x(event.time_ps), top + 64), (axis.x(event.time_ps), top + 86)], "line-d", 1.4)
    if labels:
        _names(picture, top + 150, axis, run)


def _names(picture: Canvas, top: float, axis: _Axis, run: runs.Run) -> None:
    """The events' names, turned upward and moved apart."""
    shown = [event for event in run.events if axis.has(event.time_ps)]
    places: list[float] = []
    for event in shown:
        places.append(max(axis.x(event.time_ps), places[-1] + 16 if places else 0))
    excess = max(0.0, (places[-1] if places else 0) - (_LEFT + _WIDE))
    for index in range(len(places) - 1, -1, -1):
        limit = _LEFT + _WIDE - 16 * (len(places) - 1 - index)
        places[index] = min(places[index], limit) if excess else places[index]
    for event, x in zip(shown, places, strict=True):
        picture.line([(axis.x(event.time_ps), top - 64), (axis.x(event.time_ps), top - 10), (x, top)], "grid")
        picture.text(x + 4, top + 4, event.name, size=11, anchor="end", mono=True, up=True)


def read() -> str:
    """One read of 4 KB: record, bus, firmware and arm on one axis of time, its beginning and its end closer."""
    run = runs.on_vp()
    whole = _Axis(run.begin_ps, run.end_ps)
    data_begin = next(event.time_ps for event in run.events if event.name == "HOST_GRANT")
    free = next(event.time_ps for event in run.events if event.name == "BUS_FREE")
    beginning = _Axis(run.begin_ps, free + 10_000_000)
    ending = _Axis(data_begin - 25_000_000, run.end_ps + 2_000_000)
    picture = Canvas(
        720, 790, "The event flow of one read of 4 KB",
        "Stages of the record, phases of the bus, events of the firmware and position of the arm on one axis of time.",
    )  # fmt: skip
    picture.text(8, 20, f"one read of 4 KB, block {run.record['lba']}: {(run.end_ps - run.begin_ps) / 1e9:.3f} ms", bold=True)
    _panel(picture, 34, whole, run, labels=False)
    _arm(picture, 34, whole)
    _ticks(picture, 160, whole, 1_000_000_000, "ms")
    picture.text(8, 206, f"its first {(beginning.last - beginning.first) / 1e6:.0f} us", bold=True)
    _panel(picture, 216, beginning, run, labels=True)
    _arm(picture, 216, beginning)
    _ticks(picture, 342, beginning, 20_000_000, "us")
    picture.text(8, 504, f"its last {(run.end_ps - ending.first) / 1e6:.0f} us", bold=True)
    _panel(picture, 514, ending, run, labels=True)
    _arm(picture, 514, ending)
    _ticks(picture, 640, ending, 50_000_000, "us")
    return picture.svg()


def _ticks(picture: Canvas, y: float, axis: _Axis, step_ps: int, unit: str) -> None:
    origin = runs.on_vp().begin_ps
    number = -(-(axis.first - origin) // step_ps)
    while origin + number * step_ps <= axis.last:
        x = axis.x(origin + number * step_ps)
        picture.line([(x, y - 6), (x, y)], "grid")
        value = number * step_ps // (10**9 if unit == "ms" else 10**6)
        picture.text(x, y + 12, f"{value} {unit}", size=12, anchor="middle", kind="dim")
        number += 1


def _arm(picture: Canvas, top: float, axis: _Axis) -> None:
    """The arm's cylinder, as the waves have it, over the panel's last lane."""
    points = [(time, float(value)) for time, value in runs.changes(["drive.arm.position_cylinders"])["drive.arm.position_cylinders"]]
    highest = max(value for _, value in points) or 1.0
    times = [time for time, _ in points]
    drawn: list[tuple[float, float]] = []
    for step in range(0, _WIDE + 1, 2):
        time = axis.first + (axis.last - axis.first) * step / _WIDE
        at = max(bisect.bisect_right(times, time) - 1, 0)
        value = points[at][1]
        if at + 1 < len(points) and times[at] <= time:
            share = (time - times[at]) / (times[at + 1] - times[at])
            value += share * (points[at + 1][1] - value)
        drawn.append((_LEFT + step, top + 116 - 22 * value / highest))
    picture.line(drawn, "line-c", 1.8)
    if axis.last - axis.first > 10**9:
        picture.text(_LEFT + _WIDE - 4, top + 112, f"cylinder {highest:.0f}", size=12, anchor="end", kind="ink-c")


# --- Clocks --------------------------------------------------------------------------------------------------------


def clocks() -> str:
    """How many edges each clock of the SoC got while the read was under way."""
    run = runs.on_rtl()
    axis = _Axis(run.begin_ps, run.end_ps)
    names = list(clock_users())
    edges = runs.changes([f"soc_top.{name}" for name in names])
    per_bin = (run.end_ps - run.begin_ps) / _WIDE / runs.EDGE_PS
    total = (run.end_ps - run.begin_ps) // runs.EDGE_PS
    tall = 44
    picture = Canvas(
        720, 40 + tall * (len(names) + 2) + 34, "The clocks of the SoC during one read",
        "For each clock input: the share of edges that it got. The time base and the spindle never stop.",
    )  # fmt: skip
    picture.text(8, 20, f"edges of each clock during the read: of {total:,} that there could be", bold=True)
    for row, name in enumerate(names):
        base = 40 + tall * row + tall - 14
        rising = [time for time, value in edges[f"soc_top.{name}"] if value == "1" and axis.has(time)]
        picture.text(8, base - 12, name.removesuffix("_clk_i"), bold=True)
        picture.text(8, base + 3, f"{len(rising):,}", size=12, kind="dim")
        bins = [0] * (_WIDE + 1)
        for time in rising:
            bins[int(axis.x(time) - _LEFT)] += 1
        for index, count in enumerate(bins):
            if count:
                height = max(1.5, 28 * min(1.0, count / per_bin))
                picture.line([(_LEFT + index, base + 4), (_LEFT + index, base + 4 - height)], "line-b")
        picture.line([(_LEFT, base + 4), (_LEFT + _WIDE, base + 4)], "grid")
    outside = (("mtime_i", "counted outside: right at every edge that is given"), ("spindle", "a closed form of time: needs no edge"))
    for row, (name, words) in enumerate(outside):
        base = 40 + tall * (len(names) + row) + tall - 14
        picture.text(8, base - 4, name, bold=True)
        picture.box(_LEFT, base - 18, _WIDE, 20, "c", 0)
        picture.text(_LEFT + 8, base - 4, words, size=12)
    _ticks(picture, 40 + tall * (len(names) + 2) + 10, axis, 1_000_000_000, "ms")
    return picture.svg()


PICTURES: dict[str, Callable[[], str]] = {
    "pictures/read.svg": read,
    "pictures/clocks.svg": clocks,
    **{f"pictures/wave_{name}.svg": lambda name=name: waves.draw(name) for name in waves.names()},
}
