// SPDX-License-Identifier: Apache-2.0
#include "host/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "host/cli/reading_options.hpp"
#include "host/output/exit_status.hpp"
#include "host/output/json_text.hpp"
#include "host/output/message.hpp"
#include "host/output/progress.hpp"
#include "host/output/run_folder.hpp"
#include "host/run/advice.hpp"
#include "host/run/inspection.hpp"
#include "host/run/outcome.hpp"
#include "host/run/post_mortem.hpp"
#include "host/run/result.hpp"
#include "host/run/run_files.hpp"
#include "sim/drive/electronics.hpp"
#include "sim/drive/load.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;
namespace run_file = output::run_file;
using WallClock = std::chrono::steady_clock;  // measures the speed of the run, never a result

constexpr std::size_t kLinesBytes = 1U << 16;
constexpr double kProgressSeconds = 0.5;

volatile std::sig_atomic_t interrupted = 0;  // number of the signal; 0: none
void on_interrupt(int signal) { interrupted = signal; }
bool is_interrupted() { return interrupted != 0; }

/// The options, after a check that writes and removes nothing.
const RunOptions& checked(const RunOptions& options) {
  require_good_files(options);
  return options;
}

/// A simulation whose records, events and summary go into a folder.
class FolderRun {
 public:
  /// `ring` is not null when the options ask for snapshots.
  FolderRun(const RunOptions& options, output::RunFolder& folder, debug::SnapshotRing* ring,
            session::PlatformMaker make_rtl)
      : options_(checked(options)),
        simulation_(options, make_rtl,
                    [this](const report::CommandRecord& record,
                           std::optional<std::uint8_t> stream) { take(record, stream); }),
        inspection_(options, simulation_.observers()) {
    folder.begin();  // the input has been checked
    inspection_.begin(
        fmt::format("{}, {}", simulation_.description().name, simulation_.policy_name()));
    if (ring != nullptr) ring->on_commit([this] { commit(); });
    session::Session& session = simulation_.session();
    if (const observe::CoreView* core = session.core()) {
      session.on_pause([this] { inspection_.pause(); });
      inspection_.attach(*core, session.electronics(), ring, is_interrupted,
                         [&session](Picoseconds time) { session.pause_at(time); });
    }
    if (options_.records == scenario::Records::kFull) {
      records_.open(claim(run_file::kRecords));
      records_ << report::record_csv_header(simulation_.columns()) << '\n';
    }
    if (options_.event_log) {
      events_.open(claim(run_file::kEvents));
      simulation_.log().write_events(&events_);
    }
    output::write_file(claim(run_file::kDrive), drive::to_toml(simulation_.description()));
    output::write_file(claim(run_file::kScenario), options_.scenario);
  }

  FolderRun(const FolderRun&) = delete;
  FolderRun& operator=(const FolderRun&) = delete;

  int run() {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    wall_start_ = WallClock::now();
    simulation_.begin();
    while (simulation_.goes_on() && unwritten_.empty()) {
      advance();
      if (is_interrupted()) simulation_.interrupt();
      show_progress();
    }
    simulation_.finish();
    if (progress_shown_) output::say("\r\033[K");
    const bool failed = !unwritten_.empty() || !find_failure(simulation_).empty();
    inspection_.hold(failed ? 1 : 0);
    if (simulation_.drive_failed()) {
      inspection_.record_from(simulation_.failed_at() - kPostMortemLead,
                              post_mortem_waves(options_));
    }
    return report();
  }

 private:
  /// Advances the run. A full disk under the media ends it like one under its other files.
  void advance() {
    try {
      simulation_.advance();
    } catch (const session::SessionError& error) {
      unwritten_.emplace_back(error.what());
    }
  }

  std::string claim(const char* name) const { return output::claim_run_file(options_.out, name); }

  /// Calls `action`. When something cannot be written, the run ends, and reports that at its end.
  template <class Action>
  void writing(const Action& action) {
    try {
      action();
    } catch (const output::PipeClosed&) {
      pipe_closed_ = true;
    } catch (const output::OutputError& error) {
      unwritten_.emplace_back(error.what());
    }
  }

  void take(const report::CommandRecord& record, std::optional<std::uint8_t> stream) {
    if (options_.records != scenario::Records::kFull) return;
    report::append_record_csv_line(lines_, record, simulation_.columns(), stream);
    if (lines_.size() >= kLinesBytes) write_lines();
  }

  void write_lines() {
    records_ << lines_;
    lines_.clear();
  }

  double wall_seconds() const {
    return std::chrono::duration<double>(WallClock::now() - wall_start_).count();
  }

  /// Writes all output of the run up to now to its files, in whole lines.
  void commit() {
    writing([this] {
      write_lines();
      records_.commit();
      events_.commit();
      inspection_.flush();
    });
  }

  /// Shows the progress, and commits from time to time, so that the files can be read during the
  /// run.
  void show_progress() {
    if (wall_seconds() < last_progress_ + kProgressSeconds) return;
    last_progress_ = wall_seconds();
    commit();
    if (!output::progress_wanted()) return;
    progress_shown_ = true;
    output::say("\r\033[K{} commands, {:.3f} s simulated, {:.0f} s",
                simulation_.replayer().completed(), to_ms(simulation_.session().now()) / 1000,
                wall_seconds());
  }

  /// Warns that writes which ended with GOOD are lost. The warning stands out, however many
  /// commands there were.
  void warn_of_deferred_errors() const {
    constexpr std::size_t kMostNamed = 5;
    const auto& errors = simulation_.replayer().deferred_errors();
    for (std::size_t i = 0; i < std::min(errors.size(), kMostNamed); ++i) {
      const replay::Replayer::DeferredError& error = errors[i];
      output::say(
          "headstack: warning: deferred error {}{}: a write that was GOOD is not on the media\n",
          error.codes, error.lba ? fmt::format(" at block {}", *error.lba) : "");
    }
    if (errors.size() > kMostNamed) {
      output::say("headstack: warning: {} deferred errors in all: {} has them\n", errors.size(),
                  run_file::kSummaryJson);
    }
  }

  void warn_of_unannounced_deadlines() const {
    const replay::RequestSource& source = simulation_.source();
    if (source.unannounced_deadlines() == 0) return;
    output::say(
        "headstack: warning: {}: {} deadlines have no column in {}, since the first request "
        "has none; begin the trace with 'headstack-trace 4'\n",
        options_.trace, source.unannounced_deadlines(), run_file::kRecords);
  }

  void warn() const {
    cli::warn_of_counts(simulation_.trace());
    for (const std::string& note : simulation_.replayer().setup_notes()) {
      output::say("headstack: warning: {}\n", note);
    }
    warn_of_unannounced_deadlines();
    if (const std::string what = unsent_deadlines(options_, simulation_.columns().deadline);
        !what.empty()) {
      output::say("headstack: warning: {}\n", what);
    }
    if (const std::string what = drive::find_too_fast_zone(simulation_.description());
        options_.platform == "vp" && !what.empty()) {
      output::say("headstack: warning: {}; vp ran as if they were as fast\n", what);
    }
    warn_of_deferred_errors();
    simulation_.sense_report().warn();
  }

  /// Closes all files except the summary, which reports their errors.
  void close_files() {
    writing([this] {
      write_lines();
      records_.close();
    });
    writing([this] { events_.close(); });
    const Inspection::Findings findings =
        inspection_.finish(simulation_.session().now(), simulation_.summary().commands());
    for (const std::string& what : findings.warnings) {
      output::say("headstack: warning: {}\n", what);
    }
    unwritten_.insert(unwritten_.end(), findings.errors.begin(), findings.errors.end());
  }

  int report() {
    simulation_.replayer().take_overheard();
    warn();
    close_files();
    // The speed is in no file: the same run leaves the same files on any machine.
    const double speed = to_ms(simulation_.session().now()) / 1000 / std::max(wall_seconds(), 1e-9);
    const Result result = conclude(simulation_, unwritten_.empty() ? "" : unwritten_.front());
    if (!result.learned.is_null()) {
      writing([&] {
        output::write_file(claim(run_file::kLearned), output::json_text(result.learned) + '\n');
      });
    }
    writing([&] {
      output::write_file(claim(run_file::kSummaryJson),
                         output::json_text(result.summary, 2) + '\n');
    });
    writing([&] { output::write_file(claim(run_file::kSummaryText), result.text); });
    writing([&] {
      std::string shown = result.text;
      shown.insert(result.speed_at, fmt::format("; {:.4f} simulated seconds per second", speed));
      output::print(shown);
      const std::string& console = simulation_.log().console_text();
      if (!console.empty()) output::print(fmt::format("console: {}\n", console));
      output::finish_standard_output();
    });
    const std::string failure =
        result.failure.empty() && !unwritten_.empty() ? unwritten_.front() : result.failure;
    if (!failure.empty()) return report_failure(failure);
    if (is_interrupted()) return output::kShellSignalBase + interrupted;
    return pipe_closed_ ? output::kPipeClosedStatus : 0;
  }

  int report_failure(const std::string& why) {
    output::say("headstack: error: {}\n", why);
    if (simulation_.drive_failed() && simulation_.session().core() != nullptr) {
      writing([&] {
        write_post_mortem(options_,
                          {why, simulation_.failed_at(), simulation_.events_around_failure(),
                           inspection_.recorded()},
                          simulation_.session());
        output::say("headstack: {} has the details\n",
                    (fs::path(options_.out) / run_file::kPostMortem).string());
      });
    }
    for (const std::string& what : unwritten_) {
      if (what != why) output::say("headstack: error: {}\n", what);
    }
    return 1;
  }

  const RunOptions& options_;
  Simulation simulation_;
  Inspection inspection_;
  output::OutputFile records_;
  std::string lines_;  // lines for records_ that are not written yet
  output::OutputFile events_;
  bool pipe_closed_ = false;            // standard output has no reader
  std::vector<std::string> unwritten_;  // errors of writing, one sentence each
  WallClock::time_point wall_start_;
  double last_progress_ = 0;
  bool progress_shown_ = false;
};

}  // namespace

int run_trace(const RunOptions& options, session::PlatformMaker make_rtl) {
  output::RunFolder folder(options.out, options.force);
  if (!debug::wants_snapshots(options)) return FolderRun(options, folder, nullptr, make_rtl).run();
  return debug::SnapshotRing::host(options.snapshots, [&](debug::SnapshotRing& ring) {
    return FolderRun(options, folder, &ring, make_rtl).run();
  });
}

}  // namespace headstack::run
