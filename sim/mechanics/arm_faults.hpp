// What goes wrong with single movements of the arm, as the specimen says.
//
// A movement that nothing goes wrong with is read ready at `start + total` (head_stack.hpp). With
// its end by the formulas at e, the four kinds (drive::ArmFaultKind) make of that
//
//     settle          read ready at e + for_ms; without for_ms never: the arm rings on
//     off_track       read ready at e; the heads leave the track at e + after_ms and are back at
//                     e + after_ms + for_ms; without for_ms the next movement brings them back
//     wrong_cylinder  a movement to target + by_cylinders (within the stroke), by its own distance:
//                     the arm is ready there, and the servo takes it for the target
//     stuck           the arm stops half way (rounded towards where it came from), never ready
//
// An arm that never becomes ready takes no other order than a recalibration, which is a movement to
// cylinder 0 and strikes as one. A fault strikes `seeks` movements whose target lies within its
// cylinders, beginning with the first that is number first_seek or later; of several that would
// strike, the one listed first does, and only that one counts it. Drawn faults come behind the
// listed ones. A movement is numbered from 1; going where the arm stands already is none.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/units.hpp"

namespace headstack::mechanics {

/// A time that does not come.
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

/// What strikes one movement.
struct ArmMishap {
  drive::ArmFaultKind kind = drive::ArmFaultKind::kSettle;
  Picoseconds lasts = kNever;     // settle: later by; off_track: away for
  Picoseconds leaves_after = 0;   // off_track: behind read ready
  std::int64_t by_cylinders = 0;  // wrong_cylinder
};

class ArmFaults {
 public:
  /// Of an arm that does what it should.
  ArmFaults() = default;
  explicit ArmFaults(const drive::Specimen& specimen);

  /// The arm leaves for a target; what this movement suffers from.
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
