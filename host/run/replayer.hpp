// Replays a trace into a drive over the modelled bus: commands out, data checked, records made.
//
// One initiator, one drive. Before the trace's time 0 the drive is made ready: TEST UNIT READY
// until it answers GOOD (which clears the unit attention), MODE SELECT of the scheduler page. Then,
// in an open loop, request i is issued at its arrival divided by the speed-up, or as soon as the
// queue has room; in a closed loop as soon as fewer than queue_depth are out. A flush is
// SYNCHRONIZE CACHE. QUEUE FULL and BUSY are answered by trying again when a command completes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "firmware/queue/policy.h"
#include "host/replay/trace.hpp"
#include "host/report/summary.hpp"
#include "host/run/block_data.hpp"
#include "host/run/options.hpp"
#include "host/run/platform.hpp"
#include "host/run/stage_log.hpp"

namespace headstack::run {

/// The run cannot go on: a sentence for the user.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Replayer {
 public:
  /// All references must outlive the replayer; `log` makes the records, `observer` is told of them.
  /// `record` gets every record in order of completion.
  Replayer(const RunOptions& options, replay::TraceReader& trace, Platform& platform, StageLog& log,
           RunObserver& observer, std::uint64_t capacity_blocks, std::uint32_t block_bytes,
           std::uint8_t target_id, const ::policy_selection& policy,
           std::function<void(const report::CommandRecord&)> record);

  /// Begins to make the drive ready, once.
  void begin() { poll_unit(); }

  bool finished() const { return finished_; }
  /// What stopped the run, or "".
  const std::string& failure() const { return failure_; }
  /// Since when the drive has owed an answer without giving one; nothing while it owes none.
  std::optional<Picoseconds> waiting_since() const { return waiting_since_; }
  /// The drive cannot be gone on with; `why` is known to the run's owner alone.
  void fail(const std::string& why);
  /// It was the drive, not the trace.
  bool drive_failed() const { return drive_failed_; }
  Picoseconds failed_at() const { return failed_at_; }
  std::uint64_t issued() const { return issued_; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t verified_blocks() const { return verified_blocks_; }
  std::uint64_t requeued() const { return requeued_; }
  Picoseconds started() const { return started_; }

 private:
  struct Pending {
    std::uint64_t number = 0;
    replay::TraceRequest request;
    std::vector<std::uint8_t> expected;  // of a read, with verify_data
    std::vector<std::uint8_t> data;      // of a write
  };

  void poll_unit();
  void sense_scheduler();
  void select_scheduler(std::vector<std::uint8_t> list);
  void pump();  // issues what may go
  void issue(Pending pending);
  void completed_one(std::uint16_t tag, initiator::Completion completion);
  void check(const Pending& pending, const initiator::Completion& completion);
  bool fetch();
  void end_trace(const std::string& why);
  std::string find_objection(const replay::TraceRequest& request) const;
  std::uint16_t take_tag();
  initiator::Command command_for(const Pending& pending) const;

  const RunOptions& options_;
  replay::TraceReader& trace_;
  Platform& platform_;
  initiator::HostAdapter& adapter_;
  StageLog& log_;
  RunObserver& observer_;
  std::uint64_t capacity_;
  std::uint32_t block_bytes_;
  std::uint8_t target_id_;
  ::policy_selection policy_;
  std::function<void(const report::CommandRecord&)> record_;
  replay::Loop loop_;
  BlockData blocks_;

  std::optional<Pending> next_;
  std::map<std::uint16_t, Pending> out_;  // by tag
  std::uint16_t last_tag_ = 0;
  unsigned polls_ = 0;
  bool ready_ = false;
  bool trace_ended_ = false;
  bool finished_ = false;
  bool drive_failed_ = false;
  Picoseconds failed_at_ = 0;
  std::string failure_;
  std::uint64_t issued_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t verified_blocks_ = 0;
  std::uint64_t requeued_ = 0;
  Picoseconds started_ = 0;
  std::optional<Picoseconds> waiting_since_;
};

}  // namespace headstack::run
