// SPDX-License-Identifier: Apache-2.0
// The place and angle of each block: the simulator's reference for the layout.
//
// extents.hpp defines which position holds which block. This file adds the angles.
//
// - Angle. At time 0 of an exact spindle the index mark is under the heads. A track of S sectors is
//   a grid of S marks, mark i at floor(i * 2^32 / S) turn32. Sector s of a track starts at mark
//
//       (offset + k (cylinder_skew + (H - 1) track_skew) + h track_skew + slips + s)  mod S
//
//   k: cylinder within the zone; h: number of the track in its cylinder, in traversal order; H:
//   heads; offset: first_sector_offset. In layouts with cylinder spares, slips counts the slipped
//   sectors in earlier cylinders of the zone. With track spares it counts those in earlier tracks;
//   in all other layouts it is 0. A sector ends at the next mark: adjacent sectors are exactly 0
//   apart. Source of the formula: the DiskSim 4.0 layout model, which reproduces the extracted
//   drives.
// - Sector index. Number of a sector over all zones in order, spares included: the media store's
//   dense address.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/geometry/divider.hpp"
#include "sim/geometry/extents.hpp"
#include "sim/units.hpp"

namespace headstack::geometry {

using Lba = std::uint64_t;

/// A physical sector.
struct Chs {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  std::uint32_t sector = 0;

  friend bool operator==(const Chs& a, const Chs& b) {
    return a.cylinder == b.cylinder && a.head == b.head && a.sector == b.sector;
  }
  friend bool operator!=(const Chs& a, const Chs& b) { return !(a == b); }
};

/// A block's place, with all that access-time arithmetic needs.
struct Placement {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  std::uint32_t sector = 0;
  std::uint32_t zone = 0;
  std::uint32_t mark = 0;        // grid mark at which the sector starts, 0 .. sectors_per_track-1
  std::uint32_t contiguous = 0;  // blocks from here on, on adjacent sectors of this track, >= 1
  Turn32 angle = 0;              // angle of the mark

  Chs chs() const { return {cylinder, head, sector}; }
};

/// The use of a physical sector.
enum class SectorUse { kBlock, kReserved, kSpare, kSlipped, kDefect, kNoSector };
const char* to_string(SectorUse use);

struct SectorContent {
  SectorUse use = SectorUse::kNoSector;
  Lba lba = 0;  // the block; only for kBlock
};

/// Fixed facts of one zone, with its divisions prepared.
struct ZoneGrid {
  std::uint32_t first_cylinder = 0;
  std::uint32_t last_cylinder = 0;
  std::uint32_t sectors_per_track = 1;
  Divider by_sectors;        // position -> track
  std::uint32_t offset = 0;  // mark of the zone's first sector
  std::uint32_t skew_per_cylinder = 0;
  std::uint32_t skew_per_track = 0;
  std::uint32_t skewing_unit = 0;   // positions per unit whose slips add to the skew; 0: no such
                                    // unit
  std::uint64_t turn_per_mark = 0;  // ceil(2^64 / S): floor(i 2^32 / S) = (i * this) >> 32
  std::uint64_t first_lba = 0;
  std::uint64_t block_count = 0;
  std::uint64_t first_sector_index = 0;

  /// Angle of mark 0 .. S; mark S is a whole turn, 0. Exact for S < 2^16 (the schema's bound).
  Turn32 mark_angle(std::uint32_t mark) const {
    return static_cast<Turn32>((static_cast<Uint128>(turn_per_mark) * mark) >> 32);
  }
  /// Angle swept by `count` sectors from `mark` on, at most one turn (count <= S): exact per mark.
  std::uint64_t swept(std::uint32_t mark, std::uint32_t count) const;
};

class Geometry {
 public:
  /// The design must have passed drive::check(); throws drive::Fault for layouts that check() would
  /// refuse.
  explicit Geometry(const drive::Design& design);

  Lba capacity() const { return capacity_; }
  std::uint32_t head_count() const { return heads_; }
  std::uint32_t cylinder_count() const { return cylinders_; }
  std::uint64_t sector_count() const { return sector_count_; }  // spares and reserved included
  const std::vector<ZoneGrid>& zones() const { return zones_; }

  /// The place of a block. O(1) on average; a few steps more where slips are dense. `lba` must be
  /// below capacity(): an assertion.
  Placement locate(Lba lba) const;

  /// The content of a sector; kNoSector outside every zone. O(log extents + remaps of the zone).
  SectorContent content(const Chs& at) const;

  /// Angle at which any physical sector starts; the sector must exist.
  Turn32 sector_angle(const Chs& at) const;

  /// Dense index of a sector over the drive in traversal order, for the media store.
  std::uint64_t sector_index(const Chs& at) const;
  Chs sector_at(std::uint64_t sector_index) const;

  /// The zone of a cylinder, or nothing for a reserved cylinder or one past the end.
  std::optional<std::uint32_t> zone_of(std::uint32_t cylinder) const;

 private:
  bool descending(const ZoneGrid& zone, std::uint32_t cylinder) const;
  std::uint32_t position_of(const ZoneGrid& zone, const Chs& at) const;
  Chs place_of(const ZoneGrid& zone, std::uint32_t position) const;
  std::uint32_t mark_of(std::uint32_t zone, std::uint32_t cylinder_in_zone, std::uint32_t turn,
                        std::uint32_t sector) const;
  std::uint32_t skewing_slips(std::uint32_t zone, std::uint32_t track_position) const;
  const Extent* extent_holding(std::uint32_t zone, std::uint32_t position) const;
  void index_blocks();

  drive::Design design_;  // kept for slips, remaps and spares, which content() reports
  std::uint32_t heads_ = 1;
  std::uint32_t cylinders_ = 1;
  drive::Mapping mapping_ = drive::Mapping::kPlain;
  Divider by_heads_;
  std::vector<ZoneGrid> zones_;
  std::vector<Extent> extents_;  // extents in block order, closed by a sentinel at capacity()
  std::vector<Extent> reserved_;
  std::vector<std::uint32_t> first_extent_;  // first one of 2^bucket_shift_ blocks, by bucket
  std::vector<std::uint32_t> by_position_;   // extents in (zone, position) order
  unsigned bucket_shift_ = 0;
  Lba capacity_ = 0;
  std::uint64_t sector_count_ = 0;
};

}  // namespace headstack::geometry
