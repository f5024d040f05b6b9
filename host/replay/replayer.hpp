// SPDX-License-Identifier: Apache-2.0
// Replays a trace into a drive over the modelled bus: sends commands, checks data, makes records.
//
// There is one drive, and one or several hosts. Before the trace's time 0 the drive is made ready
// (drive_setup.hpp). Then requests go to their hosts in order (issue_order.hpp). At most
// queue_depth of them, summed over all hosts, are outstanding or wait in their hosts
// (host_queue.hpp). After some requests, hosts abort, reset, clear, or change the cache or the
// policy (act_agenda.hpp).
//
// Commands that were not carried out are sent again: after BUSY, in a while; after QUEUE FULL, when
// a command of the host has ended. Commands lost to a reset, CLEAR QUEUE, QERR or a unit attention
// are sent again at once, a limited number of times. A request is over when none of its tries is
// outstanding. Its response time is measured from the first.
//
// Another host's act may have cost a host commands. It finds out by TEST UNIT READY. With an
// untagged command outstanding it sends ABORT instead, as real hosts do when a command has taken
// too long. With QERR 01b all hosts stop sending after a CHECK CONDITION, until each has received
// GOOD for TEST UNIT READY. Every CHECK CONDITION in between clears the queue once more.
//
// What a read must return depends on the order in which the drive received the commands, as its
// events report it. Each host arbitrates for itself, so commands of several hosts may overtake each
// other.
//
// The first requests may serve to warm up. They are served, checked and observed like all others,
// but make no records.
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
#include "sim/initiator/queue_error.hpp"

namespace headstack::replay {

/// Error that ends a run. The text is a sentence for the user.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Replayer {
 public:
  /// How often hosts did something besides sending requests.
  struct Counters {
    std::uint64_t requeued = 0;     // requests sent again after BUSY and QUEUE FULL
    std::uint64_t sent_again = 0;   // requests sent again after a loss or an abort
    std::uint64_t aborts = 0;       // ABORT and ABORT TAG messages
    std::uint64_t aborts_late = 0;  // aborts not sent because the request was over
    std::uint64_t clear_queues = 0;
    std::uint64_t device_resets = 0;
    std::uint64_t bus_resets = 0;
    std::uint64_t formats = 0;
    std::array<std::uint64_t, options::kSettings> changes = {};  // changes of each Setting
  };

  /// A deferred error: the drive failed to write data for which it had sent GOOD (SCSI-2 8.2.14.2).
  struct DeferredError {
    std::string codes;                 // sense key and codes, such as "4/03/00"
    std::optional<std::uint32_t> lba;  // first block that is not on the media
  };

  /// All references must outlive the replayer. `log` makes the records, `audit` checks them, and
  /// `observer` is informed of them. Hosts step through `setting_changes`. Throws what
  /// find_duration_limits() throws. `record` gets every record in order of completion, except those
  /// of the warm-up.
  Replayer(const ReplayOptions& options, traces::Loop loop, RequestSource& source,
           session::Session& session, observe::StageLog& log, observe::RecordAudit& audit,
           observe::RunObserver& observer, std::uint32_t block_bytes, std::uint8_t target_id,
           std::vector<ModeChange> mode_changes, SettingChanges setting_changes,
           std::function<void(const report::CommandRecord&)> record);

  /// Begins to make the drive ready. Called once.
  void begin() { setup_.begin(); }
  const std::vector<std::string>& setup_notes() const { return setup_.notes(); }

  bool finished() const { return finished_; }
  /// The end of the replay; valid when finished().
  Picoseconds finished_at() const { return finished_at_; }
  /// Reason why the run stopped, or "".
  const std::string& failure() const {
    return source_.failure().empty() ? failure_ : source_.failure();
  }
  /// Time since which a command has been unanswered without any progress; nothing if none is.
  std::optional<Picoseconds> waiting_since() const {
    return order_ ? waiting_since_ : setup_.waiting_since();
  }
  /// Ends the run for a reason found by its owner. `since` is when the drive failed, if that was
  /// earlier.
  void fail(const std::string& why, std::optional<Picoseconds> since = std::nullopt);
  /// Stops the replay: the session has lost its power.
  void power_lost();
  /// Expected data, with hosts.verify; upkeep() has the expected mode pages and defects.
  DataCheck& data_check() { return check_; }
  UpkeepLedger& upkeep() { return upkeep_; }
  /// Whether the drive failed, as opposed to the trace.
  bool drive_failed() const { return drive_failed_; }
  Picoseconds failed_at() const { return failed_at_; }
  std::uint64_t issued() const { return issued_; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t warmed_up() const { return warmed_up_; }
  std::uint64_t verified_blocks() const { return check_.verified_blocks(); }
  const Counters& counters() const { return counters_; }
  /// The limits; valid with settings.deadlines=cdl.
  const DurationLimits& duration_limits() const { return duration_limits_; }
  const DurationRounding& duration_rounding() const { return duration_rounding_; }
  /// The deferred errors in the order in which hosts received them.
  const std::vector<DeferredError>& deferred_errors() const { return deferred_errors_; }
  /// All sense data that hosts received: of each try of each request, of the warm-up, and of what
  /// hosts send besides requests.
  const std::map<report::Sense, std::uint64_t>& received_sense() const { return sense_; }
  /// Adds sense data that the host adapters' own commands met. Called at the end, too.
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
    bool is_changing = false;  // commands for a change are outstanding
  };

  void start_trace();
  void pump();  // does everything that is due
  void take_new();
  void wake_for_next();
  void issue_waiting();
  void issue_waiting(std::uint32_t host);
  void issue(std::uint32_t host, Job job);
  traces::TraceRequest seen_now(const Job& job) const;
  unsigned take_duration(const Job& job);
  void add_urgency(initiator::Command& command, const Job& job, std::uint8_t scsi_id) const;
  void issue_errand(std::uint32_t host, Job job);
  HostQueue::Admits admitted() const;
  std::uint16_t largest_tag() const;
  bool has_free_tag(const HostQueue& queue) const;
  std::uint16_t take_tag(std::uint32_t host);

  void received(observe::HostTag name, std::uint8_t operation_code);
  void completed_one(observe::HostTag name, initiator::Completion completion);
  std::optional<report::Sense> take_sense(const initiator::Completion& completion);
  void note_sense(const initiator::SenseCodes& codes);
  void failed_for_others(std::uint32_t host, const initiator::Completion& completion);
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
  /// Makes a host repeat the settings that the drive could not save, after sense 6/29 (reset).
  void restore_settings(std::uint32_t host, const std::optional<report::Sense>& sense);
  void restore(std::uint32_t host, const initiator::Command& command, unsigned tries);
  void ask_until_good(std::uint32_t host, unsigned tries);
  void keep_up(std::uint32_t host, const RunRequest& request);
  void format_if_due();
  void change_setting(const DueAct& act);
  void sense_setting(const DueAct& act, unsigned tries);
  void select_setting(const DueAct& act, const std::vector<std::uint8_t>& list, unsigned tries);
  void run_errand(std::uint32_t host, initiator::Command command,
                  std::function<void(const initiator::Completion&)> answer);
  void run_recovery(std::uint32_t host, initiator::Command command,
                    std::function<void(const initiator::Completion&)> answer);
  void add_errand(std::uint32_t host, Errand errand);

  const ReplayOptions& options_;
  traces::Loop loop_;
  RequestSource& source_;
  session::Session& session_;
  observe::StageLog& log_;
  observe::RecordAudit& audit_;
  observe::RunObserver& observer_;
  std::uint32_t block_bytes_;
  std::uint8_t target_id_;
  std::array<Cycle, options::kSettings> cycles_;  // value of each Setting
  std::function<void(const report::CommandRecord&)> record_;
  std::vector<DeferredError> deferred_errors_;
  std::map<report::Sense, std::uint64_t> sense_;  // number of each sense data received
  DurationLimits duration_limits_;
  DurationRounding duration_rounding_;
  DriveSetup setup_;
  DataCheck check_;
  UpkeepLedger upkeep_;
  ActAgenda agenda_;

  std::unique_ptr<IssueOrder> order_;  // exists once the drive is ready
  std::vector<HostQueue> queues_;      // queue of each host
  std::map<observe::HostTag, Out> out_;
  std::set<observe::HostTag> reserved_tags_;  // tags of errands and messages
  std::vector<std::uint16_t> last_tags_;      // last tag of each host
  std::vector<std::uint64_t> resets_seen_;    // number of resets that each host has noticed
  std::uint64_t in_flight_ = 0;               // requests that were taken and have not ended
  std::uint32_t recovering_ = 0;              // number of hosts that must answer before requests go
                                              // on
  std::optional<std::uint32_t> formats_;      // host that is to send FORMAT UNIT; requests wait
  bool format_is_out_ = false;
  unsigned format_tries_ = 0;
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
