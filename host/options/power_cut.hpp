// SPDX-License-Identifier: Apache-2.0
// faults.power_cut: when the drive loses its power.
//
//     time:T             at that time of the run; a number with a unit, as observe.waves.windows
//     has it event:NAME[:N]     with the Nth (first) event of that name (firmware/events.h) cmd:N
//     when N commands of the trace are done byte:N             when byte N, from 0, of all that is
//     written to the media is about to be:
//                        data and check bytes of sectors, those of the drive's own included
#pragma once

#include <cstdint>
#include <string>

#include "sim/units.hpp"

namespace headstack::options {

struct PowerCut {
  enum class Kind { kTime, kEvent, kCommands, kByte };
  Kind kind = Kind::kTime;
  std::string text;         // text as given by the user
  Picoseconds time = 0;     // kTime
  unsigned event = 0;       // kEvent: number in firmware/events.h
  std::uint64_t count = 1;  // kEvent: which one; kCommands, kByte: the number
};

/// Throws WindowError (wave_window.hpp).
PowerCut parse_power_cut(const std::string& text);

}  // namespace headstack::options
