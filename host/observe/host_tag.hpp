// The hosts of a run on the bus, and how a command of one of them is named.
//
// Hosts are counted from 0. Host 0 is the one that a run always had: id 7, which wins every
// arbitration; the drive is id 0. Tags are each host's own, so a command in the drive is named by
// both, as in the firmware's event COMMAND_RECEIVED (firmware/events.h).
#pragma once

#include <cstdint>

namespace headstack::observe {

constexpr std::uint32_t kMostHostsNarrow = 7;  // ids 7 .. 1
constexpr std::uint32_t kMostHostsWide = 15;   // and then 15 .. 8
constexpr std::uint32_t kHostIds = 16;

/// In the order of priority (SCSI-2 6.1.2; on a wide bus 7 .. 0 go before 15 .. 8).
constexpr std::uint8_t host_scsi_id(std::uint32_t host) {
  constexpr std::uint32_t kHighest = 7;
  constexpr std::uint32_t kHighestWide = 15;
  return static_cast<std::uint8_t>(host < kMostHostsNarrow ? kHighest - host
                                                           : kHighestWide - host + kHighest);
}

/// SCSI id << 16 | tag.
using HostTag = std::uint32_t;
constexpr HostTag host_tag(std::uint8_t scsi_id, std::uint16_t tag) {
  return HostTag{scsi_id} << 16 | tag;
}
/// Of the argument of COMMAND_RECEIVED or RESELECTED.
constexpr HostTag host_tag_of_event(std::uint32_t argument) { return argument & 0xF'FFFF; }
/// The argument of TASK_QUEUED names the tag alone, but follows the task's COMMAND_RECEIVED.
constexpr HostTag with_tag(HostTag received, std::uint32_t tag) {
  return (received & 0xF'0000) | (tag & 0xFFFF);
}

}  // namespace headstack::observe
