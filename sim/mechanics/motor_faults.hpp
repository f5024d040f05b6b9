// When the spindle's motor loses its power, and which starts fail: what the specimen says, as a
// list in the order of time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/units.hpp"

namespace headstack::mechanics {

class MotorFaults {
 public:
  /// The power goes, or comes back.
  struct Change {
    Picoseconds at = 0;
    bool powered = false;
    bool latches = false;  // it does not come back before the motor is started anew
  };

  MotorFaults() = default;
  /// Listed dropouts, and as many drawn ones as fall outside of all others.
  explicit MotorFaults(const drive::Specimen& specimen);

  const std::vector<Change>& changes() const { return changes_; }

  /// The share of the speed at which start `number` (1 is the first) ends: 1 when nothing is wrong.
  [[nodiscard]] double speed_share(std::uint64_t number) const;

 private:
  std::vector<Change> changes_;
  std::vector<drive::SpindleFault> no_starts_;
};

}  // namespace headstack::mechanics
