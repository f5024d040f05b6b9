// Message 81h in its long form (firmware/scsi/message.h): what a host wants of the drive's time for
// the command to come. It is a message of this drive's own.
#pragma once

#include <cstdint>
#include <vector>

#include "host/traces/trace.hpp"

namespace headstack::replay {

/// Whether a request wants anything that a command without the message would not get: best effort,
/// without a priority, in its initiator's stream.
bool wants_urgency(const traces::TraceRequest& request);

/// `left`: until the deadline, rounded down to microseconds; 0 when it is past. `scsi_id`: of the
/// host, whose number is the stream of a request that names none.
std::vector<std::uint8_t> urgency_message(const traces::TraceRequest& request, Picoseconds left,
                                          std::uint8_t scsi_id);

}  // namespace headstack::replay
