// SPDX-License-Identifier: Apache-2.0
// A run in simulated time: drive, hosts and trace, up to the run's end.
//
// It writes no file but media (drive.media) and prints nothing. It handles no signals: its owner
// lets time pass in slices, and may interrupt it between two. On `vp` and `native` a process may
// have many simulations, each used by one thread.
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

/// A run as an object. SystemC elaborates once per process, so a process on `rtl` has only one.
class Simulation {
 public:
  /// Receives the records in order of completion, without those of the warm-up. `stream` is the one
  /// to which the drive attributes the record, in a run that may have several.
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
  /// Whether simulated time has to go on.
  bool goes_on() const;
  /// Runs the simulation for one slice of time. Throws session::SessionError if the media's file
  /// cannot be written.
  void advance();
  /// Ends the run here, before the end of its trace.
  void interrupt() { is_interrupted_ = true; }
  /// Called once, after the last slice. Judges a power cut, and waits for the copies that `torture`
  /// made.
  void finish();
  /// Ends all reports to observers: they do not see what the session does after this call.
  void stop_watching();

  /// Whether the trace has been replayed, or the time has come at which the scenario ends the run.
  bool is_over() const { return replayer_.finished() || is_at_its_limit(); }
  bool is_interrupted() const { return is_interrupted_; }
  /// Whether the drive failed, as opposed to its input.
  bool drive_failed() const;
  /// The earliest instant of the drive's failure.
  Picoseconds failed_at() const;
  /// The firmware's events around failed_at().
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
  /// The judgement after a power cut; null before the cut, and in a run without one.
  const replay::PowerVerdict* power_verdict() const { return verdict_ ? &*verdict_ : nullptr; }
  /// The findings of `torture`; null in any other run.
  const Torture* torture() const { return torture_ ? &*torture_ : nullptr; }
  SenseReport sense_report() const;
  /// Whether the hosts report the trace's streams to the drive.
  bool streams_told() const { return options_.deadlines == replay::DeadlineUse::kMessage; }
  bool warms_up() const { return options_.warm_up != 0 || options_.warm_up_time != 0; }
  /// The policy with the values that it has on this drive. If several take turns, all of them.
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
  bool has_past_ = false;  // the media have content from an earlier run
  std::optional<Torture> torture_;
  std::optional<replay::PowerVerdict> verdict_;
  std::string events_of_fault_;  // the events around the first record with a fault
  Picoseconds until_ = 0;        // end of the last slice
  bool is_interrupted_ = false;
};

}  // namespace headstack::run
