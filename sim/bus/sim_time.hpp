// Simulation time as the bus counts it: picoseconds. The kernel's resolution must be its default, 1
// ps.
#pragma once

#include "sim/kernel_time.hpp"

namespace headstack::bus {

using headstack::now_ps;
using headstack::to_sc_time;

/// Before any time of a simulation: "has not happened".
constexpr Picoseconds kNever = -1'000 * kPicosecondsPerSecond;

}  // namespace headstack::bus
