// SPDX-License-Identifier: Apache-2.0
// The hosts of a run on the bus, and the names of their commands.
//
// Hosts are counted from 0. Every run has host 0, whose id 7 wins every arbitration; the drive has
// id 0. Each host has its own tags, so host and tag together name a command in the drive. The
// firmware's event COMMAND_RECEIVED names commands in the same way (firmware/events.h).
#pragma once

#include <cstdint>

namespace headstack::observe {

constexpr std::uint32_t kMostHostsNarrow = 7;  // hosts with the ids 7 .. 1
constexpr std::uint32_t kMostHostsWide = 15;   // also hosts with the ids 15 .. 8
constexpr std::uint32_t kHostIds = 16;

/// The id of a host. Hosts are in the order of priority (SCSI-2 6.1.2; on a wide bus 7 .. 0 precede
/// 15 .. 8).
constexpr std::uint8_t host_scsi_id(std::uint32_t host) {
  constexpr std::uint32_t kHighest = 7;
  constexpr std::uint32_t kHighestWide = 15;
  return static_cast<std::uint8_t>(host < kMostHostsNarrow ? kHighest - host
                                                           : kHighestWide - host + kHighest);
}

/// Name of a command in the drive: (SCSI id << 16) | tag.
using HostTag = std::uint32_t;
constexpr HostTag host_tag(std::uint8_t scsi_id, std::uint16_t tag) {
  return HostTag{scsi_id} << 16 | tag;
}
/// The tag in the argument of COMMAND_RECEIVED or RESELECTED.
constexpr HostTag host_tag_of_event(std::uint32_t argument) { return argument & 0xF'FFFF; }
/// The name of a queued task. The argument of TASK_QUEUED has only the tag; the task's
/// COMMAND_RECEIVED, which precedes it, has the rest.
constexpr HostTag with_tag(HostTag received, std::uint32_t tag) {
  return (received & 0xF'0000) | (tag & 0xFFFF);
}

}  // namespace headstack::observe
