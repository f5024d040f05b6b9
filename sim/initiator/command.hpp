// What a host gives to the initiator, and what it gets back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/bus/never.hpp"
#include "sim/bus/phase.hpp"

namespace headstack::initiator {

using CommandId = std::uint64_t;  // 1, 2, ... in the order of submission

enum class Direction : std::uint8_t { kNone, kIn, kOut };

/// Values are the message codes (SCSI-2 6.6.17).
enum class TagType : std::uint8_t {
  kUntagged = 0,
  kSimple = 0x20,
  kHeadOfQueue = 0x21,
  kOrdered = 0x22,
};

/// INQUIRY, REQUEST SENSE and REPORT LUNS: they are answered though a unit attention is pending
/// (SCSI-2 7.9, SPC-2 7.19), so that their data may come before the host hears of a reset.
inline bool passes_attention(const std::vector<std::uint8_t>& cdb) {
  return !cdb.empty() && (cdb[0] == 0x12 || cdb[0] == 0x03 || cdb[0] == 0xA0);
}

/// A parity error made on purpose, once: the initiator sends byte `byte` of `phase` with wrong
/// parity, or takes a byte from the target for bad. Data bytes count from the start of the data;
/// the bytes of other phases from the phase's entry.
struct ParityFault {
  bus::Phase phase = bus::Phase::kCommand;
  std::uint32_t byte = 0;
};

/// How a command ended. `status` is valid for kComplete only.
enum class Outcome : std::uint8_t {
  kComplete,           // COMMAND COMPLETE after STATUS
  kSelectionTimeOut,   // no target answered
  kUnexpectedBusFree,  // the target let go without COMMAND COMPLETE or DISCONNECT
  kAborted,            // by ABORT, ABORT TAG, CLEAR QUEUE or BUS DEVICE RESET from this initiator
  kBusReset,           // RST, by anyone
  kClearedByUnitAttention,  // a unit attention told that the drive forgot this command
  kClearedByQueueError,     // another command of this host failed, and QERR ends all then
  kClearedByOverlap,        // an overlapped command made the drive drop all of this host's
};
const char* outcome_name(Outcome outcome);

/// Times of a command, bus::kNever where it did not happen. The road out and back, in this order.
struct Times {
  Picoseconds submitted = bus::kNever;
  Picoseconds arbitration_won = bus::kNever;  // SEL asserted, for the selection that succeeded
  Picoseconds selected = bus::kNever;         // target answered with BSY
  Picoseconds command_sent = bus::kNever;     // ACK of the last CDB byte
  std::vector<Picoseconds> disconnected;      // ACK of each DISCONNECT message
  std::vector<Picoseconds> reselected;        // BSY in answer to each reselection
  Picoseconds data_first = bus::kNever;       // first byte taken or given
  Picoseconds data_last = bus::kNever;
  Picoseconds status = bus::kNever;    // ACK of the status byte
  Picoseconds complete = bus::kNever;  // ACK of COMMAND COMPLETE
  Picoseconds finished =
      bus::kNever;  // bus free after that, or after REQUEST SENSE: done is called
};

/// Status GOOD (SCSI-2 7.3).
constexpr std::uint8_t kGood = 0x00;

struct Completion {
  CommandId id = 0;
  Outcome outcome = Outcome::kComplete;
  std::uint8_t status = 0;
  std::vector<std::uint8_t> data;   // Direction::kIn: as many bytes as came
  std::vector<std::uint8_t> sense;  // after CHECK CONDITION, with Command::auto_sense
  std::uint32_t bytes_moved = 0;    // where the data pointer stood in the end
  std::uint32_t bytes_reached =
      0;  // the furthest that it stood: a drive need not save it at the end
  std::uint32_t bytes_beyond = 0;   // bytes the target moved past the buffer's end, at most
  std::uint32_t parity_errors = 0;  // seen by the initiator
  Times times;

  /// COMMAND COMPLETE, behind status GOOD.
  bool is_good() const { return outcome == Outcome::kComplete && status == kGood; }
};

struct Command {
  std::uint8_t target = 0;  // SCSI id
  std::uint8_t lun = 0;
  std::vector<std::uint8_t> cdb;
  Direction direction = Direction::kNone;
  std::vector<std::uint8_t> data;  // Direction::kOut
  std::uint32_t length = 0;        // Direction::kIn: the most that may come
  TagType tag_type = TagType::kUntagged;
  std::uint16_t tag = 0;  // one space of 16 bits per LUN; unique among the commands in the drive
  bool extended_tag = false;  // send even a tag below 256 by the extended message
  bool may_disconnect = true;
  bool auto_sense = true;
  std::vector<std::vector<std::uint8_t>> messages;  // sent behind the tag
  /// One more behind those, made when its turn comes, with the time of that: e.g. a deadline. It
  /// is sent as it was made when the target asks for it again.
  std::function<std::vector<std::uint8_t>(Picoseconds)> dated_message;
  std::vector<ParityFault> parity_faults;
  /// Called with the time of the last CDB byte's ACK; again when the drive asks for the CDB again.
  std::function<void(Picoseconds)> sent;
  /// Called when the command is over. Without it the completion waits for Initiator::take().
  std::function<void(Completion)> done;
};

enum class ManagementKind : std::uint8_t { kAbort, kAbortTag, kClearQueue, kBusDeviceReset };

/// A message to the drive instead of a command. The commands that it ends are completed with
/// kAborted as soon as the drive has let go of the bus.
struct Management {
  ManagementKind kind = ManagementKind::kAbort;
  std::uint8_t target = 0;
  std::uint8_t lun = 0;
  std::uint16_t tag = 0;  // kAbortTag
  std::function<void(Completion)>
      done;  // kComplete, kSelectionTimeOut, kUnexpectedBusFree, kBusReset
};

}  // namespace headstack::initiator
