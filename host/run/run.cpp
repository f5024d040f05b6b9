#include "host/run/rtl_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "firmware/queue/policy.h"
#include "host/cli/catalog.hpp"
#include "host/run/firmware_profile.hpp"
#include "host/run/replayer.hpp"
#include "sim/drive/load.hpp"
#include "sim/drive/text.hpp"
#include "sim/mechanics/access.hpp"
#include "sim/platform/rtl_drive.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using WallClock = std::chrono::steady_clock;  // for the speed of the run, never for a result

constexpr std::uint8_t kTargetId = 0;  // hdl: CTRL.own_id as the firmware sets it
constexpr Picoseconds kSlice = 2 * kPicosecondsPerMillisecond;  // until Ctrl-C is seen
constexpr double kProgressSeconds = 0.5;
constexpr int kShellSignalBase = 128;  // exit status of what a signal ended, as shells have it

volatile std::sig_atomic_t interrupted = 0;  // by which signal
void on_interrupt(int signal) { interrupted = signal; }

std::uint8_t policy_number(const std::string& name) {
  std::vector<std::string> names;
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    if (name == policy_row(row)->name) return policy_row(row)->number;
    names.emplace_back(policy_row(row)->name);
  }
  throw RunError(fmt::format("unknown policy '{}'; {}", name, drive::suggest(name, names)));
}

initiator::Agreement agreement(const std::string& name) {
  if (name == "async") return initiator::kAsynchronous;
  return name == "fast" ? initiator::kFast10Narrow : initiator::kFast10Wide;
}

std::string firmware_file(const RunOptions& options) {
  if (!options.firmware.empty()) return options.firmware;
  // build/PRESET/host/headstack-run -> build/PRESET/firmware/drive.elf
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "firmware/drive.elf").string();
}

/// Everything of one run; SystemC elaborates once per process, and so does this.
class RtlRun {
 public:
  explicit RtlRun(const RunOptions& options)
      : options_(options),
        policy_(policy_number(options.policy)),
        trace_(replay::open_trace(options.trace)),
        description_(cli::load_drive(options.drive).description),
        image_(soc::ElfImage::read(firmware_file(options))),
        model_(description_.design, description_.specimen),
        bus_("bus"),
        drive_("drive", description_, image_, bus_, rtl_options(), &log_, &log_),
        initiator_("initiator", bus_, initiator_config()),
        replayer_("replayer", options_, *trace_, initiator_, log_, model_.geometry().capacity(),
                  description_.design.sector_bytes, kTargetId, policy_,
                  [this](const report::CommandRecord& record) { take(record); }),
        profile_(image_) {
    if (trace_->header().block_bytes != description_.design.sector_bytes) {
      throw RunError(fmt::format("{}: blocks of {} bytes, but the drive's have {}", options_.trace,
                                 trace_->header().block_bytes, description_.design.sector_bytes));
    }
    fs::create_directories(options_.out);
    records_.open(fs::path(options_.out) / "records.csv", std::ios::binary);
    if (!records_) throw RunError(fmt::format("{}: cannot be written to", options_.out));
    records_ << report::record_csv_header() << '\n';
    std::ofstream(fs::path(options_.out) / "drive.toml") << drive::to_toml(description_);
    if (options_.profile) drive_.clock().watch_core(&profile_);
    if (!options_.waves.empty()) drive_.soc().open_waves(options_.waves);
  }

  int run() {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    wall_start_ = WallClock::now();
    while (!replayer_.finished() && interrupted == 0 && !drive_.clock().exit_code()) {
      drive_.clock().run_until(bus::now_ps() + kSlice);
      show_progress();
    }
    if (progress_shown_) fmt::print(stderr, "\r\033[K");
    return report();
  }

 private:
  platform::RtlOptions rtl_options() const {
    platform::RtlOptions options;
    options.gating = options_.gating;
    if (!options_.waves.empty() || options_.profile) options.build = soc::SocBuild::kInspect;
    return options;
  }

  initiator::Config initiator_config() const {
    initiator::Config config;
    config.agreement = agreement(options_.bus);
    return config;
  }

  void take(const report::CommandRecord& record) {
    summary_.add(record);
    records_ << report::record_csv_line(record) << '\n';
  }

  double wall_seconds() const {
    return std::chrono::duration<double>(WallClock::now() - wall_start_).count();
  }

  /// Now and then: who reads along finds whole lines in the records, too.
  void show_progress() {
    if (wall_seconds() < last_progress_ + kProgressSeconds) return;
    last_progress_ = wall_seconds();
    records_.flush();
    if (::isatty(STDERR_FILENO) == 0) return;
    progress_shown_ = true;
    fmt::print(stderr, "\r\033[K{} commands, {:.3f} s simulated, {:.0f} s", replayer_.completed(),
               to_ms(bus::now_ps()) / 1000, wall_seconds());
    std::fflush(stderr);
  }

  std::string failure() const {
    if (const auto code = drive_.clock().exit_code(); code && *code != 0) {
      return fmt::format("the firmware stopped: assertion, file {} line {}", *code >> 16,
                         *code & 0xFFFF);
    }
    if (!replayer_.failure().empty()) return replayer_.failure();
    return summary_.first_fault();
  }

  Json to_json() const {
    const soc::SocClock& clock = drive_.clock().clock();
    const double simulated_s = to_ms(bus::now_ps()) / 1000;
    const double edges = static_cast<double>(bus::now_ps()) / soc::kClockPeriodPs;
    const replay::Loop loop = options_.loop.value_or(trace_->header().loop);
    Json json = {{"headstack", HEADSTACK_VERSION},
                 {"drive", description_.name},
                 {"trace", options_.trace},
                 {"policy", options_.policy},
                 {"platform", "rtl"},
                 {"loop", loop == replay::Loop::kOpen ? "open" : "closed"},
                 {"speedup", options_.speedup},
                 {"queue_depth", options_.queue_depth},
                 {"limit", options_.limit},
                 {"seed", options_.seed},
                 {"bus", options_.bus},
                 {"gating", options_.gating}};
    json["result"] = summary_.to_json();
    json["verified_blocks"] = replayer_.verified_blocks();
    json["requeued"] = replayer_.requeued();
    json["missed_revolutions"] = log_.missed_revolutions();
    json["media_retries"] = log_.media_retries();
    json["bus_violations"] = bus_.violation_count();
    json["simulated_ps"] = bus::now_ps();
    json["firmware_cycles"] = clock.core_edges();
    json["clock_on_share"] = static_cast<double>(clock.evaluations()) / std::max(edges, 1.0);
    json["events"] = log_.event_count();
    json["event_hash"] = fmt::format("{:016x}", log_.event_hash());
    json["simulated_seconds_per_wall_second"] = simulated_s / std::max(wall_seconds(), 1e-9);
    return json;
  }

  std::string to_text(const Json& json) const {
    const double commands = std::max<double>(1, static_cast<double>(summary_.commands()));
    return fmt::format(
        "{}\n  policy {}, queue depth {}, {}\n\n{}\n"
        "  {} blocks verified; {} missed revolutions, {} media retries, {} bus violations\n"
        "  {:.0f} firmware cycles a command; clock on {:.2f} % of the time; {:.4f} simulated "
        "seconds per second\n",
        description_.name, options_.policy, options_.queue_depth, options_.trace,
        summary_.to_table(), replayer_.verified_blocks(), log_.missed_revolutions(),
        log_.media_retries(), bus_.violation_count(),
        static_cast<double>(drive_.clock().clock().core_edges()) / commands,
        100 * json["clock_on_share"].get<double>(),
        json["simulated_seconds_per_wall_second"].get<double>());
  }

  int report() {
    records_.flush();
    Json json = to_json();
    const std::string why = failure();
    json["failure"] = why;
    json["interrupted"] = interrupted != 0;
    const fs::path out(options_.out);
    std::ofstream(out / "summary.json") << json.dump(2) << '\n';
    const std::string text = to_text(json);
    std::ofstream(out / "summary.txt") << text;
    if (options_.profile) {
      std::ofstream(out / "profile.txt") << profile_.to_text(summary_.commands());
    }
    fmt::print("{}", text);
    if (!log_.console_text().empty()) fmt::print("console: {}\n", log_.console_text());
    if (!why.empty()) {
      fmt::print(stderr, "headstack: error: {}\n", why);
      return 1;
    }
    return interrupted != 0 ? kShellSignalBase + interrupted : 0;
  }

  const RunOptions& options_;
  std::uint8_t policy_;
  std::unique_ptr<replay::TraceReader> trace_;
  drive::DriveDescription description_;
  soc::ElfImage image_;
  mechanics::AccessModel model_;
  StageLog log_;
  bus::ScsiBus bus_;
  mutable platform::RtlDrive drive_;
  initiator::Initiator initiator_;
  Replayer replayer_;
  FirmwareProfile profile_;
  report::Summary summary_;
  std::ofstream records_;
  WallClock::time_point wall_start_;
  double last_progress_ = 0;
  bool progress_shown_ = false;
};

}  // namespace

int run_on_rtl(const RunOptions& options) { return RtlRun(options).run(); }

}  // namespace headstack::run
