// SPDX-License-Identifier: Apache-2.0
#include "host/run/replay_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "firmware/queue/task_set.h"
#include "firmware/queue/write_buffer.h"
#include "host/cli/validators.hpp"
#include "host/observe/host_tag.hpp"
#include "host/options/bus_option.hpp"
#include "host/options/cache_option.hpp"
#include "host/options/remap_option.hpp"
#include "host/options/stream_option.hpp"
#include "host/options/wave_window.hpp"
#include "host/options/write_threshold_option.hpp"
#include "host/run/habit_flags.hpp"

namespace headstack::run {
namespace {

using cli::parsed_by;
using traces::AddressMapping;
using traces::Loop;

constexpr std::uint64_t kMostRequests = 1'000'000'000;
constexpr std::uint64_t kLargestLba = UINT64_MAX / 2;

const std::map<std::string, replay::DeadlineUse> kDeadlineUses = {
    {"none", replay::DeadlineUse::kNone},
    {"message", replay::DeadlineUse::kMessage},
    {"cdl", replay::DeadlineUse::kCdl}};

CLI::Option* add_time(CLI::App& app, const char* name, const char* text,
                      std::function<void(Picoseconds)> take) {
  return app
      .add_option_function<std::string>(
          name, [take](const std::string& time) { take(options::parse_time(time)); }, text)
      ->check(parsed_by(options::parse_time));
}

void add_loop_options(CLI::App& app, RunOptions& options) {
  struct LoopFlag {
    const char* name;
    Loop loop;
    const char* text;
  };
  const LoopFlag flags[] = {
      {"--open", Loop::kOpen, "issue at the trace's arrival times"},
      {"--closed", Loop::kClosed, "issue as soon as the queue has room"},
      {"--think", Loop::kThink,
       "each of the trace's initiators has one outstanding request, and issues the next one a "
       "think time after its completion: that of the trace, or --think-time"},
  };
  std::vector<CLI::Option*> given;
  for (const LoopFlag& flag : flags) {
    auto* option = app.add_flag(flag.name, flag.text);
    const Loop loop = flag.loop;
    option->each([&options, loop](const std::string&) { options.loop = loop; });
    for (CLI::Option* other : given) option->excludes(other);
    given.push_back(option);
  }
  app.add_option("--speedup", options.speedup, "divide arrival times by this")
      ->capture_default_str()
      ->transform(cli::finite_number(1e-6, 1e6));
  add_time(app, "--think-time", "think time after every request: 5ms",
           [&options](Picoseconds time) { options.think_time = time; });
  app.add_option("--think-scale", options.think_scale, "multiply think times by this; 0: none")
      ->capture_default_str()
      ->transform(cli::finite_number(0, 1e6));
}

void add_address_options(CLI::App& app, RunOptions& options) {
  std::map<std::string, AddressMapping> mappings;
  for (const AddressMapping mapping :
       {AddressMapping::kNone, AddressMapping::kFold, AddressMapping::kScale}) {
    mappings[traces::to_string(mapping)] = mapping;
  }
  auto* map = app.add_option_function<std::string>(
                     "--map-addresses",
                     [&options, mappings](const std::string& word) {
                       options.map_addresses = mappings.at(word);
                     },
                     "translate the addresses of a trace from a drive of another size: none; fold "
                     "(modulo the capacity) or scale (the trace's range onto the drive's)")
                  ->default_str("none");
  map->check(CLI::IsMember({"none", "fold", "scale"}));
  app.add_option("--trace-end", options.trace_end,
                 "for scale: the block after the trace's last; without it the trace is read twice")
      ->transform(cli::whole_number(1, kLargestLba));
}

void add_remap_options(CLI::App& app, RunOptions& options) {
  options::RemapSetting& remap = options.remap;
  auto* maps = app.add_option("--remap", remap.maps,
                              "a map by which the drive moves its blocks, from `remap arrange`; "
                              "may be given twice: maps 1 and 2")
                   ->type_name("FILE")
                   ->allow_extra_args(false);
  auto* map =
      app.add_option("--map", options.map_choices,
                     "the map in force: 1, 2, or 0 for none; may be given again, with --map-every. "
                     "Without --remap: a map that is stored on the media of --media")
          ->capture_default_str()
          ->allow_extra_args(false)
          ->check(parsed_by(options::parse_map_choice));
  map->each([&remap](const std::string&) { remap.chooses = true; });
  maps->each([&remap](const std::string&) { remap.chooses = true; });
  app.add_option("--remap-share", remap.share_percent,
                 "percent of the media's time that moves may take while commands wait; 0: only "
                 "when the drive is idle")
      ->capture_default_str()
      ->transform(cli::whole_number(0, 99));
  app.add_option("--remap-idle", remap.idle_ms,
                 "ms without commands until the drive counts as idle")
      ->capture_default_str()
      ->transform(cli::whole_number(0, UINT16_MAX));
  app.add_flag("--remap-settled", remap.settles, "begin with the trace when all blocks have moved");
  app.add_flag("--remap-counts", remap.tells,
               "print the drive's counters of its moves at the end, as --remap and --map do");
  app.add_option("--learn", remap.learn_blocks,
                 "the drive counts how often one group of this many blocks follows another; the "
                 "counts go into OUT/counts.json")
      ->type_name("BLOCKS")
      ->transform(cli::whole_number(1, UINT16_MAX));
}

void add_warm_up_options(CLI::App& app, RunOptions& options) {
  app.add_option("--warm-up", options.warm_up,
                 "serve this many requests first, without records of them")
      ->transform(cli::whole_number(1, kMostRequests));
  add_time(app, "--warm-up-time", "the same for requests that are issued within this time: 10s",
           [&options](Picoseconds time) { options.warm_up_time = time; });
}

void add_drive_options(CLI::App& app, RunOptions& options) {
  app.add_option("--cache", options.caches,
                 "the drive's cache: off (as at power-on), read or read-write, and then "
                 "[:KEY=VALUE,...] of segments, segment-blocks, read-ahead (blocks; 0: none); may "
                 "be given again, with --cache-every")
      ->capture_default_str()
      ->allow_extra_args(false)
      ->check(parsed_by(options::parse_cache));
  app.add_option("--write-threshold", options.write_threshold,
                 "when writes that the drive has reported from its buffer go before all else, with "
                 "--cache read-write: none (the policy chooses among all); space:F (fewer than F "
                 "frames are free, or nothing else waits); time (the buffer would be full before "
                 "the earliest deadline, at the rate at which writes come; time:10 sets 10 a "
                 "second, time:10:0.5 halves the time between two); free:F (fewer than F frames "
                 "are free, otherwise the policy chooses among all). Frames are as many and as "
                 "large as the cache's segments")
      ->capture_default_str()
      ->check(parsed_by(options::parse_write_threshold));
  app.add_option(
         "--stream", options.streams,
         "parameters of one of the streams 0 to 15 for policies: STREAM:KEY=VALUE,..., as in "
         "3:u=0.25,p=100ms; may be given again. Keys: u (reserved share of the heads' time) and p "
         "(its period, whole ms) for fahrrad; share (percent) for cello:by=stream; w (requests a "
         "round) for wrrscan; k (the same) for wrrscan:inner=fcfs")
      ->allow_extra_args(false)
      ->check(parsed_by(options::parse_stream));
  app.add_option_function<std::string>(
         "--controller",
         [&options](const std::string& word) {
           options.published_controller = word == "published";
         },
         "the time that the controller takes for a command: that of this firmware and electronics, "
         "or the published one of the described drive")
      ->default_str("own")
      ->check(CLI::IsMember({"own", "published"}));
}

void add_deadline_options(CLI::App& app, RunOptions& options) {
  app.add_option_function<std::string>(
         "--deadlines",
         [&options](const std::string& word) { options.deadlines = kDeadlineUses.at(word); },
         "how hosts send deadlines, classes, streams and priorities to the drive: none; message "
         "(this drive's own, after the tag); cdl (command duration limits, SPC-5: seven "
         "descriptors each for reads and writes, made from the trace's deadlines; the trace is "
         "read twice)")
      ->default_str("none")
      ->check(CLI::IsMember({"none", "message", "cdl"}));
  app.add_option_function<std::string>(
         "--cdl-policy",
         [&options](const std::string& word) {
           options.duration_policy = word == "abort" ? replay::DurationPolicy::kAbort
                                                     : replay::DurationPolicy::kCompleteEarliest;
         },
         "what the drive does with a command whose limit passes: complete it as early as possible, "
         "or abort it")
      ->default_str("complete")
      ->check(CLI::IsMember({"complete", "abort"}));
}

}  // namespace

void add_replay_options(CLI::App& app, RunOptions& options) {
  app.add_option("--queue-depth", options.queue_depth, "the largest number of outstanding commands")
      ->capture_default_str()
      ->transform(cli::whole_number(1, TASK_SET_CAPACITY));
  add_loop_options(app, options);
  add_address_options(app, options);
  app.add_option("--initiators", options.initiators,
                 "hosts on the bus, up to 7, or 15 on a wide one; the trace's initiators take "
                 "turns on them")
      ->capture_default_str()
      ->transform(cli::whole_number(1, observe::kMostHostsWide));
  app.add_option("--limit", options.limit, "stop after this many requests")
      ->transform(cli::whole_number(1, kMostRequests));
  app.add_option("--expect-requests", options.expected_requests,
                 "an error unless the run replays exactly this many requests, with those of a "
                 "warm-up and inserted flushes")
      ->transform(cli::whole_number(0, kMostRequests));
  add_warm_up_options(app, options);
  app.add_option("--seed", options.seed, "seed of the data written")
      ->capture_default_str()
      ->transform(cli::whole_number(0, 9'000'000'000'000'000'000ULL));
  app.add_option("--bus", options.bus,
                 "the transfer agreement that hosts negotiate: async, fast, fast-wide, or another "
                 "period: sync:PERIOD_NS[:OFFSET][:wide], as in sync:204:8. :in=NS and :out=NS "
                 "limit the pace at which hosts take and send data, in ns a byte")
      ->capture_default_str()
      ->check(parsed_by(options::parse_bus));
  add_drive_options(app, options);
  add_deadline_options(app, options);
  add_remap_options(app, options);
  add_habit_options(app, options);
}

void check_replay_options(const CLI::App& app, const RunOptions& options) {
  if (options.initiators > observe::kMostHostsNarrow &&
      !options::parse_bus(options.bus).agreement.wide) {
    throw CLI::ValidationError(
        "--initiators", fmt::format("{} on a narrow bus, which has ids for {}; use --bus fast-wide",
                                    options.initiators, observe::kMostHostsNarrow));
  }
  if (options.trace_end != 0 && options.map_addresses != AddressMapping::kScale) {
    throw CLI::ValidationError("--trace-end", "goes with --map-addresses scale");
  }
  if (options.loop == Loop::kThink && app.count("--speedup") > 0) {
    throw CLI::ValidationError("--speedup",
                               "divides arrival times, which --think has none of; use "
                               "--think-scale");
  }
  const bool other_loop = options.loop && *options.loop != Loop::kThink;
  for (const char* name : {"--think-time", "--think-scale"}) {
    if (app.count(name) > 0 && other_loop) throw CLI::ValidationError(name, "goes with --think");
  }
  if (options.limit != 0 && options.warm_up >= options.limit) {
    throw CLI::ValidationError("--warm-up",
                               fmt::format("{} requests of --limit {} leave none for records",
                                           options.warm_up, options.limit));
  }
  if (app.count("--cdl-policy") > 0 && options.deadlines != replay::DeadlineUse::kCdl) {
    throw CLI::ValidationError("--cdl-policy", "goes with --deadlines cdl");
  }
  const auto buffers_writes = [](const std::string& cache) {
    return options::parse_cache(cache).use == options::CacheUse::kReadWrite;
  };
  try {
    (void)options::parse_streams(options.streams);
  } catch (const options::OptionError& error) {
    throw CLI::ValidationError("--stream", error.what());
  }
  const bool has_threshold =
      options::parse_write_threshold(options.write_threshold).threshold != WRITE_THRESHOLD_NONE;
  if (has_threshold && std::none_of(options.caches.begin(), options.caches.end(), buffers_writes)) {
    throw CLI::ValidationError(
        "--write-threshold",
        fmt::format("{} is about writes that are reported from the buffer, and none are; use "
                    "--cache read-write",
                    options.write_threshold));
  }
  if (options.remap.maps.size() > 2) {
    throw CLI::ValidationError("--remap", "the drive has room for two maps");
  }
  for (const char* name : {"--remap-share", "--remap-idle", "--remap-settled"}) {
    if (app.count(name) > 0 && !options.remap.chooses) {
      throw CLI::ValidationError(name, "goes with --remap or --map");
    }
  }
  check_habit_options(options);
}

std::string find_loop_objection(const RunOptions& options, Loop loop, bool has_think_times) {
  if (loop != Loop::kThink) {
    if (!options.think_time && options.think_scale == 1) return "";
    return fmt::format("{}: its loop has no think times; give --think with --think-time",
                       options.trace);
  }
  if (has_think_times || options.think_time) return "";
  return fmt::format("{}: the trace has no think times; give --think-time", options.trace);
}

}  // namespace headstack::run
