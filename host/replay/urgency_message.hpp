// SPDX-License-Identifier: Apache-2.0
// Message 81h in its long form, a vendor-specific message of this drive
// (firmware/target/message.h). It has deadline, class, stream and priority of the next command.
#pragma once

#include <cstdint>
#include <vector>

#include "host/traces/trace.hpp"

namespace headstack::replay {

/// Whether a request needs the message. Without it, a command is best effort, has no priority, and
/// belongs to its initiator's stream.
bool wants_urgency(const traces::TraceRequest& request);

/// Makes the message. `left` is the time until the deadline, rounded down to microseconds; 0 when
/// the deadline has passed. `scsi_id` is the host's, which is the stream of a request that names
/// none.
std::vector<std::uint8_t> urgency_message(const traces::TraceRequest& request, Picoseconds left,
                                          std::uint8_t scsi_id);

}  // namespace headstack::replay
