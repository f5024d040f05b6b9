// SPDX-License-Identifier: Apache-2.0
#include "host/run/scenario_options.hpp"

#include "host/run/simulation.hpp"
#include "host/scenario/requests_text.hpp"
#include "host/scenario/value_text.hpp"
#include "host/scenario/words.hpp"
#include "host/scenario/write.hpp"
#include "sim/description/fault.hpp"
#include "sim/geometry/geometry.hpp"

namespace headstack::run {
namespace {

using scenario::Scenario;

void refuse_what_runs_lack(const Scenario& s) {
  if (s.platform.reference.find(':') == std::string::npos) return;
  throw drive::Fault("platform.reference", "a run cannot do this yet",
                     "name a scheduler of host/reference");
}

double in_units(Picoseconds time, Picoseconds unit) {
  // The division is exact: a long double has the 63 bits of a time.
  return static_cast<double>(static_cast<long double>(time) / static_cast<long double>(unit));
}

traces::ReadOptions reading_of(const Scenario& s) {
  traces::ReadOptions reading;
  reading.format = s.load.format;
  if (s.load.device == "all") {
    reading.devices = traces::DeviceChoice::kAll;
  } else if (!s.load.device.empty()) {
    reading.devices = traces::DeviceChoice::kNamed;
    reading.device = s.load.device;
  }
  reading.skip_bad = s.load.on_bad == scenario::OnBad::kSkip;
  reading.sort_window = s.load.sort_window;
  reading.events = s.load.events;
  reading.allow_empty = s.stop.allow_empty;
  return reading;
}

std::optional<traces::Loop> loop_of(scenario::Loop loop) {
  switch (loop) {
    case scenario::Loop::kTrace: return std::nullopt;
    case scenario::Loop::kOpen: return traces::Loop::kOpen;
    case scenario::Loop::kClosed: return traces::Loop::kClosed;
    case scenario::Loop::kThink: return traces::Loop::kThink;
  }
  return std::nullopt;
}

replay::DeadlineUse deadline_use_of(scenario::Deadlines deadlines) {
  switch (deadlines) {
    case scenario::Deadlines::kNone: return replay::DeadlineUse::kNone;
    case scenario::Deadlines::kMessage: return replay::DeadlineUse::kMessage;
    case scenario::Deadlines::kCdl: return replay::DeadlineUse::kCdl;
  }
  return replay::DeadlineUse::kNone;
}

void add_acts(const scenario::Every& every, options::HostHabits& habits) {
  for (const std::string& word : every.abort) {
    habits.acts.push_back({traces::Act::kAbort, options::parse_repeat(word, false)});
  }
  for (const std::string& word : every.clear_queue) {
    habits.acts.push_back({traces::Act::kClearQueue, options::parse_repeat(word, true)});
  }
  for (const std::string& word : every.bus_reset) {
    habits.acts.push_back({traces::Act::kBusReset, options::parse_bus_reset(word)});
  }
  for (const std::string& word : every.device_reset) {
    habits.acts.push_back({traces::Act::kDeviceReset, options::parse_repeat(word, true)});
  }
}

options::HostHabits habits_of(const Scenario& s) {
  const scenario::Every& every = s.hosts.every;
  options::HostHabits habits;
  habits.untagged_every = every.untagged;
  habits.head_of_queue_every = every.head_of_queue;
  habits.ordered_every = every.ordered;
  habits.fua_every = every.fua;
  habits.dpo_every = every.dpo;
  habits.no_disconnect_every = every.no_disconnect;
  habits.verify_every = every.verify;
  habits.flush_every = every.flush;
  habits.save_every = every.save;
  habits.reassign_every = every.reassign;
  habits.format_every = every.format;
  habits.cdb = std::string(drive::name_of(scenario::kCdbs, s.hosts.cdb));
  add_acts(every, habits);
  const std::pair<options::Setting, const std::string*> changes[] = {
      {options::Setting::kPolicy, &every.policy},
      {options::Setting::kCache, &every.cache},
      {options::Setting::kMap, &every.map}};
  for (const auto& [setting, word] : changes) {
    if (word->empty()) continue;
    habits.changes[static_cast<std::size_t>(setting)] = options::parse_change(*word);
  }
  habits.retry = s.hosts.retry;
  habits.queue_error = s.settings.qerr;
  habits.unrestricted = s.settings.reordering == scenario::Reordering::kUnrestricted;
  return habits;
}

void set_remap(const scenario::Remap& from, RunOptions& options) {
  options::RemapSetting& remap = options.remap;
  remap.maps = from.maps;
  remap.chooses = !from.maps.empty() || !from.use.empty();
  remap.share_percent = from.share_percent;
  remap.idle_ms = from.idle_ms;
  remap.learn_blocks = from.learn_blocks;
  remap.settles = from.settled;
  if (from.use.empty()) return;
  options.map_choices.clear();
  for (const std::uint32_t choice : from.use) options.map_choices.push_back(std::to_string(choice));
}

void set_load(const Scenario& s, RunOptions& options) {
  options.trace = s.load.trace;
  options.reading = reading_of(s);
  options.loop = loop_of(s.load.loop);
  options.speedup = s.load.speedup;
  options.think_time = s.load.think;
  options.think_scale = s.load.think_scale;
  options.map_addresses = s.load.map;
  options.trace_end = s.load.trace_end;
  options.limit = s.load.limit;
  options.expected_requests = s.load.expect;
  options.warm_up = s.load.warm_up.requests;
  options.warm_up_time = s.load.warm_up.time;
}

void set_hosts(const Scenario& s, RunOptions& options) {
  options.initiators = s.hosts.number;
  options.queue_depth = s.hosts.depth;
  options.seed = s.hosts.seed;
  options.bus = s.hosts.bus;
  options.habits = habits_of(s);
  // Checked data are needed to judge a power cut.
  options.verify_data = s.hosts.verify || !s.faults.power_cut.empty();
}

void set_drive(const Scenario& s, RunOptions& options) {
  options.drive = s.drive.name;
  options.drive_over = scenario::drive_keys(s.drive);
  options.media = s.drive.media;
  options.published_controller = s.drive.controller == scenario::Controller::kPublished;
  options.policies = s.settings.policy;
  options.caches = s.settings.cache;
  options.predictor_margin_us = s.settings.predictor_margin_us;
  options.scan_idle_ms = s.settings.scan_idle_ms;
  options.write_threshold = s.settings.write_threshold;
  options.deadlines = deadline_use_of(s.settings.deadlines);
  const bool aborts = s.settings.cdl_policy == scenario::CdlPolicy::kAbort;
  options.duration_policy =
      aborts ? replay::DurationPolicy::kAbort : replay::DurationPolicy::kCompleteEarliest;
  for (const scenario::Stream& stream : s.settings.streams) {
    options.streams.push_back(scenario::stream_word(stream));
  }
  set_remap(s.remap, options);
  options.power_cut = s.faults.power_cut;
  options.power_again = s.faults.power_again;
  options.power_loss = s.faults.power_loss;
}

void set_platform(const Scenario& s, const Places& places, RunOptions& options) {
  const scenario::Platform platform = scenario::platform_of(s);
  options.platform = std::string(drive::name_of(scenario::kPlatforms, platform));
  options.firmware = s.platform.firmware;
  if (options.firmware.empty() && platform != scenario::Platform::kNative) {
    options.firmware = places.firmware;
  }
  options.gating = s.platform.gating;
  options.ideal_electronics = s.platform.ideal_electronics;
  options.access_price = s.platform.access_price;
  options.reference = s.platform.reference;
}

void set_observers(const Scenario& s, RunOptions& options) {
  const scenario::Observe& observe = s.observe;
  options.records = observe.records;
  options.event_log = observe.events;
  options.event_ledger = observe.ledger;
  options.access_log = observe.accesses;
  options.profile = observe.profile;
  options.timeline = observe.timeline;
  options.wave = observe.waves.file;
  options.wave_windows = observe.waves.windows;
  options.wave_triggers = observe.waves.on;
  options.wave_after = scenario::time_text(observe.waves.after);
  options.post_mortem = observe.post_mortem;
  if (observe.snapshot_every) {
    options.snapshot_every_ms = in_units(*observe.snapshot_every, kPicosecondsPerMillisecond);
  }
  options.snapshots = observe.snapshots;
}

/// Sets the requests. Called when the options describe the drive.
void set_requests(const Scenario& s, RunOptions& options) {
  if (!s.load.synthetic && s.load.requests.empty()) return;
  const drive::DriveDescription description = describe_drive(options);
  const geometry::Geometry geometry(description.design);
  options.trace = s.load.synthetic ? "load.synthetic" : "load.requests";
  options.trace_text =
      scenario::requests_text(s.load, {geometry.capacity(), description.design.sector_bytes});
}

}  // namespace

RunOptions options_of(const Scenario& scenario, const Places& places) {
  refuse_what_runs_lack(scenario);
  RunOptions options;
  options.out = places.out;
  options.force = places.force;
  options.words = places.words;
  options.has_file = places.has_file;
  options.scenario =
      places.out.empty() ? scenario::to_toml(scenario) : scenario::to_toml_in(places.out, scenario);
  set_load(scenario, options);
  set_hosts(scenario, options);
  set_drive(scenario, options);
  set_platform(scenario, places, options);
  set_observers(scenario, options);
  set_requests(scenario, options);
  options.watchdog_s = in_units(scenario.stop.watchdog, kPicosecondsPerSecond);
  options.stop_at = scenario.stop.until;
  options.fail_on = scenario.stop.fail_on;
  return options;
}

}  // namespace headstack::run
