// SPDX-License-Identifier: Apache-2.0
// The time of one access and its anatomy: seek, settle, head switch, rotation, transfer.
//
// From a start (time, cylinder, head) the stack moves to the first block's track, waits for its
// first sector, and transfers sector after sector. It does the same for every further stretch of
// adjacent sectors:
//
//     ready     = start + positioning
//     rotation  = first moment at which the platter's angle is the sector's, minus ready
//     transfer  = time in which the platter turns over the stretch
//
// A stretch ends at a track's end, a slipped sector or a remapped one. Times come from angles, not
// from sums of sector times: adjacent stretches are exactly 0 apart, however long the access.
#pragma once

#include <vector>

#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/head_stack.hpp"
#include "sim/mechanics/spindle.hpp"

namespace headstack::mechanics {

/// The position of the heads, and the time at which they are free.
struct AccessStart {
  Picoseconds time = 0;
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  bool at_writer = false;  // the writing element is over the track (head_stack.hpp)
};

/// One stretch of adjacent sectors on one track.
struct Stretch {
  geometry::Lba lba = 0;
  std::uint32_t blocks = 0;
  geometry::Placement at;
  Positioning positioning;
  Picoseconds rotation = 0;
  Picoseconds transfer = 0;

  Picoseconds total() const { return positioning.total() + rotation + transfer; }
};

/// A whole access; the parts of its stretches sum to total() exactly.
struct Anatomy {
  Picoseconds start = 0;
  std::vector<Stretch> stretches;

  Picoseconds total() const;
  Picoseconds end() const { return start + total(); }
};

/// Computes access times on one drive. It has no state of the heads: every call passes its start.
class AccessModel {
 public:
  /// The spindle is exact, with angle 0 at time 0. If `specimen` is given, it is the specimen's.
  explicit AccessModel(const drive::Design& design, const drive::Specimen& specimen = {});

  const geometry::Geometry& geometry() const { return geometry_; }
  const PositioningModel& positioning() const { return positioning_; }
  const Rotation& rotation() const { return rotation_; }

  /// Time from `start` until the last of `blocks` blocks is transferred. The blocks must exist.
  Picoseconds access_time(const AccessStart& start, geometry::Lba lba, std::uint32_t blocks,
                          bool is_write) const;
  /// Works like access_time(), for a request with known placement, in a scheduler's inner loop.
  Picoseconds access_time(const AccessStart& start, const geometry::Placement& at,
                          geometry::Lba lba, std::uint32_t blocks, bool is_write) const;

  Anatomy access(const AccessStart& start, geometry::Lba lba, std::uint32_t blocks,
                 bool is_write) const;

 private:
  struct Turning {
    Picoseconds rotation;
    Picoseconds transfer;
  };
  void check(const AccessStart& start, geometry::Lba lba, std::uint32_t blocks) const;
  Turning turn(Picoseconds ready, const geometry::Placement& at, std::uint32_t blocks) const;

  geometry::Geometry geometry_;
  PositioningModel positioning_;
  Rotation rotation_;
  bool mean_latency_;
  Picoseconds half_turn_;
};

}  // namespace headstack::mechanics
