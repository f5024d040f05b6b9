/// @file
/// A task that holds the bus while it waits, because its initiator did not grant disconnection or
/// has rejected DISCONNECT.
///
/// As long as it holds the bus no other task moves data, so it must not wait for one that needs to.
/// It goes before all others; a task that is at the media and cannot go on without the bus is
/// suspended: it keeps its segment and goes on where it stopped. Reported writes need no bus, and
/// what overlaps one waits for it.
///
/// A task that could not be served so is turned away with BUSY or QUEUE FULL: an older task that it
/// must not pass owes a status, or the buffer has no room. So that it does not starve, for
/// BUS_HOLDER_PATIENCE_TICKS from then on others are turned away in its favour, the part of the
/// buffer that is the media's own is kept for it, and what it overlaps is served first.
#ifndef FIRMWARE_TRANSFER_BUS_HOLDER_H
#define FIRMWARE_TRANSFER_BUS_HOLDER_H

#include <stdbool.h>

#include "firmware/kernel/time.h"
#include "firmware/queue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;

/// How long an initiator that has been turned away is waited for: longer than hosts take before
/// they repeat a command that met BUSY.
#define BUS_HOLDER_PATIENCE_TICKS (200U * TIME_TICKS_PER_MILLISECOND)

/// The task that holds the bus from now on, or NULL.
void bus_holder_set(struct drive* drive, struct task* task);

/// The media work for `served`. A spindle that has lost its speed is waited for, but not while the
/// bus is held; a write that has been reported waits all the same.
void bus_holder_set_patience(struct drive* drive, const struct task* served);

/// A task holds the bus and the media have not begun with it: they may begin with nothing but what
/// bus_holder_next() says.
bool bus_holder_decides(const struct drive* drive);

/// That task if it may begin, or a reported write that it waits for; NULL: neither may begin now.
struct task* bus_holder_next(struct drive* drive);

/// Whether there is a suspended task, and it may go on: no task holds the bus and waits, or it is a
/// write that has been reported since, which needs the bus no more.
bool bus_holder_lets_resume(const struct drive* drive);

/// Whether the task holds the bus, or is a reported write that the holder waits for.
bool bus_holder_needs(const struct drive* drive, const struct task* task);

/// Whether the task may not have the part of the buffer that is kept for one that was turned away.
bool bus_holder_keeps_room(const struct drive* drive, const struct task* task);

/// A task waits for room: it is looked at again when no room is kept any more.
void bus_holder_watch_room(struct drive* drive);

/// The task that the one which was turned away must not pass, if it may be chosen; else NULL.
struct task* bus_holder_obstacle(struct drive* drive);

/// The media have stopped, or go on: a task that waits for the bus is suspended if another holds
/// it.
void bus_holder_on_media(struct drive* drive);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_BUS_HOLDER_H
