// SPDX-License-Identifier: Apache-2.0
// The command line's words for the times at which waves are recorded.
//
//     time:T..U          from T up to and with U; time:T.. to the end of the run. A time is a
//                        number with a unit: 350us, 1.25ms, 40000ps; ns and s, too
//     cmd:N..M, cmd:N    from the issue of command N of the trace, counted from 0 as in
//                        records.csv, until all from N to M have completed
//     event:NAME[:N]     from the Nth (first) event of that name (firmware/events.h) on, for a time
//     TRIGGER            from each occurrence on, for a time: words of observe.waves.on
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/units.hpp"

namespace headstack::options {

constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

/// An error with a sentence: what is wrong with a window, and what would be right.
struct WindowError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Numbers of events that are not in firmware/events.h.
constexpr unsigned kBusViolation = 256;
constexpr unsigned kMissedDeadline = 257;

struct WaveWindow {
  enum class Kind {
    kTime,      // records from `begin` to `end`
    kCommands,  // records from command `first` to `last`
    kEvent,     // records from an occurrence of `event` on, for a time
    kFirmware,  // records from event WAVE_ON to WAVE_OFF
  };
  Kind kind = Kind::kTime;
  std::string text;  // the text as the user gave it, with the option
  Picoseconds begin = 0;
  Picoseconds end = kNever;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  unsigned event = 0;       // number in firmware/events.h, or one of those above
  std::uint64_t count = 0;  // number of the occurrence; 0: each
};

/// Parses a time such as "1.5ms" into picoseconds. Throws WindowError for no number, no unit, a
/// fraction of a picosecond, or more than 100 days.
Picoseconds parse_time(const std::string& text);

/// Parses a word of observe.waves.windows. Throws WindowError.
WaveWindow parse_window(const std::string& text);

/// Parses a word of observe.waves.on. Throws WindowError.
WaveWindow parse_trigger(const std::string& text);

struct WaveTrigger {
  const char* name;
  unsigned event;
  const char* text;
};
/// The words of observe.waves.on.
const std::vector<WaveTrigger>& wave_triggers();
/// Help text: one line for each trigger.
std::string trigger_list();

}  // namespace headstack::options
