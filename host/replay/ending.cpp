// SPDX-License-Identifier: Apache-2.0
#include "host/replay/ending.hpp"

#include "host/report/command_record.hpp"
#include "sim/initiator/queue_error.hpp"

namespace headstack::replay {
namespace {

using Fate = BlockHistory::Fate;
using initiator::Completion;
using initiator::Outcome;

// Status codes (SCSI-2 7.3) other than GOOD.
constexpr std::uint8_t kCheckCondition = 0x02;
constexpr std::uint8_t kBusy = 0x08;
constexpr std::uint8_t kReservationConflict = 0x18;
constexpr std::uint8_t kQueueFull = 0x28;

// Sense keys (SCSI-2 8.2.14.3).
constexpr std::uint8_t kRecoveredError = 0x1;
constexpr std::uint8_t kNotReady = 0x2;
constexpr std::uint8_t kIllegalRequest = 0x5;
constexpr std::uint8_t kUnitAttention = 0x6;
constexpr std::uint8_t kDataProtect = 0x7;
constexpr std::uint8_t kAbortedCommand = 0xB;
// Additional sense code: COMMAND TIMEOUT BEFORE, DURING PROCESSING, or DURING ERROR RECOVERY
// (SPC-5).
constexpr std::uint8_t kCommandTimeOut = 0x2E;

Ending of_sense(const Completion& completion) {
  const auto codes = initiator::sense_codes(completion.sense);
  if (!codes) return {EndKind::kFailed, Fate::kPerhaps};
  // The drive has not begun the command to which it returns a deferred error (SCSI-2 8.2.14.2).
  if (codes->is_deferred) return {EndKind::kLost, Fate::kNoEffect};
  switch (codes->key) {
    case kRecoveredError: return {EndKind::kDone, Fate::kDone};
    case kUnitAttention: return {EndKind::kLost, Fate::kNoEffect};
    case kAbortedCommand:
      // The command has exceeded a duration limit. If it were sent again, it would be later still.
      if (codes->asc == kCommandTimeOut) return {EndKind::kFailed, Fate::kPerhaps};
      return {EndKind::kLost, Fate::kPerhaps};
    case kNotReady:
    case kIllegalRequest:
    case kDataProtect: return {EndKind::kFailed, Fate::kNoEffect};
    default: return {EndKind::kFailed, Fate::kPerhaps};
  }
}

Ending of_status(const Completion& completion) {
  switch (completion.status) {
    case initiator::kGood: return {EndKind::kDone, Fate::kDone};
    case kCheckCondition: return of_sense(completion);
    case kBusy: return {EndKind::kBusy, Fate::kNoEffect};
    case kQueueFull: return {EndKind::kQueueFull, Fate::kNoEffect};
    case kReservationConflict: return {EndKind::kFailed, Fate::kNoEffect};
    default: return {EndKind::kFailed, Fate::kPerhaps};
  }
}

}  // namespace

const char* outcome_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::kComplete: return report::kCompleteOutcome;
    case Outcome::kSelectionTimeOut: return "no-target";
    case Outcome::kUnexpectedBusFree: return "bus-free";
    case Outcome::kAborted: return "aborted";
    case Outcome::kBusReset: return "bus-reset";
    case Outcome::kClearedByUnitAttention: return "cleared";
    case Outcome::kClearedByQueueError: return "qerr";
    case Outcome::kClearedByOverlap: return "overlap";
  }
  return "?";
}

Ending ending_of(const Completion& completion, bool given_up) {
  switch (completion.outcome) {
    case Outcome::kComplete: return of_status(completion);
    case Outcome::kAborted: return {given_up ? EndKind::kAborted : EndKind::kLost, Fate::kPerhaps};
    case Outcome::kBusReset:
    case Outcome::kClearedByUnitAttention:
    case Outcome::kClearedByQueueError:
    case Outcome::kClearedByOverlap: return {EndKind::kLost, Fate::kPerhaps};
    case Outcome::kSelectionTimeOut:
    case Outcome::kUnexpectedBusFree: break;
  }
  return {EndKind::kBroken, Fate::kPerhaps};
}

bool wants_retry(EndKind kind, options::RetryPolicy policy) {
  switch (kind) {
    case EndKind::kBusy:
    case EndKind::kQueueFull: return true;
    case EndKind::kLost: return policy != options::RetryPolicy::kNone;
    case EndKind::kAborted: return policy == options::RetryPolicy::kAll;
    default: return false;
  }
}

}  // namespace headstack::replay
