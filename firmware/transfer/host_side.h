/// @file
/// The host's side of a task's data: a segment of the buffer, and how much of it may move when.
///
/// A write's data may be fetched before its turn comes, as much as its segment holds, while enough
/// segments are free; at the media it gets the rest. A read's data may leave run by run: once half
/// of a run is in the buffer, so that the bus, if it is not much faster than the media, does not
/// wait for it.
#ifndef FIRMWARE_TRANSFER_HOST_SIDE_H
#define FIRMWARE_TRANSFER_HOST_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task.h"
#include "firmware/transfer/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;

/// Whether a task has data that pass through the buffer.
bool host_side_needs_segment(const struct task* task);

/// Gives a task its segment, unless it has one or needs none. @return false when none is free.
bool host_side_take_segment(struct drive* drive, struct task* task, enum segment_reserve reserve);

/// Takes a task's segment back, if it has one.
void host_side_free_segment(struct drive* drive, struct task* task);

/// Fetches a write's data early, as far as segments allow.
void host_side_fetch_early(struct drive* drive, struct task* task, enum segment_reserve reserve);

/// The task is at the media: all of a write's data may come.
void host_side_fetch_all(struct drive* drive, struct task* task);

/// A read's data may leave, as far as the media has come.
void host_side_deliver(struct drive* drive, struct task* task);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_HOST_SIDE_H
