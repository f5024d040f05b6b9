// SPDX-License-Identifier: Apache-2.0
// One connection to a target, from the answer to selection or reselection until bus free: the
// meaning of its bytes.
//
// It handles messages, pointers, status and data of its nexus (SCSI-2 6.2.1, 6.4, 6.6).
#pragma once

#include <functional>

#include "sim/initiator/bus_access.hpp"
#include "sim/initiator/messages.hpp"
#include "sim/initiator/task_table.hpp"

namespace headstack::initiator {

/// Why the next bus free is expected.
enum class ConnectionEnd : std::uint8_t {
  kNone,        // no bus free is expected
  kComplete,    // COMMAND COMPLETE after status
  kDisconnect,  // DISCONNECT
  kMessage,     // the initiator sent a message after which the target frees the bus: see
                // ending_message()
};

class Connection : public ByteClient {
 public:
  /// `fail` is called when the connection cannot continue after an error of the target: the bus
  /// must be reset.
  Connection(TaskTable& tasks, std::function<void()> fail)
      : tasks_(tasks), fail_(std::move(fail)) {}
  /// Call it before any other function; `access` must outlive the connection.
  void use(BusAccess& access) { access_ = &access; }

  /// The initiator selected a target for this task, which must not move in memory.
  void begin_selected(Task& task, Negotiator& negotiator);
  /// A target reselected the initiator; its messages will name the task.
  void begin_reselected(unsigned target, Negotiator& negotiator);
  /// Sends a message on this connection, in answer to the last byte received.
  void send(Message message);
  /// Adds a message that goes out when the target answers ATN, which the caller raises.
  void add(Message message) { out_.push(std::move(message)); }
  void clear();

  bool open() const { return open_; }
  /// The task of the connection, or null while it is not known.
  Task* task() const { return task_; }
  unsigned target() const { return target_; }
  std::optional<std::uint8_t> lun() const { return lun_; }
  ConnectionEnd end() const { return end_; }
  std::uint8_t ending_message() const { return ending_message_; }
  /// Whether status and COMMAND COMPLETE have come; messages may have followed.
  bool command_is_complete() const { return command_is_complete_; }
  /// Reselections for a command that does not exist.
  std::uint64_t unknown_nexus_count() const { return unknown_nexus_count_; }

  TransferMode enter_phase(bus::Phase phase) override;
  void byte_in(bus::Phase phase, std::uint16_t data, bool parity_good) override;
  ByteOut byte_out(bus::Phase phase) override;
  void byte_taken(bus::Phase phase) override;
  void agreement_broken() override;
  std::uint8_t* data_place(std::uint32_t bytes) override;
  const std::uint8_t* data_source(std::uint32_t bytes) override;
  void data_moved(std::uint32_t bytes, Picoseconds first, Picoseconds last) override;

 private:
  void reset_state();
  void enter_information(bus::Phase phase);
  void take_data(std::uint16_t data);
  void take_status(std::uint8_t status, bool parity_good);
  ByteOut data_out();
  ByteOut message_out();
  void data_taken();
  void message_taken();
  void note_data(Picoseconds first, Picoseconds last);
  void advance(std::uint32_t bytes);
  bool fault_at(bus::Phase phase, std::uint32_t byte) const;
  bool take_fault(bus::Phase phase, std::uint32_t byte);
  void parity_error(bus::Phase phase);

  // Incoming messages: connection_messages.cpp.
  void take_message(const Message& message);
  void take_extended(const Message& message);
  bool take_answer_by_hand(const Message& message);
  void take_identify(const Message& message);
  void take_tag(std::uint16_t tag);
  void take_reject();
  void take_complete();
  void take_disconnect();
  void reject() { send({message::kMessageReject}); }
  void reject_or_send(bool rejected, Message next);

  TaskTable& tasks_;
  std::function<void()> fail_;
  BusAccess* access_ = nullptr;

  bool open_ = false;
  unsigned target_ = 0;
  Negotiator* negotiator_ = nullptr;
  Task* task_ = nullptr;
  std::optional<std::uint8_t> lun_;
  bool reselected_ = false;
  bool tag_may_follow_ = false;
  Picoseconds reselected_at_ = bus::kNever;
  ConnectionEnd end_ = ConnectionEnd::kNone;
  std::uint8_t ending_message_ = 0;
  std::uint64_t unknown_nexus_count_ = 0;

  TransferMode mode_;
  std::uint32_t phase_bytes_ = 0;  // bytes moved since the phase was entered
  bool status_known_ = false;
  bool command_is_complete_ = false;
  bool error_sent_ = false;  // the message for all parity errors of a phase was sent
  // Bad parity in MESSAGE IN, until the target requests the initiator's message.
  bool message_in_bad_ = false;
  unsigned widths_by_hand_ = 0;       // unanswered WDTR of Command::messages
  unsigned synchronous_by_hand_ = 0;  // unanswered SDTR of Command::messages
  unsigned tags_sent_ = 0;
  MessageAssembler assembler_;
  MessageOutQueue out_;
  Message last_sent_;
};

}  // namespace headstack::initiator
