// SPDX-License-Identifier: Apache-2.0
// From zones, spares, slips and remaps to extents: runs of blocks on consecutive positions.
//
// This file and geometry.hpp define the layout. The firmware's own integer version and every other
// reader follow them. Terms:
//
// - Position. Number of a sector in its zone, in traversal order, 0-based; it counts every sector.
//   The order is cylinder after cylinder from first_cylinder. In a cylinder it is track after track
//   by the mapping: heads ascend, or descend on a serpentine's descending cylinder. On a track it
//   is sector after sector from sector 0.
// - Unit. The range of positions that owns spares: a track, a cylinder, a range of cylinders or the
//   zone. Its spares are its last sectors (cylinder-front: its first). With whole-track spares the
//   zone is the unit, and `spares` counts tracks. A last range with fewer than range_cylinders
//   cylinders has no spares.
// - Slip. A position that the mapping skips. In a unit with spares the blocks after it move up by
//   one, and the last takes a spare. With cylinder-front spares the blocks before it move down. The
//   unit so keeps its number of blocks. With slip_to_zone_end, and in a unit without spares, the
//   zone loses one block instead. With whole-track spares a slip skips a track.
// - Reserved. The first reserved_sectors blocks of a zone, counted after slips, have no address.
// - Store. A zone's store_sectors follow each other. They are the first of its reserved sectors, if
//   so many of these are contiguous; otherwise the last of its free spares that are. No block ever
//   lies there. At most one zone has a store. Neither capacity nor places of blocks depend on it.
// - Remap. The block of a defective position lies on the replacement instead. The replacement is a
//   position of the same zone that no other block uses. It is neither a slip nor the defect of an
//   earlier remap. With whole-track spares, both are tracks.
// - Block addresses run through the zones in order, and through each zone's block positions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/description/description.hpp"

namespace headstack::geometry {

/// A run of `length` blocks from `lba` on. They lie at position `position` and onward in zone
/// `zone`.
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
  std::vector<Extent> blocks;    // extents in block order
  std::vector<Extent> reserved;  // lba unused; zone after zone, a store in spares last of its zone
  std::optional<Extent> store;   // lba unused; its sectors are reserved, too
};

/// Throws drive::Fault when spares, slips or remaps cannot be honoured.
Layout build_layout(const drive::Design& design);

/// Consecutive positions of a zone.
struct PositionRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The positions of a zone without a block, ascending.
struct Unused {
  std::vector<PositionRun> spares;   // good, and free
  std::vector<PositionRun> defects;  // slipped or remapped: the manufacturer's list
};

/// Finds the positions without a block in a layout that build_layout() made from this design.
Unused find_unused(const drive::Design& design, const Layout& layout, std::uint32_t zone);

}  // namespace headstack::geometry
