// SPDX-License-Identifier: Apache-2.0
// The kernel's time in picoseconds. Its resolution must be its default, 1 ps.
#pragma once

#include <systemc>

#include "sim/units.hpp"

namespace headstack {

inline Picoseconds now_ps() { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()); }

inline sc_core::sc_time to_sc_time(Picoseconds time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time));
}

}  // namespace headstack
