// Which turns of the spindle have an index pulse: all, but for those that the specimen says.
//
// The index of turn n is passed at the unwrapped angle n 2^32. A listed fault takes the pulses of
// turns first_turn, first_turn + every, ... below first_turn + turns; a share of all others is
// missing by a draw from the seed and the turn. A pure function of the turn: whoever asks, in
// whatever order, hears the same.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/description/description.hpp"

namespace headstack::mechanics {

class IndexFaults {
 public:
  /// None is missing.
  IndexFaults() = default;
  explicit IndexFaults(const drive::Specimen& specimen);

  [[nodiscard]] bool is_missing(std::uint64_t turn) const;
  /// The first turn at or behind `turn` with a pulse; nothing when none has one any more, or not
  /// within a million turns that faults take one by one.
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t turn) const;
  /// The turn of the n-th pulse (n >= 1) at or behind `turn`.
  [[nodiscard]] std::optional<std::uint64_t> nth(std::uint64_t turn, std::uint32_t n) const;
  /// Pulses of the turns [first, end).
  [[nodiscard]] std::uint64_t count(std::uint64_t first, std::uint64_t end) const;

 private:
  std::vector<drive::IndexFault> listed_;
  double share_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace headstack::mechanics
