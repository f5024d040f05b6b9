// SPDX-License-Identifier: Apache-2.0
/// @file
/// The ports of hdl/soc/soc_top.sv as plain values; hdl/README.md describes each.
///
/// `scsi` is scsi_pkg::pins_t as one word, which is sim/bus's LineSet.
#pragma once

#include <cstdint>

namespace headstack::soc {

/// The SoC's clock: 40 MHz.
constexpr std::int64_t kClockPeriodPs = 25'000;
/// Size of firmware RAM, which begins at address 0 of the core.
constexpr std::uint32_t kFirmwareRamBytes = 4 * 1024 * 1024;
/// Time of the edge with this number, in picoseconds.
constexpr std::int64_t time_of_edge(std::uint64_t edge) {
  return static_cast<std::int64_t>(edge) * kClockPeriodPs;
}

/// Inputs from the world. Levels stay until changed; one edge samples a pulse, which then falls by
/// itself.
struct SocInputs {
  // Inputs that are levels.
  std::uint32_t scsi = 0;
  bool read_ready = false;
  bool write_ready = false;
  bool at_speed = false;
  bool at_rest = false;
  bool write_fault = false;
  // Inputs that are pulses.
  bool sector_pulse = false;
  bool index_pulse = false;
  bool byte_strobe = false;
  // Inputs that are valid with byte_strobe.
  std::uint8_t nrz = 0;
};

bool operator==(const SocInputs& a, const SocInputs& b);
inline bool operator!=(const SocInputs& a, const SocInputs& b) { return !(a == b); }

/// Outputs to the world.
struct SocOutputs {
  std::uint32_t scsi = 0;
  std::uint32_t seek_cylinder = 0;
  std::uint8_t seek_head = 0;
  std::uint8_t nrz = 0;
  bool seek_req = false;
  bool seek_for_write = false;
  bool recalibrate = false;
  bool read_gate = false;
  bool write_gate = false;
  bool spin_up = false;
  bool spin_down = false;
  bool index_listen = false;
  bool sector_listen = false;
};

bool operator==(const SocOutputs& a, const SocOutputs& b);
inline bool operator!=(const SocOutputs& a, const SocOutputs& b) { return !(a == b); }

/// A set of the clocks of soc_top.sv. The comment there says when the edge of a clock may be
/// omitted.
using ClockSet = std::uint32_t;
namespace clocks {
constexpr ClockSet kCore = 1U << 0;
constexpr ClockSet kRegs = 1U << 1;
constexpr ClockSet kPins = 1U << 2;
constexpr ClockSet kMedia = 1U << 3;
constexpr ClockSet kScsi = 1U << 4;
constexpr ClockSet kBuffer = 1U << 5;
constexpr ClockSet kFormatter = 1U << 6;
constexpr ClockSet kAll = (1U << 7) - 1;
constexpr ClockSet kBlocks = kAll & ~kCore;
}  // namespace clocks

/// The state that the clock gate needs after an edge.
struct SocClockState {
  ClockSet requests = 0;     // *_clk_req_o
  bool core_asleep = false;  // core_sleep_o
  bool timer_armed = false;
  std::uint64_t timer_due = 0;  // number of the edge at which the timer is due; valid while armed
};

/// The firmware's reports to the simulator at the last edge.
struct SocReport {
  bool event_valid = false;
  bool console_valid = false;
  bool exit_valid = false;
  std::uint8_t event_number = 0;
  std::uint8_t console_character = 0;
  std::uint32_t event_argument = 0;
  std::uint32_t exit_code = 0;
};

}  // namespace headstack::soc
