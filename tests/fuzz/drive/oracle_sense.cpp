// SPDX-License-Identifier: Apache-2.0
// Checks of CHECK CONDITION and sense data (SCSI-2 8.2.14, SPC-2 annex C.2).
#include <fmt/format.h>

#include "tests/fuzz/drive/oracle.hpp"

namespace headstack::fuzz {
namespace {

using initiator::Completion;

constexpr std::uint8_t kNoSense = 0x0;
constexpr std::uint8_t kNotReady = 0x2;
constexpr std::uint8_t kMediumError = 0x3;
constexpr std::uint8_t kHardwareError = 0x4;
constexpr std::uint8_t kIllegalRequest = 0x5;
constexpr std::uint8_t kUnitAttention = 0x6;
constexpr std::uint8_t kAbortedCommand = 0xB;
constexpr std::uint8_t kRecoveredError = 0x1;
/// 2F/00, which with QERR 1h any CHECK CONDITION of another host may cause.
constexpr std::uint8_t kClearedAsc = 0x2F;
// 31/00: a format was cut short; 32/00: no spare was left.
constexpr std::uint8_t kCorruptAsc = 0x31;
constexpr std::uint8_t kNoSpareAsc = 0x32;
constexpr std::uint8_t kListAsc = 0x1C;
constexpr std::uint8_t kTimedOutAsc = 0x2E;  // a limit of the command's duration ended it
constexpr std::uint8_t kCompleted = 0xF;
constexpr std::uint8_t kNoUnitAsc = 0x25;
constexpr std::uint8_t kWriteFaultAsc = 0x03;
constexpr std::uint8_t kLostAsc = 0x11;  // after a reassignment, when the data could not be kept

}  // namespace

/// Notes the commands that a CHECK CONDITION of this host may have ended, by QERR.
void Oracle::note_queue_error(std::size_t host) {
  if (!may_abort_own_) return;
  const auto is_meant = [&](const Ticket& other) {
    return may_clear_others_ || other.action->host == host;
  };
  mark_hit(is_meant);
  mark_lost(is_meant);
}

void Oracle::may_have_told(std::size_t host, Picoseconds at) {
  attentions_.may_have_reported(host, at);
  note_queue_error(host);
}

void Oracle::check_condition(const Ticket& ticket, const Completion& completion, Picoseconds at) {
  note_queue_error(ticket.action->host);
  const Bytes& bytes = completion.sense;
  if (bytes.size() < 14) {
    // The sense data may belong to commands that no longer exist.
    mark_lost([&](const Ticket& other) { return other.action->host == ticket.action->host; });
  }
  if (!ticket.action->auto_sense) return;
  if (bytes.size() < 14) {
    if (ticket.hit || ticket.provoked) return;
    return object(ticket, completion, "no sense",
                  "after CHECK CONDITION there is sense data (SCSI-2 8.2.14)", at);
  }
  const std::string wrong = find_sense_error(ticket, *initiator::sense_codes(bytes));
  if (!wrong.empty()) object(ticket, completion, "sense", wrong, at);
}

void Oracle::overheard(std::size_t host, const std::vector<std::uint8_t>& sense) {
  const std::optional<initiator::SenseCodes> codes = initiator::sense_codes(sense);
  if (codes && codes->is_deferred) (void)hear_of_loss(host, *codes);
}

/// The reason why this host cannot get this sense data; empty when it can.
std::string Oracle::find_sense_error(const Ticket& ticket, const initiator::SenseCodes& sense) {
  // FORMAT UNIT with IMMED also reports by deferred errors (SCSI-2 9.2.1).
  if (sense.is_deferred && has_formatted_[ticket.action->host]) return {};
  if (sense.is_deferred) {
    if (hear_of_loss(ticket.action->host, sense)) return {};
    return fmt::format("no write of this host to block {} whose status was GOOD has failed",
                       sense.information.value_or(0));
  }
  const Action& action = *ticket.action;
  switch (sense.key) {
    case kNoSense:
      // ABORT, CLEAR QUEUE and resets end a contingent allegiance and discard its sense data.
      attentions_.may_have_reported(action.host, ticket.finished);
      return ticket.hit || ticket.provoked ? "" : "after CHECK CONDITION the sense says why";
    case kUnitAttention:
      if (attentions_.report(action.host, sense.asc, sense.ascq, ticket.ended, ticket.finished) ||
          (may_clear_others_ && sense.asc == kClearedAsc)) {
        return {};
      }
      return "nothing has happened that this unit attention tells of";
    case kNotReady:
      if (may_be_stopped_ || may_be_formatting_) return {};
      return "the spindle is at speed, and nobody has stopped it";
    case kRecoveredError:
      // SPC-2 7.6: MODE SELECT rounds values that the drive does not support.
      if (sense.asc == 0x37 && ticket.request.operation == Operation::kModeSelect) return {};
      // SCSI-2 9.2.8: the list has a format that differs from the requested one.
      if (sense.asc == kListAsc && (action.cdb[0] == 0x37 || action.cdb[0] == 0xB7)) return {};
      [[fallthrough]];
    case kHardwareError:
    case kMediumError:
      // A write that was lost after GOOD is also reported by a command that waits for it.
      if (ticket.request.operation == Operation::kSynchronize ||
          ticket.request.operation == Operation::kModeSelect) {
        (void)hear_of_loss(action.host, sense);
      }
      return find_media_sense_error(ticket, sense);
    case kIllegalRequest:
      if (action.lun != 0 || ticket.request.validity != Validity::kValid) return {};
      if (sense.asc == kNoUnitAsc && action.own_opening) return {};
      return "the command is as the standards want it";
    case kAbortedCommand:
      if (sense.asc == kTimedOutAsc) return find_limit_error(ticket, sense.ascq);
      if (sense.asc == 0x4E && (ticket.overlapped || was_odd_[action.host])) return {};
      if (sense.asc == 0x4E && may_mistake_queue_error()) return {};
      if (sense.asc != 0x4E && ticket.provoked) return {};
      return sense.asc == 0x4E ? "no other command of this nexus was out (SCSI-2 7.5.2)"
                               : "this host's bytes were all good";
    default: return fmt::format("sense key {:X}h has no reason", sense.key);
  }
}

std::string Oracle::find_media_sense_error(const Ticket& ticket,
                                           const initiator::SenseCodes& sense) const {
  const Request& request = ticket.request;
  if (sense.asc == kCorruptAsc && may_be_corrupt()) return {};
  const bool repairs =
      request.operation == Operation::kFormat || request.operation == Operation::kReassign;
  if (sense.asc == kNoSpareAsc && repairs) return {};
  const bool may_fail = sense.asc == kLostAsc || sense.asc == kWriteFaultAsc;
  if (may_fail && repairs && !storyline_.flaws.empty()) return {};
  // SBC-3 6.4.5: MODE SELECT that turns the write cache off waits for writes that ended with GOOD.
  if (request.operation == Operation::kModeSelect && is_flawed(0, capacity_.blocks)) return {};
  const auto lba = static_cast<std::uint32_t>(request.lba);
  if (is_flawed(lba, request.blocks)) return {};
  // After a block that failed, the rest of a cached write is lost, too. Commands that wait for it
  // fail.
  const bool waits = request.operation == Operation::kSynchronize ||
                     request.operation == Operation::kRead ||
                     request.operation == Operation::kVerify;
  if (waits && is_at_risk(lba, request.blocks)) return {};
  return fmt::format("the media are good where it went{}",
                     sense.key == kRecoveredError ? ", nothing was to recover" : "");
}

/// Checks the data of a REQUEST SENSE that a host sent by itself.
void Oracle::check_sense_data(const Ticket& ticket, const Completion& completion, Picoseconds at) {
  const Bytes& data = completion.data;
  if (data.size() < 14) return attentions_.may_have_reported(ticket.action->host, ticket.finished);
  const initiator::SenseCodes sense = *initiator::sense_codes(data);
  if (sense.is_deferred) (void)hear_of_loss(ticket.action->host, sense);
  if (sense.key == kCompleted && !limits_[ticket.action->host][0].soonest_unavailable()) {
    return report("sense",
                  fmt::format("{} brought F/{:02X}/{:02X}", name(ticket), data[12], data[13]),
                  "its host has set no limit that completes commands without their data", at);
  }
  if (sense.key != kUnitAttention) return;
  // The data may be those of an earlier CHECK CONDITION that nobody fetched.
  const bool is_late = careless_[ticket.action->host];
  if (attentions_.report(ticket.action->host, data[12], data[13], is_late ? 0 : ticket.ended,
                         ticket.finished) ||
      (may_clear_others_ && data[12] == kClearedAsc)) {
    return;
  }
  report("sense", fmt::format("{} brought 6/{:02X}/{:02X}", name(ticket), data[12], data[13]),
         "nothing has happened that this unit attention tells of", at);
}

}  // namespace headstack::fuzz
