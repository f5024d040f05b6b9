// SPDX-License-Identifier: Apache-2.0
// Events of Linux's block layer, recorded by blktrace and printed by blkparse.
#pragma once

#include <cstdint>

#include "host/traces/trace.hpp"

namespace headstack::traces {

/// The tag of an event's request, shared by its completion. Never 0.
constexpr std::uint64_t block_event_tag(std::uint64_t sector, Operation operation) {
  return sector << 2 | (static_cast<std::uint64_t>(operation) + 1);
}

}  // namespace headstack::traces
