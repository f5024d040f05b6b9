// SPDX-License-Identifier: Apache-2.0
/// @file
/// A task that holds the bus while it waits, because its initiator did not grant disconnection or
/// has rejected DISCONNECT.
///
/// No other task moves data while one task holds the bus. The holder therefore must not wait for a
/// task that needs the bus, and the drive serves it before all others. A task at the media that
/// cannot go on without the bus is suspended. It keeps its segment, and later goes on where it
/// stopped. Reported writes need no bus; the holder waits for those that it overlaps.
///
/// The drive refuses a holder with BUSY or QUEUE FULL in two cases. Either the holder must not pass
/// an older task that owes a status, or the buffer has no room. For BUS_HOLDER_PATIENCE_TICKS after
/// that the drive prepares for its return. It refuses others, keeps the media's own part of the
/// buffer for it, and serves first what it overlaps.
///
/// This module knows which task holds the bus, and what follows from that for others.
/// service_tasks.c gives a task the bus to hold, and service.c acts accordingly.
#ifndef FIRMWARE_TRANSFER_BUS_HOLDER_H
#define FIRMWARE_TRANSFER_BUS_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/kernel/status.h"
#include "firmware/kernel/time.h"
#include "firmware/motion/seek.h"
#include "firmware/queue/task.h"
#include "firmware/queue/task_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How long the drive waits for an initiator that it has refused. Hosts repeat a command that met
/// BUSY sooner.
#define BUS_HOLDER_PATIENCE_TICKS (200U * TIME_TICKS_PER_MILLISECOND)

struct bus_holder {
  struct task_set* tasks;
  struct seek* seek;
  struct task* task;          ///< Holds the bus while it waits; NULL: none does.
  struct task* suspended;     ///< Suspended at the media; NULL: none.
  uint32_t suspended_blocks;  ///< Its blocks that are done.
  enum status recovered;      ///< Its media_recovered() so far,
  uint32_t recovered_lba;     ///< and the block of that.
  time_tick room_until;       ///< Until then room is kept for a refused task; 0: none.
  uint32_t turned_away_lba;   ///< That task's blocks,
  uint32_t turned_away_blocks;
  bool turned_away_writes;  ///< and whether it writes them.
  uint8_t recovery;         ///< Of the suspended task: struct media_request's.
};

void bus_holder_init(struct bus_holder* bus, struct task_set* tasks, struct seek* seek);

/// Sets the task that holds the bus from now on, or NULL. `served`: the task that the media work
/// for, or NULL.
void bus_holder_set(struct bus_holder* bus, struct task* task, const struct task* served);

/// Decides whether a movement waits for a spindle that has lost its speed, or fails at once.
/// `served`: the task that the media work for, or NULL. It waits as long as no task holds the bus,
/// and always for a reported write.
void bus_holder_set_patience(struct bus_holder* bus, const struct task* served);

/// Whether a task holds the bus and the media have not begun with it. The media then begin with
/// what bus_holder_next() says, and with nothing else.
static inline bool bus_holder_decides(const struct bus_holder* bus) {
  return bus->task != NULL && bus->task->state < TASK_CHOSEN;
}

/// The holder, if it may begin. Otherwise a reported write that the holder waits for, if that may
/// begin; or NULL.
struct task* bus_holder_next(struct bus_holder* bus);

/// Whether there is a suspended task and it may go on. It may when no task holds the bus and waits.
/// It may also go on when it is a write that has been reported since, because that needs no bus any
/// more.
static inline bool bus_holder_lets_resume(const struct bus_holder* bus) {
  return bus->suspended != NULL && (task_is_reported(bus->suspended) || !bus_holder_decides(bus));
}

/// Whether the task holds the bus, or is a reported write that the holder waits for.
bool bus_holder_needs(const struct bus_holder* bus, const struct task* task);

/// The drive has refused the task. It prepares for the task's return.
void bus_holder_turn_away(struct bus_holder* bus, const struct task* task);

/// Whether the drive is preparing now.
bool bus_holder_is_waited_for(const struct bus_holder* bus);

/// Whether the task may not have the part of the buffer that is kept for a refused one.
bool bus_holder_keeps_room(const struct bus_holder* bus, const struct task* task);

/// The task that a refused task must not pass, if the scheduler may choose it; else NULL.
struct task* bus_holder_obstacle(struct bus_holder* bus);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_BUS_HOLDER_H
