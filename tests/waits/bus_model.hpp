// SPDX-License-Identifier: Apache-2.0
// A model of who waits for whom: four tasks of two hosts, the bus, the media, and segments of the
// buffer. Its states are few enough that all of them are visited, for each configuration.
//
// The task set and the bus holder of a state are the firmware's own structures (bus_world.hpp). The
// firmware's functions decide and change them. bus_moves.cpp
// restates what service.c, service_tasks.c, host_side.c, connection_command.c and tenancy.c do
// around them. Each of its functions names the one that it mirrors.
//
// The policy may choose any candidate. Every step of the drive may come late. Hosts may send any
// command of the configuration whenever the bus is free. So each order of events
// of the drive is one of the model's. What the model cannot find is an event that is lost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/queue/task.h"
#include "firmware/unit/mode_page.h"

namespace headstack::test {

// A rule of the firmware that prevents a circle of waits. A search may leave one out.
enum class BusRule : std::uint8_t {
  kSuspendedHolderDecides,  // bus_holder_decides(): a suspended holder goes first, too.
  kStuckMakesWay,           // service_suspend_stuck(): for a holder.
  kReportBeforeHolder,      // bus_holder_next(): the reported write that the holder waits for.
  kHolderHasRoom,           // service_tasks.c, may_hold(): a holder without room is refused.
  kRoomForHolder,           // take_segment(): no room for others while a holder waits.
  kEarlyDataAreWhole,       // host_side_fetch_early(): with DTDC all data or none.
  kDataInTurn,              // bus_holder_may_begin_data(): with DTDC.
  kReserve,                 // enum segment_reserve: waiting tasks leave room for the media.
  kOldestMakesRoom,         // find_substitute(): the oldest task with data makes room.
  kHeadsLetOwnersPass,      // may_make_room(): an owner of room passes HEAD OF QUEUE tasks.
  kReportPassesHeads,       // task_set_forced(): the reported write that a HEAD OF QUEUE waits for.
  kCount,
};
inline constexpr std::size_t kBusRules = static_cast<std::size_t>(BusRule::kCount);

// What a host may send. Commands with a place in common overlap. All others have their own.
struct BusCommand {
  enum task_operation operation = TASK_READ;
  bool is_long = false;  // Two blocks, which pass through a segment of one.
  bool overlaps = false;
  bool may_disconnect = true;
  enum task_attribute attribute = TASK_SIMPLE;
};

struct BusConfiguration {
  enum mode_dtdc dtdc = MODE_DTDC_NONE;
  bool cache_writes = false;
  bool restricted = true;  // Restricted reordering.
  std::uint32_t segments = 1;
  std::uint32_t tasks = 4;
  std::uint32_t hosts = 2;
  bool refuses_disconnect = false;  // Hosts may reject DISCONNECT.
  bool media_fail = false;          // A task may end with CHECK CONDITION.
  std::vector<BusCommand> commands;
  std::array<bool, kBusRules> is_off = {};  // indexed by BusRule

  std::string name() const;
};

struct BusVerdict {
  std::size_t states = 0;
  std::size_t moves = 0;
  // Empty: all is well. Else what is wrong: "deadlock", "no end", "refused although idle", or
  // "refused by its own drive". The last: the command has begun, or it may disconnect and its
  // host has not rejected that.
  std::string fault;
  std::string circle;  // the circle of a deadlock, as "bus: held by B > B: is suspended > ... >
                       // bus"
  std::vector<std::string> trace;  // The moves from the empty drive to the fault, the fewest.

  std::string text() const;
};

// Visits every state. A drive is right if in each of them, without another command:
// - some task can go on, while one is left;
// - no sequence of moves comes back to where it was, so that all tasks end in finite time.
// A command is refused only if its host keeps the bus, and before the media have begun with it. An
// idle drive refuses none.
BusVerdict search_bus(const BusConfiguration& configuration);

}  // namespace headstack::test
