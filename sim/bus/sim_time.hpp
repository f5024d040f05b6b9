// SPDX-License-Identifier: Apache-2.0
// Simulation time of the bus, in picoseconds. The kernel's resolution must be its default, 1 ps.
#pragma once

#include "sim/bus/never.hpp"
#include "sim/kernel_time.hpp"

namespace headstack::bus {

using headstack::now_ps;
using headstack::to_sc_time;

}  // namespace headstack::bus
