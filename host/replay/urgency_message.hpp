// SPDX-License-Identifier: Apache-2.0
// Message 81h in its long form (firmware/target/message.h): deadline, class, stream and priority of
// the next command. It is a vendor-specific message of this drive.
#pragma once

#include <cstdint>
#include <vector>

#include "host/traces/trace.hpp"

namespace headstack::replay {

/// Whether a request needs the message. A command without it is best effort, without a priority, in
/// its initiator's stream.
bool wants_urgency(const traces::TraceRequest& request);

/// `left`: time until the deadline, rounded down to microseconds; 0 when the deadline has passed.
/// `scsi_id`: that of the host. It is the stream of a request that names none.
std::vector<std::uint8_t> urgency_message(const traces::TraceRequest& request, Picoseconds left,
                                          std::uint8_t scsi_id);

}  // namespace headstack::replay
