/// @file
/// What firmware does to the hardware, numbered and named: every register access, the moments at
/// which the core comes and goes without one, and the waypoints of its way. The cost of
/// instructions is counted between two of these (cost_table.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/kernel/waypoint.h"

namespace headstack::tlm {

/// 0 .. kAccessCount - 1: block * 128 + register number * 2 + (1 for a write); block 8 is the
/// window on buffer RAM, which is one register. Behind them, the moments.
using Access = std::uint32_t;

constexpr Access kBufferRead = 8 * 128;
constexpr Access kBufferWrite = kBufferRead + 1;
constexpr Access kRegisterAccesses = kBufferWrite + 1;

enum Moment : Access {
  kBoot = kRegisterAccesses,  // the first clock edge
  kWake,                      // asleep, an interrupt rises: its handler begins
  kPreempt,                   // awake, the same
  kReturn,                    // a handler that preempted has ended: what it interrupted goes on
  kSleep,                     // wfi; costs are counted from here only if something is pending
  kInterruptsOff,             // the firmware shuts interrupts out: one that has risen came before
  kInterruptsOn,              // and lets them in again
  kWaypoint,                  // the firmware passes one (firmware/kernel/waypoint.h)
  kAccessCount = kWaypoint + WAYPOINT_COUNT
};

/// Waypoints and moments tell which way the firmware took; a register is accessed by a driver, from
/// many places.
constexpr bool tells_way(Access access) { return access >= kRegisterAccesses; }

/// The access to a register's address, which lies in the blocks' pages or in the buffer's window.
constexpr Access access_of(std::uint32_t address, bool write) {
  const std::uint32_t block = address >> 12 & 7;
  const Access read = address >= 0x5000'0000U ? kBufferRead : block * 128 + (address >> 2 & 63) * 2;
  return read + (write ? 1U : 0U);
}

/// A block's name by its number in the address map (hdl/README.md).
const char* block_name(std::uint32_t block);

/// "formatter.COMMAND write", "trace_port.EVENT[2] write", "buffer_mgr.SEGMENT[].BASE read" (arrays
/// of anything but events are one), "buffer_ram read", "wake". "" for an access that no register
/// has.
std::string access_name(Access access);

/// All accesses that a name means; none when there is no such access. "[]" means every index.
std::vector<Access> accesses_named(const std::string& name);

/// Every name there is, in the order of accesses.
const std::vector<std::string>& access_names();

}  // namespace headstack::tlm
