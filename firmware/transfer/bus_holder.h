/// @file
/// A task that holds the bus while it waits, because its initiator did not grant disconnection or
/// has rejected DISCONNECT.
///
/// No other task moves data while one task holds the bus. The holder therefore must not wait for a
/// task that needs the bus, and the drive serves it before all others. A task that is at the media
/// and cannot go on without the bus is suspended: it keeps its segment, and later goes on where it
/// stopped. Reported writes need no bus; the holder waits for those that it overlaps.
///
/// The drive turns a holder away with BUSY or QUEUE FULL in two cases: it must not pass an older
/// task that owes a status, or the buffer has no room. For BUS_HOLDER_PATIENCE_TICKS after that
/// the drive prepares for its return: it turns others away, keeps the media's own part of the
/// buffer for it, and serves first what it overlaps.
///
/// Here is who holds the bus, and what follows from it for others. service_tasks.c lets a task hold
/// it, and service.c acts by it.
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

/// How long the drive waits for an initiator that it has turned away. Hosts repeat a command that
/// met BUSY sooner.
#define BUS_HOLDER_PATIENCE_TICKS (200U * TIME_TICKS_PER_MILLISECOND)

struct bus_holder {
  struct task_set* tasks;
  struct seek* seek;
  struct task* task;          ///< Holds the bus while it waits; NULL: none does.
  struct task* suspended;     ///< Taken from the media in the middle; NULL: none is.
  uint32_t suspended_blocks;  ///< Of it, done.
  enum status recovered;      ///< Of it, by then: media_recovered(),
  uint32_t recovered_lba;     ///< and where.
  time_tick room_until;       ///< Until then room is kept for a task that was turned away; 0: none.
  uint32_t turned_away_lba;   ///< Of that task: its blocks,
  uint32_t turned_away_blocks;
  bool turned_away_writes;  ///< and whether it writes them.
};

void bus_holder_init(struct bus_holder* bus, struct task_set* tasks, struct seek* seek);

/// The task that holds the bus from now on, or NULL; the media work for `served`.
void bus_holder_set(struct bus_holder* bus, struct task* task, const struct task* served);

/// The media work for `served`, or NULL. Tasks wait for a spindle that has lost its speed, unless a
/// task holds the bus. A reported write always waits.
void bus_holder_set_patience(struct bus_holder* bus, const struct task* served);

/// Whether a task holds the bus and the media have not begun with it. The media then begin with
/// what bus_holder_next() says, and with nothing else.
static inline bool bus_holder_decides(const struct bus_holder* bus) {
  return bus->task != NULL && bus->task->state < TASK_CHOSEN;
}

/// That task if it may begin, or a reported write that it waits for; NULL: neither may begin now.
struct task* bus_holder_next(struct bus_holder* bus);

/// Whether there is a suspended task and it may go on. It may when no task holds the bus and waits,
/// or when it is a write that has been reported since: that needs the bus no more.
static inline bool bus_holder_lets_resume(const struct bus_holder* bus) {
  return bus->suspended != NULL && (task_is_reported(bus->suspended) || !bus_holder_decides(bus));
}

/// Whether the task holds the bus, or is a reported write that the holder waits for.
bool bus_holder_needs(const struct bus_holder* bus, const struct task* task);

/// The task is turned away: the drive prepares for its return.
void bus_holder_turn_away(struct bus_holder* bus, const struct task* task);

/// Whether the drive does so now.
bool bus_holder_is_waited_for(const struct bus_holder* bus);

/// Whether the task may not have the part of the buffer that is kept for one that was turned away.
bool bus_holder_keeps_room(const struct bus_holder* bus, const struct task* task);

/// The task that a turned-away task must not pass, if the scheduler may choose it; else NULL.
struct task* bus_holder_obstacle(struct bus_holder* bus);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_BUS_HOLDER_H
