# SPDX-License-Identifier: Apache-2.0
"""The time of an access on a drive, by the drive's description: a reference in Python, for one request after another.

    access = overhead + positioning + wait + span

Positioning is the seek, or the head switch if that takes longer, and the settling that a write needs. The wait lasts
until the first block is under the head. The span lasts until the last block has passed, changes of tracks included.
Angles are in turns, times in milliseconds. The drive's spares, if any, must be at the ends of its zones, and it must
have no slips.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import RemapError

MS_PER_MINUTE = 60_000.0
CAUGHT_TURNS = 1e-9  # a block that has passed by less than this still counts: rounding
SPARES = ("none", "zone-end")


@dataclass(frozen=True)
class Track:
    """The place of a block on its track."""

    cylinder: int
    head: int
    sectors: int
    sector: int  # number of the block's sector on its track
    angle: float  # angle of the block's start
    blocks_left: int  # blocks from this one to the end of the track, or of the zone's blocks


@dataclass(frozen=True)
class _Zone:
    first_block: int
    blocks: int
    first_cylinder: int
    sectors: int
    track_skew: int
    cylinder_skew: int
    offset: int
    reserved: int


@dataclass
class Arm:
    """The arm of one spindle, whose angle is 0 at time 0."""

    cylinder: int = 0
    head: int = 0


class Access:
    """A drive, and its overhead of a read and of a write. Raises RemapError for a drive that these formulas do not
    cover.
    """

    def __init__(self, file: Path, read_overhead_ms: float, write_overhead_ms: float | None = None) -> None:
        try:
            design = tomllib.loads(file.read_text(encoding="utf-8"))["design"]
        except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
            raise RemapError(f"{file}: {error}; give a drive's description") from None
        self.read_overhead_ms = read_overhead_ms
        self._overheads_ms = (read_overhead_ms, read_overhead_ms if write_overhead_ms is None else write_overhead_ms)
        self.turn_ms = MS_PER_MINUTE / float(design["rpm"])
        self.heads = int(design["heads"])
        self.head_switch_ms = float(design["head_switch_ms"])
        self._write_settle_ms = float(design["write_settle_ms"])
        self._pieces = design["seek"].get("pieces")
        sparing = design.get("sparing", {}).get("location", "none")
        odd = [key for key in ("slips", "remaps") if any(zone.get(key) for zone in design["zones"])]
        if not self._pieces or sparing not in SPARES or odd or design.get("mapping", "plain") != "plain":
            raise RemapError(f"{file}: only drives with a formula for seeks, blocks in order, and spares at the ends of zones are understood")
        self._zones: list[_Zone] = []
        first = 0
        for entry in design["zones"]:
            zone = self._zone(entry, first)
            self._zones.append(zone)
            first += zone.blocks
        self.capacity = first
        self.cylinders = int(design["cylinders"])

    def _zone(self, entry: dict[str, Any], first_block: int) -> _Zone:
        cylinders = entry["last_cylinder"] - entry["first_cylinder"] + 1
        reserved = int(entry.get("reserved_sectors", 0))
        sectors = int(entry["sectors_per_track"])
        blocks = cylinders * self.heads * sectors - int(entry.get("spares", 0)) - reserved
        return _Zone(first_block, blocks, int(entry["first_cylinder"]), sectors, int(entry.get("track_skew", 0)),
                     int(entry.get("cylinder_skew", 0)), int(entry.get("first_sector_offset", 0)), reserved)  # fmt: skip

    def track(self, block: int) -> Track:
        """The place of a block. A block below 0 is one of the first zone's reserved sectors, of which -1 is the
        last.
        """
        zone = next((zone for zone in reversed(self._zones) if zone.first_block <= block), self._zones[0])
        position = block - zone.first_block + zone.reserved
        number, sector = divmod(position, zone.sectors)
        cylinder, head = divmod(number, self.heads)
        skew = zone.offset + cylinder * ((self.heads - 1) * zone.track_skew + zone.cylinder_skew) + head * zone.track_skew
        left = min(zone.sectors - sector, zone.first_block + zone.blocks - block)
        return Track(zone.first_cylinder + cylinder, head, zone.sectors, sector, (sector + skew) % zone.sectors / zone.sectors, left)

    def seek_ms(self, distance: int) -> float:
        """The seek time by the published formula, or 0 without a distance."""
        if distance == 0:
            return 0.0
        for piece in self._pieces:
            if distance <= piece["up_to_cylinders"]:
                beyond = distance - piece.get("origin_cylinders", 0)
                root = piece.get("sqrt_ms", 0.0) * distance**0.5
                return float(piece.get("constant_ms", 0.0) + root + piece.get("linear_ms", 0.0) * beyond)
        raise RemapError(f"no seek of {distance} cylinders; give a block of the drive")

    def _move_ms(self, arm: Arm, to: Track, is_write: bool) -> float:
        distance = abs(arm.cylinder - to.cylinder)
        move_ms = self.seek_ms(distance)
        if arm.head != to.head:
            move_ms = max(move_ms, self.head_switch_ms)
        elif distance == 0:
            return 0.0
        return move_ms + (self._write_settle_ms if is_write else 0.0)

    def _wait_ms(self, at_ms: float, angle: float) -> float:
        turns = (angle - at_ms / self.turn_ms) % 1.0
        return 0.0 if turns > 1 - CAUGHT_TURNS else turns * self.turn_ms

    def serve(self, arm: Arm, at_ms: float, block: int, blocks: int, is_write: bool = False) -> tuple[float, Arm]:
        """The time at which a request that arrives now ends, and the arm's place then."""
        now, last = at_ms + self._overheads_ms[is_write], Arm(arm.cylinder, arm.head)
        while blocks > 0:
            track = self.track(block)
            now += self._move_ms(last, track, is_write)
            now += self._wait_ms(now, track.angle)
            count = min(blocks, track.blocks_left)
            now += count / track.sectors * self.turn_ms
            last = Arm(track.cylinder, track.head)
            block, blocks = block + count, blocks - count
        return now, last
