// SPDX-License-Identifier: Apache-2.0
// The habits of the hosts of a run, besides sending the requests of the trace. Hosts change queue
// tags and bits of the CDB on every Nth request, abort commands and reset the drive. They also
// repeat commands that were not carried out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/options/option_words.hpp"
#include "host/options/time_range.hpp"
#include "host/traces/trace.hpp"

namespace headstack::options {

/// The commands that a host sends again when they have not been carried out. It always sends those
/// again that ended with BUSY or QUEUE FULL.
enum class RetryPolicy : std::uint8_t {
  kNone,
  kLost,  // ended by a reset, cleared, or refused for a unit attention
  kAll,   // also those that the host has aborted itself
};

/// A repetition: after every Nth request, or at intervals of time.
struct Repeat {
  std::uint64_t requests = 0;  // N, the period in requests; 0: `time` is used
  Picoseconds time = 0;
  TimeRange delay;  // delay of the act after the request

  bool is_asked_for() const { return requests != 0 || time != 0; }
};

struct ActRepeat {
  traces::Act act = traces::Act::kNone;
  Repeat repeat;
};

/// A number N that selects the Nth, 2Nth, ... request of the run, counted from 1; 0: none.
using EachNth = std::uint64_t;

/// A setting that a host changes periodically, each time to the next of several values.
enum class Setting : std::uint8_t { kCache, kPolicy, kMap };
inline constexpr std::size_t kSettings = 3;

struct HostHabits {
  EachNth untagged_every = 0;
  EachNth head_of_queue_every = 0;
  EachNth ordered_every = 0;
  EachNth fua_every = 0;
  EachNth dpo_every = 0;
  EachNth no_disconnect_every = 0;
  EachNth verify_every = 0;    // every Nth request, if it is a read
  EachNth flush_every = 0;     // the host flushes after every Nth request
  EachNth save_every = 0;      // the host saves mode pages after every Nth request
  EachNth reassign_every = 0;  // the host reassigns a block of every Nth request
  EachNth format_every = 0;    // the host sends FORMAT UNIT after every Nth request, with no other
                               // command outstanding
  std::string cdb = "10";      // 6, 10, 16 or mixed, as in request_options.hpp
  std::vector<ActRepeat> acts;
  std::array<Repeat, kSettings> changes;  // indexed by Setting
  RetryPolicy retry = RetryPolicy::kLost;
  std::uint32_t queue_error = 0;  // field QERR of the control page: 0, 1 or 3
  bool unrestricted = false;      // queue algorithm modifier of the control page
};

/// Parses a text such as "200", "200:5ms" or "200:0ms..5ms"; with `may_be_time` also "100ms".
/// Throws OptionError.
Repeat parse_repeat(const std::string& text, bool may_be_time);
/// Parses the period of a setting that is changed repeatedly: "500" or "100ms", without a delay.
/// Throws OptionError.
Repeat parse_change(const std::string& text);
/// Parses the period of RST as parse_repeat() does. It also throws OptionError for a time that
/// leaves the bus no room for commands.
Repeat parse_bus_reset(const std::string& text);

/// Whether the habit applies to request `number`, counted from 0.
inline bool is_each_nth(std::uint64_t number, EachNth n) { return n != 0 && (number + 1) % n == 0; }

/// Changes a request according to the habits. The trace's tag, CDB and act remain where no habit
/// applies. All choices depend only on seed and number.
void apply_habits(const HostHabits& habits, std::uint64_t seed, std::uint64_t number,
                  traces::TraceRequest& request);

/// Whether commands may end before they are done: by an abort, a reset, or QERR.
bool may_lose_commands(const HostHabits& habits);
/// Whether a habit changes a setting while commands are outstanding.
bool changes_settings(const HostHabits& habits);
/// Whether a habit resets the drive, which reverts its mode pages.
bool may_reset(const HostHabits& habits);

/// A random 64-bit number, which depends only on seed, number and purpose.
std::uint64_t chance(std::uint64_t seed, std::uint64_t number, std::uint64_t purpose);

}  // namespace headstack::options
