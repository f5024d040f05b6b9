// SPDX-License-Identifier: Apache-2.0
// The options of a replay, for every program that makes one.
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
  kNone,     // the drive gets none of them
  kMessage,  // message 81h follows the tag
  kCdl,      // duration limit descriptors (SPC-5), which READ(16) and WRITE(16) name
};
inline const char* to_string(DeadlineUse use) {
  constexpr const char* kWords[] = {"none", "message", "cdl"};
  return kWords[static_cast<unsigned>(use)];
}

/// The drive's action when a duration limit expires (SPC-5: total time).
enum class DurationPolicy : std::uint8_t {
  kCompleteEarliest = 0x0,  // the late command continues
  kAbort = 0xF,
};

struct ReplayOptions {
  std::string drive;            // the drive's name or file, for messages
  std::string trace;            // trace file; "-": standard input
  std::string trace_text;       // the trace itself if it is no file; `trace` then names it
  traces::ReadOptions reading;  // options for reading the trace
  // Texts parsed by options/policy_option.hpp. The first policy is set before the trace;
  // habits.changes then selects the others in turn.
  std::vector<std::string> policies = {"fcfs"};
  std::optional<std::uint32_t> predictor_margin_us;  // default: the drive's, or 0 with
                                                     // ideal_electronics
  std::uint32_t queue_depth = 32;                    // most commands outstanding, summed over all
                                                     // hosts
  std::optional<traces::Loop> loop;                  // default: the trace's own
  double speedup = 1;                                // divisor of arrival times
  std::optional<Picoseconds> think_time;  // think time of every request; default: the trace's
  double think_scale = 1;                 // factor of think times
  traces::AddressMapping map_addresses = traces::AddressMapping::kNone;
  std::uint64_t trace_end = 0;   // last block of the trace + 1 (kScale); 0: found by reading
  std::uint32_t initiators = 1;  // hosts on the bus
  std::uint64_t warm_up = 0;     // number of requests at the beginning that make no records
  Picoseconds warm_up_time = 0;  // time from the beginning in which requests make no records
  std::vector<std::string> caches = {"off"};  // texts parsed by cache_option.hpp, used like
                                              // `policies`
  DeadlineUse deadlines = DeadlineUse::kNone;
  DurationPolicy duration_policy = DurationPolicy::kCompleteEarliest;  // used with kCdl
  options::HostHabits habits;                 // what hosts do besides sending the trace's requests
  std::string write_threshold = "none";       // text parsed by write_threshold_option.hpp
  std::vector<std::string> streams;           // texts parsed by stream_option.hpp
  std::optional<std::uint32_t> scan_idle_ms;  // page 1Ch/01h; without it, the drive does not scan
  options::RemapSetting remap;
  std::vector<std::string> map_choices = {"1"};    // texts parsed by parse_map_choice(), used like
                                                   // `policies`
  bool published_controller = false;               // overhead of the real drive:
                                                   // controller_option.hpp
  std::uint64_t seed = 1;                          // seed of the written data
  std::uint64_t limit = 0;                         // most requests to replay; 0: all
  std::optional<std::uint64_t> expected_requests;  // number of requests; any other is an error
  bool verify_data = false;
  bool ideal_electronics = false;  // native: instructions and bus take no time
};

}  // namespace headstack::replay
