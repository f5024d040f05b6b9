// SPDX-License-Identifier: Apache-2.0
// faults.power_cut: when the drive loses its power.
//
//     time:T             at time T of the run, a number with a unit as in observe.waves.windows
//     event:NAME[:N]     with the Nth (first) event of that name (firmware/events.h)
//     cmd:N              when N commands of the trace are done
//     byte:N             before byte N, from 0, of all that is written to the media: data and
//                        check bytes of sectors, including the drive's own
#pragma once

#include <cstdint>
#include <string>

#include "sim/units.hpp"

namespace headstack::options {

struct PowerCut {
  enum class Kind { kTime, kEvent, kCommands, kByte };
  Kind kind = Kind::kTime;
  std::string text;         // the text as the user gave it
  Picoseconds time = 0;     // time of the cut (kTime)
  unsigned event = 0;       // number in firmware/events.h (kEvent)
  std::uint64_t count = 1;  // which occurrence (kEvent); N (kCommands, kByte)
};

/// Parses the text. Throws WindowError (wave_window.hpp).
PowerCut parse_power_cut(const std::string& text);

}  // namespace headstack::options
