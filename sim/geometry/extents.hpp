// From zones, spares, slips and remaps to extents: runs of blocks on consecutive positions.
//
// This file and geometry.hpp define the layout; the firmware's own integer version and every other
// reader follow them. The words:
//
// - Position. A zone's sectors in traversal order: cylinder after cylinder from first_cylinder;
//   in a cylinder, track after track in the order of the mapping (heads ascending, or descending
//   on a serpentine's descending cylinder); on a track, sector after sector from sector 0.
//   Positions are 0-based within the zone and count every sector.
// - Unit. The stretch of positions that owns spares: a track, a cylinder, a range of cylinders or
//   the zone. Its spares are its last sectors (cylinder-front: its first). With whole-track
//   spares the zone is the unit and `spares` counts tracks. A last range with fewer than
//   range_cylinders cylinders has no spares.
// - Slip. A position that the mapping passes over. In a unit with spares the blocks behind it move
//   up by one and the last takes a spare (cylinder-front: the blocks before it move down), so that
//   the unit keeps its number of blocks. With slip_to_zone_end, and where there are no spares at
//   all, the zone loses one block instead. With whole-track spares a slip passes over a track.
// - Reserved. The first reserved_sectors blocks of a zone, counted after slips, have no address.
// - Store. A zone's store_sectors follow each other: the first of its reserved sectors, if so many
//   of these do; else the last of its free spares that do. No block ever lies there. One zone at
//   most has a store. Neither capacity nor the place of any block depends on it.
// - Remap. The block that would lie on the defect lies on the replacement instead, a position of
//   the same zone that no other block uses, no slip, and no defect of an earlier remap. With
//   whole-track spares, tracks.
// - Block addresses run through the zones in order, and through each zone's block positions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/description/description.hpp"

namespace headstack::geometry {

/// `length` blocks from `lba` on positions `position` onward of zone `zone`.
struct Extent {
  std::uint64_t lba = 0;
  std::uint32_t position = 0;
  std::uint32_t length = 0;
  std::uint32_t zone = 0;
};

/// Sectors of a zone, spares and reserved ones included.
std::uint64_t zone_sector_count(const drive::Design& design, const drive::Zone& zone);

/// The layout of a drive: where blocks are, and which positions are reserved.
struct Layout {
  std::vector<Extent> blocks;    // in block order
  std::vector<Extent> reserved;  // lba unused, in order of zone and position
  std::optional<Extent> store;   // likewise; reserved, too
};

/// Throws drive::Fault when spares, slips or remaps cannot be honoured.
Layout build_layout(const drive::Design& design);

/// Consecutive positions of a zone.
struct PositionRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// What of a zone holds no block, ascending.
struct Unused {
  std::vector<PositionRun> spares;   // good, and free
  std::vector<PositionRun> defects;  // slipped, or remapped elsewhere: the maker's list
};

/// Of a layout that build_layout() made of this design.
Unused find_unused(const drive::Design& design, const Layout& layout, std::uint32_t zone);

}  // namespace headstack::geometry
