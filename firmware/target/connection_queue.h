// SPDX-License-Identifier: Apache-2.0
/// @file
/// The queue of tasks that request the bus, in the order of their requests. Those that the media
/// wait for go first.
#ifndef FIRMWARE_TARGET_CONNECTION_QUEUE_H
#define FIRMWARE_TARGET_CONNECTION_QUEUE_H

#include <stdbool.h>

#include "firmware/queue/task.h"
#include "firmware/target/target_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the task is in the queue.
static inline bool connection_is_queued(const struct task* task) {
  return task->request_next != TASK_UNLINKED;
}

/// Appends the task, unless it is in the queue.
void connection_enqueue(struct target* target, struct task* task);

/// Removes the task, if it is in the queue.
void connection_dequeue(struct target* target, struct task* task);

/// Moves a queued task to the front.
void connection_prioritize(struct target* target, struct task* task);

/// Removes the task, and clears it as the connected task.
void connection_forget(struct target* target, struct task* task);

/// IDENTIFY and, for a tagged task, its tag (SCSI-2 6.6.7, 6.6.17). Tasks are of logical unit 0,
/// the only one. @return the bytes written, at most MESSAGE_BYTES_MAX.
uint32_t connection_nexus_messages(const struct task* task, uint8_t* bytes);

/// Starts the next reselection if the bus is free and a task has requested it.
void connection_dispatch(struct target* target);

/// Starts the reselection of CONNECTION_PREPARING, which is over, if its task is still the first.
void connection_prepared(struct target* target);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_CONNECTION_QUEUE_H
