// SPDX-License-Identifier: Apache-2.0
#include "host/run/simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/observe/host_tag.hpp"
#include "host/options/bus_option.hpp"
#include "host/options/catalog.hpp"
#include "host/options/policy_option.hpp"
#include "host/run/advice.hpp"
#include "host/run/habit_summary.hpp"
#include "sim/drive/load.hpp"

namespace headstack::run {
namespace {

/// The step by which time advances: a user who presses Ctrl-C waits for a few milliseconds. It is
/// the same on all platforms, so that a run ends at the same time.
constexpr Picoseconds kSlice = 2 * kPicosecondsPerMillisecond;

Picoseconds turn_of(const drive::Design& design) {
  return static_cast<Picoseconds>(60e12 / design.rpm);
}

/// The angles of sectors; null on a drive whose latency does not depend on the place.
observe::LostRevolutions::AngleOf angles_of(const drive::Design& design,
                                            const geometry::Geometry& geometry) {
  if (design.rotational_latency == drive::RotationalLatency::kMean) return {};
  return [&geometry](const geometry::Chs& sector) { return geometry.sector_angle(sector); };
}

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

/// Whether requests may claim the drive's time in other ways than by a deadline.
bool has_urgency(const traces::TraceHeader& header) {
  return header.has_classes || header.has_streams || header.has_priorities;
}

/// Whether the firmware takes no time. It then reports an instant at the clock edge after it.
bool is_instant(const RunOptions& options) {
  return options.ideal_electronics || options.access_price == 0U;
}

}  // namespace

drive::DriveDescription describe_drive(const RunOptions& options) {
  const std::filesystem::path file = options::find_drive(options.drive);
  drive::DriveDescription description =
      options.drive_over.empty() ? drive::load(file).description
                                 : drive::load_over(file, options.drive_over).description;
  if (options.power_loss) description.specimen.power_loss = *options.power_loss;
  return description;
}

session::Look look_of(const RunOptions& options) {
  if (options.access_log || debug::wants_snapshots(options)) return session::Look::kInstructions;
  const bool watches =
      options.event_ledger || options.profile || !options.wave.empty() || options.timeline;
  if (!watches) return session::Look::kNothing;
  // A core that is shown by instructions is ahead of the world by at most a few cycles.
  return options.power_cut.empty() ? session::Look::kCycles : session::Look::kInstructions;
}

Simulation::Simulation(const RunOptions& options, session::PlatformMaker make_rtl, RecordSink sink)
    : options_(options),
      sink_(std::move(sink)),
      trace_(replay::open_trace_of(options)),
      description_(describe_drive(options)),
      geometry_(description_.design),
      audit_(geometry_, is_instant(options)),
      lost_(turn_of(description_.design), angles_of(description_.design, geometry_)),
      cutter_(options.power_cut),
      loop_(options.loop.value_or(trace_->header().loop)),
      session_(prepared(), session_options(options), {&observers_}, make_rtl),
      source_(options_, *trace_, geometry_.capacity()),
      replayer_(options_, loop_, source_, session_, log_, audit_, observers_,
                description_.design.sector_bytes, session::Session::kDriveId,
                replay::mode_changes(options_, description_), replay::setting_changes(options_),
                [this](const report::CommandRecord& record) { take(record); }),
      summary_(description_.design.sector_bytes) {
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
  if (is_instant(options_)) log_.allow_late_edges();
}

/// Adds the observers, and checks the options against trace and drive. Called before the session
/// opens.
const drive::DriveDescription& Simulation::prepared() {
  observers_.add(log_);
  observers_.add(audit_);
  observers_.add(lost_);
  observers_.add(cutter_);
  if (options_.platform != "native") observers_.add(tail_);
  if (trace_->header().block_bytes != description_.design.sector_bytes) {
    throw replay::RunError(fmt::format("{}: blocks of {} bytes, but the drive's have {}",
                                       options_.trace, trace_->header().block_bytes,
                                       description_.design.sector_bytes));
  }
  const bool judges = options_.is_torture || !options_.power_cut.empty();
  if (judges && options_.habits.format_every != 0 && !has_store(description_.design)) {
    throw replay::RunError(
        fmt::format("hosts.every.format: {} has no store_sectors, so it forgets a format that a "
                    "power cut interrupted; use another drive",
                    options_.drive));
  }
  const std::string objection = find_loop_objection(options_, loop_, trace_->header().has_think);
  if (!objection.empty()) throw replay::RunError(objection);
  const bool may_reset = trace_->header().has_options || options::may_reset(options_.habits);
  if (options_.deadlines == replay::DeadlineUse::kCdl && may_reset) {
    throw replay::RunError(
        "settings.deadlines=cdl: a reset clears the drive's limits, and this run may have one; use "
        "settings.deadlines=message, or leave resets of hosts.every and the trace's column options "
        "out");
  }
  if (options_.initiators > observe::kMostHostsNarrow && description_.design.bus.width_bits == 8) {
    throw replay::RunError(
        fmt::format("hosts.number: {}, but the drive's bus is narrow; use {} at most",
                    options_.initiators, observe::kMostHostsNarrow));
  }
  return description_;
}

/// Data can be checked only where this run has written them, since earlier data are unknown.
void Simulation::require_known_media() const {
  if (!options_.verify_data || !has_past_) return;
  throw replay::RunError(
      fmt::format("drive.media: {} holds data of an earlier run, which this run cannot check; name "
                  "a new file, or leave hosts.verify and faults.power_cut out",
                  options_.media));
}

/// Checks the first request. If it cannot be read, or lies past the drive's end, this mistake must
/// not replace an older run.
void Simulation::require_first_request() {
  (void)source_.peek();  // fails at the end of a trace without requests
  if (!source_.failure().empty()) throw replay::RunError(source_.failure());
}

// -------------------------------------------------------------------------------------------- time

void Simulation::begin() {
  replayer_.begin();
  if (options_.is_torture) begin_torture();
}

bool Simulation::goes_on() const {
  return !has_come_to_rest() && !is_at_its_limit() && !is_interrupted_ && !session_.exit_code() &&
         session_.has_power();
}

void Simulation::advance() {
  until_ += kSlice;
  if (options_.stop_at) until_ = std::min(until_, *options_.stop_at);
  cutter_.run_until(until_);
  check_watchdog();
}

void Simulation::finish() {
  if (torture_) torture_->finish();
  if (session_.has_power()) return;
  replay::PowerJudgement judgement;
  judgement.again = options_.power_again;
  verdict_ = judge_media(session_.take_media(), judgement);
}

void Simulation::stop_watching() {
  observers_.clear();
  if (const observe::CoreView* core = session_.core()) core->watchers.clear();
}

/// Whether the trace has ended and the drive sleeps. So a run ends at the same time on `rtl` and on
/// `vp`, whose core may be ahead of the session's time. A drive that does not go to sleep within
/// kPatience is not awaited any longer.
bool Simulation::has_come_to_rest() const {
  constexpr Picoseconds kPatience = 50 * kSlice;
  if (!replayer_.finished()) return false;
  if (replayer_.drive_failed()) return true;
  const Picoseconds since = until_ - replayer_.finished_at();
  return since > kPatience || (since >= 0 && session_.rests_at(until_));
}

bool Simulation::is_at_its_limit() const { return options_.stop_at && until_ >= *options_.stop_at; }

void Simulation::check_watchdog() {
  const auto since = replayer_.waiting_since();
  if (options_.watchdog_s == 0 || !since || replayer_.finished()) return;
  const double waited_s = to_ms(session_.now() - *since) / 1000;
  if (waited_s < options_.watchdog_s) return;
  const Picoseconds last_event = tail_.last_at();
  replayer_.fail(
      fmt::format("watchdog: no command has completed for {:.3f} s of simulated time; {} of {} are "
                  "done; the firmware's core {}, and its last event was at {:.6f} ms",
                  waited_s, replayer_.completed(), replayer_.issued(),
                  session_.rests_at(session_.now()) ? "sleeps" : "is busy", to_ms(last_event)),
      std::max(*since, last_event));
}

// ----------------------------------------------------------------------------------------- records

/// The stream to which the drive assigns the request: the one that it names, or else its host.
std::optional<std::uint8_t> Simulation::stream_of(const traces::TraceRequest& request) const {
  if (options_.initiators == 1 && !trace_->header().has_streams) return std::nullopt;
  return request.urgency.stream.value_or(observe::host_scsi_id(request.initiator));
}

void Simulation::take(const report::CommandRecord& record) {
  const std::optional<std::uint8_t> stream = stream_of(record.request());
  if (options_.records == scenario::Records::kNone) {
    summary_.count(record);
  } else {
    summary_.add(record, stream);
  }
  // The events are kept here, since they will not be the last ones when the run ends.
  if (events_of_fault_.empty() && summary_.faults() > 0) {
    events_of_fault_ = tail_.around(summary_.first_fault().at);
  }
  if (sink_) sink_(record, stream);
}

SenseReport Simulation::sense_report() const {
  const replay::SenseCauses causes(options_, description_.specimen, trace_->header().has_options,
                                   has_past_);
  return {replayer_.received_sense(), causes};
}

std::string Simulation::policy_name() const {
  if (!options_.reference.empty()) return options_.reference;
  std::vector<std::string> names;
  for (const std::string& text : options_.policies) {
    const ::policy_selection policy = options::parse_policy(text);
    names.push_back(options::policy_text(policy, description_.design.cylinders));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// ---------------------------------------------------------------------------------------- failures

bool Simulation::drive_failed() const {
  return session_.exit_code().value_or(0) != 0 || replayer_.drive_failed() ||
         !summary_.first_fault().empty();
}

Picoseconds Simulation::failed_at() const {
  if (session_.exit_code().value_or(0) != 0) return session_.exit_time();
  if (replayer_.drive_failed()) return replayer_.failed_at();
  return summary_.first_fault().at;
}

std::string Simulation::events_around_failure() const {
  const bool is_of_record = session_.exit_code().value_or(0) == 0 && !replayer_.drive_failed();
  return is_of_record ? events_of_fault_ : tail_.around(failed_at());
}

/// Judges the media, in a copy of this run or in the run itself.
replay::PowerVerdict Simulation::judge_media(const media::MediaSnapshot& media,
                                             replay::PowerJudgement judgement) {
  replayer_.power_lost();
  judgement.keeps_twice = !source_.may_lose_commands() && session_.media().flaws().empty();
  return replay::judge_power_loss(description_, session_options(options_), media,
                                  replayer_.data_check(), replayer_.upkeep(), judgement);
}

/// The number of sectors, at most, that the drive writes in its second life while a second cut may
/// come. A drive that stores only blocks has nothing to lose there.
std::uint64_t Simulation::again_sectors() const {
  constexpr std::uint64_t kOfSaves = 8;   // a page, a block and its record, each in two copies
  constexpr std::uint64_t kOfMoves = 64;  // some moves of units
  const options::HostHabits& habits = options_.habits;
  if (!options_.cuts_again) return 0;
  if (habits.format_every != 0) return geometry_.sector_count();
  if (!options_.remap.maps.empty()) return kOfMoves;
  const bool keeps =
      habits.save_every != 0 || habits.reassign_every != 0 || !description_.specimen.flaws.empty();
  return keeps ? kOfSaves : 0;
}

void Simulation::begin_torture() {
  TortureOptions options = options_.torture;
  options.again_sectors = again_sectors();
  torture_.emplace(
      options, session_,
      [this](const media::MediaSnapshot& media, const replay::PowerJudgement& judgement) {
        return judge_media(media, judgement);
      });
  torture_->arm();
}

}  // namespace headstack::run
