// SPDX-License-Identifier: Apache-2.0
// The specimen's faults of the spindle's motor: losses of power in the order of time, and failing
// starts.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/units.hpp"

namespace headstack::mechanics {

class MotorFaults {
 public:
  /// A change of the motor's power: it fails, or returns.
  struct Change {
    Picoseconds at = 0;
    bool powered = false;
    bool latches = false;  // power returns only when the motor is started again
  };

  MotorFaults() = default;
  /// Takes the listed dropouts, and the drawn ones that do not overlap others.
  explicit MotorFaults(const drive::Specimen& specimen);

  const std::vector<Change>& changes() const { return changes_; }

  /// The share of the speed that start `number` reaches; 1 without a fault. The first start is
  /// number 1.
  [[nodiscard]] double speed_share(std::uint64_t number) const;

 private:
  std::vector<Change> changes_;
  std::vector<drive::SpindleFault> no_starts_;
};

}  // namespace headstack::mechanics
