// Which stage may follow which, by what becomes of a command in the drive.
//
// The table is the life of a command as firmware/README.md and the standard have it (SCSI-2 6.1,
// 6.6: selection, command, disconnection, data, status), written down once more beside the rules by
// which host/observe/stage_log.hpp makes records: a record that leaves it was put together wrongly,
// whatever its stages sum to.
#pragma once

#include <cstdint>
#include <string>

#include "host/report/command_record.hpp"

namespace headstack::observe {

/// What became of a command, by the firmware's events.
enum class CommandKind : std::uint8_t {
  kRefused,   // never in the queue: BUSY, QUEUE FULL, CHECK CONDITION, or done at once
  kPlain,     // in the queue, and nothing for the media: SYNCHRONIZE CACHE and the like
  kMedia,     // the media serve it
  kHit,       // a read whose blocks are in the cache
  kJoined,    // a read whose blocks the media read ahead just now
  kReported,  // a write whose status goes out ahead of the media
};
const char* to_string(CommandKind kind);

/// What is wrong with the order of a complete record's stages, or "". `instant`: firmware and bus
/// take no time, so that a stage may vanish between two others.
std::string find_wrong_order(const report::CommandRecord& record, CommandKind kind, bool instant);

}  // namespace headstack::observe
