// SPDX-License-Identifier: Apache-2.0
#include "host/options/remap_option.hpp"

// In C a function may be called like a struct; in C++ it hides its constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/kernel/bytes.h"
#include "firmware/scsi/mode_page.h"
#include "firmware/transfer/remap_area.h"
#pragma GCC diagnostic pop

namespace headstack::options {

std::uint8_t parse_map_choice(const std::string& text) {
  return static_cast<std::uint8_t>(number_from("map", text, 0, REMAP_MAPS));
}

void apply_remap(const RemapSetting& setting, const RemapUnits& units, std::uint8_t* page) {
  constexpr std::uint32_t kAll = 256;
  const std::uint32_t share = setting.share_percent * kAll / 100;
  page[MODE_REMAP_AT_FLAGS] = MODE_REMAP_MOVES;
  if (setting.learn_blocks != 0) page[MODE_REMAP_AT_FLAGS] |= MODE_REMAP_LEARNS;
  page[MODE_REMAP_AT_SHARE] = static_cast<std::uint8_t>(share < kAll ? share : kAll - 1);
  bytes_put_be16(page + MODE_REMAP_AT_IDLE, static_cast<std::uint16_t>(setting.idle_ms));
  bytes_put_be16(page + MODE_REMAP_AT_GROUP, static_cast<std::uint16_t>(setting.learn_blocks));
  if (units.unit_blocks == 0) return;
  bytes_put_be32(page + MODE_REMAP_AT_FIRST, units.first_block);
  bytes_put_be16(page + MODE_REMAP_AT_UNIT, static_cast<std::uint16_t>(units.unit_blocks));
}

void apply_map_choice(std::uint8_t choice, std::uint8_t* page) { page[MODE_REMAP_AT_MAP] = choice; }

}  // namespace headstack::options
