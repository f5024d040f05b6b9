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
/// A task whose initiator owes a REQUEST SENSE cannot have the bus either (SCSI-2 7.6). If the
/// media wait for it, it is suspended in the same way, so that the tasks of others go on.
///
/// The drive refuses a holder with BUSY or QUEUE FULL in two cases. Either the holder must not pass
/// an older task that owes a status, or the buffer has no room. For BUS_HOLDER_PATIENCE_TICKS after
/// that the drive prepares for its return. It refuses others, keeps the media's own part of the
/// buffer for it, and serves first what it overlaps.
///
/// This module decides which task may take and keep the bus, and what follows from that for others.
/// The target calls it when a connected task has to wait (service_tasks_hold_bus()); service.c acts
/// on the decision.
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
#include "firmware/transfer/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How long the drive waits for an initiator that it has refused. Hosts repeat a command that met
/// BUSY sooner.
#define BUS_HOLDER_PATIENCE_TICKS (200U * TIME_TICKS_PER_MILLISECOND)

/// Each suspended task keeps a ring of the buffer.
#define BUS_HOLDER_SUSPENDED_MAX SEGMENTS_RINGS

/// The decision on a task whose initiator does not allow it to disconnect.
enum bus_hold {
  BUS_HOLD_SERVED,       ///< The task is served before all others and keeps the bus meanwhile.
  BUS_HOLD_TURNED_AWAY,  ///< The task would wait for tasks that need the bus: BUSY or QUEUE FULL.
  BUS_HOLD_GOES_ON,      ///< The spindle or a format takes its time. The task goes on. Its nexus
                         ///< ends with CHECK CONDITION: 2/04/01 for START UNIT, 2/04/02 for STOP
                         ///< UNIT, 2/04/04 for a format.
};

/// A task that was taken from the media, and goes on later.
struct bus_holder_suspended {
  struct task* task;
  uint32_t blocks;         ///< Number of its blocks that are done.
  enum status recovered;   ///< media_recovered() of the task so far.
  uint32_t recovered_lba;  ///< Block of `recovered`.
  uint8_t recovery;        ///< `recovery` of its struct media_request.
};

struct bus_holder {
  struct task_set* tasks;
  struct seek* seek;
  struct task* task;                       ///< Task that holds the bus while it waits; NULL: none
                                           ///< does.
  struct bus_holder_suspended* suspended;  ///< Memory for BUS_HOLDER_SUSPENDED_MAX tasks, the
                                           ///< oldest first.
  uint32_t suspended_count;
  time_tick room_until;         ///< Time until which room is kept for a refused task, if any.
  uint32_t turned_away_lba;     ///< First block of the refused task.
  uint32_t turned_away_blocks;  ///< Number of its blocks.
  bool turned_away_writes;      ///< The refused task writes its blocks.
  bool room_is_kept;            ///< A task was refused: room is kept for it until `room_until`.
};

/// @param suspended  Memory for BUS_HOLDER_SUSPENDED_MAX tasks.
void bus_holder_init(struct bus_holder* bus, struct task_set* tasks, struct seek* seek,
                     struct bus_holder_suspended* suspended);

/// Decides on a task's request to hold the bus while it waits. It does not look whether the task
/// takes too long for that. `served`: the task that the media work for, or NULL. `has_room`: the
/// task has, or would get, its part of the buffer. BUS_HOLD_TURNED_AWAY: the drive prepares for the
/// task's return, and nothing else has changed.
enum bus_hold bus_holder_take(struct bus_holder* bus, struct task* task, const struct task* served,
                              bool has_room);

/// Releases the bus: no task holds it.
void bus_holder_release(struct bus_holder* bus, const struct task* served);

/// Decides whether a movement waits for a spindle that has lost its speed, or fails at once.
/// `served`: the task that the media work for, or NULL. It waits as long as no task holds the bus,
/// and always for a reported write.
void bus_holder_set_patience(struct bus_holder* bus, const struct task* served);

/// Whether the task is suspended.
bool bus_holder_suspends(const struct bus_holder* bus, const struct task* task);

/// Whether a task holds the bus and waits for the media: they have not begun with it, or it is
/// suspended. They then work for it, or for reported writes that it waits for, and for nothing
/// else. A task at the media that needs the bus is suspended.
static inline bool bus_holder_decides(const struct bus_holder* bus) {
  return bus->task != NULL &&
         (bus->task->state < TASK_CHOSEN || bus_holder_suspends(bus, bus->task));
}

/// Whether a task may begin a data phase after which it must not leave the bus before its end. It
/// may if nothing that it then waits for, at any depth, needs the bus. That is so if the media have
/// begun with it, or could begin with it next. `brings_all`: the phase leaves it with nothing to
/// wait for. The oldest task always may.
bool bus_holder_may_begin_data(const struct bus_holder* bus, const struct task* task,
                               bool brings_all);

/// A holder that the media have not begun with, if it may begin. Otherwise a reported write that
/// the holder waits for, if that may begin; or NULL.
struct task* bus_holder_next(struct bus_holder* bus);

/// Adds a task that was taken from the media to the suspended ones.
void bus_holder_suspend(struct bus_holder* bus, const struct bus_holder_suspended* suspended);

/// The suspended task that resumes next, by its index; BUS_HOLDER_SUSPENDED_MAX: none may. The
/// holder of the bus is the first: it has its room and its ring, and all others wait for it. The
/// oldest one that may resume comes next. A write that has been reported since always may, because
/// it needs no bus any more. Others may when no holder waits for the media, and no contingent
/// allegiance suspends them.
uint32_t bus_holder_find_resumable(const struct bus_holder* bus);

static inline bool bus_holder_can_resume(const struct bus_holder* bus) {
  return bus->suspended_count > 0 && bus_holder_find_resumable(bus) < BUS_HOLDER_SUSPENDED_MAX;
}

/// Removes a suspended task, which resumes.
struct bus_holder_suspended bus_holder_resume(struct bus_holder* bus, uint32_t index);

/// Removes a task that has ended from the suspended ones, if it was one.
void bus_holder_forget(struct bus_holder* bus, const struct task* task);

/// Whether the task holds the bus, or is a reported write that the holder waits for.
bool bus_holder_needs(const struct bus_holder* bus, const struct task* task);

/// Whether the drive prepares for the return of a task that it has refused.
bool bus_holder_is_waited_for(const struct bus_holder* bus);

/// Whether the task may not have the part of the buffer that is kept for a refused one.
bool bus_holder_keeps_room(const struct bus_holder* bus, const struct task* task);

/// The task that a refused task must not pass, if the scheduler may choose it; else NULL.
struct task* bus_holder_obstacle(struct bus_holder* bus);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_BUS_HOLDER_H
