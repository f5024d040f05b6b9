// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/index_faults.hpp"

#include <algorithm>

#include "sim/draw.hpp"

namespace headstack::mechanics {
namespace {

/// Overlapping faults may leave no pulse. After this many turns, hours, the search gives up.
constexpr std::uint64_t kLongestSearch = 1'000'000;

bool lasts_for_ever(const drive::IndexFault& fault) { return fault.turns == 0; }

/// Whether a turn lies within a fault's turns, whether or not it is struck.
bool covers(const drive::IndexFault& fault, std::uint64_t turn) {
  return turn >= fault.first_turn &&
         (lasts_for_ever(fault) || turn - fault.first_turn < fault.turns);
}

}  // namespace

IndexFaults::IndexFaults(const drive::Specimen& specimen)
    : listed_(specimen.index_faults),
      share_(specimen.random.missing_index_share),
      seed_(specimen.flaw_seed) {}

bool IndexFaults::is_missing(std::uint64_t turn) const {
  for (const drive::IndexFault& fault : listed_) {
    if (covers(fault, turn) && (turn - fault.first_turn) % fault.every == 0) return true;
  }
  return share_ > 0 && falls_below(draw(seed_, Stream::kIndex, turn), share_);
}

std::optional<std::uint64_t> IndexFaults::next(std::uint64_t turn) const {
  if (share_ >= 1) return std::nullopt;
  const std::uint64_t limit = turn + kLongestSearch;
  while (is_missing(turn)) {
    std::uint64_t behind = turn + 1;
    for (const drive::IndexFault& fault : listed_) {
      // A fault of every turn is skipped in one step, which may be millions of turns.
      if (fault.every != 1 || !covers(fault, turn)) continue;
      if (lasts_for_ever(fault)) return std::nullopt;
      behind = std::max(behind, fault.first_turn + fault.turns);
    }
    const bool is_step = behind == turn + 1;
    turn = behind;
    if (is_step && turn >= limit) return std::nullopt;
  }
  return turn;
}

std::optional<std::uint64_t> IndexFaults::nth(std::uint64_t turn, std::uint32_t n) const {
  auto found = next(turn);
  for (std::uint32_t i = 1; found && i < n; ++i) found = next(*found + 1);
  return found;
}

std::uint64_t IndexFaults::count(std::uint64_t first, std::uint64_t end) const {
  if (end <= first) return 0;
  if (listed_.empty() && share_ == 0) return end - first;
  std::uint64_t pulses = 0;
  for (auto turn = next(first); turn && *turn < end; turn = next(*turn + 1)) ++pulses;
  return pulses;
}

}  // namespace headstack::mechanics
