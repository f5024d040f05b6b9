// SPDX-License-Identifier: Apache-2.0
// Reads the counters of a drive that moves its blocks (log page 33h), and the counts of its load,
// by READ BUFFER (firmware/remap/learn.h). Both are read after the run's end, as in
// scheduler_counters.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "host/session/session.hpp"

namespace headstack::run {

/// Counters by name, in the page's order; empty if the drive does not report them.
using MoveCounters = std::vector<std::pair<std::string, std::uint32_t>>;
MoveCounters read_move_counters(session::Session& session);
/// A line for the summary's table; "" without counters.
std::string moves_text(const MoveCounters& counters);

/// The counts in the form of a file of `headstack-counts-1` (host/remap/README.md). Null when the
/// drive does not report them. `first_block` is that of group 0.
nlohmann::ordered_json read_learned(session::Session& session, std::uint32_t first_block,
                                    std::uint32_t group_blocks);

}  // namespace headstack::run
