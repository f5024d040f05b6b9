// What a host adapter does, whatever its way onto the bus: takes commands, brings them to drives,
// brings the answers back.
//
//   adapter.submit(command) > waits > arbitration, selection, messages, CDB > the drive has it
//   > (disconnect, reselect)* > data > status > COMMAND COMPLETE > bus free >
//   command.done(completion)
//
// Commands go out in the order of submission. One waits while another with its nexus (target, LUN,
// tag; untagged is one more nexus) is in the drive, and while REQUEST SENSE is due on its LUN.
// Statuses such as BUSY and QUEUE FULL are the caller's: nothing is repeated here.
//
// On pins it is an Initiator (initiator.hpp), in transactions a sim/tlm TransactionInitiator.
#pragma once

#include <map>
#include <memory>

#include "sim/initiator/connection.hpp"
#include "sim/initiator/reaction_times.hpp"

namespace headstack::initiator {

struct Config {
  std::uint8_t id = 7;
  Agreement agreement = kAsynchronous;  // what is negotiated for; kFast10Narrow, kFast10Wide
  ReactionTimes times;
  std::uint8_t sense_length = 252;  // allocation length of the automatic REQUEST SENSE
};

class HostAdapter : private LinkClient {
 public:
  /// Queues a command. `done` is called when the bus is free again; it may submit. A bug
  /// (asserted): a LUN above 7, a CDB without bytes, tag fields that clash.
  CommandId submit(Command command);
  /// Queues a management message, ahead of waiting commands. It rides on the connection under way
  /// when that is for the same nexus. ABORT TAG for a command that still waits here takes it out of
  /// the queue without the bus; the other kinds leave waiting commands alone.
  CommandId manage(Management management);
  /// Asserts RST for the reset hold time. All commands in drives are completed with kBusReset;
  /// waiting ones go out after the reset.
  void reset_bus();

  /// The completion of a command without `done`; once.
  std::optional<Completion> take(CommandId id);

  std::size_t waiting_count() const { return tasks_.waiting_count(); }
  /// Commands that a drive has, or that wait for their sense data.
  std::size_t in_flight_count() const { return tasks_.active_count() + tasks_.kept_count(); }
  /// Reselections for a command that is not in the drive, as far as this adapter knows.
  std::uint64_t unknown_nexus_count() const { return connection_.unknown_nexus_count(); }
  bool idle() const { return waiting_count() + in_flight_count() == 0 && !connection_.open(); }
  /// What data phases with this target run by now.
  Agreement agreement(std::uint8_t target) { return negotiator(target).agreement(); }

 protected:
  explicit HostAdapter(const Config& config);
  ~HostAdapter() override = default;
  /// The way onto the bus, once, before anything else; must outlive the adapter.
  void attach(BusAccess& access);
  LinkClient& link_client() { return *this; }
  ByteClient& byte_client() { return connection_; }

 private:
  static constexpr std::size_t kTargetCount = 16;

  // LinkClient.
  std::optional<unsigned> arbitration_won(Picoseconds at) override;
  void selection_answered() override;
  void selection_timed_out() override;
  void reselection_answered(unsigned target) override;
  void bus_freed() override;
  void bus_was_reset() override;

  Negotiator& negotiator(std::uint8_t target) { return negotiators_[target % kTargetCount]; }
  bool rides(const Management& management) const;
  TaskPtr take_selecting();
  void finish(TaskPtr task, Outcome outcome);
  void finish_sense(TaskPtr sense, Outcome outcome);
  std::list<TaskPtr> take_lost(const Task& told, const std::vector<std::uint8_t>& sense);
  void finish_all(std::list<TaskPtr> tasks, Outcome outcome);
  void request_sense(TaskPtr task);
  void deliver(TaskPtr task, Outcome outcome);
  void kick();

  Config config_;
  TaskTable tasks_;
  Connection connection_;
  BusAccess* access_ = nullptr;
  std::vector<Negotiator> negotiators_;  // by target
  CommandId last_id_ = 0;
  Task* selecting_ = nullptr;  // the task on its way to a target, in tasks_ or managing_
  TaskPtr managing_;           // management message on a connection of its own
  TaskPtr riding_;             // management message on a command's connection
  std::map<CommandId, Completion> completions_;
};

}  // namespace headstack::initiator
