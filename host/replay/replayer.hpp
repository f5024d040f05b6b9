// Replays a trace into a drive over the modelled bus: commands out, data checked, records made.
//
// One drive, and one or several hosts. Before the trace's time 0 the drive is made ready
// (drive_setup.hpp). Then requests go out in their order (issue_order.hpp), as long as fewer than
// queue_depth are out or wait in their hosts (host_queue.hpp), of all hosts together. Behind some
// of them hosts abort, reset, clear, or change the cache or the policy (act_agenda.hpp).
//
// What was not carried out is sent again: BUSY after a while, QUEUE FULL when a command of its host
// is done, and what was lost to a reset, to CLEAR QUEUE, to QERR or to a unit attention at once, so
// often. A request is over when none of its tries is out any more; its response counts from the
// first.
//
// Hosts that may have lost commands to another one hear of it from a TEST UNIT READY, or, with an
// untagged one out, end that by ABORT: real ones do so when a command has taken too long. With QERR
// 01b all hosts stop sending until each has had GOOD for it: every CHECK CONDITION clears the queue
// once more.
//
// What a read has to bring follows from what the drive has received before, as its events tell:
// commands of several hosts wait for the bus each for itself, and overtake each other.
//
// The first of them may be there to warm up: they are served and checked like all others, and
// watched, but make no records.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/observe/host_tag.hpp"
#include "host/observe/record_audit.hpp"
#include "host/observe/stage_log.hpp"
#include "host/replay/act_agenda.hpp"
#include "host/replay/data_check.hpp"
#include "host/replay/drive_setup.hpp"
#include "host/replay/duration_limits.hpp"
#include "host/replay/host_queue.hpp"
#include "host/replay/issue_order.hpp"
#include "host/replay/replay_options.hpp"
#include "host/replay/upkeep_ledger.hpp"
#include "host/report/command_record.hpp"
#include "host/session/session.hpp"

namespace headstack::replay {

/// The run cannot go on: a sentence for the user.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Replayer {
 public:
  /// How often hosts did what they do beside sending requests.
  struct Counters {
    std::uint64_t requeued = 0;     // BUSY and QUEUE FULL
    std::uint64_t sent_again = 0;   // what was lost, or aborted
    std::uint64_t aborts = 0;       // ABORT, ABORT TAG
    std::uint64_t aborts_late = 0;  // not sent: the request was over
    std::uint64_t clear_queues = 0;
    std::uint64_t device_resets = 0;
    std::uint64_t bus_resets = 0;
    std::array<std::uint64_t, options::kSettings> changes = {};  // by Setting
  };

  /// The drive had said GOOD to a write, and could not do it (SCSI-2 8.2.14.2).
  struct DeferredError {
    std::string codes;  // "4/03/00": sense key, additional sense code and qualifier, hex
    std::optional<std::uint32_t> lba;  // of the first block that the media do not hold
  };

  /// All references must outlive the replayer; `log` makes the records, `audit` checks them,
  /// `observer` is told of them. Hosts go from one of `setting_changes` to the next.
  /// Throws what find_duration_limits() does. `record` gets every record in order of completion,
  /// but those of the warm-up.
  Replayer(const ReplayOptions& options, traces::Loop loop, RequestSource& source,
           session::Session& session, observe::StageLog& log, observe::RecordAudit& audit,
           observe::RunObserver& observer, std::uint32_t block_bytes, std::uint8_t target_id,
           std::vector<ModeChange> mode_changes, SettingChanges setting_changes,
           std::function<void(const report::CommandRecord&)> record);

  /// Begins to make the drive ready, once.
  void begin() { setup_.begin(); }
  const std::vector<std::string>& setup_notes() const { return setup_.notes(); }

  bool finished() const { return finished_; }
  /// With finished().
  Picoseconds finished_at() const { return finished_at_; }
  /// What stopped the run, or "".
  const std::string& failure() const {
    return source_.failure().empty() ? failure_ : source_.failure();
  }
  /// Since when the drive has owed an answer that helps without giving one; nothing while it owes
  /// none.
  std::optional<Picoseconds> waiting_since() const {
    return order_ ? waiting_since_ : setup_.waiting_since();
  }
  /// The drive cannot be gone on with; `why` is known to the run's owner alone.
  void fail(const std::string& why);
  /// The session has lost its power: nothing goes on.
  void power_lost();
  /// What the hosts know of the data, with --verify-data; and of what the drive keeps beside.
  DataCheck& data_check() { return check_; }
  UpkeepLedger& upkeep() { return upkeep_; }
  /// It was the drive, not the trace.
  bool drive_failed() const { return drive_failed_; }
  Picoseconds failed_at() const { return failed_at_; }
  std::uint64_t issued() const { return issued_; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t warmed_up() const { return warmed_up_; }
  std::uint64_t verified_blocks() const { return check_.verified_blocks(); }
  const Counters& counters() const { return counters_; }
  /// With --deadlines cdl.
  const DurationLimits& duration_limits() const { return duration_limits_; }
  const DurationRounding& duration_rounding() const { return duration_rounding_; }
  /// In the order in which hosts heard of them.
  const std::vector<DeferredError>& deferred_errors() const { return deferred_errors_; }
  /// At the end: adds those that met commands of the host adapters' own.
  void take_overheard();

 private:
  struct Out {
    Job job;
    std::uint8_t operation_code = 0;
  };
  /// The values of a setting, which hosts change in turn.
  struct Cycle {
    std::vector<ModeChange> changes;
    std::size_t next = 1;
    bool is_changing = false;  // a host's commands for it are on their way
  };

  void start_trace();
  void pump();  // does what is due
  void take_new();
  void wake_for_next();
  void issue_waiting();
  void issue_waiting(std::uint32_t host);
  void issue(std::uint32_t host, Job job);
  traces::TraceRequest seen_now(const Job& job) const;
  unsigned take_duration(const Job& job);
  void add_urgency(initiator::Command& command, const Job& job, std::uint8_t scsi_id) const;
  void issue_errand(std::uint32_t host, Job job);
  std::uint16_t take_tag(std::uint32_t host);

  void received(observe::HostTag name, std::uint8_t operation_code);
  void completed_one(observe::HostTag name, initiator::Completion completion);
  void hear(const std::vector<std::uint8_t>& sense);
  void end(const Job& job, observe::HostTag name, const report::CommandRecord& record);
  bool sends_again(const Job& job, const Ending& ending) const;
  void send_again(std::uint32_t host, Job job, EndKind kind);

  void perform(const DueAct& act);
  void abort(const DueAct& act);
  void manage(std::uint32_t host, initiator::ManagementKind kind, std::uint16_t tag,
              std::function<void()> done);
  void poll_others(std::uint32_t host);
  void poll(std::uint32_t host);
  void recover();
  void ask_until_good(std::uint32_t host, unsigned tries);
  void keep_up(std::uint32_t host, const RunRequest& request);
  void change_setting(const DueAct& act);
  void sense_setting(const DueAct& act, unsigned tries);
  void select_setting(const DueAct& act, const std::vector<std::uint8_t>& list, unsigned tries);
  void run_errand(std::uint32_t host, initiator::Command command,
                  std::function<void(const initiator::Completion&)> answer);

  const ReplayOptions& options_;
  traces::Loop loop_;
  RequestSource& source_;
  session::Session& session_;
  observe::StageLog& log_;
  observe::RecordAudit& audit_;
  observe::RunObserver& observer_;
  std::uint32_t block_bytes_;
  std::uint8_t target_id_;
  std::array<Cycle, options::kSettings> cycles_;  // by Setting
  std::function<void(const report::CommandRecord&)> record_;
  std::vector<DeferredError> deferred_errors_;
  DurationLimits duration_limits_;
  DurationRounding duration_rounding_;
  DriveSetup setup_;
  DataCheck check_;
  UpkeepLedger upkeep_;
  ActAgenda agenda_;

  std::unique_ptr<IssueOrder> order_;  // once the drive is ready
  std::vector<HostQueue> queues_;      // by host
  std::map<observe::HostTag, Out> out_;
  std::set<observe::HostTag> reserved_tags_;  // of errands and messages
  std::vector<std::uint16_t> last_tags_;      // by host
  std::uint64_t in_flight_ = 0;               // requests that were taken and are not over
  std::uint32_t recovering_ = 0;              // hosts that are asked before anything goes on
  bool finished_ = false;
  Picoseconds finished_at_ = 0;
  bool drive_failed_ = false;
  Picoseconds failed_at_ = 0;
  std::string failure_;
  std::uint64_t issued_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t warmed_up_ = 0;
  Counters counters_;
  Picoseconds started_ = 0;
  std::optional<Picoseconds> waiting_since_;
};

}  // namespace headstack::replay
