// SPDX-License-Identifier: Apache-2.0
// Reads and writes a map of units, as a file:
//
//     {"format": "headstack-map-1", "first_block": 0, "unit_blocks": 16, "slots": [slot of unit 0,
//     ...]}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headstack::remap {

struct Map {
  std::uint32_t first_block = 0;
  std::uint32_t unit_blocks = 0;
  std::vector<std::uint16_t> slots;  // slot of each unit: a permutation
};

/// Reads a file. Throws drive::FileError, which names file, field and remedy.
Map read_map(const std::string& path);

/// Writes a file. Throws output::OutputError.
void write_map(const std::string& path, const Map& map);

}  // namespace headstack::remap
