// SPDX-License-Identifier: Apache-2.0
// The counters of a drive that moves its blocks (log page 33h), and the counts of its load, by READ
// BUFFER (firmware/remap/learn.h). Both are read after the run's end, as scheduler_counters.hpp
// says.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "host/session/session.hpp"

namespace headstack::run {

/// By name, in the page's order; empty if the drive does not report them.
using MoveCounters = std::vector<std::pair<std::string, std::uint32_t>>;
MoveCounters read_move_counters(session::Session& session);
/// A line for the summary's table; "" without counters.
std::string moves_text(const MoveCounters& counters);

/// The counts as a file of `headstack-counts-1` has them (host/remap/README.md). Null, when the
/// drive does not tell. `first_block` is that of group 0.
nlohmann::ordered_json read_learned(session::Session& session, std::uint32_t first_block,
                                    std::uint32_t group_blocks);

}  // namespace headstack::run
