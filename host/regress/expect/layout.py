# SPDX-License-Identifier: Apache-2.0
"""The place and angle of a block, computed from a drive's description alone.

This is a second derivation of what sim/geometry/extents.hpp and geometry.hpp define in words: block by block and unit by unit,
without their extents. It shares no code with the simulator or the firmware.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from errors import RegressError

# Values of sparing.location: the unit that owns spares. Blocks fill it from its front.
UNITS = ("none", "track-end", "cylinder-end", "range-end", "zone-end", "zone-end-tracks")
SKEWED_BY_SLIPS = ("track-end", "cylinder-end")


class Place(NamedTuple):
    """A sector. `mark` is the place among the `sectors` of its track where it begins; mark 0 is at the index."""

    cylinder: int
    head: int
    sector: int
    mark: int
    sectors: int


class Stretch(NamedTuple):
    """Blocks on adjacent sectors of one track, the first of them at `place`."""

    place: Place
    blocks: int


@dataclass(frozen=True)
class _Zone:
    """One zone. Positions, slips and remaps are counted in items: sectors, or whole tracks."""

    design: dict[str, Any]
    zone: dict[str, Any]
    first_lba: int

    @cached_property
    def location(self) -> str:
        return str(self.design.get("sparing", {}).get("location", "none"))

    @cached_property
    def sectors(self) -> int:
        return int(self.zone["sectors_per_track"])

    @cached_property
    def item(self) -> int:
        """Sectors in an item."""
        return self.sectors if self.location == "zone-end-tracks" else 1

    @cached_property
    def remaps(self) -> dict[int, int]:
        """The new item of each item with a defect. Some entries of published lists have no effect."""
        return {defect: other for defect, other in self.zone.get("remaps", []) if defect != other}

    @cached_property
    def cylinder_items(self) -> int:
        return int(self.design["heads"]) * self.sectors // self.item

    @cached_property
    def items(self) -> int:
        """Items of the whole zone."""
        return self.cylinder_items * int(self.zone["last_cylinder"] - self.zone["first_cylinder"] + 1)

    @cached_property
    def unit(self) -> int:
        """Items that share their spares."""
        of_location = {
            "track-end": self.sectors,
            "cylinder-end": self.cylinder_items,
            "range-end": self.cylinder_items * int(self.design.get("sparing", {}).get("range_cylinders", 1)),
        }
        return of_location.get(self.location, self.items)

    @cached_property
    def unit_data(self) -> int:
        """Items of a whole unit that hold blocks."""
        return self.unit - (0 if self.location == "none" else int(self.zone.get("spares", 0)))

    @cached_property
    def blocks(self) -> int:
        """Blocks with an address."""
        whole, rest = divmod(self.items, self.unit)
        # A last range with fewer cylinders has no spares.
        return (whole * self.unit_data + rest) * self.item - int(self.zone.get("reserved_sectors", 0))

    def unmapped(self, lba: int) -> int:
        """The item where a block would lie without remaps, and the sector in it."""
        item, into = divmod(lba - self.first_lba + int(self.zone.get("reserved_sectors", 0)), self.item)
        unit = min(item // self.unit_data, self.items // self.unit)
        first = unit * self.unit
        slips = self.zone.get("slips", [])
        before = bisect_left(slips, first)
        at = wanted = first + item - unit * self.unit_data
        # Each slip before the block moves it on by one, perhaps past another slip.
        while (moved := wanted + bisect_right(slips, at) - before) != at:
            at = moved
        return at * self.item + into

    def position(self, lba: int) -> int:
        """The block's position in sectors of the zone, in the order of traversal."""
        item, into = divmod(self.unmapped(lba), self.item)
        return self.remaps.get(item, item) * self.item + into

    def adjacent(self, lba: int, most: int) -> int:
        """How many blocks from this one on are on adjacent sectors of its track; `most` at most."""
        begin = self.unmapped(lba)
        most = min(most, self.sectors - begin % self.sectors, self.first_lba + self.blocks - lba)
        # Without remaps positions never go down, and each skipped slip leaves a gap.
        count = bisect_right(range(1, most + 1), False, key=lambda n: self.unmapped(lba + n - 1) != begin + n - 1)
        if self.item > 1:
            return count  # a remapped track lies elsewhere
        if begin in self.remaps:
            return 1
        return min((defect - begin for defect in self.remaps if begin < defect < begin + count), default=count)

    def pushed(self, position: int) -> int:
        """How many sectors the slips of earlier cylinders or tracks have shifted the skew."""
        if self.location not in SKEWED_BY_SLIPS:
            return 0
        return bisect_left(self.zone.get("slips", []), position // self.unit * self.unit)

    def place(self, lba: int) -> Place:
        position = self.position(lba)
        heads = int(self.design["heads"])
        track, sector = divmod(position, self.sectors)
        into, turn = divmod(track, heads)
        cylinder = int(self.zone["first_cylinder"]) + into
        mapping = self.design.get("mapping", "plain")
        descends = into % 2 if mapping == "serpentine" else cylinder % 2 if mapping == "serpentine-absolute" else 0
        track_skew, cylinder_skew = (int(self.zone.get(key, 0)) for key in ("track_skew", "cylinder_skew"))
        mark = int(self.zone.get("first_sector_offset", 0)) + into * (cylinder_skew + (heads - 1) * track_skew)
        mark += turn * track_skew + self.pushed(position) + sector
        return Place(cylinder, heads - 1 - turn if descends else turn, sector, mark % self.sectors, self.sectors)


class Layout:
    """The layout of a drive, from the table [design] of its description. Raises RegressError for unsupported designs."""

    def __init__(self, design: dict[str, Any]) -> None:
        sparing = design.get("sparing", {})
        location = sparing.get("location", "none")
        slips = any(zone.get("slips") for zone in design["zones"])
        loses_blocks = sparing.get("slip_to_zone_end", False) or location == "none"
        if location not in UNITS or (slips and loses_blocks):
            raise RegressError(
                f"expectations do not work out places of drives whose spares lie at '{location}'"
                f"{' and whose slips cost blocks' if loses_blocks else ''}; expect what needs no places"
            )
        self._zones: list[_Zone] = []
        self.capacity = 0
        for zone in design["zones"]:
            self._zones.append(_Zone(design, zone, self.capacity))
            self.capacity += self._zones[-1].blocks
        self._firsts = [zone.first_lba for zone in self._zones]

    def _zone(self, lba: int) -> _Zone:
        assert 0 <= lba < self.capacity, lba
        return self._zones[bisect_right(self._firsts, lba) - 1]

    def locate(self, lba: int) -> Place:
        """The block's place; it must be below `capacity`."""
        return self._zone(lba).place(lba)

    def stretches(self, lba: int, blocks: int) -> Iterator[Stretch]:
        """The stretches of the blocks, in their order. A stretch ends with its track, at a slip and at a remapped sector."""
        while blocks > 0:
            zone = self._zone(lba)
            count = zone.adjacent(lba, blocks)
            yield Stretch(zone.place(lba), count)
            lba, blocks = lba + count, blocks - count
