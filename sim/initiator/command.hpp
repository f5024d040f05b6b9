// SPDX-License-Identifier: Apache-2.0
// The commands that a host submits to the initiator, and their completions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/bus/never.hpp"
#include "sim/bus/phase.hpp"

namespace headstack::initiator {

using CommandId = std::uint64_t;  // 1, 2, ... in the order of submission

enum class Direction : std::uint8_t { kNone, kIn, kOut };

/// The types of tags. Values are the message codes (SCSI-2 6.6.17).
enum class TagType : std::uint8_t {
  kUntagged = 0,
  kSimple = 0x20,
  kHeadOfQueue = 0x21,
  kOrdered = 0x22,
};

/// Whether the command is INQUIRY, REQUEST SENSE or REPORT LUNS. The drive answers them even if a
/// unit attention is pending (SCSI-2 7.9, SPC-2 7.19). Their data may therefore come before the
/// host is notified of a reset.
inline bool passes_attention(const std::vector<std::uint8_t>& cdb) {
  return !cdb.empty() && (cdb[0] == 0x12 || cdb[0] == 0x03 || cdb[0] == 0xA0);
}

/// A deliberate parity error, once. The initiator sends byte `byte` of `phase` with wrong parity,
/// or treats a byte from the target as bad. Data bytes count from the start of the data, bytes of
/// other phases from the phase's start.
struct ParityFault {
  bus::Phase phase = bus::Phase::kCommand;
  std::uint32_t byte = 0;
};

/// How a command ended. `status` is valid for kComplete only.
enum class Outcome : std::uint8_t {
  kComplete,           // COMMAND COMPLETE after STATUS
  kSelectionTimeOut,   // no target answered
  kUnexpectedBusFree,  // the target freed the bus without COMMAND COMPLETE or DISCONNECT
  kAborted,            // by ABORT, ABORT TAG, CLEAR QUEUE or BUS DEVICE RESET from this initiator
  kBusReset,           // RST, by any device
  kClearedByUnitAttention,  // a unit attention reported that the drive dropped this command
  kClearedByQueueError,     // another command of this host failed, and QERR ended all
  kClearedByOverlap,        // an overlapped command made the drive drop all commands of this host
};
const char* outcome_name(Outcome outcome);

/// Times of a command, in their usual order; bus::kNever for what did not happen.
struct Times {
  Picoseconds submitted = bus::kNever;
  Picoseconds arbitration_won = bus::kNever;  // SEL asserted, for the selection that succeeded
  Picoseconds selected = bus::kNever;         // target answered with BSY
  Picoseconds command_sent = bus::kNever;     // ACK of the last CDB byte
  std::vector<Picoseconds> disconnected;      // ACK of each DISCONNECT message
  std::vector<Picoseconds> reselected;        // BSY in answer to each reselection
  Picoseconds data_first = bus::kNever;       // first byte moved
  Picoseconds data_last = bus::kNever;
  Picoseconds status = bus::kNever;    // ACK of the status byte
  Picoseconds complete = bus::kNever;  // ACK of COMMAND COMPLETE
  Picoseconds finished =
      bus::kNever;  // bus free after `complete`, or after REQUEST SENSE: done is called
};

/// Status GOOD (SCSI-2 7.3).
constexpr std::uint8_t kGood = 0x00;

struct Completion {
  CommandId id = 0;
  Outcome outcome = Outcome::kComplete;
  std::uint8_t status = 0;
  std::vector<std::uint8_t> data;   // Direction::kIn: as many bytes as came
  std::vector<std::uint8_t> sense;  // sense data after CHECK CONDITION, with Command::auto_sense
  std::uint32_t bytes_moved = 0;    // the data pointer at the end
  std::uint32_t bytes_reached =
      0;  // highest value of the data pointer: a drive need not save it at the end
  std::uint32_t bytes_beyond = 0;  // the most bytes that the target moved past the buffer's end
  std::vector<std::uint32_t> bytes_before_leave;  // the data pointer at each DISCONNECT
  std::uint32_t parity_errors = 0;                // errors that the initiator detected
  Times times;

  /// Whether the command ended with status GOOD and COMMAND COMPLETE.
  bool is_good() const { return outcome == Outcome::kComplete && status == kGood; }
};

struct Command {
  std::uint8_t target = 0;  // SCSI id
  std::uint8_t lun = 0;
  std::vector<std::uint8_t> cdb;
  Direction direction = Direction::kNone;
  std::vector<std::uint8_t> data;  // Direction::kOut
  std::uint32_t length = 0;        // Direction::kIn: the most bytes that may come
  TagType tag_type = TagType::kUntagged;
  std::uint16_t tag = 0;  // one space of 16 bits per LUN; unique among the commands in the drive
  bool extended_tag = false;  // send even a tag below 256 by the extended message
  bool may_disconnect = true;
  bool auto_sense = true;
  std::vector<std::vector<std::uint8_t>> messages;  // sent after the tag
  /// One more message after `messages`, such as a deadline. It is made with the time at which it is
  /// sent, and sent unchanged if the target asks for it again.
  std::function<std::vector<std::uint8_t>(Picoseconds)> dated_message;
  std::vector<ParityFault> parity_faults;
  /// Called with the time of the last CDB byte's ACK, and again if the drive requests the CDB
  /// again.
  std::function<void(Picoseconds)> sent;
  /// Called when the command is over. Without it the completion waits for Initiator::take().
  std::function<void(Completion)> done;
};

enum class ManagementKind : std::uint8_t { kAbort, kAbortTag, kClearQueue, kBusDeviceReset };

/// A message to the drive instead of a command. The commands that it ends are completed with
/// kAborted as soon as the drive has freed the bus.
struct Management {
  ManagementKind kind = ManagementKind::kAbort;
  std::uint8_t target = 0;
  std::uint8_t lun = 0;
  std::uint16_t tag = 0;  // tag of the task to abort; only for kAbortTag
  std::function<void(Completion)>
      done;  // called with kComplete, kSelectionTimeOut, kUnexpectedBusFree or kBusReset
};

}  // namespace headstack::initiator
