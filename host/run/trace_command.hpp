// A request of a trace as a SCSI command: READ(10), WRITE(10), and SYNCHRONIZE CACHE(10) for a
// flush, with a simple tag.
#pragma once

#include <cstdint>
#include <vector>

#include "host/replay/trace.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::run {

// SBC operation codes.
constexpr std::uint8_t kRead10 = 0x28;
constexpr std::uint8_t kWrite10 = 0x2A;
constexpr std::uint8_t kSynchronizeCache10 = 0x35;

/// `data` is what a write brings. Tags above 8 bits go out as extended ones.
initiator::Command trace_command(const replay::TraceRequest& request,
                                 const std::vector<std::uint8_t>& data, std::uint8_t target_id,
                                 std::uint16_t tag, std::uint32_t block_bytes);

}  // namespace headstack::run
