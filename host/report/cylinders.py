# SPDX-License-Identifier: Apache-2.0
"""The cylinder of a block, from the drive's description: sim/geometry/extents.hpp defines the layout.

Slips are included if the whole zone shares its spares. Remapped blocks have their place without the defect. So the cylinder of
a few blocks at a border may be the neighbour's. That suffices for pictures; `headstack drive locate` gives the simulator's own
answer.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Values of sparing.location where the whole zone shares its spares (SpareLocation in sim/description/description.hpp).
WHOLE_ZONE = ("none", "zone-end", "zone-end-tracks")


@dataclass(frozen=True)
class Zone:
    """Blocks `first_block` onward. The spares of each unit of `unit` sectors are left out from its end."""

    first_block: int
    first_cylinder: int
    last_cylinder: int
    cylinder_sectors: int
    unit: int
    unit_blocks: int
    reserved: int
    slips_before: NDArray[np.int64]  # slip i moves blocks from this one on by `slip_sectors`
    slip_sectors: int

    def cylinders(self, block: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cylinders of blocks that are counted from the zone's first."""
        wanted = block + self.reserved
        position = wanted // self.unit_blocks * self.unit + wanted % self.unit_blocks
        position += np.searchsorted(self.slips_before, wanted, side="right") * self.slip_sectors
        return np.minimum(self.first_cylinder + position // self.cylinder_sectors, self.last_cylinder)


class Cylinders:
    """The cylinders of the whole drive. `design` is the table of that name in its description. Raises KeyError when a key is
    missing.
    """

    def __init__(self, design: dict[str, Any]) -> None:
        self.count = int(design["cylinders"])
        self._zones: list[Zone] = []
        first_block = 0
        for entry in design["zones"]:
            zone, blocks = _zone(design, entry, first_block)
            self._zones.append(zone)
            first_block += blocks
        self.capacity = first_block

    def of(self, lba: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cylinder of every block."""
        starts = np.array([zone.first_block for zone in self._zones])
        which = np.clip(np.searchsorted(starts, lba, side="right") - 1, 0, None)
        result = np.zeros(len(lba), dtype=np.int64)
        for index, zone in enumerate(self._zones):
            inside = which == index
            if np.any(inside):
                result[inside] = zone.cylinders(lba[inside] - zone.first_block)
        return result


def _zone(design: dict[str, Any], entry: dict[str, Any], first_block: int) -> tuple[Zone, int]:
    """A zone, and its number of blocks."""
    sparing = design.get("sparing", {})
    location = sparing.get("location", "none")
    track = int(entry["sectors_per_track"])
    cylinder = track * int(design["heads"])
    sectors = cylinder * (int(entry["last_cylinder"]) - int(entry["first_cylinder"]) + 1)
    counted_in = track if location == "zone-end-tracks" else 1
    spares = 0 if location == "none" else int(entry.get("spares", 0)) * counted_in
    slips = np.array(entry.get("slips", []), dtype=np.int64)
    unit = {
        "track-end": track,
        "cylinder-end": cylinder,
        "cylinder-front": cylinder,
        "range-end": cylinder * int(sparing.get("range_cylinders", 1)),
    }.get(location, sectors)
    reserved = int(entry.get("reserved_sectors", 0))
    # A last range that is not whole has no spares.
    blocks = sectors - sectors // unit * spares - reserved
    if location == "none" or sparing.get("slip_to_zone_end", False):
        blocks -= len(slips) * counted_in
    shifts = (slips - np.arange(len(slips))) * counted_in if location in WHOLE_ZONE else np.array([], dtype=np.int64)
    zone = Zone(
        first_block=first_block,
        first_cylinder=int(entry["first_cylinder"]),
        last_cylinder=int(entry["last_cylinder"]),
        cylinder_sectors=cylinder,
        unit=unit,
        unit_blocks=max(unit - spares, 1),
        reserved=reserved,
        slips_before=shifts,
        slip_sectors=counted_in,
    )
    return zone, blocks
