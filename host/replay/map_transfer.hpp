// SPDX-License-Identifier: Apache-2.0
// Commands by which a host sends a map to a drive and polls the progress of its moves.
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

/// Progress of a drive's moves towards a map, from page 33h.
struct MoveState {
  std::uint32_t left = 0;  // units
  std::uint32_t map = 0;   // number of the map in RAM; 0 until the drive has read it
  std::uint32_t failed_lba = 0;
};
std::optional<MoveState> move_state(const std::vector<std::uint8_t>& page);

/// The counters by name, in the page's order.
std::vector<std::pair<std::string, std::uint32_t>> move_counters(
    const std::vector<std::uint8_t>& page);

}  // namespace headstack::replay
