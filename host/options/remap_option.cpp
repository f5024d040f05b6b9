// SPDX-License-Identifier: Apache-2.0
#include "host/options/remap_option.hpp"

// A function of C may have the name of a struct; in C++ it hides the struct's constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/transfer/remap_area.h"
#include "firmware/unit/mode_page.h"
#pragma GCC diagnostic pop

namespace headstack::options {

std::uint8_t parse_map_choice(const std::string& text) {
  return static_cast<std::uint8_t>(number_from("map", text, 0, REMAP_MAPS));
}

void apply_remap(const RemapSetting& setting, const RemapUnits& units, std::uint8_t* page) {
  constexpr std::uint32_t kAll = 256;
  const std::uint32_t share = setting.share_percent * kAll / 100;
  MODE_PUT(page, REMAP, FLAGS,
           MODE_REMAP_MOVES | (setting.learn_blocks != 0 ? MODE_REMAP_LEARNS : 0));
  MODE_PUT(page, REMAP, SHARE, share < kAll ? share : kAll - 1);
  MODE_PUT(page, REMAP, IDLE, setting.idle_ms);
  MODE_PUT(page, REMAP, GROUP, setting.learn_blocks);
  if (units.unit_blocks == 0) return;
  MODE_PUT(page, REMAP, FIRST, units.first_block);
  MODE_PUT(page, REMAP, UNIT, units.unit_blocks);
}

void apply_map_choice(std::uint8_t choice, std::uint8_t* page) {
  MODE_PUT(page, REMAP, MAP, choice);
}

}  // namespace headstack::options
