// SPDX-License-Identifier: Apache-2.0
// A model of the waits among four tasks of two hosts, the bus, the media, and segments of the
// buffer. Its states are few enough to visit them all, for each configuration.
//
// The task set and the bus holder of a state are the firmware's own structures (bus_world.hpp). The
// firmware's functions decide on them and change them. bus_moves.cpp restates what service.c,
// service_tasks.c, host_side.c, connection_command.c and tenancy.c do around them. Each of its
// functions names the one that it mirrors.
//
// The policy may choose any candidate. Each step of the drive may be late. Hosts may send any
// command of the configuration whenever the bus is free. So the model has each possible order of
// the drive's events. It cannot find an event that is lost.
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
  kSuspendedHolderDecides,  // bus_holder_decides(): a suspended holder is served first, too.
  kStuckMakesWay,           // service_suspend_stuck(): a stuck task is suspended for a holder.
  kReportBeforeHolder,      // bus_holder_next(): a report before the holder that waits for it.
  kHolderHasRoom,           // service_tasks.c, may_hold(): a holder without room is refused.
  kRoomForHolder,           // take_segment(): other tasks get no room while a holder waits.
  kEarlyDataAreWhole,       // host_side_fetch_early(): with DTDC, all data are fetched or none.
  kDataInTurn,              // bus_holder_may_begin_data(): with DTDC, data phases take turns.
  kReserve,                 // enum segment_reserve: waiting tasks leave room for the media.
  kOldestMakesRoom,         // find_substitute(): the oldest task with data makes room.
  kHeadsLetOwnersPass,      // may_make_room(): a task that has room passes HEAD OF QUEUE tasks.
  kReportPassesHeads,       // task_set_forced(): a reported write passes a waiting HEAD OF QUEUE.
  kCount,
};
inline constexpr std::size_t kBusRules = static_cast<std::size_t>(BusRule::kCount);

// A command that a host may send. Commands that overlap have the same place. All others have places
// of their own.
struct BusCommand {
  enum task_operation operation = TASK_READ;
  bool is_long = false;  // two blocks, which pass through a segment of one block
  bool overlaps = false;
  bool may_disconnect = true;
  enum task_attribute attribute = TASK_SIMPLE;
};

struct BusConfiguration {
  enum mode_dtdc dtdc = MODE_DTDC_NONE;
  bool cache_writes = false;
  bool restricted = true;  // restricted reordering
  std::uint32_t segments = 1;
  std::uint32_t tasks = 4;
  std::uint32_t hosts = 2;
  bool refuses_disconnect = false;  // hosts may reject DISCONNECT
  bool media_fail = false;          // a task may end with CHECK CONDITION
  std::vector<BusCommand> commands;
  std::array<bool, kBusRules> is_off = {};  // indexed by BusRule

  std::string name() const;
};

struct BusVerdict {
  std::size_t states = 0;
  std::size_t moves = 0;
  // The fault: "deadlock", "no end", "refused although idle", "refused by its own drive"; empty if
  // there is none. The last one is for a command that has begun. It is also for one that may
  // disconnect and whose host has not rejected that.
  std::string fault;
  std::string circle;  // the circle of a deadlock, as "bus: held by B > B: is suspended > ... >
                       // bus"
  std::vector<std::string> trace;  // the fewest moves from the empty drive to the fault

  std::string text() const;
};

// Visits every state. A drive is right if each state meets these rules, without another command:
// - A task can go on, as long as one is left.
// - No sequence of moves returns to its beginning, so that all tasks end in finite time.
// A command is refused only if its host keeps the bus, and before the media have begun with it. An
// idle drive refuses none.
BusVerdict search_bus(const BusConfiguration& configuration);

}  // namespace headstack::test
