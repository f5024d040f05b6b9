// SPDX-License-Identifier: Apache-2.0
#include "host/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>

#include "host/cli/reading_options.hpp"
#include "host/observe/host_tag.hpp"
#include "host/observe/lost_revolutions.hpp"
#include "host/options/bus_option.hpp"
#include "host/options/catalog.hpp"
#include "host/options/controller_option.hpp"
#include "host/options/failure_limit.hpp"
#include "host/options/policy_option.hpp"
#include "host/output/exit_status.hpp"
#include "host/output/json_text.hpp"
#include "host/output/message.hpp"
#include "host/output/progress.hpp"
#include "host/output/run_folder.hpp"
#include "host/output/shell_word.hpp"
#include "host/remap/map_file.hpp"
#include "host/replay/power_verdict.hpp"
#include "host/replay/replayer.hpp"
#include "host/report/summary.hpp"
#include "host/run/advice.hpp"
#include "host/run/habit_flags.hpp"
#include "host/run/inspection.hpp"
#include "host/run/learned.hpp"
#include "host/run/post_mortem.hpp"
#include "host/run/power_cutter.hpp"
#include "host/run/replay_flags.hpp"
#include "host/run/run_files.hpp"
#include "host/run/scheduler_counters.hpp"
#include "host/run/sense_report.hpp"
#include "host/run/torture.hpp"
#include "host/session/session.hpp"
#include "sim/description/words.hpp"
#include "sim/drive/electronics.hpp"
#include "sim/drive/load.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/soc/stop_code.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;
namespace run_file = output::run_file;
using Json = nlohmann::ordered_json;
using WallClock = std::chrono::steady_clock;  // for the speed of the run, never for a result

constexpr std::size_t kLinesBytes = 1U << 16;
/// The step by which the world goes on: a user who presses Ctrl-C waits for a few milliseconds. It
/// is the same on all platforms, so that a run ends at the same time.
constexpr Picoseconds kSlice = 2 * kPicosecondsPerMillisecond;
constexpr double kProgressSeconds = 0.5;

volatile std::sig_atomic_t interrupted = 0;  // the signal's number
void on_interrupt(int signal) { interrupted = signal; }
Picoseconds turn_of(const drive::Design& design) {
  return static_cast<Picoseconds>(60e12 / design.rpm);
}

/// Nothing on a drive whose latency does not depend on the place.
observe::LostRevolutions::AngleOf angles_of(const drive::Design& design,
                                            const geometry::Geometry& geometry) {
  if (design.rotational_latency == drive::RotationalLatency::kMean) return {};
  return [&geometry](const geometry::Chs& sector) { return geometry.sector_angle(sector); };
}

bool is_interrupted() { return interrupted != 0; }

bool has_store(const drive::Design& design) {
  return std::any_of(design.zones.begin(), design.zones.end(),
                     [](const drive::Zone& zone) { return zone.store_sectors != 0; });
}

session::Options session_options(const RunOptions& options) {
  session::Options session;
  session.platform = session::parse_platform(options.platform);
  session.firmware = options.firmware;
  session.hosts = options.initiators;
  const options::BusSetting bus = options::parse_bus(options.bus);
  session.agreement = bus.agreement;
  session.host_times.data_in_ack_period_ps = bus.in_period_ps;
  session.host_times.data_out_ack_period_ps = bus.out_period_ps;
  session.look = session.platform == session::PlatformKind::kNative ? session::Look::kNothing
                                                                    : look_of(options);
  session.gating = options.gating;
  session.media_file = options.media;
  session.ideal_electronics = options.ideal_electronics;
  session.access_price = options.access_price;
  session.reference = options.reference;
  return session;
}

/// Whether requests may have more demands on the drive's time than a deadline.
bool has_urgency(const traces::TraceHeader& header) {
  return header.has_classes || header.has_streams || header.has_priorities;
}

/// All objects of one run. SystemC elaborates once per process, so there is one of these in a
/// process.
class Run {
 public:
  /// `ring` is there when the options ask for snapshots.
  Run(const RunOptions& options, output::RunFolder& folder, debug::SnapshotRing* ring,
      session::PlatformMaker make_rtl)
      : options_(options),
        folder_(folder),
        trace_(replay::open_trace_of(options)),
        description_(describe_drive(options)),
        geometry_(description_.design),
        audit_(geometry_, options.ideal_electronics),
        lost_(turn_of(description_.design), angles_of(description_.design, geometry_)),
        loop_(options.loop.value_or(trace_->header().loop)),
        session_(prepared(), session_options(options), {&observers_}, make_rtl),
        source_(options_, *trace_, geometry_.capacity()),
        replayer_(options_, loop_, source_, session_, log_, audit_, observers_,
                  description_.design.sector_bytes, session::Session::kDriveId,
                  replay::mode_changes(options_, description_), replay::setting_changes(options_),
                  [this](const report::CommandRecord& record) { take(record); }) {
    has_past_ = session_.media().written_count() != 0;
    require_known_media();
    require_first_request();
    cutter_.arm(session_);
    columns_ = {options_.initiators > 1,
                trace_->header().has_service,
                source_.has_deadlines(),
                has_urgency(trace_->header()),
                source_.may_lose_commands(),
                trace_->header().has_options || has_request_options(options_.habits),
                loop_ == traces::Loop::kOpen};
    folder_.begin();  // what could be wrong with the input has been looked at
    inspection_->begin(fmt::format("{}, {}", description_.name, policy_name()));
    if (ring != nullptr) ring->on_commit([this] { commit(); });
    if (const observe::CoreView* core = session_.core()) {
      session_.on_pause([this] { inspection_->pause(); });
      inspection_->attach(*core, session_.electronics(), ring, is_interrupted,
                          [this](Picoseconds time) { session_.pause_at(time); });
    }
    records_.open(claim(run_file::kRecords));
    records_ << report::record_csv_header(columns_) << '\n';
    if (options_.ideal_electronics) log_.allow_late_edges();
    if (options_.event_log) {
      events_.open(claim(run_file::kEvents));
      log_.write_events(&events_);
    }
    output::write_file(claim(run_file::kDrive), drive::to_toml(description_));
  }

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  int run() {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    wall_start_ = WallClock::now();
    replayer_.begin();
    if (options_.is_torture) begin_torture();
    Picoseconds until = 0;
    while (!over_by(until) && interrupted == 0 && !session_.exit_code() && unwritten_.empty() &&
           session_.has_power()) {
      advance(until += kSlice);
      check_watchdog();
      show_progress();
    }
    if (torture_) torture_->finish();
    if (!session_.has_power()) judge_power_loss();
    if (progress_shown_) output::say("\r\033[K");
    inspection_->hold(failure().empty() ? 0 : 1);
    if (drive_failed()) {
      inspection_->record_from(failed_at() - kPostMortemLead, post_mortem_waves(options_));
    }
    return report();
  }

 private:
  /// Destroys what observes the session before the session, also when another member's constructor
  /// throws.
  struct GoesFirst {
    ~GoesFirst() { inspection.reset(); }
    std::optional<Inspection>& inspection;
  };

  /// Runs on. A full disk under the media ends the run like one under its other files.
  void advance(Picoseconds until) {
    try {
      cutter_.run_until(until);
    } catch (const session::SessionError& error) {
      unwritten_.emplace_back(error.what());
    }
  }

  /// Whether the trace has ended, and the drive sleeps. So a run ends at the same time on `rtl` and
  /// on `vp`, whose core may be ahead of the time that the session shows. A drive that does not go
  /// to sleep is given up after kPatience.
  bool over_by(Picoseconds time) const {
    constexpr Picoseconds kPatience = 50 * kSlice;
    if (!replayer_.finished()) return false;
    if (replayer_.drive_failed()) return true;
    const Picoseconds since = time - replayer_.finished_at();
    return since > kPatience || (since >= 0 && session_.rests_at(time));
  }

  /// Makes the observers, and checks the options against trace and drive, before the session opens.
  const drive::DriveDescription& prepared() {
    require_good_files(options_);
    add_observers();
    if (trace_->header().block_bytes != description_.design.sector_bytes) {
      throw replay::RunError(fmt::format("{}: blocks of {} bytes, but the drive's have {}",
                                         options_.trace, trace_->header().block_bytes,
                                         description_.design.sector_bytes));
    }
    const bool judges = options_.is_torture || !options_.power_cut.empty();
    if (judges && options_.habits.format_every != 0 && !has_store(description_.design)) {
      throw replay::RunError(
          fmt::format("--format-every: {} has no store_sectors, so it forgets a format that a "
                      "power cut interrupted; use another drive",
                      options_.drive));
    }
    const std::string objection = find_loop_objection(options_, loop_, trace_->header().has_think);
    if (!objection.empty()) throw replay::RunError(objection);
    const bool may_reset = trace_->header().has_options || options::may_reset(options_.habits);
    if (options_.deadlines == replay::DeadlineUse::kCdl && may_reset) {
      throw replay::RunError(
          "--deadlines cdl: a reset clears the drive's limits, and this run may have one; use "
          "--deadlines message, or leave --reset-every and the trace's column options out");
    }
    if (options_.initiators > observe::kMostHostsNarrow &&
        description_.design.bus.width_bits == 8) {
      throw replay::RunError(
          fmt::format("--initiators: {}, but the drive's bus is narrow; use {} at most",
                      options_.initiators, observe::kMostHostsNarrow));
    }
    return description_;
  }

  /// Data can be checked only where this run has written them. What an earlier run has written is
  /// unknown.
  void require_known_media() {
    if (!options_.verify_data || !has_past_) return;
    throw replay::RunError(
        fmt::format("--media {}: holds data of an earlier run, which this run cannot check; name a "
                    "new file, or leave --verify-data and --power-cut out",
                    options_.media));
  }

  /// A trace whose first request cannot be read, or lies past the drive's end, is a mistake that
  /// must not replace an older run.
  void require_first_request() {
    (void)source_.peek();  // fails at the end of a trace that has none
    if (!source_.failure().empty()) throw replay::RunError(source_.failure());
  }

  /// Called in a copy of this run, or in the run itself.
  replay::PowerVerdict judge_media(const media::MediaSnapshot& media,
                                   replay::PowerJudgement judgement) {
    replayer_.power_lost();
    judgement.keeps_twice = !source_.may_lose_commands() && session_.media().flaws().empty();
    return replay::judge_power_loss(description_, session_options(options_), media,
                                    replayer_.data_check(), replayer_.upkeep(), judgement);
  }

  /// What a drive writes in its second life, at most, as far as a second cut is to be in it. A
  /// drive that keeps no more than blocks has nothing to lose there.
  std::uint64_t again_sectors() const {
    constexpr std::uint64_t kOfSaves = 8;   // a page, a block and its record, in two copies
    constexpr std::uint64_t kOfMoves = 64;  // and some units
    const options::HostHabits& habits = options_.habits;
    if (!options_.cuts_again) return 0;
    if (habits.format_every != 0) return geometry_.sector_count();
    if (!options_.remap.maps.empty()) return kOfMoves;
    const bool keeps = habits.save_every != 0 || habits.reassign_every != 0 ||
                       !description_.specimen.flaws.empty();
    return keeps ? kOfSaves : 0;
  }

  void begin_torture() {
    TortureOptions options = options_.torture;
    options.again_sectors = again_sectors();
    torture_.emplace(
        options, session_,
        [this](const media::MediaSnapshot& media, const replay::PowerJudgement& judgement) {
          return judge_media(media, judgement);
        });
    torture_->arm();
  }

  void judge_power_loss() {
    replay::PowerJudgement judgement;
    judgement.again = options_.power_again;
    verdict_ = judge_media(session_.take_media(), judgement);
  }

  /// The command that repeats a finding.
  std::string command_for(const Torture::Finding& finding) const {
    std::string line = "./headstack run";
    line += output::shell_words_without(
        options_.words, {"--torture", "--torture-once", "--once"},
        {"--torture-every", "--torture-bytes", "--torture-cuts", "--torture-seed",
         "--torture-whole", "--torture-jobs", "--every", "--bytes", "--cuts", "--cut-seed",
         "--whole", "--jobs", "--out"});
    const bool is_key = options_.is_scenario;
    line +=
        fmt::format(is_key ? " faults.power_cut=byte:{}" : " --power-cut byte:{}", finding.byte);
    if (finding.again) {
      line += fmt::format(is_key ? " faults.power_again={}" : " --power-again {}", *finding.again);
    }
    return fmt::format("{} --out {}", line,
                       output::shell_word(options_.out + "-" + std::to_string(finding.byte)));
  }

  std::string power_failure() const {
    if (verdict_ && !verdict_->findings.empty()) {
      return fmt::format("power cut {}: {}", options_.power_cut, verdict_->findings.front());
    }
    const bool is_over = interrupted == 0 && replayer_.finished();
    if (!options_.power_cut.empty() && !verdict_ && is_over && !replayer_.drive_failed()) {
      return fmt::format("--power-cut {}: the run was over before", options_.power_cut);
    }
    if (!torture_ || torture_->findings().empty()) return "";
    const Torture::Finding finding = torture_->findings().front();
    return fmt::format("torture: {} of {} cuts: {}\n  again: {}", torture_->findings().size(),
                       torture_->cuts(), finding.text, command_for(finding));
  }

  void add_power(Json& json) const {
    if (!options_.media.empty()) json["media"] = options_.media;
    const media::MediaPower& power = session_.media().power();
    const auto loss = drive::name_of(drive::kPowerLossKinds, description_.specimen.power_loss);
    if (verdict_) {
      json["power_cut"] = {{"at", options_.power_cut},
                           {"loss", loss},
                           {"time_ps", session_.power_lost_at()},
                           {"sectors_written", power.write_count()},
                           {"bytes_written", power.byte_count()},
                           {"blocks_read_back", verdict_->blocks},
                           {"blocks_looked_at", verdict_->looked_at},
                           {"torn_blocks", verdict_->unreadable},
                           {"findings", verdict_->findings}};
      if (options_.power_again) {
        json["power_cut"]["again"] = *options_.power_again;
        json["power_cut"]["is_cut_again"] = verdict_->is_cut_again;
      }
    }
    if (!torture_) return;
    Json findings = Json::array();
    for (const Torture::Finding& finding : torture_->findings()) {
      findings.push_back(
          {{"byte", finding.byte}, {"finding", finding.text}, {"again", command_for(finding)}});
    }
    json["torture"] = {{"loss", loss},
                       {"sectors_written", power.write_count()},
                       {"bytes_written", power.byte_count()},
                       {"cuts", torture_->cuts()},
                       {"cut_again", torture_->cut_again()},
                       {"blocks_read_back", torture_->blocks()},
                       {"blocks_looked_at", torture_->looked_at()},
                       {"torn_blocks", torture_->unreadable()},
                       {"findings", findings}};
  }

  std::string power_text() const {
    if (verdict_) {
      return fmt::format("  power cut {} at {:.6f} ms: {} blocks read back, {} torn, {} findings\n",
                         options_.power_cut, to_ms(session_.power_lost_at()), verdict_->blocks,
                         verdict_->unreadable, verdict_->findings.size());
    }
    if (!torture_) return "";
    return fmt::format(
        "  torture: {} cuts in {} sectors written, {} of them cut again; {} blocks read back, {} "
        "torn, {} looked at on the media; {} findings\n",
        torture_->cuts(), session_.media().power().write_count(), torture_->cut_again(),
        torture_->blocks(), torture_->unreadable(), torture_->looked_at(),
        torture_->findings().size());
  }

  void add_observers() {
    observers_.add(log_);
    observers_.add(audit_);
    observers_.add(lost_);
    observers_.add(cutter_);
    if (options_.platform != "native") observers_.add(tail_);
    inspection_.emplace(options_, observers_);
  }

  std::string claim(const char* name) const { return output::claim_run_file(options_.out, name); }

  /// When something cannot be written, the run ends, and reports that at its end.
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

  /// The policy with the values that it has on this drive; all of several that take turns.
  std::string policy_name() const {
    if (!options_.reference.empty()) return options_.reference;
    std::vector<std::string> names;
    for (const std::string& text : options_.policies) {
      const ::policy_selection policy = options::parse_policy(text);
      names.push_back(options::policy_text(policy, description_.design.cylinders));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  /// The stream as the drive sees it: the one that the request names, else its host.
  std::optional<std::uint8_t> stream_of(const traces::TraceRequest& request) const {
    if (options_.initiators == 1 && !trace_->header().has_streams) return std::nullopt;
    return request.urgency.stream.value_or(observe::host_scsi_id(request.initiator));
  }

  void take(const report::CommandRecord& record) {
    const std::optional<std::uint8_t> stream = stream_of(record.request());
    summary_.add(record, stream);
    // Its events are not the last ones any more when the run ends.
    if (events_of_fault_.empty() && summary_.faults() > 0) {
      events_of_fault_ = tail_.around(summary_.first_fault().at);
    }
    report::append_record_csv_line(lines_, record, columns_, stream);
    if (lines_.size() >= kLinesBytes) write_lines();
  }

  void write_lines() {
    records_ << lines_;
    lines_.clear();
  }

  double wall_seconds() const {
    return std::chrono::duration<double>(WallClock::now() - wall_start_).count();
  }

  void check_watchdog() {
    const auto since = replayer_.waiting_since();
    if (options_.watchdog_s == 0 || !since || replayer_.finished()) return;
    const double waited_s = to_ms(session_.now() - *since) / 1000;
    if (waited_s < options_.watchdog_s) return;
    const Picoseconds last_event = tail_.last_at();
    replayer_.fail(
        fmt::format(
            "watchdog: no command has completed for {:.3f} s of simulated time; {} of {} are "
            "done; the firmware's core {}, and its last event was at {:.6f} ms",
            waited_s, replayer_.completed(), replayer_.issued(),
            session_.rests_at(session_.now()) ? "sleeps" : "is busy", to_ms(last_event)),
        std::max(*since, last_event));
  }

  /// Brings all that the run has given out so far into its files, as whole lines.
  void commit() {
    writing([this] {
      write_lines();
      records_.commit();
      events_.commit();
      inspection_->flush();
    });
  }

  /// Also commits from time to time, for somebody who reads along.
  void show_progress() {
    if (wall_seconds() < last_progress_ + kProgressSeconds) return;
    last_progress_ = wall_seconds();
    commit();
    if (!output::progress_wanted()) return;
    progress_shown_ = true;
    output::say("\r\033[K{} commands, {:.3f} s simulated, {:.0f} s", replayer_.completed(),
                to_ms(session_.now()) / 1000, wall_seconds());
  }

  /// Why a firmware ended the run.
  std::string stop_reason(std::uint32_t code) const {
    const observe::CoreView* core = session_.core();
    const std::optional<soc::CoreFault> fault = session_.core_fault();
    if (core == nullptr || !fault) {
      return "the firmware stopped: " + assertion_text(options_.firmware, code);
    }
    return soc::fault_text(*fault, [core](std::uint32_t pc) -> std::string {
      const soc::ElfImage::Function* function = core->firmware.function_at(pc);
      return function != nullptr ? function->name : "no function";
    });
  }

  /// What --fail-on counts. A share is one of the records, or of all commands where the warm-up
  /// counts, too.
  options::FailureCounts failure_counts() const {
    using options::Failure;
    options::FailureCounts counts;
    const auto set = [&counts](Failure failure, std::uint64_t count, std::uint64_t of) {
      counts[static_cast<std::size_t>(failure)] = {count, of};
    };
    const SenseReport sense = sense_report();
    const std::uint64_t all = replayer_.completed();
    const report::DeadlineCounts deadlines = summary_.deadlines();
    set(Failure::kUnexplainedSense, sense.unexplained(), all);
    set(Failure::kSense, sense.total(), all);
    set(Failure::kNotGood, summary_.failed(), summary_.commands());
    set(Failure::kMissedDeadline, deadlines.missed, deadlines.commands);
    set(Failure::kMediaRetry, log_.media_retries(), all);
    set(Failure::kMissedRevolution, log_.missed_revolutions(), all);
    set(Failure::kLostRevolution, lost_.count(), all);
    set(Failure::kBusViolation, session_.figures().bus_violations, all);
    return counts;
  }

  /// Which limit the run exceeded, once it is over, or "". No limit holds for a run that was ended
  /// before the end of its trace.
  std::string exceeded_limit() const {
    if (interrupted != 0 || !replayer_.finished()) return "";
    const std::vector<options::FailureLimit> limits = options::failure_limits(options_.fail_on);
    for (const options::FailureLimit& limit : limits) {
      if (limit.failure != options::Failure::kMissedDeadline) continue;
      if (summary_.deadlines().commands != 0) continue;
      return fmt::format(
          "--fail-on {}: no command had a deadline; headstack trace deadlines "
          "gives a trace some",
          limit.text);
    }
    const options::FailureCounts counts = failure_counts();
    const options::FailureLimit* exceeded = options::find_exceeded(limits, counts);
    if (exceeded == nullptr) return "";
    std::string text = options::exceeded_text(*exceeded, counts);
    if (exceeded->failure != options::Failure::kUnexplainedSense) return text;
    return text + ": " + sense_report().unexplained_text();
  }

  SenseReport sense_report() const {
    const replay::SenseCauses causes(options_, description_.specimen, trace_->header().has_options,
                                     has_past_);
    return {replayer_.received_sense(), causes};
  }

  /// Why a run that came to its end measured nothing, or too much or too little; or "".
  std::string wrong_count() const {
    if (interrupted != 0 || !replayer_.finished() || verdict_) return "";
    const std::optional<std::uint64_t>& expected = options_.expected_requests;
    if (expected && *expected != replayer_.completed()) {
      return fmt::format("--expect-requests {}: {} requests were replayed", *expected,
                         replayer_.completed());
    }
    if (summary_.commands() != 0 || options_.reading.allow_empty) return "";
    if (replayer_.warmed_up() == 0) {
      return fmt::format(
          "{}: no request was replayed, so nothing was measured; accept that with "
          "--allow-empty",
          options_.trace);
    }
    return fmt::format(
        "{}: all {} requests warmed up, so none was measured; make the warm-up shorter (--warm-up, "
        "--warm-up-time), or accept that with --allow-empty",
        options_.trace, replayer_.warmed_up());
  }

  std::string failure() const {
    if (const auto code = session_.exit_code(); code && *code != 0) return stop_reason(*code);
    if (!replayer_.failure().empty()) return replayer_.failure();
    if (!summary_.first_fault().empty()) return summary_.first_fault().text;
    if (std::string power = power_failure(); !power.empty()) return power;
    if (std::string wrong = wrong_count(); !wrong.empty()) return wrong;
    if (std::string exceeded = exceeded_limit(); !exceeded.empty()) return exceeded;
    return unwritten_.empty() ? "" : unwritten_.front();
  }

  /// Whether the drive failed, as opposed to its input.
  bool drive_failed() const {
    return session_.exit_code().value_or(0) != 0 || replayer_.drive_failed() ||
           !summary_.first_fault().empty();
  }

  /// The earliest instant that failure() names, where drive_failed(). Both have the same order.
  Picoseconds failed_at() const {
    if (session_.exit_code().value_or(0) != 0) return session_.exit_time();
    if (replayer_.drive_failed()) return replayer_.failed_at();
    return summary_.first_fault().at;
  }

  Failure failure_to_examine() const {
    const bool is_of_record = session_.exit_code().value_or(0) == 0 && !replayer_.drive_failed();
    return {failure(), failed_at(), is_of_record ? events_of_fault_ : tail_.around(failed_at()),
            inspection_->recorded()};
  }

  Json to_json() const {
    const session::Figures figures = session_.figures();
    Json json = {{"headstack", HEADSTACK_VERSION},
                 {"drive", description_.name},
                 {"trace", options_.trace},
                 {"policy", policy_name()},
                 {"platform", options_.platform},
                 {"loop", to_string(loop_)},
                 {"speedup", options_.speedup},
                 {"queue_depth", options_.queue_depth},
                 {"limit", options_.limit},
                 {"seed", options_.seed},
                 {"bus", options_.bus},
                 {"gating", options_.gating},
                 {"ideal_electronics", options_.ideal_electronics}};
    add_replay_modes(json);
    if (!replayer_.setup_notes().empty()) json["setup_notes"] = replayer_.setup_notes();
    json["result"] = summary_.to_json();
    json["verified_blocks"] = replayer_.verified_blocks();
    json["requeued"] = replayer_.counters().requeued;
    if (source_.may_lose_commands() || changes_settings(options_.habits)) add_acts(json);
    if (options_.habits.format_every != 0) json["formats"] = replayer_.counters().formats;
    for (const replay::Replayer::DeferredError& error : replayer_.deferred_errors()) {
      Json one = {{"sense", error.codes}};
      if (error.lba) one["lba"] = *error.lba;
      json["deferred_errors"].push_back(std::move(one));
    }
    if (has_write_threshold()) {
      json["write_buffer"] = {{"outside", log_.writes_outside()},
                              {"longest_outside_ps", log_.longest_outside()}};
    }
    for (const auto& [name, count] : figures.policy_work) json["policy_work"][name] = count;
    add_power(json);
    sense_report().add_to(json);
    json["missed_revolutions"] = log_.missed_revolutions();
    json["lost_revolutions"] = lost_.count();
    if (lost_.others() != 0) json["lost_revolutions_of_other_work"] = lost_.others();
    json["media_retries"] = log_.media_retries();
    json["bus_violations"] = figures.bus_violations;
    json["simulated_ps"] = session_.now();
    json["firmware_cycles"] = figures.firmware_cycles;
    json["clock_on_share"] = figures.clock_on_share;
    json["events"] = log_.event_count();
    json["event_hash"] = fmt::format("{:016x}", log_.event_hash());
    return json;
  }

  /// What the hosts did besides sending requests.
  void add_acts(Json& json) const {
    const replay::Replayer::Counters& counters = replayer_.counters();
    json["sent_again"] = counters.sent_again;
    json["aborts"] = counters.aborts;
    json["aborts_too_late"] = counters.aborts_late;
    json["clear_queues"] = counters.clear_queues;
    json["device_resets"] = counters.device_resets;
    json["bus_resets"] = counters.bus_resets;
    const auto changes = [&](options::Setting setting) {
      return counters.changes[static_cast<std::size_t>(setting)];
    };
    json["cache_changes"] = changes(options::Setting::kCache);
    if (options_.policies.size() > 1) json["policy_changes"] = changes(options::Setting::kPolicy);
  }

  /// The options of it that were given; none of them, no line.
  void add_replay_modes(Json& json) const {
    if (loop_ == traces::Loop::kThink) {
      if (options_.think_time) json["think_time_ps"] = *options_.think_time;
      json["think_scale"] = options_.think_scale;
    }
    if (options_.map_addresses != traces::AddressMapping::kNone) {
      json["map_addresses"] = to_string(options_.map_addresses);
    }
    if (options_.initiators > 1) json["initiators"] = options_.initiators;
    if (options_.deadlines != replay::DeadlineUse::kNone) {
      json["deadlines"] = to_string(options_.deadlines);
    }
    if (trace_->header().has_streams) json["streams_told"] = streams_told();
    if (options_.deadlines == replay::DeadlineUse::kCdl) add_duration_limits(json);
    if (warms_up()) json["warm_up_commands"] = replayer_.warmed_up();
    if (options_.caches.size() > 1) {
      json["cache"] = options_.caches;
    } else if (options_.caches.front() != "off") {
      json["cache"] = options_.caches.front();
    }
    if (has_write_threshold()) json["write_threshold"] = options_.write_threshold;
    if (!options_.streams.empty()) json["streams"] = options_.streams;
    add_habits(options_.habits, json);
    if (options_.published_controller) {
      json["controller"] = "published";
      json["controller_buffer"] = controller_lines();
    }
    if (options_.predictor_margin_us) json["predictor_margin_us"] = *options_.predictor_margin_us;
  }

  /// The descriptors, and by how much they exceed the deadlines that they stand for.
  void add_duration_limits(Json& json) const {
    const auto times = [](const std::vector<replay::Duration>& durations) {
      Json list = Json::array();
      for (const replay::Duration& duration : durations) list.push_back(duration.time());
      return list;
    };
    const replay::DurationRounding& rounding = replayer_.duration_rounding();
    const bool aborts = options_.duration_policy == replay::DurationPolicy::kAbort;
    json["duration_limits"] = {{"policy", aborts ? "abort" : "complete"},
                               {"reads_ps", times(replayer_.duration_limits().reads)},
                               {"writes_ps", times(replayer_.duration_limits().writes)},
                               {"commands", rounding.told},
                               {"deadlines_without", rounding.untold},
                               {"longer_ps", {{"mean", rounding.mean()}, {"max", rounding.most}}}};
  }

  /// Which properties of the described controller the drive has, and which are its own.
  std::vector<std::string> controller_lines() const {
    if (!options_.published_controller) return {};
    return options::describe_controller(options::controller_buffer(
        description_.published.cache, options_.drive, description_.published.overheads_ms));
  }

  std::string controller_text() const {
    std::string text;
    for (const std::string& line : controller_lines()) {
      text += fmt::format("  controller, {}\n", line);
    }
    return text;
  }

  bool has_write_threshold() const { return options_.write_threshold != "none"; }

  std::string write_buffer_text() const {
    if (!has_write_threshold()) return "";
    return fmt::format(
        "  write threshold {}: {} writes found no free frame, and waited for {:.3f} ms at most\n",
        options_.write_threshold, log_.writes_outside(), to_ms(log_.longest_outside()));
  }

  std::string duration_text() const {
    if (options_.deadlines != replay::DeadlineUse::kCdl) return "";
    const replay::DurationRounding& rounding = replayer_.duration_rounding();
    return fmt::format(
        "  {} commands with a duration limit, longer than their deadline by {:.3f} ms in the mean, "
        "{:.3f} at most; {} deadlines without one\n",
        rounding.told, to_ms(rounding.mean()), to_ms(rounding.most), rounding.untold);
  }

  /// Whether the drive learns of the streams that the trace names.
  bool streams_told() const { return options_.deadlines == replay::DeadlineUse::kMessage; }

  std::string streams_text() const {
    if (!trace_->header().has_streams || streams_told()) return "";
    return "  the drive did not get the trace's streams (use --deadlines message): it takes each "
           "host as one stream\n";
  }

  std::string deadlines_text() const {
    const std::string what = unsent_deadlines(options_, columns_.deadline);
    return what.empty() ? "" : fmt::format("  {}\n", what);
  }

  /// Work of the drive's own loses revolutions, too, but no command waits for them.
  std::string other_losses_text() const {
    if (lost_.others() == 0) return "";
    return fmt::format(
        "  {} more revolutions lost between sectors that belong to no command: moves of blocks, "
        "read-ahead, saved pages\n",
        lost_.others());
  }

  bool warms_up() const { return options_.warm_up != 0 || options_.warm_up_time != 0; }

  /// Nothing, if the run came to its end.
  static std::string interruption_text(const Json& json) {
    return json["interrupted"].get<bool>() ? "  interrupted: figures up to that point\n" : "";
  }

  /// `speed` stands with the cycles.
  std::string to_text(const Json& json, const std::string& speed = "") const {
    const double commands = std::max<double>(1, static_cast<double>(summary_.commands()));
    return fmt::format(
               "{}\n  policy {}, queue depth {}, {}\n{}\n{}\n"
               "  {} blocks verified; {} missed and {} lost revolutions, {} media retries, {} bus "
               "violations\n"
               "  {:.0f} firmware cycles a command; clock on {:.2f} % of the time{}\n",
               description_.name, policy_name(), options_.queue_depth, options_.trace,
               interruption_text(json), summary_.to_table(), replayer_.verified_blocks(),
               log_.missed_revolutions(), lost_.count(), log_.media_retries(),
               json["bus_violations"].get<std::uint64_t>(),
               json["firmware_cycles"].get<double>() / commands,
               100 * json["clock_on_share"].get<double>(), speed) +
           (replayer_.deferred_errors().empty()
                ? ""
                : fmt::format("  deferred errors: {}; writes that were GOOD are not on the media\n",
                              replayer_.deferred_errors().size())) +
           other_losses_text() + sense_report().to_text() + deadlines_text() + streams_text() +
           controller_text() + duration_text() + write_buffer_text() + power_text() +
           (summary_.faults() > 0 ? fmt::format("  {} records do not hold\n", summary_.faults())
                                  : "") +
           (warms_up()
                ? fmt::format("  {} commands before these warmed up\n", replayer_.warmed_up())
                : "");
  }

  /// A write that ended with GOOD is lost. The warning stands out, however many commands there
  /// were.
  void warn_of_deferred_errors() const {
    constexpr std::size_t kMostNamed = 5;
    const std::vector<replay::Replayer::DeferredError>& errors = replayer_.deferred_errors();
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
    if (source_.unannounced_deadlines() == 0) return;
    output::say(
        "headstack: warning: {}: {} deadlines have no column in {}, since the first request "
        "has none; begin the trace with 'headstack-trace 4'\n",
        options_.trace, source_.unannounced_deadlines(), run_file::kRecords);
  }

  /// Closes all files but the summary, which tells what went wrong with them.
  void close_files() {
    writing([this] {
      write_lines();
      records_.close();
    });
    writing([this] { events_.close(); });
    const Inspection::Findings findings = inspection_->finish(session_.now(), summary_.commands());
    for (const std::string& what : findings.warnings) {
      output::say("headstack: warning: {}\n", what);
    }
    unwritten_.insert(unwritten_.end(), findings.errors.begin(), findings.errors.end());
  }

  /// Reads the counters after everything else is written. No record or event shows this command.
  SchedulerCounters scheduler_counters() {
    if (interrupted != 0 || !replayer_.finished() || drive_failed()) return {};
    if (options_.policies.size() > 1) return {};  // each has counters of its own, and begins anew
    stop_watching();
    return read_scheduler_counters(
        session_, *policy_by_number(options::parse_policy(options_.policies.front()).number));
  }

  /// Likewise of a drive that moves its blocks, or learns where they should be. @return a line for
  /// the summary's table.
  std::string report_moves(Json& json) {
    const options::RemapSetting& setting = options_.remap;
    const bool tells = setting.chooses || setting.tells;
    const bool is_over = interrupted == 0 && replayer_.finished() && !drive_failed();
    if (!is_over || (!tells && setting.learn_blocks == 0)) return "";
    stop_watching();
    if (setting.learn_blocks != 0) {
      const std::uint32_t first =
          setting.maps.empty() ? 0 : headstack::remap::read_map(setting.maps.front()).first_block;
      const Json learned = read_learned(session_, first, setting.learn_blocks);
      writing([&] {
        output::write_file(claim(run_file::kLearned), output::json_text(learned) + '\n');
      });
    }
    if (!tells) return "";
    const MoveCounters counters = read_move_counters(session_);
    for (const auto& [name, value] : counters) json["moves"][name] = value;
    return moves_text(counters);
  }

  void stop_watching() {
    observers_.clear();
    if (const observe::CoreView* core = session_.core()) core->watchers.clear();
  }

  int report() {
    cli::warn_of_counts(*trace_);
    for (const std::string& note : replayer_.setup_notes()) {
      output::say("headstack: warning: {}\n", note);
    }
    warn_of_unannounced_deadlines();
    if (const std::string what = unsent_deadlines(options_, source_.has_deadlines());
        !what.empty()) {
      output::say("headstack: warning: {}\n", what);
    }
    if (const std::string what = drive::find_too_fast_zone(description_);
        options_.platform == "vp" && !what.empty()) {
      output::say("headstack: warning: {}; vp ran as if they were as fast\n", what);
    }
    replayer_.take_overheard();
    warn_of_deferred_errors();
    sense_report().warn();
    close_files();
    Json json = to_json();
    json["failure"] = failure();
    json["interrupted"] = interrupted != 0;
    const std::string text = to_text(json);
    // Not in a file: the same run leaves the same files on any machine.
    const double speed = to_ms(session_.now()) / 1000 / std::max(wall_seconds(), 1e-9);
    const std::string shown =
        to_text(json, fmt::format("; {:.4f} simulated seconds per second", speed));
    const SchedulerCounters counters = scheduler_counters();
    if (!counters.empty()) json["scheduler"] = counters_json(counters);
    const std::string more = counters_text(counters) + report_moves(json);
    writing([&] {
      output::write_file(claim(run_file::kSummaryJson), output::json_text(json, 2) + '\n');
    });
    writing([&] { output::write_file(claim(run_file::kSummaryText), text + more); });
    writing([&] {
      output::print(shown + more);
      const std::string& console = log_.console_text();
      if (!console.empty()) output::print(fmt::format("console: {}\n", console));
      output::finish_standard_output();
    });
    if (!failure().empty()) return report_failure();
    if (interrupted != 0) return output::kShellSignalBase + interrupted;
    return pipe_closed_ ? output::kPipeClosedStatus : 0;
  }

  int report_failure() {
    const std::string why = failure();
    output::say("headstack: error: {}\n", why);
    if (drive_failed() && session_.core() != nullptr) {
      writing([&] {
        write_post_mortem(options_, failure_to_examine(), session_);
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
  output::RunFolder& folder_;
  std::unique_ptr<traces::TraceReader> trace_;
  drive::DriveDescription description_;
  geometry::Geometry geometry_;
  observe::StageLog log_;
  observe::RecordAudit audit_;
  observe::LostRevolutions lost_;
  EventTail tail_;
  PowerCutter cutter_{options_.power_cut};
  observe::RunObservers observers_;
  std::optional<Inspection> inspection_;
  traces::Loop loop_;
  session::Session session_;
  GoesFirst goes_first_{inspection_};
  replay::RequestSource source_;
  replay::Replayer replayer_;
  report::Summary summary_{description_.design.sector_bytes};
  report::RecordColumns columns_;
  bool has_past_ = false;  // the media hold what an earlier run wrote
  std::optional<Torture> torture_;
  std::optional<replay::PowerVerdict> verdict_;
  output::OutputFile records_;
  std::string lines_;  // of records_, not written yet
  output::OutputFile events_;
  std::string events_of_fault_;         // around the first fault of a record
  bool pipe_closed_ = false;            // nobody reads standard output
  std::vector<std::string> unwritten_;  // what could not be written, one sentence each
  WallClock::time_point wall_start_;
  double last_progress_ = 0;
  bool progress_shown_ = false;
};

}  // namespace

drive::DriveDescription describe_drive(const RunOptions& options) {
  const fs::path file = options::find_drive(options.drive);
  drive::DriveDescription description =
      options.drive_over.empty() ? drive::load(file).description
                                 : drive::load_over(file, options.drive_over).description;
  if (options.power_loss) description.specimen.power_loss = *options.power_loss;
  return description;
}

int run_trace(const RunOptions& options, session::PlatformMaker make_rtl) {
  output::RunFolder folder(options.out, options.force);
  if (!debug::wants_snapshots(options)) return Run(options, folder, nullptr, make_rtl).run();
  return debug::SnapshotRing::host(options.snapshots, [&](debug::SnapshotRing& ring) {
    return Run(options, folder, &ring, make_rtl).run();
  });
}

}  // namespace headstack::run
