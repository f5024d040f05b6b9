// SPDX-License-Identifier: Apache-2.0
// The commands by which a host sends a map to a drive and polls the progress of its moves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/remap/map_file.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

/// The WRITE BUFFER commands, in order, that make a map the drive's map `number`. The drive may
/// answer BUSY to each as long as it is saving another map.
std::vector<initiator::Command> map_commands(const remap::Map& map, std::uint8_t number);

/// The LOG SENSE of page 33h.
initiator::Command sense_moves();

/// A counter of page 33h, by the number of its parameter (firmware/transfer/remap_tallies.def).
/// The result is empty if the page lacks the parameter.
std::optional<std::uint32_t> find_moves_counter(const std::vector<std::uint8_t>& page,
                                                std::uint32_t number);

/// Progress of a drive's moves towards a map, from page 33h.
struct MoveState {
  std::uint32_t left = 0;  // number of units that have not reached their places
  std::uint32_t map = 0;   // number of the map in RAM; 0 until the drive has read one
  std::uint32_t failed_lba = 0;
};
std::optional<MoveState> move_state(const std::vector<std::uint8_t>& page);

/// The counters of page 33h by name, in the page's order.
std::vector<std::pair<std::string, std::uint32_t>> move_counters(
    const std::vector<std::uint8_t>& page);

}  // namespace headstack::replay
