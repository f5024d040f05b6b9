// A request of a trace as a SCSI command: READ(10), WRITE(10), and SYNCHRONIZE CACHE(10) for a
// flush, with a simple tag.
#pragma once

#include <cstdint>
#include <vector>

#include "host/replay/trace.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::run {

/// `data` is what a write brings. Tags above 8 bits go out as extended ones.
initiator::Command trace_command(const replay::TraceRequest& request,
                                 const std::vector<std::uint8_t>& data, std::uint8_t target_id,
                                 std::uint16_t tag, std::uint32_t block_bytes);

}  // namespace headstack::run
