/// @file
/// Who wants the bus: tasks, by the age of the wish, but for those that the media wait for.
#ifndef FIRMWARE_SCSI_CONNECTION_QUEUE_H
#define FIRMWARE_SCSI_CONNECTION_QUEUE_H

#include <stdbool.h>

#include "firmware/queue/task.h"
#include "firmware/scsi/scsi_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the task is among them.
static inline bool connection_is_queued(const struct task* task) {
  return task->request_next != TASK_UNLINKED;
}

/// Puts the task in, behind the others, unless it is there.
void connection_enqueue(struct scsi* scsi, struct task* task);

/// Takes the task out, if it is there.
void connection_dequeue(struct scsi* scsi, struct task* task);

/// If the task wants the bus, it is the first one to get it.
void connection_hurry(struct scsi* scsi, struct task* task);

/// The task wants the bus no more, and is not the connected one any more.
void connection_forget(struct scsi* scsi, struct task* task);

/// Starts the next reselection if the bus is left and somebody wants it.
void connection_kick(struct scsi* scsi);

/// CONNECTION_PREPARING is over: starts that reselection, if it is still wanted first.
void connection_prepared(struct scsi* scsi);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_CONNECTION_QUEUE_H
