// Places in the firmware's program that a watcher of the core knows by their instruction alone:
// waypoints (firmware/kernel/waypoint.h), and where it sleeps, returns from its handler, or turns
// interrupts off and on.
#pragma once

#include <cstdint>
#include <map>

#include "sim/soc/elf_image.hpp"
#include "sim/tlm/accesses.hpp"

namespace headstack::run {

/// Where the core goes when it takes the machine external interrupt, cause 11: its entry of the
/// table at 0 (firmware/start/start.S).
constexpr std::uint32_t kExternalVector = 4 * 11;

/// By address: kSleep, kReturn, kInterruptsOff, kInterruptsOn, or kWaypoint and its number.
std::map<std::uint32_t, tlm::Access> program_points(const soc::ElfImage& image);

}  // namespace headstack::run
