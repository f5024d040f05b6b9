// SPDX-License-Identifier: Apache-2.0
/// @file
/// Plays the storylines of a seed, on several processors, until a time or a number is reached.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "tests/fuzz/drive/generate.hpp"
#include "tests/fuzz/drive/player.hpp"

namespace headstack::fuzz {

struct HuntOptions {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;  // number of the first case
  std::uint64_t cases = 0;  // number of cases; 0: as many as the time allows
  double seconds = 60;      // ignored with `cases`
  unsigned jobs = 1;
  Theme theme = Theme::kAnything;
};

struct Hunted {
  Totals totals;                     // storylines without duration limits
  std::uint64_t limited = 0;         // commands with limits of their duration
  std::uint64_t timed_out = 0;       // commands that limits ended
  std::vector<std::uint64_t> found;  // numbers of cases, ascending
  double seconds = 0;
  bool interrupted = false;
};

/// `progress` is called about once a second. The found cases do not depend on `jobs`.
Hunted hunt(const HuntOptions& options, const std::function<void(const Hunted& so_far)>& progress);

/// Set by Ctrl-C: the hunt then ends.
extern std::atomic<bool> stop_wanted;

}  // namespace headstack::fuzz
