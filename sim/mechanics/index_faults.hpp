// SPDX-License-Identifier: Apache-2.0
// The turns of the spindle that have an index pulse: all but the specimen's faults.
//
// The index of turn n passes at the unwrapped angle n 2^32. A listed fault removes the pulses of
// turns first_turn, first_turn + every, ... below first_turn + turns. A draw from the seed and the
// turn removes a share of the others. The result is a pure function of the turn: it does not depend
// on earlier calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/description/description.hpp"

namespace headstack::mechanics {

class IndexFaults {
 public:
  /// A spindle without missing pulses.
  IndexFaults() = default;
  explicit IndexFaults(const drive::Specimen& specimen);

  [[nodiscard]] bool is_missing(std::uint64_t turn) const;
  /// The first turn at or after `turn` with a pulse. Nothing if no later turn has one, or if faults
  /// remove a million pulses one by one.
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t turn) const;
  /// The turn of the n-th pulse (n >= 1) at or after `turn`.
  [[nodiscard]] std::optional<std::uint64_t> nth(std::uint64_t turn, std::uint32_t n) const;
  /// The number of pulses in the turns [first, end).
  [[nodiscard]] std::uint64_t count(std::uint64_t first, std::uint64_t end) const;

 private:
  std::vector<drive::IndexFault> listed_;
  double share_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace headstack::mechanics
