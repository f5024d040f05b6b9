// What the hosts of a run do beside what the trace asks for: other queue tags and bits of the CDB
// on each so many requests, aborts and resets, and what they send once more.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/options/option_words.hpp"
#include "host/options/time_range.hpp"
#include "host/traces/trace.hpp"

namespace headstack::options {

/// Which commands a host sends once more when they have not been carried out; BUSY and QUEUE FULL
/// in any case.
enum class RetryPolicy : std::uint8_t {
  kNone,
  kLost,  // ended by a reset, cleared, or met by a unit attention
  kAll,   // and those that it has aborted itself
};

/// Something that is done again and again: behind every so many requests, or every so often.
struct Repeat {
  std::uint64_t requests = 0;  // 0: by time
  Picoseconds time = 0;
  TimeRange delay;  // behind the request

  bool is_asked_for() const { return requests != 0 || time != 0; }
};

struct ActRepeat {
  traces::Act act = traces::Act::kNone;
  Repeat repeat;
};

/// The Nth, 2Nth, ... request of the run, counted from 1; 0: none.
using EachNth = std::uint64_t;

/// What a host changes again and again, each time to the next of several settings.
enum class Setting : std::uint8_t { kCache, kPolicy, kMap };
inline constexpr std::size_t kSettings = 3;

struct HostHabits {
  EachNth untagged_every = 0;
  EachNth head_of_queue_every = 0;
  EachNth ordered_every = 0;
  EachNth fua_every = 0;
  EachNth dpo_every = 0;
  EachNth no_disconnect_every = 0;
  EachNth verify_every = 0;    // of these, the reads
  EachNth flush_every = 0;     // one more request behind it
  EachNth save_every = 0;      // behind it its host saves mode pages,
  EachNth reassign_every = 0;  // or has one of its blocks moved
  std::string cdb = "10";      // 6, 10, 16 or mixed: request_options.hpp
  std::vector<ActRepeat> acts;
  std::array<Repeat, kSettings> changes;  // by Setting
  RetryPolicy retry = RetryPolicy::kLost;
  std::uint32_t queue_error = 0;  // QERR of the control page: 0, 1, 3
  bool unrestricted = false;      // its queue algorithm modifier
};

/// "200", "200:5ms", "200:0ms..5ms"; where it may, "100ms", too. Throws OptionError.
Repeat parse_repeat(const std::string& text, bool may_be_time);
/// --reset-every: the same behind "bus:" (RST, the default) or "device:" (BUS DEVICE RESET).
ActRepeat parse_reset(const std::string& text);

/// Behind this request, counted from 0?
inline bool is_each_nth(std::uint64_t number, EachNth n) { return n != 0 && (number + 1) % n == 0; }

/// Changes a request as the habits have it. What the trace says of its tag, its CDB and what
/// follows it stays, where they have nothing else to say. All choices follow from seed and number.
void apply_habits(const HostHabits& habits, std::uint64_t seed, std::uint64_t number,
                  traces::TraceRequest& request);

/// Commands may be ended before they are done: by an abort, a reset, or QERR.
bool may_lose_commands(const HostHabits& habits);
/// Some habit changes a setting while commands are outstanding.
bool changes_settings(const HostHabits& habits);
/// Some habit resets the drive, which forgets its mode pages by that.
bool may_reset(const HostHabits& habits);

/// Numbers in 64 bits from seed, number and purpose: the same ones each time.
std::uint64_t chance(std::uint64_t seed, std::uint64_t number, std::uint64_t purpose);

}  // namespace headstack::options
