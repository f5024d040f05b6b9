// Replays a trace into a drive over the modelled bus: commands out, data checked, records made.
//
// One drive, and one or several hosts. Before the trace's time 0 the drive is made ready
// (drive_setup.hpp). Then requests go out in their order (issue_order.hpp), as long as fewer than
// queue_depth are out, of all hosts together. QUEUE FULL and BUSY are answered by trying again when
// a command completes.
//
// What a read has to bring is what was written before it: before it was issued, by one host. The
// commands of several wait for the bus each for itself, and overtake each other; so theirs count in
// the order in which the drive received them, as its events tell.
//
// The first of them may be there to warm up: they are served and checked like all others, and
// watched, but make no records.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "firmware/queue/policy.h"
#include "host/report/command_record.hpp"
#include "host/run/block_data.hpp"
#include "host/run/drive_setup.hpp"
#include "host/run/host_tag.hpp"
#include "host/run/issue_order.hpp"
#include "host/run/options.hpp"
#include "host/run/platform.hpp"
#include "host/run/record_audit.hpp"
#include "host/run/stage_log.hpp"

namespace headstack::run {

/// The run cannot go on: a sentence for the user.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Replayer {
 public:
  /// All references must outlive the replayer; `log` makes the records, `audit` asks
  /// whether they are true, `observer` is told of them.
  /// `record` gets every record in order of completion, but those of the warm-up.
  Replayer(const RunOptions& options, replay::Loop loop, RequestSource& source, Platform& platform,
           StageLog& log, RecordAudit& audit, RunObserver& observer, std::uint32_t block_bytes,
           std::uint8_t target_id, std::vector<ModeChange> mode_changes,
           std::function<void(const report::CommandRecord&)> record);

  /// Begins to make the drive ready, once.
  void begin() { setup_.begin(); }
  const std::vector<std::string>& setup_notes() const { return setup_.notes(); }

  bool finished() const { return finished_; }
  /// What stopped the run, or "".
  const std::string& failure() const {
    return source_.failure().empty() ? failure_ : source_.failure();
  }
  /// Since when the drive has owed an answer without giving one; nothing while it owes none.
  std::optional<Picoseconds> waiting_since() const {
    return order_ ? waiting_since_ : setup_.waiting_since();
  }
  /// The drive cannot be gone on with; `why` is known to the run's owner alone.
  void fail(const std::string& why);
  /// It was the drive, not the trace.
  bool drive_failed() const { return drive_failed_; }
  Picoseconds failed_at() const { return failed_at_; }
  std::uint64_t issued() const { return issued_; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t warmed_up() const { return warmed_up_; }
  std::uint64_t verified_blocks() const { return verified_blocks_; }
  std::uint64_t requeued() const { return requeued_; }

 private:
  struct Pending {
    RunRequest request;
    bool warm_up = false;
    std::vector<std::uint8_t> expected;  // of a read, with verify_data
    std::vector<std::uint8_t> data;      // of a write
  };

  void start_trace();
  void pump();  // issues what may go
  Pending prepare(const RunRequest& request);
  void issue(Pending pending);
  void received(HostTag name, std::uint8_t operation_code);
  void completed_one(HostTag name, initiator::Completion completion);
  void check(const Pending& pending, const initiator::Completion& completion);
  std::uint16_t take_tag(std::uint32_t host);

  const RunOptions& options_;
  replay::Loop loop_;
  RequestSource& source_;
  Platform& platform_;
  StageLog& log_;
  RecordAudit& audit_;
  RunObserver& observer_;
  std::uint32_t block_bytes_;
  std::uint8_t target_id_;
  std::function<void(const report::CommandRecord&)> record_;
  DriveSetup setup_;
  BlockData blocks_;

  std::unique_ptr<IssueOrder> order_;  // once the drive is ready
  std::map<HostTag, Pending> out_;
  std::vector<std::uint16_t> last_tags_;  // by host
  bool finished_ = false;
  bool drive_failed_ = false;
  Picoseconds failed_at_ = 0;
  std::string failure_;
  std::uint64_t issued_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t warmed_up_ = 0;
  std::uint64_t verified_blocks_ = 0;
  std::uint64_t requeued_ = 0;
  Picoseconds started_ = 0;
  std::optional<Picoseconds> waiting_since_;
};

}  // namespace headstack::run
