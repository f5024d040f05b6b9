// SPDX-License-Identifier: Apache-2.0
#include "host/remap/map_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firmware/remap/counts.h"
#include "host/output/output_file.hpp"
#include "host/remap/json_file.hpp"

namespace headstack::remap {

Map read_map(const std::string& path) {
  const JsonFile file(path, "headstack-map-1", "'headstack remap arrange'");
  Map map;
  map.first_block = file.number("first_block", 0, UINT32_MAX);
  map.unit_blocks = file.number("unit_blocks", 1, UINT32_MAX);
  const auto& slots = file.list("slots");
  if (slots.empty() || slots.size() > REMAP_UNITS_MAX) {
    file.fail(fmt::format("'slots' has {} entries, not 1 to {}", slots.size(), REMAP_UNITS_MAX));
  }
  std::vector<bool> taken(slots.size());
  for (const auto& value : slots) {
    const std::uint32_t slot =
        file.whole(value, "slots", 0, static_cast<std::uint32_t>(slots.size() - 1));
    if (taken[slot]) file.fail(fmt::format("'slots' has {} twice", slot));
    taken[slot] = true;
    map.slots.push_back(static_cast<std::uint16_t>(slot));
  }
  return map;
}

void write_map(const std::string& path, const Map& map) {
  output::write_file(path,
                     fmt::format("{{\"format\": \"headstack-map-1\", \"first_block\": {}, "
                                 "\"unit_blocks\": {},\n \"slots\": [{}]}}\n",
                                 map.first_block, map.unit_blocks, fmt::join(map.slots, ", ")));
}

}  // namespace headstack::remap
