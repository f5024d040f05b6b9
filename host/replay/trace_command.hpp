// A request of a trace as a SCSI command: READ and WRITE of the length that its options want,
// VERIFY(10), and SYNCHRONIZE CACHE(10) for a flush, with its tag.
#pragma once

#include <cstdint>
#include <vector>

#include "host/traces/trace.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

// SBC operation codes.
constexpr std::uint8_t kRead6 = 0x08;
constexpr std::uint8_t kRead10 = 0x28;
constexpr std::uint8_t kVerify10 = 0x2F;
constexpr std::uint8_t kSynchronizeCache10 = 0x35;
constexpr std::uint8_t kRead16 = 0x88;

/// `data` is what a write brings. Tags above 8 bits go out as extended ones. `duration`: the
/// descriptor of duration limits that a read or write names, 1 .. 7, which makes it one of 16
/// bytes; 0: none.
initiator::Command trace_command(const traces::TraceRequest& request,
                                 std::vector<std::uint8_t> data, std::uint8_t target_id,
                                 std::uint16_t tag, std::uint32_t block_bytes,
                                 unsigned duration = 0);

}  // namespace headstack::replay
