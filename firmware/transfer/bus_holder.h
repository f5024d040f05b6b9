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
#ifndef FIRMWARE_TRANSFER_BUS_HOLDER_H
#define FIRMWARE_TRANSFER_BUS_HOLDER_H

#include <stdbool.h>

#include "firmware/kernel/time.h"
#include "firmware/queue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;

/// How long the drive waits for an initiator that it has turned away. Hosts repeat a command that
/// met BUSY sooner.
#define BUS_HOLDER_PATIENCE_TICKS (200U * TIME_TICKS_PER_MILLISECOND)

/// The task that holds the bus from now on, or NULL.
void bus_holder_set(struct drive* drive, struct task* task);

/// The media work for `served`. Tasks wait for a spindle that has lost its speed, unless a task
/// holds the bus. A reported write always waits.
void bus_holder_set_patience(struct drive* drive, const struct task* served);

/// Whether a task holds the bus and the media have not begun with it. The media then begin with
/// what bus_holder_next() says, and with nothing else.
bool bus_holder_decides(const struct drive* drive);

/// That task if it may begin, or a reported write that it waits for; NULL: neither may begin now.
struct task* bus_holder_next(struct drive* drive);

/// Whether there is a suspended task and it may go on. It may when no task holds the bus and waits,
/// or when it is a write that has been reported since: that needs the bus no more.
bool bus_holder_lets_resume(const struct drive* drive);

/// Whether the task holds the bus, or is a reported write that the holder waits for.
bool bus_holder_needs(const struct drive* drive, const struct task* task);

/// Whether the task may not have the part of the buffer that is kept for one that was turned away.
bool bus_holder_keeps_room(const struct drive* drive, const struct task* task);

/// A task waits for room. The service looks at it again when the drive keeps no room any more.
void bus_holder_watch_room(struct drive* drive);

/// The task that a turned-away task must not pass, if the scheduler may choose it; else NULL.
struct task* bus_holder_obstacle(struct drive* drive);

/// The media have stopped, or go on. Suspends the task at the media if it waits for the bus and
/// another task holds it.
void bus_holder_on_media(struct drive* drive);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_BUS_HOLDER_H
