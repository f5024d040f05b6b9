// SPDX-License-Identifier: Apache-2.0
/// @file
/// Notices to the bus side of the drive: functions that target/target.c implements.
///
/// The layers below `target/` call them, and target/ is above these layers. So this header has no
/// source beside it. A notice may lead to calls back into the layer that gave it. Link-time
/// optimisation inlines the functions.
#ifndef FIRMWARE_TRANSFER_HOST_EVENTS_H
#define FIRMWARE_TRANSFER_HOST_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"
#include "firmware/queue/task.h"
#include "firmware/unit/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

struct target;

// ---- notices of transfer/

/// `blocks` more of the task's host_blocks_left may move in a data phase, in order. The target
/// reselects the initiator if necessary. It calls host_side_begin_transfer(), moves the blocks, and
/// calls service_tasks_transfer_end(). The buffer manager may still be filling the buffer: bytes
/// move as sectors get their credit.
void host_task_granted(struct target* target, struct task* task, uint32_t blocks);

/// The media wait for the task's granted blocks: its data phase goes before those of others.
void host_task_prioritized(struct target* target, struct task* task);

/// The task does not wait for the media any more. Its status follows when every granted block has
/// moved, also for a recovered error (status_is_done()). With an error, a data phase under way is
/// stopped first.
///
/// @param status  STATUS_OK, or what went wrong.
/// @param lba     Block of the error; ignored with STATUS_OK.
void host_task_finished(struct target* target, struct task* task, enum status status, uint32_t lba);

/// The task has ended with an error, but its granted blocks still move before the status.
void host_task_failed(struct target* target, struct task* task, enum status status, uint32_t lba);

/// A limit of the task has expired, in any state of the task. The target stops its data phase, and
/// ends its work. The sense data of `why` follow, with the status that belongs to them.
/// @return false, and nothing has changed: the task owes no status any more, it has failed already,
/// or its status is being sent.
bool host_task_expired(struct target* target, struct task* task, enum status why);

/// The state of the medium: SENSE_NONE (ready), SENSE_NOT_READY, SENSE_BECOMING_READY or
/// SENSE_START_REQUIRED.
void host_medium_ready(struct target* target, enum sense_code not_ready);

/// The data on the medium are lost. All initiators but one get unit attention 28/00.
void host_medium_changed(struct target* target, uint8_t initiator);

/// A format has begun (`is_corrupt`), or has ended well.
void host_medium_corrupt(struct target* target, bool is_corrupt);

/// Mode parameters have changed, by a MODE SELECT, a reset, or because saved ones were loaded.
void host_modes_changed(struct target* target);

// ---- notices of device/

/// The task is over for its initiator. It may still request the bus, or be connected.
void host_task_gone(struct target* target, struct task* task);

/// A hard reset: all agreements end.
void host_reset(struct target* target);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_HOST_EVENTS_H
