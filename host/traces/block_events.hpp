// Events of Linux' block layer, as blktrace records and blkparse prints them.
#pragma once

#include <cstdint>

#include "host/traces/trace.hpp"

namespace headstack::traces {

/// Which request an event is about: its completion has the same. Never 0.
constexpr std::uint64_t block_event_tag(std::uint64_t sector, Operation operation) {
  return sector << 2 | (static_cast<std::uint64_t>(operation) + 1);
}

}  // namespace headstack::traces
