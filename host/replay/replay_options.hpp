// SPDX-License-Identifier: Apache-2.0
// The options of a replay, for any program that makes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/options/host_habits.hpp"
#include "host/options/remap_option.hpp"
#include "host/traces/address_map.hpp"
#include "host/traces/trace.hpp"

namespace headstack::replay {

/// How deadlines, classes, streams and priorities are sent to the drive.
enum class DeadlineUse {
  kNone,     // not at all
  kMessage,  // message 81h, after the tag
  kCdl,      // duration limit descriptors (SPC-5), which READ(16) and WRITE(16) name
};
inline const char* to_string(DeadlineUse use) {
  constexpr const char* kWords[] = {"none", "message", "cdl"};
  return kWords[static_cast<unsigned>(use)];
}

/// The drive's action when a duration limit expires (SPC-5: total time).
enum class DurationPolicy : std::uint8_t {
  kCompleteEarliest = 0x0,  // the late command goes on
  kAbort = 0xF,
};

struct ReplayOptions {
  std::string drive;            // name or file, for messages
  std::string trace;            // file; "-": standard input
  std::string trace_text;       // the trace itself, where it is no file; `trace` then names it
  traces::ReadOptions reading;  // how the trace is read
  // The first is set before the trace; habits.changes goes on to the others in turn.
  // options/policy_option.hpp
  std::vector<std::string> policies = {"fcfs"};
  std::optional<std::uint32_t> predictor_margin_us;  // default: the drive's, or 0 if ideal
  std::uint32_t queue_depth = 32;                    // most commands outstanding, over all hosts
  std::optional<traces::Loop> loop;                  // default: the trace's own
  double speedup = 1;                                // arrival times are divided by it
  std::optional<Picoseconds> think_time;  // think time of every request; default: the trace's
  double think_scale = 1;                 // think times are multiplied by it
  traces::AddressMapping map_addresses = traces::AddressMapping::kNone;
  std::uint64_t trace_end = 0;   // for kScale: the block after the trace's last; 0: found
  std::uint32_t initiators = 1;  // hosts on the bus
  std::uint64_t warm_up = 0;     // number of requests at the beginning that make no records
  Picoseconds warm_up_time = 0;  // requests issued within this time make no records either
  std::vector<std::string> caches = {"off"};  // cache_option.hpp; in turn, like policies
  DeadlineUse deadlines = DeadlineUse::kNone;
  DurationPolicy duration_policy = DurationPolicy::kCompleteEarliest;  // with kCdl
  options::HostHabits habits;            // besides the requests of the trace
  std::string write_threshold = "none";  // write_threshold_option.hpp
  std::vector<std::string> streams;      // stream_option.hpp
  options::RemapSetting remap;
  std::vector<std::string> map_choices = {"1"};    // parse_map_choice(); likewise
  bool published_controller = false;               // controller_option.hpp
  std::uint64_t seed = 1;                          // seed of the written data
  std::uint64_t limit = 0;                         // requests; 0: all
  std::optional<std::uint64_t> expected_requests;  // any other number of them is an error
  bool verify_data = false;
  bool ideal_electronics = false;  // native: instructions and bus take no time
};

}  // namespace headstack::replay
