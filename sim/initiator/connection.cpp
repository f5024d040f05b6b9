// SPDX-License-Identifier: Apache-2.0
#include "sim/initiator/connection.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::initiator {

using bus::Phase;

void Connection::reset_state() {
  task_ = nullptr;
  lun_.reset();
  reselected_ = false;
  tag_may_follow_ = false;
  reselected_at_ = bus::kNever;
  end_ = ConnectionEnd::kNone;
  mode_ = {};
  phase_bytes_ = 0;
  status_known_ = false;
  command_is_complete_ = false;
  error_sent_ = false;
  message_in_bad_ = false;
  widths_by_hand_ = 0;
  synchronous_by_hand_ = 0;
  tags_sent_ = 0;
  assembler_.clear();
  out_.clear();
  last_sent_.clear();
}

void Connection::clear() {
  reset_state();
  open_ = false;
}

void Connection::begin_selected(Task& task, Negotiator& negotiator) {
  reset_state();
  open_ = true;
  task_ = &task;
  target_ = task.command.target;
  lun_ = task.command.lun;
  negotiator_ = &negotiator;
  const Command& command = task.command;
  // ATN has been on the bus since the ids: these messages go out first.
  out_.push(identify_message(command.lun, command.may_disconnect));
  if (command.tag_type != TagType::kUntagged) {
    out_.push(tag_message(command.tag_type, command.tag, command.extended_tag));
  }
  for (const Message& message : command.messages) {
    if (is_extended(message, message::kExtendedWide, 2)) ++widths_by_hand_;
    if (is_extended(message, message::kExtendedSynchronous, 3)) ++synchronous_by_hand_;
    out_.push(message);
  }
  if (command.dated_message) out_.push_unmade();
  if (task.management) return;
  Message opening = negotiator.open();
  if (!opening.empty()) out_.push(std::move(opening));
}

void Connection::begin_reselected(unsigned target, Negotiator& negotiator) {
  reset_state();
  open_ = true;
  reselected_ = true;
  reselected_at_ = access_->now();
  target_ = target;
  negotiator_ = &negotiator;
}

void Connection::send(Message message) {
  add(std::move(message));
  access_->raise_attention();
}

TransferMode Connection::enter_phase(Phase phase) {
  phase_bytes_ = 0;
  mode_ = {};
  if (bus::is_reserved(phase)) {
    fail_();
    return mode_;
  }
  switch (phase) {
    case Phase::kMessageOut:
      out_.begin_phase();
      message_in_bad_ = false;
      error_sent_ = false;
      break;
    case Phase::kMessageIn: assembler_.clear(); break;
    default: enter_information(phase);
  }
  return mode_;
}

// Begins COMMAND, DATA or STATUS: the messages about this nexus are over.
void Connection::enter_information(Phase phase) {
  tag_may_follow_ = false;
  if (out_.empty()) negotiator_->abandon();  // the initiator's message is out, and no answer came
  const bool no_command = task_ == nullptr || task_->management.has_value();
  if (no_command && out_.empty() && end_ == ConnectionEnd::kNone) {
    if (reselected_) ++unknown_nexus_count_;
    send({message::kAbort});  // 6.6.7: a phase for a nexus that does not exist
  }
  if (!bus::is_data(phase)) return;
  const Agreement& agreement = negotiator_->agreement();
  mode_.wide = agreement.wide;
  mode_.offset = agreement.offset;
  mode_.period_ps = agreement.period_ps();
}

bool Connection::fault_at(Phase phase, std::uint32_t byte) const {
  if (task_ == nullptr || task_->command.parity_faults.empty()) return false;
  const auto& faults = task_->command.parity_faults;
  return std::any_of(faults.begin(), faults.end(), [&](const ParityFault& fault) {
    return fault.phase == phase && fault.byte == byte;
  });
}

bool Connection::take_fault(Phase phase, std::uint32_t byte) {
  if (!fault_at(phase, byte)) return false;
  auto& faults = task_->command.parity_faults;
  faults.erase(std::find_if(faults.begin(), faults.end(), [&](const ParityFault& fault) {
    return fault.phase == phase && fault.byte == byte;
  }));
  return true;
}

void Connection::parity_error(Phase phase) {
  if (task_ != nullptr) ++task_->result.parity_errors;
  if (phase == Phase::kMessageIn) message_in_bad_ = true;
  if (error_sent_) return;
  error_sent_ = true;
  send({phase == Phase::kMessageIn ? message::kMessageParityError
                                   : message::kInitiatorDetectedError});
}

void Connection::byte_in(Phase phase, std::uint16_t data, bool parity_good) {
  const std::uint32_t index =
      bus::is_data(phase) && task_ != nullptr ? task_->data_pointer : phase_bytes_;
  if (take_fault(phase, index)) parity_good = false;
  ++phase_bytes_;
  if (!parity_good) parity_error(phase);
  const auto byte = static_cast<std::uint8_t>(data);
  switch (phase) {
    case Phase::kDataIn: return take_data(data);
    case Phase::kStatus: return take_status(byte, parity_good);
    case Phase::kMessageIn: {
      if (message_in_bad_) return;  // the target will send it again, from its first byte
      if (const auto message = assembler_.push(byte)) take_message(*message);
      return;
    }
    default: HEADSTACK_ASSERT(false, "bytes come in phases in");
  }
}

void Connection::note_data(Picoseconds first, Picoseconds last) {
  Times& times = task_->result.times;
  if (times.data_first == bus::kNever) times.data_first = first;
  times.data_last = last;
}

void Connection::advance(std::uint32_t bytes) {
  task_->data_pointer += bytes;
  std::uint32_t& reached = task_->result.bytes_reached;
  reached = std::max(reached, task_->data_pointer);
}

std::uint8_t* Connection::data_place(std::uint32_t bytes) {
  if (task_ == nullptr || !task_->command.parity_faults.empty()) return nullptr;
  if (task_->data_length(Direction::kIn) < std::uint64_t{task_->data_pointer} + bytes) {
    return nullptr;
  }
  return task_->result.data.data() + task_->data_pointer;
}

const std::uint8_t* Connection::data_source(std::uint32_t bytes) {
  if (task_ == nullptr || !task_->command.parity_faults.empty()) return nullptr;
  if (task_->data_length(Direction::kOut) < std::uint64_t{task_->data_pointer} + bytes) {
    return nullptr;
  }
  return task_->command.data.data() + task_->data_pointer;
}

void Connection::data_moved(std::uint32_t bytes, Picoseconds first, Picoseconds last) {
  note_data(first, last);
  advance(bytes);
  phase_bytes_ += bytes;  // as if they came one by one; no data phase reads the count
}

void Connection::take_data(std::uint16_t data) {
  if (task_ == nullptr) return;
  note_data(access_->now(), access_->now());
  const std::uint32_t length = task_->data_length(Direction::kIn);
  const unsigned count = mode_.wide ? 2 : 1;
  for (unsigned i = 0; i < count; ++i) {
    if (task_->data_pointer < length) {
      task_->result.data[task_->data_pointer] = static_cast<std::uint8_t>(data >> (8 * i));
    }
    advance(1);
  }
}

void Connection::take_status(std::uint8_t status, bool parity_good) {
  if (task_ == nullptr || !parity_good) return;
  task_->result.status = status;
  task_->result.times.status = access_->now();
  status_known_ = true;
}

ByteOut Connection::byte_out(Phase phase) {
  switch (phase) {
    case Phase::kDataOut: return data_out();
    case Phase::kMessageOut: return message_out();
    default: break;
  }
  ByteOut out;
  if (task_ != nullptr && phase_bytes_ < task_->command.cdb.size()) {
    out.data = task_->command.cdb[phase_bytes_];
  }
  out.bad_parity = fault_at(phase, phase_bytes_) ? 1 : 0;
  return out;
}

ByteOut Connection::data_out() {
  ByteOut out;
  const std::uint32_t length = task_ == nullptr ? 0 : task_->data_length(Direction::kOut);
  const std::uint32_t at = task_ == nullptr ? 0 : task_->data_pointer;
  out.available = at < length;
  if (!out.available) return out;
  const std::vector<std::uint8_t>& data = task_->command.data;
  out.data = data[at];
  out.bad_parity = fault_at(Phase::kDataOut, at) ? 1 : 0;
  if (mode_.wide && at + 1 < length) {
    out.data = static_cast<std::uint16_t>(out.data | (unsigned{data[at + 1]} << 8U));
    if (fault_at(Phase::kDataOut, at + 1)) out.bad_parity |= 2U;
  }
  return out;
}

ByteOut Connection::message_out() {
  if (out_.empty() && phase_bytes_ > 0) {
    // 6.1.9.2: the target had bad parity and asks again, from the first byte of this phase.
    out_.resend();
    phase_bytes_ = 0;
    tags_sent_ = 0;
    if (!out_.at_last()) access_->raise_attention();
  }
  if (out_.empty()) out_.push({message::kNoOperation});
  if (out_.is_unmade()) out_.make(task_->command.dated_message(access_->now()));
  ByteOut out;
  out.data = out_.peek();
  out.last_of_messages = out_.at_last();
  out.bad_parity = fault_at(Phase::kMessageOut, phase_bytes_) ? 1 : 0;
  return out;
}

void Connection::byte_taken(Phase phase) {
  if (phase == Phase::kDataOut) return data_taken();
  take_fault(phase, phase_bytes_);
  ++phase_bytes_;
  if (phase == Phase::kMessageOut) return message_taken();
  if (task_ != nullptr && phase_bytes_ == task_->command.cdb.size()) {
    task_->result.times.command_sent = access_->now();
    if (task_->command.sent) task_->command.sent(access_->now());
  }
}

void Connection::data_taken() {
  if (task_ == nullptr) return;
  note_data(access_->now(), access_->now());
  const std::uint32_t at = task_->data_pointer;
  take_fault(Phase::kDataOut, at);
  if (mode_.wide) take_fault(Phase::kDataOut, at + 1);
  // The second half of an odd last word is padding that the target drops: it is not in the data.
  const bool odd_end = at + 1 == task_->data_length(Direction::kOut);
  advance(mode_.wide && !odd_end ? 2 : 1);
}

void Connection::message_taken() {
  const std::optional<Message> whole = out_.take();
  if (!whole) return;
  last_sent_ = *whole;
  if (tag_of(last_sent_)) ++tags_sent_;
  switch (last_sent_[0]) {
    case message::kAbort:
    case message::kAbortTag:
    case message::kClearQueue:
    case message::kBusDeviceReset:
      end_ = ConnectionEnd::kMessage;
      ending_message_ = last_sent_[0];
      break;
    default: break;
  }
}

void Connection::agreement_broken() { access_->report_broken_agreement(); }

}  // namespace headstack::initiator
