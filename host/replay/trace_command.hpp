// SPDX-License-Identifier: Apache-2.0
// A request of a trace as a SCSI command with its tag. It is READ or WRITE with the CDB length that
// the options demand, VERIFY(10), or SYNCHRONIZE CACHE(10) for a flush.
#pragma once

#include <cstdint>
#include <vector>

#include "host/traces/trace.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

/// Makes the command. `data` is the data of a write. Tags above 8 bits are sent as extended ones.
/// `duration` is the number of the duration limit descriptor that a read or write names, 1 .. 7,
/// which makes a 16-byte command; 0: none.
initiator::Command trace_command(const traces::TraceRequest& request,
                                 std::vector<std::uint8_t> data, std::uint8_t target_id,
                                 std::uint16_t tag, std::uint32_t block_bytes,
                                 unsigned duration = 0);

}  // namespace headstack::replay
