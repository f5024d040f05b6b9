// SPDX-License-Identifier: Apache-2.0
/// @file
/// The SoC's clock edges on the fast platform, where no clock runs: edge n is at n *
/// kClockPeriodPs.
///
/// An edge samples the world as it was strictly before it. A change at `t` is sampled at
/// edge_after(t), and acted upon one period later (hdl/README.md, clock and reset).
#pragma once

#include <cstdint>

#include "sim/soc/soc_ports.hpp"
#include "sim/units.hpp"

namespace headstack::tlm {

using soc::kClockPeriodPs;

/// Number of the last edge at or before `t`, which is not negative.
constexpr std::uint64_t edge_number(Picoseconds t) {
  return static_cast<std::uint64_t>(t / kClockPeriodPs);
}

/// Time of the first edge strictly after `t`.
constexpr Picoseconds edge_after(Picoseconds t) {
  return (t / kClockPeriodPs + 1) * kClockPeriodPs;
}

/// Time of the first edge at or after `t`.
constexpr Picoseconds edge_at_or_after(Picoseconds t) {
  return (t + kClockPeriodPs - 1) / kClockPeriodPs * kClockPeriodPs;
}

constexpr Picoseconds clocks(std::int64_t periods) { return periods * kClockPeriodPs; }

}  // namespace headstack::tlm
