// SPDX-License-Identifier: Apache-2.0
// A run in simulated time: drive, hosts and trace, up to the run's end.
//
// It writes no file but media (drive.media) and prints nothing. It takes no signal: its owner lets
// time pass in slices, and may interrupt it between two. On `vp` and `native` a process may have
// many, each used by one thread.
//
//     Simulation simulation(options_of(scenario, places), nullptr, {});
//     simulation.begin();
//     while (simulation.goes_on()) simulation.advance();
//     simulation.finish();
//     const Result result = conclude(simulation);  // result.hpp
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/observe/lost_revolutions.hpp"
#include "host/observe/record_audit.hpp"
#include "host/observe/run_observer.hpp"
#include "host/observe/stage_log.hpp"
#include "host/replay/power_verdict.hpp"
#include "host/replay/replayer.hpp"
#include "host/replay/request_source.hpp"
#include "host/report/command_record.hpp"
#include "host/report/summary.hpp"
#include "host/run/event_tail.hpp"
#include "host/run/options.hpp"
#include "host/run/power_cutter.hpp"
#include "host/run/sense_report.hpp"
#include "host/run/torture.hpp"
#include "host/session/session.hpp"
#include "sim/geometry/geometry.hpp"

namespace headstack::run {

/// The drive that the options describe. Throws drive::FileError.
drive::DriveDescription describe_drive(const RunOptions& options);

/// How closely the core is to be observed, according to the options.
session::Look look_of(const RunOptions& options);

/// SystemC elaborates once per process, so there is one of these in a process on `rtl`.
class Simulation {
 public:
  /// Gets each record in order of completion, but those of the warm-up. `stream` is the one to
  /// which the drive attributes it, in a run that may have several.
  using RecordSink =
      std::function<void(const report::CommandRecord&, std::optional<std::uint8_t> stream)>;

  /// `options` must outlive this object. `make_rtl` is needed for `rtl` alone. Throws what the
  /// readers throw for unusable input, and replay::RunError for options that do not fit drive or
  /// trace.
  Simulation(const RunOptions& options, session::PlatformMaker make_rtl, RecordSink sink);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Called once, before time passes. Observers of the session are added by then.
  void begin();
  /// Whether there is more to run.
  bool goes_on() const;
  /// Lets a slice of time pass. Throws session::SessionError if the media's file cannot be written.
  void advance();
  /// The run ends here, before the end of its trace.
  void interrupt() { is_interrupted_ = true; }
  /// Called once, after the last slice: judges a power cut, and waits for copies of torture.
  void finish();
  /// No observer is informed of what the session does from here on.
  void stop_watching();

  /// The trace has been replayed, or the run came to the time at which its scenario ends it.
  bool is_over() const { return replayer_.finished() || is_at_its_limit(); }
  bool is_interrupted() const { return is_interrupted_; }
  /// Whether the drive failed, as opposed to its input.
  bool drive_failed() const;
  /// The earliest instant of that failure.
  Picoseconds failed_at() const;
  /// The firmware's events around it.
  std::string events_around_failure() const;

  const RunOptions& options() const { return options_; }
  const traces::TraceReader& trace() const { return *trace_; }
  const drive::DriveDescription& description() const { return description_; }
  traces::Loop loop() const { return loop_; }
  observe::StageLog& log() { return log_; }
  const observe::StageLog& log() const { return log_; }
  const observe::LostRevolutions& lost() const { return lost_; }
  observe::RunObservers& observers() { return observers_; }
  session::Session& session() { return session_; }
  const session::Session& session() const { return session_; }
  const replay::RequestSource& source() const { return source_; }
  replay::Replayer& replayer() { return replayer_; }
  const replay::Replayer& replayer() const { return replayer_; }
  const report::Summary& summary() const { return summary_; }
  const report::RecordColumns& columns() const { return columns_; }
  /// Of a run that cuts the power; null before it is cut, and in others.
  const replay::PowerVerdict* power_verdict() const { return verdict_ ? &*verdict_ : nullptr; }
  /// Null in a run that is not tortured.
  const Torture* torture() const { return torture_ ? &*torture_ : nullptr; }
  SenseReport sense_report() const;
  /// Whether the drive learns of the streams that the trace names.
  bool streams_told() const { return options_.deadlines == replay::DeadlineUse::kMessage; }
  bool warms_up() const { return options_.warm_up != 0 || options_.warm_up_time != 0; }
  /// The policy with the values that it has on this drive; all of several that take turns.
  std::string policy_name() const;

 private:
  const drive::DriveDescription& prepared();
  void require_known_media() const;
  void require_first_request();
  bool has_come_to_rest() const;
  bool is_at_its_limit() const;
  void check_watchdog();
  void take(const report::CommandRecord& record);
  std::optional<std::uint8_t> stream_of(const traces::TraceRequest& request) const;
  void begin_torture();
  std::uint64_t again_sectors() const;
  replay::PowerVerdict judge_media(const media::MediaSnapshot& media,
                                   replay::PowerJudgement judgement);

  const RunOptions& options_;
  RecordSink sink_;
  std::unique_ptr<traces::TraceReader> trace_;
  drive::DriveDescription description_;
  geometry::Geometry geometry_;
  observe::StageLog log_;
  observe::RecordAudit audit_;
  observe::LostRevolutions lost_;
  EventTail tail_;
  PowerCutter cutter_;
  observe::RunObservers observers_;
  traces::Loop loop_;
  session::Session session_;
  replay::RequestSource source_;
  replay::Replayer replayer_;
  report::Summary summary_;
  report::RecordColumns columns_;
  bool has_past_ = false;  // the media hold what an earlier run wrote
  std::optional<Torture> torture_;
  std::optional<replay::PowerVerdict> verdict_;
  std::string events_of_fault_;  // around the first record that does not hold
  Picoseconds until_ = 0;        // the end of the last slice
  bool is_interrupted_ = false;
};

}  // namespace headstack::run
