// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/raw_host.hpp"

#include <algorithm>

#include "tests/fuzz/drive/cdb.hpp"

namespace headstack::fuzz {
namespace {

using bus::Phase;
using initiator::ByteOut;
using initiator::Completion;
using initiator::Direction;
using initiator::ManagementKind;
using initiator::Message;
using initiator::Outcome;
using initiator::TagType;
namespace message = initiator::message;

/// IDENTIFY for a target routine, and its reserved bits (SCSI-2 6.6.7): MESSAGE REJECT.
constexpr std::uint8_t kIdentifyRefused = 0x38;

bool is_ending(std::uint8_t code) {
  return code == message::kAbort || code == message::kAbortTag || code == message::kClearQueue ||
         code == message::kBusDeviceReset;
}

}  // namespace

std::uint8_t RawHost::code_of(ManagementKind kind) {
  switch (kind) {
    case ManagementKind::kAbort: return message::kAbort;
    case ManagementKind::kAbortTag: return message::kAbortTag;
    case ManagementKind::kClearQueue: return message::kClearQueue;
    case ManagementKind::kBusDeviceReset: break;
  }
  return message::kBusDeviceReset;
}

// ------------------------------------------------------------------------- messages to the drive

void RawHost::submit(const Action& action, initiator::Command command) {
  auto job = std::make_unique<Job>();
  job->action = &action;
  job->command = std::move(command);
  // With the host's own opening, only a tag message makes the command a tagged one.
  if (action.own_opening) job->command.tag_type = TagType::kUntagged;
  if (!action.with_attention) {
    job->command.lun = cdb_names_unit_ ? job->command.cdb[1] >> 5U : 0;
    job->command.tag_type = TagType::kUntagged;
    job->command.may_disconnect = false;
  }
  job->result.times.submitted = access_->now();
  if (job->command.direction == Direction::kIn) job->result.data.resize(job->command.length);
  waiting_.push_back(std::move(job));
  request_bus();
}

void RawHost::manage(initiator::Management management) {
  if (connected_ && !message_job_ && access_->connected()) {
    say({code_of(management.kind)});
    riding_.push_back(std::move(management));
    return;
  }
  auto job = std::make_unique<Job>();
  job->command.lun = management.lun;
  job->command.may_disconnect = false;
  if (management.kind == ManagementKind::kAbortTag) {
    job->command.tag_type = TagType::kSimple;
    job->command.tag = management.tag;
  }
  job->command.messages = {{code_of(management.kind)}};
  job->management = std::move(management);
  waiting_.push_front(std::move(job));
  request_bus();
}

bool RawHost::selects_with_attention() const {
  return selecting_ == nullptr || selecting_->action == nullptr ||
         selecting_->action->with_attention;
}

std::optional<unsigned> RawHost::arbitration_won(Picoseconds at) {
  if (waiting_.empty()) return std::nullopt;
  selecting_ = std::move(waiting_.front());
  waiting_.pop_front();
  selecting_->result.times.arbitration_won = at;
  return selecting_->command.target;
}

void RawHost::selection_timed_out() {
  finish(std::move(selecting_), Outcome::kSelectionTimeOut);
  request_bus();
}

void RawHost::clear_connection() {
  connected_ = reselected_ = nexus_asked_ = false;
  job_ = nullptr;
  lun_.reset();
  end_ = End::kNone;
  phase_bytes_ = 0;
  mode_ = {};
  error_said_ = message_bad_ = out_damaged_ = names_other_unit_ = false;
  in_.clear();
  sent_.clear();
  out_.clear();
  last_sent_.clear();
  ending_.clear();
  asked_width_.reset();
  asked_speed_.reset();
}

void RawHost::selection_answered() {
  clear_connection();
  connected_ = true;
  selecting_->result.times.selected = access_->now();
  Job& job = *selecting_;
  if (job.management) {
    message_job_ = std::move(selecting_);
  } else {
    active_.push_back(std::move(selecting_));
    job_ = &job;
  }
  // With the host's own opening, only IDENTIFY names the logical unit.
  if (!opens_its_own_way()) lun_ = job.command.lun;
  open(job);
}

/// It counts only before the command is sent: later messages are no opening.
bool RawHost::opens_its_own_way() const {
  if (job_ == nullptr || job_->action == nullptr || !job_->action->own_opening) return false;
  return job_->entries[static_cast<std::size_t>(Phase::kCommand)] == 0;
}

/// Sends the first messages after the selection: ATN has been on the bus since the ids were.
void RawHost::open(Job& job) {
  const initiator::Command& command = job.command;
  if (job.action != nullptr && !job.action->with_attention) return;
  if (opens_its_own_way()) {
    // The bytes are one piece: the drive must find the ends of messages.
    if (!job.action->opening.empty()) out_.push(job.action->opening);
    return;
  }
  out_.push(initiator::identify_message(command.lun, command.may_disconnect));
  if (command.tag_type != TagType::kUntagged) {
    out_.push(initiator::tag_message(command.tag_type, command.tag, command.extended_tag));
  }
  ask_in_doubt(command);
  for (const Message& one : command.messages) {
    if (!one.empty()) out_.push(one);
  }
}

/// Asks for an agreement, as any host does that has one to lose.
void RawHost::ask_in_doubt(const initiator::Command& command) {
  if (!in_doubt_ && !initiator::passes_attention(command.cdb)) return;
  in_doubt_ = false;
  if (agreement_ == initiator::kAsynchronous) return;
  out_.push(initiator::width_message(0));
  out_.push(initiator::synchronous_message(initiator::kFast10PeriodFactor, 0));
}

void RawHost::reselection_answered(unsigned /*target*/) {
  clear_connection();
  connected_ = reselected_ = true;
}

// -------------------------------------------------------------------------------------- the phases

void RawHost::say(Message message) {
  if (message.empty()) return;
  out_.push(std::move(message));
  access_->raise_attention();
}

/// Sends the storyline's interjection for this byte of this phase's entry.
void RawHost::interject(Phase phase) {
  if (job_ == nullptr || job_->action == nullptr || !bus::is_information(phase)) return;
  const auto entry = job_->entries[static_cast<std::size_t>(phase)];
  for (const Interjection& one : job_->action->interjections) {
    if (one.phase == phase && one.entry + 1U == entry && one.byte == phase_bytes_) say(one.message);
  }
}

bool RawHost::breaks_in_data() const {
  if (job_ == nullptr) return true;
  if (!job_->command.parity_faults.empty()) return true;
  return job_->action != nullptr &&
         std::any_of(job_->action->interjections.begin(), job_->action->interjections.end(),
                     [](const Interjection& one) { return bus::is_data(one.phase); });
}

initiator::TransferMode RawHost::enter_phase(Phase phase) {
  phase_ = phase;
  phase_bytes_ = 0;
  mode_ = {};
  if (bus::is_reserved(phase)) {
    access_->reset_bus();
    return mode_;
  }
  if (job_ != nullptr) ++job_->entries[static_cast<std::size_t>(phase)];
  if (phase == Phase::kMessageOut) {
    out_.begin_phase();
    sent_.clear();
    message_bad_ = error_said_ = false;
  } else if (phase == Phase::kMessageIn) {
    in_.clear();
  } else {
    const bool nobody = job_ == nullptr;
    nexus_asked_ = false;
    if (nobody && out_.empty()) {
      if (reselected_) ++unknown_nexus_count_;
      say({message::kAbort});  // 6.6.7: a phase for a nexus that does not exist
    }
    if (bus::is_data(phase)) {
      mode_.wide = agreement_.wide;
      mode_.offset = agreement_.offset;
      mode_.period_ps = agreement_.period_ps();
    }
  }
  interject(phase);
  return mode_;
}

bool RawHost::take_fault(Phase phase, std::uint32_t byte, bool keep) {
  if (job_ == nullptr) return false;
  auto& faults = job_->command.parity_faults;
  const auto found = std::find_if(faults.begin(), faults.end(), [&](const auto& fault) {
    return fault.phase == phase && fault.byte == byte;
  });
  if (found == faults.end()) return false;
  if (!keep) faults.erase(found);
  return true;
}

void RawHost::parity_error(Phase phase) {
  if (phase == Phase::kMessageIn) message_bad_ = true;
  if (error_said_) return;
  error_said_ = true;
  say({phase == Phase::kMessageIn ? message::kMessageParityError
                                  : message::kInitiatorDetectedError});
}

void RawHost::byte_in(Phase phase, std::uint16_t data, bool parity_good) {
  const std::uint32_t index = bus::is_data(phase) && job_ != nullptr ? job_->pointer : phase_bytes_;
  if (take_fault(phase, index, false)) parity_good = false;
  ++phase_bytes_;
  if (!parity_good) parity_error(phase);
  const auto byte = static_cast<std::uint8_t>(data);
  if (phase == Phase::kDataIn) {
    take_data(data);
  } else if (phase == Phase::kStatus && job_ != nullptr && parity_good) {
    job_->result.status = byte;
    job_->result.times.status = access_->now();
    job_->has_status = true;
  } else if (phase == Phase::kMessageIn && !message_bad_) {
    if (const auto whole = in_.push(byte)) take_message(*whole);
  }
  interject(phase);
}

std::uint32_t RawHost::length(Direction direction) const {
  if (job_ == nullptr || job_->command.direction != direction) return 0;
  return direction == Direction::kOut ? static_cast<std::uint32_t>(job_->command.data.size())
                                      : job_->command.length;
}

void RawHost::advance(std::uint32_t bytes) {
  job_->pointer += bytes;
  job_->result.bytes_reached = std::max(job_->result.bytes_reached, job_->pointer);
}

void RawHost::take_data(std::uint16_t data) {
  if (job_ == nullptr) return;
  for (unsigned i = 0; i < (mode_.wide ? 2U : 1U); ++i) {
    if (job_->pointer < length(Direction::kIn)) {
      job_->result.data[job_->pointer] = static_cast<std::uint8_t>(data >> (8 * i));
    }
    advance(1);
  }
}

std::uint8_t* RawHost::data_place(std::uint32_t bytes) {
  if (breaks_in_data() || length(Direction::kIn) < std::uint64_t{job_->pointer} + bytes) {
    return nullptr;
  }
  return job_->result.data.data() + job_->pointer;
}

const std::uint8_t* RawHost::data_source(std::uint32_t bytes) {
  if (breaks_in_data() || length(Direction::kOut) < std::uint64_t{job_->pointer} + bytes) {
    return nullptr;
  }
  return job_->command.data.data() + job_->pointer;
}

void RawHost::data_moved(std::uint32_t bytes, Picoseconds /*first*/, Picoseconds /*last*/) {
  advance(bytes);
  phase_bytes_ += bytes;
}

ByteOut RawHost::byte_out(Phase phase) {
  if (phase == Phase::kMessageOut) return message_out();
  ByteOut out;
  if (phase == Phase::kDataOut) {
    const std::uint32_t at = job_ == nullptr ? 0 : job_->pointer;
    const std::uint32_t end = length(Direction::kOut);
    out.available = at < end;
    if (!out.available) return out;
    const Bytes& data = job_->command.data;
    out.data = data[at];
    if (mode_.wide && at + 1 < end) {
      out.data = static_cast<std::uint16_t>(out.data | (unsigned{data[at + 1]} << 8U));
    }
    out.bad_parity = take_fault(phase, at, true) || (mode_.wide && take_fault(phase, at + 1, true));
    return out;
  }
  if (job_ != nullptr && phase_bytes_ < job_->command.cdb.size()) {
    out.data = job_->command.cdb[phase_bytes_];
  }
  out.bad_parity = take_fault(phase, phase_bytes_, true);
  return out;
}

ByteOut RawHost::message_out() {
  if (out_.empty() && phase_bytes_ > 0) {
    // 6.1.9.2: the target saw bad parity and asks again, from the first byte of this phase.
    out_.resend();
    phase_bytes_ = 0;
    sent_.clear();
    if (!out_.empty() && !out_.at_last()) access_->raise_attention();
  }
  if (out_.empty()) out_.push({message::kNoOperation});
  ByteOut out;
  out.data = out_.peek();
  out.last_of_messages = out_.at_last();
  out.bad_parity = take_fault(Phase::kMessageOut, phase_bytes_, true);
  return out;
}

void RawHost::byte_taken(Phase phase) {
  if (phase == Phase::kDataOut) {
    if (job_ == nullptr) return;
    const std::uint32_t at = job_->pointer;
    take_fault(phase, at, false);
    if (mode_.wide) take_fault(phase, at + 1, false);
    const bool odd_end = at + 1 == length(Direction::kOut);
    advance(mode_.wide && !odd_end ? 2 : 1);
    ++phase_bytes_;
    return interject(phase);
  }
  const bool bad = take_fault(phase, phase_bytes_, false);
  if (phase == Phase::kMessageOut) {
    out_damaged_ = out_damaged_ || bad;
    note_sent(out_.peek());
    ++phase_bytes_;
    message_taken();
    return interject(phase);
  }
  ++phase_bytes_;
  if (job_ != nullptr && phase_bytes_ == job_->command.cdb.size()) {
    job_->result.times.command_sent = access_->now();
    if (job_->command.sent) job_->command.sent(access_->now());
  }
  interject(phase);
}

void RawHost::message_taken() {
  if (const auto whole = out_.take()) last_sent_ = *whole;
}

/// Divides the bytes of MESSAGE OUT as a target does, to know which messages it has received.
void RawHost::note_sent(std::uint8_t byte) {
  const auto whole = sent_.push(byte);
  if (!whole) return;
  const std::uint8_t code = (*whole)[0];
  const bool is_identify = (code & message::kIdentify) != 0 && (code & kIdentifyRefused) == 0;
  if (is_identify && lun_ && *lun_ != (code & message::kIdentifyLunMask)) names_other_unit_ = true;
  if (is_identify && !lun_) {
    lun_ = static_cast<std::uint8_t>(code & message::kIdentifyLunMask);
    if (opens_its_own_way()) job_->command.lun = *lun_;
  }
  const auto tag = initiator::tag_of(*whole);
  if (tag && lun_ && opens_its_own_way() && job_->command.tag_type == TagType::kUntagged) {
    job_->command.tag_type = static_cast<TagType>(whole->size() == 2 ? code : (*whole)[3]);
    job_->command.tag = *tag;
    job_->command.extended_tag = whole->size() != 2;
  }
  const bool is_for_drive = !names_other_unit_ || code == message::kBusDeviceReset;
  if (whole->size() == 1 && is_ending(code) && is_for_drive) ending_.push_back(code);
  if (initiator::is_extended(*whole, message::kExtendedWide, 2)) {
    asked_width_ = initiator::Agreement{(*whole)[3] != 0, 0, 0};
    asked_speed_.reset();
  }
  if (initiator::is_extended(*whole, message::kExtendedSynchronous, 3)) {
    asked_speed_ = initiator::Agreement{false, (*whole)[3], (*whole)[4]};
  }
}

}  // namespace headstack::fuzz
