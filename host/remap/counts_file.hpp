// SPDX-License-Identifier: Apache-2.0
// Reads the counts of a drive's accesses from a file:
//
//     {"format": "headstack-counts-1", "first_block": 0, "group_blocks": 160, "groups": N,
//      "visits": [[group, count], ...], "pairs": [[a, b, count], ...], "gaps": [[from_us, count],
//      ...]}
//
// Each list names a group, pair or bin once, and gaps ascend. A bin of gaps ends at from_us times
// the square root of 2, or where the next one begins. Bins without a gap are not in the file.
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
  std::vector<std::uint16_t> visits;  // count of each group
  std::vector<::remap_pair> pairs;
  std::vector<::remap_gap> gaps;
  unsigned halvings = 0;  // number of times that all counts were halved to fit in 16 bits
  std::uint32_t pairs_left_out = 0;  // number of the rarest pairs, beyond the firmware's room

  /// The counts in the form that the firmware takes. The result points into this object.
  ::remap_counts view() const;
};

/// Reads a file. Throws drive::FileError, which names file, field and remedy.
Counts read_counts(const std::string& path);

}  // namespace headstack::remap
