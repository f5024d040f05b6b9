// SPDX-License-Identifier: Apache-2.0
// The specimen's faults of single movements of the arm.
//
// A movement without a fault is read ready at `start + total` (head_stack.hpp), the time e. The
// four kinds of faults (drive::ArmFaultKind) change that:
//
//     settle          read ready at e + for_ms; without for_ms never: the arm rings on
//     off_track       read ready at e; the heads leave the track at e + after_ms and are back at
//                     e + after_ms + for_ms; without for_ms the next movement brings them back
//     wrong_cylinder  a movement to target + by_cylinders (within the stroke), by its own distance:
//                     the arm is ready there, and the servo takes it for the target
//     stuck           the arm stops half way (rounded towards where it came from), never ready
//
// An arm that never becomes ready accepts only a recalibration. A recalibration is a movement to
// cylinder 0, and faults strike it as such. A fault strikes `seeks` movements whose target lies
// within its cylinders. It begins with the first of them that has number first_seek or later. If
// several faults match, only the one listed first strikes and counts the movement. Drawn faults
// come after the listed ones. Movements are numbered from 1; a target where the arm is already is
// no movement.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/units.hpp"

namespace headstack::mechanics {

/// A time that never comes.
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

/// The fault of one movement.
struct ArmMishap {
  drive::ArmFaultKind kind = drive::ArmFaultKind::kSettle;
  Picoseconds lasts = kNever;     // settle: the delay; off_track: the time away
  Picoseconds leaves_after = 0;   // off_track: time from read ready until the heads leave
  std::int64_t by_cylinders = 0;  // wrong_cylinder: distance from the target
};

class ArmFaults {
 public:
  /// An arm without faults.
  ArmFaults() = default;
  explicit ArmFaults(const drive::Specimen& specimen);

  /// Counts a movement of the arm to a target. @return the fault of this movement, if any.
  std::optional<ArmMishap> strike(std::uint32_t target);

 private:
  struct Listed {
    drive::ArmFault fault;
    std::uint64_t struck = 0;
  };
  std::optional<ArmMishap> drawn() const;

  std::vector<Listed> listed_;
  drive::RandomFaults random_;
  std::uint64_t seed_ = 0;
  std::uint64_t movements_ = 0;
};

}  // namespace headstack::mechanics
