// SPDX-License-Identifier: Apache-2.0
// The command line's words for block remapping: mode page 23h (firmware/unit/mode_page.h), and the
// maps that hosts send to the drive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/unit/mode_page.h"
#include "host/options/option_words.hpp"

namespace headstack::options {

struct RemapSetting {
  std::vector<std::string> maps;    // files with maps 1 and 2 of the drive
  bool chooses = false;             // a map, or none, is selected; false: the drive chooses
  std::uint32_t share_percent = 0;  // share of the media's time under load; 0: moves only when the
                                    // drive is idle
  std::uint32_t idle_ms = 20;       // time without commands after which the drive counts as idle
  std::uint32_t learn_blocks = 0;   // group size of the counts of accesses, in blocks; 0: none
  bool settles = false;             // the trace begins after all units have moved

  [[nodiscard]] bool is_asked_for() const { return !maps.empty() || chooses || learn_blocks != 0; }
};

/// Parses "0", "1" or "2": all units at home, or one of the two maps. Throws OptionError.
std::uint8_t parse_map_choice(const std::string& text);

constexpr std::uint32_t kRemapPageBytes = MODE_REMAP_BYTES;

/// Place and size of a map's units.
struct RemapUnits {
  std::uint32_t first_block = 0;
  std::uint32_t unit_blocks = 0;
};

/// Applies all settings except the choice of a map to a page that the drive reported.
void apply_remap(const RemapSetting& setting, const RemapUnits& units, std::uint8_t* page);
void apply_map_choice(std::uint8_t choice, std::uint8_t* page);

}  // namespace headstack::options
