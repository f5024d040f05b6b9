/// @file
/// The host's side of a task's data: a segment of the buffer, and how much of it may move when.
///
/// A write's data is fetched before its turn comes, as much as its segment holds: at once when it
/// arrives, or when it is planned to be next, while the buffer has room; at the media it gets the
/// rest. Between a data phase and the media the segment is parked (segments.h). A read's data may
/// leave run by run: once half of a run is in the buffer, or half of what its segment holds, so
/// that the bus, if it is not much faster than the media, does not wait for it.
#ifndef FIRMWARE_TRANSFER_HOST_SIDE_H
#define FIRMWARE_TRANSFER_HOST_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/time.h"
#include "firmware/queue/task.h"
#include "firmware/transfer/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;

/// What a fetch begun now is taken to need until its first sectors are in the buffer: on a busy bus
/// it waits for the status of one task and for the command and the 4 KB of another.
#define HOST_SIDE_FETCH_TICKS (500U * TIME_TICKS_PER_MICROSECOND)

/// Gives a task that begins at the media its segment, in a ring, unless it needs none. @return
/// false when there is no room or no ring: then nothing has changed.
bool host_side_prepare(struct drive* drive, struct task* task);

/// Whether there is room for a segment of the task's own, or it has one, or it needs none.
bool host_side_may_prepare(const struct drive* drive, const struct task* task);

/// The ring that a task's data are in, or SEGMENT_NO_RING.
uint32_t host_side_ring(const struct drive* drive, const struct task* task);

/// Takes a task's segment back, if it has one. No data phase of its is under way.
void host_side_free_segment(struct drive* drive, struct task* task);

/// Fetches a write's data early, as far as the buffer allows.
void host_side_fetch_early(struct drive* drive, struct task* task, enum segment_reserve reserve);

/// The task is at the media: all of a write's data may come.
void host_side_fetch_all(struct drive* drive, struct task* task);

/// All of a read's data are in the buffer and may leave.
void host_side_deliver_all(struct drive* drive, struct task* task);

/// Those before block `lba` are in the buffer and may leave.
void host_side_deliver_up_to(struct drive* drive, struct task* task, uint32_t lba);

/// A read's data may leave, as far as the media has come. Those of a hit wait until all are there.
void host_side_deliver(struct drive* drive, struct task* task);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_HOST_SIDE_H
