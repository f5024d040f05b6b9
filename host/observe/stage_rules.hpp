// SPDX-License-Identifier: Apache-2.0
// The permitted orders of stages for each kind of command.
//
// The table follows the life of a command in docs/architecture.md and the standard (SCSI-2 6.1,
// 6.6: selection, command, disconnection, data, status). It is independent of
// host/observe/stage_log.hpp, which makes the records. A record that violates it is wrong, even if
// its stages sum to the response time.
#pragma once

#include <cstdint>
#include <string>

#include "host/report/command_record.hpp"

namespace headstack::observe {

/// What became of a command, by the firmware's events.
enum class CommandKind : std::uint8_t {
  kRefused,   // never queued: BUSY, QUEUE FULL, CHECK CONDITION, or done at once
  kPlain,     // queued, without work for the media: SYNCHRONIZE CACHE and similar
  kMedia,     // served by the media
  kHit,       // a read whose blocks are in the cache
  kJoined,    // a read of blocks that are just being read ahead
  kReported,  // a write whose status precedes the media's work
};
const char* to_string(CommandKind kind);

/// The first error in the order of a complete record's stages, or "". `instant` means that firmware
/// and bus take no time, so that stages may have length 0 and vanish.
report::RecordFault find_wrong_order(const report::CommandRecord& record, CommandKind kind,
                                     bool instant);

}  // namespace headstack::observe
