// SPDX-License-Identifier: Apache-2.0
// The logic of a host adapter, for any access to the bus: it accepts commands, sends them to
// drives, and returns their completions.
//
//     adapter.submit(command) > waits > arbitration, selection, messages, CDB > the drive has it
//     > (disconnect, reselect)* > data > status > COMMAND COMPLETE > bus free >
//     command.done(completion)
//
// Commands go out in the order of submission. A command waits while another one with its nexus is
// in the drive, and while REQUEST SENSE is due on its LUN. A nexus is target, LUN and tag; untagged
// is one more nexus. The caller handles statuses such as BUSY and QUEUE FULL: the adapter repeats
// no command.
//
// The adapter also completes commands that a drive drops silently. These are commands cleared by a
// unit attention, by QERR after a failed command, or by an overlapped command. If it needs QERR and
// has no value for it, it sends MODE SENSE (queue_error.hpp). If the page may have changed
// meanwhile, it sends ABORT TAG to be sure.
//
// On pins it is an Initiator (initiator.hpp), with transactions a TransactionInitiator (sim/tlm).
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/initiator/connection.hpp"
#include "sim/initiator/queue_error.hpp"
#include "sim/initiator/reaction_times.hpp"

namespace headstack::initiator {

struct Config {
  std::uint8_t id = 7;
  Agreement agreement = kAsynchronous;  // the goal of negotiations; kFast10Narrow, kFast10Wide
  ReactionTimes times;
  std::uint8_t sense_length = 252;  // allocation length of the automatic REQUEST SENSE
};

class HostAdapter : private LinkClient {
 public:
  /// Queues a command. `done` is called when the bus is free again; it may submit. Asserted: a LUN
  /// of at most 7, a CDB with bytes, consistent tag fields.
  CommandId submit(Command command);
  /// Queues a management message, ahead of waiting commands. It uses the present connection if that
  /// has the same nexus. ABORT TAG for a command that still waits here removes it from the queue
  /// without the bus. The other kinds do not affect waiting commands.
  CommandId manage(Management management);
  /// Asserts RST for the reset hold time. All commands in drives are completed with kBusReset;
  /// waiting commands go out after the reset.
  void reset_bus();

  /// The completion of a command without `done`; it is returned once.
  std::optional<Completion> take(CommandId id);

  std::size_t waiting_count() const { return tasks_.waiting_count(); }
  /// Commands in drives, or waiting for their sense data.
  std::size_t in_flight_count() const { return tasks_.active_count() + tasks_.kept_count(); }
  /// Reselections for a command that is not in the drive, to this adapter's knowledge.
  std::uint64_t unknown_nexus_count() const { return connection_.unknown_nexus_count(); }
  /// Sense data that ended a MODE SENSE of the adapter's own, oldest first; each is returned once.
  /// A deferred error among them concerns a write of the host, and the drive reports it only once
  /// (SCSI-2 8.2.14.2).
  std::vector<std::vector<std::uint8_t>> take_overheard() { return std::exchange(overheard_, {}); }
  /// Number of MODE SENSE commands of the adapter's own, which may have received unit attentions.
  std::uint64_t question_count() const { return question_count_; }
  bool idle() const { return waiting_count() + in_flight_count() == 0 && !connection_.open(); }
  /// The agreement in force with a target.
  Agreement agreement(std::uint8_t target) { return negotiator(target).agreement(); }

 protected:
  explicit HostAdapter(const Config& config);
  ~HostAdapter() override = default;
  /// Sets the access to the bus, once, before any other call; it must outlive the adapter.
  void attach(BusAccess& access);
  LinkClient& link_client() { return *this; }
  ByteClient& byte_client() { return connection_; }

 private:
  static constexpr std::size_t kTargetCount = 16;
  using Lun = std::pair<std::uint8_t, std::uint8_t>;  // target and LUN

  /// A command that the drive has dropped, and why.
  struct Dropped {
    std::list<TaskPtr> tasks;
    Outcome outcome;
  };
  /// An open question: QERR of a logical unit that may have dropped commands.
  struct Question {
    Picoseconds failed_at = 0;  // commands in the drive at this time are affected
    bool is_untold = false;     // the sense data have not been fetched yet
    bool may_end = false;       // QERR was not 00b at first; the page may have changed
    bool has_changed = false;   // the page may have changed since then
    bool is_asked = false;      // MODE SENSE is under way
    unsigned tries = 0;
  };

  // LinkClient.
  std::optional<unsigned> arbitration_won(Picoseconds at) override;
  void selection_answered() override;
  void selection_timed_out() override;
  void reselection_answered(unsigned target) override;
  void bus_freed() override;
  void bus_was_reset() override;

  Negotiator& negotiator(std::uint8_t target) { return negotiators_[target % kTargetCount]; }
  bool rides(const Management& management) const;
  TaskPtr make_task(Command command);
  TaskPtr take_selecting();
  void finish(TaskPtr task, Outcome outcome);
  void finish_sense(TaskPtr sense, Outcome outcome);
  void finish_all(std::list<TaskPtr> tasks, Outcome outcome);
  void request_sense(TaskPtr task);
  void deliver(TaskPtr task, Outcome outcome);
  void take_by_sense(Lun lun, const std::vector<std::uint8_t>& sense, Picoseconds reported,
                     std::list<Dropped>& dropped);
  void take_by_queue_error(Lun lun, Picoseconds failed, std::list<Dropped>& dropped);
  Question& question(Lun lun, Picoseconds failed);
  void note_changed(Lun lun, Picoseconds at);
  void note_selected(Lun lun, Picoseconds selected, Picoseconds ended);
  void finish_dropped(std::list<Dropped> dropped);
  void ask_queue_error(Lun lun);
  void take_queue_error(Lun lun, const Completion& answer);
  void settle(Lun lun);
  void end_by_message(const Nexus& nexus);
  void request_bus();

  Config config_;
  TaskTable tasks_;
  Connection connection_;
  BusAccess* access_ = nullptr;
  std::vector<Negotiator> negotiators_;  // one negotiator per target
  CommandId last_id_ = 0;
  std::uint64_t question_count_ = 0;
  Task* selecting_ = nullptr;  // the task on its way to a target, in tasks_ or managing_
  TaskPtr managing_;           // management message on a connection of its own
  TaskPtr riding_;             // management message on a command's connection
  QueueErrorRules queue_errors_;
  std::map<Lun, Picoseconds> page_selected_at_;  // end of the last MODE SELECT of the control page
  std::map<Lun, Question> questions_;
  std::vector<std::vector<std::uint8_t>> overheard_;
  std::map<CommandId, Completion> completions_;
};

}  // namespace headstack::initiator
