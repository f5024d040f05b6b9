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
// What a drive drops without a word ends here, too: the commands that a unit attention tells to be
// gone, those that QERR ends when another fails, those beside an overlapped command. Where QERR is
// not known when it matters, MODE SENSE asks for it (queue_error.hpp). When the page may have
// changed meanwhile, the adapter makes sure by ABORT TAG.
//
// On pins it is an Initiator (initiator.hpp), in transactions a sim/tlm TransactionInitiator.
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
  /// Sense data that ended a MODE SENSE of its own, oldest first; once. A deferred error among them
  /// tells of a write of the host, and the drive tells it once (SCSI-2 8.2.14.2).
  std::vector<std::vector<std::uint8_t>> take_overheard() { return std::exchange(overheard_, {}); }
  /// MODE SENSE of its own, which unit attentions may have met.
  std::uint64_t question_count() const { return question_count_; }
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
  using Lun = std::pair<std::uint8_t, std::uint8_t>;  // of a target

  /// Commands of the drive that it has dropped, and why.
  struct Dropped {
    std::list<TaskPtr> tasks;
    Outcome outcome;
  };
  /// QERR is not known of a logical unit that commands may be gone from.
  struct Question {
    Picoseconds failed_at = 0;  // those that the drive had by then
    bool is_untold = false;     // nobody has fetched the sense data yet
    bool may_end = false;       // QERR was not 00b before the page may have changed
    bool has_changed = false;   // since then, as far as one can tell
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
  void finish_dropped(std::list<Dropped> dropped);
  void ask_queue_error(Lun lun);
  void take_queue_error(Lun lun, const Completion& answer);
  void settle(Lun lun);
  void end_by_message(const Nexus& nexus);
  void kick();

  Config config_;
  TaskTable tasks_;
  Connection connection_;
  BusAccess* access_ = nullptr;
  std::vector<Negotiator> negotiators_;  // by target
  CommandId last_id_ = 0;
  std::uint64_t question_count_ = 0;
  Task* selecting_ = nullptr;  // the task on its way to a target, in tasks_ or managing_
  TaskPtr managing_;           // management message on a connection of its own
  TaskPtr riding_;             // management message on a command's connection
  QueueErrorRules queue_errors_;
  std::map<Lun, Question> questions_;
  std::vector<std::vector<std::uint8_t>> overheard_;
  std::map<CommandId, Completion> completions_;
};

}  // namespace headstack::initiator
