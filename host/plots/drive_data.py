# SPDX-License-Identifier: Apache-2.0
"""The numbers of one drive, as `headstack drive plot` hands them over: JSON in, checked data out.

The maker of the JSON is plot_json() in host/cli/drive_report.cpp. Times become milliseconds here,
angles stay in revolutions after the index (0 .. 1), distances and places in cylinders.
"""

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

PS_PER_MS = 1e9


class DataError(Exception):
    """The JSON is not what plot_json() makes; the text says what is wrong with it."""


@dataclass(frozen=True)
class Track:
    """A track, and the place of its sector 0."""

    cylinder: int
    head: int
    start_angle: float  # revolutions after the index, 0 .. 1


@dataclass(frozen=True)
class Zone:
    """Cylinders with the same number of sectors on every track."""

    first_cylinder: int
    last_cylinder: int  # inclusive
    sectors_per_track: int
    track_skew_sectors: int
    cylinder_skew_sectors: int
    first_lba: int
    blocks: int
    media_rate_mb_per_s: float  # 10^6 bytes of data, while sectors pass
    sequential_rate_mb_per_s: float  # with the skews of a long read
    tracks: list[Track]  # the zone's first tracks in traversal order


@dataclass(frozen=True)
class Drive:
    """All data of the pictures."""

    name: str
    rpm: float
    revolution_ms: float
    mean_latency: bool  # every access is charged half a turn, whatever the angle
    heads: int
    cylinders: int
    sector_bytes: int
    capacity_blocks: int
    published_capacity_blocks: int | None
    mapping: str
    head_switch_ms: float
    write_settle_ms: float  # may be negative, as some drives publish it
    mean_seek_ms: float
    seek_ms: NDArray[np.float64]  # [cylinders]: read seek over distance, distance 0 first
    info_rows: list[tuple[int, float, float]]  # `drive info`: cylinders, read ms, write ms
    published_points: list[tuple[float, float]]  # the measured table: cylinders, ms
    published_ms: dict[str, float] = field(default_factory=dict)  # single_cylinder_seek_ms, ...
    zones: list[Zone] = field(default_factory=list)

    @property
    def write_ms(self) -> NDArray[np.float64]:
        """[cylinders]: write seek over distance; distance 0 moves nothing and costs nothing.

        A settle below 0 counts as none: no write begins before its sector's header is read (sim/mechanics/head_stack.hpp).
        """
        write = self.seek_ms + max(self.write_settle_ms, 0.0)
        write[0] = 0.0
        return write

    def gaps(self) -> list[tuple[int, int]]:
        """Cylinders that belong to no zone: (first, last inclusive), ascending."""
        gaps: list[tuple[int, int]] = []
        next_cylinder = 0
        for zone in self.zones:
            if zone.first_cylinder > next_cylinder:
                gaps.append((next_cylinder, zone.first_cylinder - 1))
            next_cylinder = zone.last_cylinder + 1
        if next_cylinder < self.cylinders:
            gaps.append((next_cylinder, self.cylinders - 1))
        return gaps

    def switch_ms(self, before: Track, after: Track) -> float:
        """Time from one track to another, ready to read: the seek and the head switch overlap.

        The rule of sim/mechanics/head_stack.hpp.
        """
        seek = float(self.seek_ms[abs(after.cylinder - before.cylinder)])
        return max(seek, self.head_switch_ms) if after.head != before.head else seek


def _number(value: Any, what: str, low: float = -math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise DataError(f"{what} is {value!r}, not a finite number")
    if value < low:
        raise DataError(f"{what} is {value}, below {low:g}")
    return float(value)


def _count(value: Any, what: str, low: int = 0) -> int:
    number = _number(value, what, low)
    if not number.is_integer():
        raise DataError(f"{what} is {value}, not a whole number")
    return int(number)


def _track(entry: dict[str, Any]) -> Track:
    angle = _number(entry["start_angle"], "a track's start_angle", 0)
    return Track(_count(entry["cylinder"], "cylinder"), _count(entry["head"], "head"), angle % 1.0)


def _zone(entry: dict[str, Any], tracks: list[dict[str, Any]]) -> Zone:
    counts = {
        key: _count(entry[key], f"a zone's {key}")
        for key in (
            "first_cylinder",
            "last_cylinder",
            "track_skew_sectors",
            "cylinder_skew_sectors",
            "first_lba",
            "blocks",
        )
    }
    return Zone(
        **counts,
        sectors_per_track=_count(entry["sectors_per_track"], "sectors_per_track", 1),
        media_rate_mb_per_s=_number(entry["media_rate_mb_per_s"], "media rate", 0),
        sequential_rate_mb_per_s=_number(entry["sequential_rate_mb_per_s"], "sequential rate", 0),
        tracks=[_track(track) for track in tracks],
    )


def _zones(data: dict[str, Any], cylinders: int) -> list[Zone]:
    pairs = zip(data["zones"], data["layout"], strict=True)
    zones = sorted((_zone(*pair) for pair in pairs), key=lambda zone: zone.first_cylinder)
    if not zones:
        raise DataError("the drive has no zones")
    last = max(max(track.cylinder for track in zone.tracks) for zone in zones)
    if max(zones[-1].last_cylinder, last) >= cylinders:
        raise DataError(f"a zone reaches past the last cylinder, {cylinders - 1}")
    return zones


def _seek_ms(data: dict[str, Any], cylinders: int) -> NDArray[np.float64]:
    seek = np.array([_number(time, "a time of seek_curve_ms", 0) for time in data["seek_curve_ms"]])
    if len(seek) != cylinders:
        raise DataError(f"seek_curve_ms has {len(seek)} times for {cylinders} cylinders")
    return seek


def _drive(data: dict[str, Any]) -> Drive:
    cylinders = _count(data["cylinders"], "cylinders", 1)
    published = data.get("published") or {}
    capacity = data.get("published_capacity_blocks")
    return Drive(
        name=str(data["name"]),
        rpm=_number(data["rpm"], "rpm", 0),
        revolution_ms=_number(data["revolution_ms"], "revolution_ms", 1e-9),
        mean_latency=data["rotational_latency"] == "mean",
        heads=_count(data["heads"], "heads", 1),
        cylinders=cylinders,
        sector_bytes=_count(data["sector_bytes"], "sector_bytes", 1),
        capacity_blocks=_count(data["capacity_blocks"], "capacity_blocks"),
        published_capacity_blocks=None if capacity is None else _count(capacity, "capacity"),
        mapping=str(data["mapping"]),
        head_switch_ms=_number(data["head_switch_ps"], "head_switch_ps", 0) / PS_PER_MS,
        write_settle_ms=_number(data["write_settle_ps"], "write_settle_ps") / PS_PER_MS,
        mean_seek_ms=_number(data["mean_seek_ms"], "mean_seek_ms", 0),
        seek_ms=_seek_ms(data, cylinders),
        info_rows=[
            (
                _count(row["cylinders"], "a distance"),
                row["read_ps"] / PS_PER_MS,
                row["write_ps"] / PS_PER_MS,
            )
            for row in data["seek"]
        ],
        published_points=[(float(x), float(ms)) for x, ms in data.get("seek_table_ms") or []],
        published_ms={
            key: _number(published[key], f"published {key}", 0)
            for key in ("single_cylinder_seek_ms", "average_seek_ms", "full_stroke_seek_ms")
            if published.get(key) is not None
        },
        zones=_zones(data, cylinders),
    )


def parse(text: str) -> Drive:
    """The drive described by JSON text.

    Raises DataError, whatever is wrong with the text.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise DataError(f"standard input is not JSON ({error})") from error
    if not isinstance(data, dict):
        raise DataError("standard input is JSON, but not an object")
    try:
        return _drive(data)
    except KeyError as error:
        raise DataError(f"the key {error} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise DataError(f"a value has the wrong shape ({error})") from error
