// SPDX-License-Identifier: Apache-2.0
// How a host sends a map to a drive, and asks it whether all units have moved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/remap/map_file.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

/// WRITE BUFFER commands that make a map the drive's map `number`, in order. Each may be answered
/// with BUSY as long as another map is being saved.
std::vector<initiator::Command> map_commands(const remap::Map& map, std::uint8_t number);

/// LOG SENSE of page 33h.
initiator::Command sense_moves();

/// A counter of page 33h, by the number of its parameter (firmware/transfer/remap_tallies.def);
/// nothing, if it is not there.
std::optional<std::uint32_t> find_moves_counter(const std::vector<std::uint8_t>& page,
                                                std::uint32_t number);

/// What the page says of a drive on its way to a map.
struct MoveState {
  std::uint32_t left = 0;  // units
  std::uint32_t map = 0;   // in RAM: 0 until the drive has read the one that it is to have
  std::uint32_t failed_lba = 0;
};
std::optional<MoveState> move_state(const std::vector<std::uint8_t>& page);

/// The counters by name, in the page's order.
std::vector<std::pair<std::string, std::uint32_t>> move_counters(
    const std::vector<std::uint8_t>& page);

}  // namespace headstack::replay
