// SPDX-License-Identifier: Apache-2.0
// Counts of a drive's accesses, as a file:
//
//     {"format": "headstack-counts-1", "first_block": 0, "group_blocks": 160, "groups": N,
//      "visits": [[group, count], ...], "pairs": [[a, b, count], ...], "gaps": [[from_us, count],
//      ...]}
//
// Lists name each group, pair and bin once; gaps ascend. A bin of gaps ends at from_us times the
// root of 2, or where the next one begins. Bins without a gap are not in the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/remap/counts.h"

namespace headstack::remap {

/// Counts in the form of the firmware.
struct Counts {
  std::uint32_t first_block = 0;
  std::uint32_t group_blocks = 0;
  std::vector<std::uint16_t> visits;  // by group
  std::vector<::remap_pair> pairs;
  std::vector<::remap_gap> gaps;
  unsigned halvings = 0;             // of all counts, until none was above 65,535
  std::uint32_t pairs_left_out = 0;  // the rarest, above what the firmware has room for

  /// Points into this object.
  ::remap_counts view() const;
};

/// Throws drive::FileError, which names file, field and remedy.
Counts read_counts(const std::string& path);

}  // namespace headstack::remap
