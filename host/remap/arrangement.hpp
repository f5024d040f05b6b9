// SPDX-License-Identifier: Apache-2.0
// Arranges blocks with the firmware's own code (firmware/remap/arrange.h): same integers, same map.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/remap/arrange.h"
#include "host/remap/counts_file.hpp"
#include "host/remap/map_file.hpp"
#include "sim/description/description.hpp"

namespace headstack::remap {

/// A user's wishes, in addition to the drive and the counts.
struct Request {
  ::arrange_method method = ARRANGE_ANNEAL;
  ::energy_kind energy = ENERGY_ACCESS;
  ::arrange_start start = ARRANGE_FROM_ORGAN;
  std::uint32_t unit_blocks = 16;
  std::uint32_t request_blocks = 16;
  bool whole_groups = false;
  bool literal_temperature = false;
  std::uint32_t trials = 0;
  std::uint32_t hottest = 0;
  std::uint32_t seed = 1;
  double overhead_ms = 0;
  double share_of_gaps = 0.5;
};

struct Arrangement {
  Map map;
  ::arrange_report report{};
  std::uint64_t slices = 0;
  double unit_ms = 0;  // ms per unit of an energy over its divisor (2^-16 turns); 0 for slots
};

/// The number of units of a drive from `first_block` on, at most as many as a map can have.
std::uint32_t unit_count(const drive::Design& design, std::uint32_t first_block,
                         std::uint32_t unit_blocks);

/// Makes an arrangement. `given` is the start if the request says so. Throws drive::FileError if
/// the arguments do not fit the drive or each other.
Arrangement arrange(const drive::DriveDescription& drive, const Counts& counts,
                    const Request& request, const std::optional<Map>& given);

}  // namespace headstack::remap
