// SPDX-License-Identifier: Apache-2.0
#include "host/run/result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/options/controller_option.hpp"
#include "host/options/policy_option.hpp"
#include "host/remap/map_file.hpp"
#include "host/run/advice.hpp"
#include "host/run/habit_summary.hpp"
#include "host/run/learned.hpp"
#include "host/run/outcome.hpp"
#include "host/run/scan_results.hpp"
#include "host/run/scheduler_counters.hpp"
#include "host/scenario/words.hpp"
#include "sim/description/words.hpp"

namespace headstack::run {
namespace {

using Json = nlohmann::ordered_json;

/// The parts of a summary, as JSON and as lines of a text.
class Summarizer {
 public:
  explicit Summarizer(const Simulation& simulation)
      : simulation_(simulation),
        options_(simulation.options()),
        replayer_(simulation.replayer()),
        description_(simulation.description()) {}

  Json to_json() const {
    const session::Figures figures = simulation_.session().figures();
    Json json = {{"headstack", HEADSTACK_VERSION},
                 {"drive", description_.name},
                 {"trace", options_.trace},
                 {"policy", simulation_.policy_name()},
                 {"platform", options_.platform},
                 {"loop", to_string(simulation_.loop())},
                 {"speedup", options_.speedup},
                 {"queue_depth", options_.queue_depth},
                 {"limit", options_.limit},
                 {"seed", options_.seed},
                 {"bus", options_.bus},
                 {"gating", options_.gating},
                 {"ideal_electronics", options_.ideal_electronics}};
    if (options_.records != scenario::Records::kFull) {
      json["records"] = drive::name_of(scenario::kRecords, options_.records);
    }
    add_replay_modes(json);
    if (!replayer_.setup_notes().empty()) json["setup_notes"] = replayer_.setup_notes();
    json["result"] = simulation_.summary().to_json();
    json["verified_blocks"] = replayer_.verified_blocks();
    json["requeued"] = replayer_.counters().requeued;
    if (simulation_.source().may_lose_commands() || changes_settings(options_.habits)) {
      add_acts(json);
    }
    if (options_.habits.format_every != 0) json["formats"] = replayer_.counters().formats;
    for (const replay::Replayer::DeferredError& error : replayer_.deferred_errors()) {
      Json one = {{"sense", error.codes}};
      if (error.lba) one["lba"] = *error.lba;
      json["deferred_errors"].push_back(std::move(one));
    }
    if (has_write_threshold()) {
      json["write_buffer"] = {{"outside", simulation_.log().writes_outside()},
                              {"longest_outside_ps", simulation_.log().longest_outside()}};
    }
    for (const auto& [name, count] : figures.policy_work) json["policy_work"][name] = count;
    add_power(json);
    simulation_.sense_report().add_to(json);
    json["missed_revolutions"] = simulation_.log().missed_revolutions();
    json["lost_revolutions"] = simulation_.lost().count();
    if (simulation_.lost().others() != 0) {
      json["lost_revolutions_of_other_work"] = simulation_.lost().others();
    }
    json["media_retries"] = simulation_.log().media_retries();
    json["bus_violations"] = figures.bus_violations;
    json["simulated_ps"] = simulation_.session().now();
    json["firmware_cycles"] = figures.firmware_cycles;
    json["clock_on_share"] = figures.clock_on_share;
    json["events"] = simulation_.log().event_count();
    json["event_hash"] = fmt::format("{:016x}", simulation_.log().event_hash());
    return json;
  }

  /// The head of the text. It ends with the line to which the run's speed is added.
  std::string head_text(const Json& json) const {
    const report::Summary& summary = simulation_.summary();
    // The firmware's cycles are those of the warm-up, too.
    const double commands =
        std::max<double>(1, static_cast<double>(summary.commands() + replayer_.warmed_up()));
    return fmt::format(
        "{}\n  policy {}, queue depth {}, {}\n{}\n{}\n"
        "  {} blocks verified; {} missed and {} lost revolutions, {} media retries, {} bus "
        "violations\n"
        "  {:.0f} firmware cycles a command; clock on {:.2f} % of the time\n",
        description_.name, simulation_.policy_name(), options_.queue_depth, options_.trace,
        interruption_text(), summary.to_table(), replayer_.verified_blocks(),
        simulation_.log().missed_revolutions(), simulation_.lost().count(),
        simulation_.log().media_retries(), json["bus_violations"].get<std::uint64_t>(),
        json["firmware_cycles"].get<double>() / commands,
        100 * json["clock_on_share"].get<double>());
  }

  std::string rest_text() const {
    return deferred_text() + other_losses_text() + simulation_.sense_report().to_text() +
           deadlines_text() + streams_text() + controller_text() + duration_text() +
           write_buffer_text() + power_text() + faults_text() + warm_up_text();
  }

 private:
  /// Adds the properties of hosts and settings that differ from the defaults.
  void add_replay_modes(Json& json) const {
    if (simulation_.loop() == traces::Loop::kThink) {
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
    if (simulation_.trace().header().has_streams) {
      json["streams_told"] = simulation_.streams_told();
    }
    if (options_.deadlines == replay::DeadlineUse::kCdl) add_duration_limits(json);
    if (simulation_.warms_up()) json["warm_up_commands"] = replayer_.warmed_up();
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
    if (options_.scan_idle_ms) json["scan_idle_ms"] = *options_.scan_idle_ms;
  }

  /// Adds what the hosts did besides sending requests.
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

  void add_power(Json& json) const {
    if (!options_.media.empty()) json["media"] = options_.media;
    const media::MediaPower& power = simulation_.session().media().power();
    const auto loss = drive::name_of(drive::kPowerLossKinds, description_.specimen.power_loss);
    if (const replay::PowerVerdict* verdict = simulation_.power_verdict()) {
      json["power_cut"] = {{"at", options_.power_cut},
                           {"loss", loss},
                           {"time_ps", simulation_.session().power_lost_at()},
                           {"sectors_written", power.write_count()},
                           {"bytes_written", power.byte_count()},
                           {"blocks_read_back", verdict->blocks},
                           {"blocks_looked_at", verdict->looked_at},
                           {"torn_blocks", verdict->unreadable},
                           {"findings", verdict->findings}};
      if (options_.power_again) {
        json["power_cut"]["again"] = *options_.power_again;
        json["power_cut"]["is_cut_again"] = verdict->is_cut_again;
      }
    }
    const Torture* torture = simulation_.torture();
    if (torture == nullptr) return;
    Json findings = Json::array();
    for (const Torture::Finding& finding : torture->findings()) {
      findings.push_back({{"byte", finding.byte},
                          {"finding", finding.text},
                          {"again", command_for(options_, finding)}});
    }
    json["torture"] = {{"loss", loss},
                       {"sectors_written", power.write_count()},
                       {"bytes_written", power.byte_count()},
                       {"cuts", torture->cuts()},
                       {"cut_again", torture->cut_again()},
                       {"blocks_read_back", torture->blocks()},
                       {"blocks_looked_at", torture->looked_at()},
                       {"torn_blocks", torture->unreadable()},
                       {"findings", findings}};
  }

  std::string power_text() const {
    if (const replay::PowerVerdict* verdict = simulation_.power_verdict()) {
      return fmt::format("  power cut {} at {:.6f} ms: {} blocks read back, {} torn, {} findings\n",
                         options_.power_cut, to_ms(simulation_.session().power_lost_at()),
                         verdict->blocks, verdict->unreadable, verdict->findings.size());
    }
    const Torture* torture = simulation_.torture();
    if (torture == nullptr) return "";
    return fmt::format(
        "  torture: {} cuts in {} sectors written, {} of them cut again; {} blocks read back, {} "
        "torn, {} looked at on the media; {} findings\n",
        torture->cuts(), simulation_.session().media().power().write_count(), torture->cut_again(),
        torture->blocks(), torture->unreadable(), torture->looked_at(), torture->findings().size());
  }

  /// Adds the descriptors, and by how much they exceed the deadlines that they represent.
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

  /// Lists which properties of the described controller the drive has, and which are its own.
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
        options_.write_threshold, simulation_.log().writes_outside(),
        to_ms(simulation_.log().longest_outside()));
  }

  std::string duration_text() const {
    if (options_.deadlines != replay::DeadlineUse::kCdl) return "";
    const replay::DurationRounding& rounding = replayer_.duration_rounding();
    return fmt::format(
        "  {} commands with a duration limit, longer than their deadline by {:.3f} ms in the mean, "
        "{:.3f} at most; {} deadlines without one\n",
        rounding.told, to_ms(rounding.mean()), to_ms(rounding.most), rounding.untold);
  }

  std::string streams_text() const {
    if (!simulation_.trace().header().has_streams || simulation_.streams_told()) return "";
    return "  the drive did not get the trace's streams (use settings.deadlines=message): it takes "
           "each host as one stream\n";
  }

  std::string deadlines_text() const {
    const std::string what = unsent_deadlines(options_, simulation_.columns().deadline);
    return what.empty() ? "" : fmt::format("  {}\n", what);
  }

  /// The revolutions that the drive's own work lost. No command waits for them.
  std::string other_losses_text() const {
    if (simulation_.lost().others() == 0) return "";
    return fmt::format(
        "  {} more revolutions lost between sectors that belong to no command: moves of blocks, "
        "read-ahead, saved pages\n",
        simulation_.lost().others());
  }

  /// A line if the run was interrupted, otherwise "".
  std::string interruption_text() const {
    return simulation_.is_interrupted() ? "  interrupted: figures up to that point\n" : "";
  }

  std::string deferred_text() const {
    const std::size_t count = replayer_.deferred_errors().size();
    if (count == 0) return "";
    return fmt::format("  deferred errors: {}; writes that were GOOD are not on the media\n",
                       count);
  }

  std::string faults_text() const {
    const std::uint64_t faults = simulation_.summary().faults();
    return faults == 0 ? "" : fmt::format("  {} records do not hold\n", faults);
  }

  std::string warm_up_text() const {
    if (!simulation_.warms_up()) return "";
    return fmt::format("  {} commands before these warmed up\n", replayer_.warmed_up());
  }

  const Simulation& simulation_;
  const RunOptions& options_;
  const replay::Replayer& replayer_;
  const drive::DriveDescription& description_;
};

/// The counters of the policy in force; empty for a run that did not reach its end.
SchedulerCounters scheduler_counters(Simulation& simulation) {
  const RunOptions& options = simulation.options();
  if (options.policies.size() > 1) return {};  // each policy has its own counters, which begin anew
  return read_scheduler_counters(
      simulation.session(),
      *policy_by_number(options::parse_policy(options.policies.front()).number));
}

/// Adds the counters of a drive that moves its blocks, or learns where they should be. @return a
/// line for the text.
std::string add_moves(Simulation& simulation, Result& result) {
  const options::RemapSetting& setting = simulation.options().remap;
  if (setting.learn_blocks != 0) {
    const std::uint32_t first =
        setting.maps.empty() ? 0 : headstack::remap::read_map(setting.maps.front()).first_block;
    result.learned = read_learned(simulation.session(), first, setting.learn_blocks);
  }
  // Media in a file may contain a map of an earlier run.
  if (!setting.chooses && simulation.options().media.empty()) return "";
  const MoveCounters counters = read_move_counters(simulation.session());
  bool has_moved = false;
  for (const auto& [name, value] : counters) {
    result.summary["moves"][name] = value;
    has_moved = has_moved || value != 0;
  }
  return setting.chooses || has_moved ? moves_text(counters) : "";
}

/// Adds the results of the background medium scan. @return a line for the text.
std::string add_scan(Simulation& simulation, Result& result) {
  if (!simulation.options().scan_idle_ms) return "";
  const ScanResults scan = read_scan_results(simulation.session());
  result.summary["scan"] = {{"completed", scan.completed},
                            {"progress_65536", scan.progress},
                            {"bad_blocks", scan.blocks}};
  return scan_text(scan);
}

}  // namespace

Result conclude(Simulation& simulation, const std::string& trouble) {
  simulation.replayer().take_overheard();
  const Summarizer summarizer(simulation);
  Result result;
  result.failure = find_failure(simulation);
  if (result.failure.empty()) result.failure = trouble;
  result.summary = summarizer.to_json();
  result.summary["failure"] = result.failure;
  result.summary["interrupted"] = simulation.is_interrupted();
  result.text = summarizer.head_text(result.summary);
  result.speed_at = result.text.size() - 1;
  result.text += summarizer.rest_text();
  const bool ended = !simulation.is_interrupted() && simulation.replayer().finished();
  if (!ended || simulation.drive_failed()) return result;
  simulation.stop_watching();
  const SchedulerCounters counters = scheduler_counters(simulation);
  if (!counters.empty()) result.summary["scheduler"] = counters_json(counters);
  result.text +=
      counters_text(counters) + add_moves(simulation, result) + add_scan(simulation, result);
  return result;
}

}  // namespace headstack::run
