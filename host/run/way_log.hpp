// Which ways the firmware took from one access or waypoint to the next, and where they part: what a
// pair of the cost table (sim/tlm/cost_table.hpp) stands for with its mean.
//
// A pair that is met with several counts of cycles makes the fast platform wrong by a few of them,
// each time. Where its ways part is where a waypoint is wanted.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/tlm/accesses.hpp"

namespace headstack::run {

/// Instructions retired since the last access or waypoint, by address.
using WayTaken = std::vector<std::uint32_t>;

class WayLog {
 public:
  /// What came before the pair, and the pair.
  using Pair = std::array<tlm::Access, 3>;

  /// A pair is at its end: it took so many cycles, on this way.
  void ended(const Pair& pair, std::uint64_t cycles, const WayTaken& way);

  struct Sum {
    std::uint64_t count = 0;
    std::uint64_t cycles = 0;
  };
  /// What each pair took in all, on whichever way.
  std::map<Pair, Sum> sums() const;

  /// The pairs whose cycles differ, those first that add up to the most; `name` of an address is
  /// for people.
  ///
  ///     spread  pair                          cycles, in all, off the pair's mean
  ///       3401  [BEFORE] FROM > TO
  ///                 43 x    45                the way taken most
  ///                120 x    44  parts at 0x7752 message_next
  std::string to_text(const std::function<std::string(std::uint32_t)>& name) const;

 private:
  struct Way {
    WayTaken addresses;
    std::map<std::uint64_t, std::uint64_t> counts;  // by cycles
  };
  struct Spread;

  std::map<Pair, std::vector<Way>> ways_;
};

}  // namespace headstack::run
