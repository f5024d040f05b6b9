// SPDX-License-Identifier: Apache-2.0
/// @file
/// The SCSI layer: from bus events to tasks, and from finished tasks back to the initiator.
///
/// struct drive contains struct scsi, which holds all of the layer's state (scsi_state.h). The
/// transport side is scsi_on_events() with the events that scsi_target_hal_take_events()
/// acknowledged. The core's side is scsi_task_grant() and scsi_task_finish() here, and the
/// functions of firmware/scsi/scsi_core.h that the core implements. Commands that need no media
/// (INQUIRY, MODE SENSE, ...) are answered in this layer, at once.
#ifndef FIRMWARE_SCSI_SCSI_H
#define FIRMWARE_SCSI_SCSI_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/kernel/status.h"
#include "firmware/queue/task.h"
#include "firmware/queue/task_set.h"
#include "firmware/scsi/scsi_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Power-on: every initiator gets unit attention 29/00, the drive is not ready (4/02), the target
/// is enabled. `config` and `tasks` stay the caller's and must outlive `scsi`; `drive` is for
/// scsi_core.h.
void scsi_init(struct scsi* scsi, const struct scsi_config* config, struct task_set* tasks,
               struct alarms* alarms, struct drive* drive);

/// Acts on acknowledged bits of enum scsi_target_event.
void scsi_on_events(struct scsi* scsi, uint32_t events);

/// Acts on `alarm`. Late or spurious calls do no harm.
void scsi_on_alarm(struct scsi* scsi);

/// Grants `blocks` more of the task's host_blocks_left to a data phase, in order. The connection
/// reselects the initiator if necessary, calls core_host_transfer_begin(), moves them, and calls
/// core_host_transfer_end(). The buffer manager may still be filling the buffer: bytes move as
/// sectors get their credit.
void scsi_task_grant(struct scsi* scsi, struct task* task, uint32_t blocks);

/// Puts the task's data phase before those of others: the media wait for the granted blocks.
void scsi_task_prioritize(struct scsi* scsi, struct task* task);

/// Finishes a task that does not wait for the media any more. Status follows when every granted
/// block has moved. With an error, a data phase under way is stopped first.
///
/// A recovered error (status_is_done()) is reported after all granted blocks, too.
///
/// @param status  STATUS_OK, or what went wrong.
/// @param lba     Block of the error; ignored with STATUS_OK.
void scsi_task_finish(struct scsi* scsi, struct task* task, enum status status, uint32_t lba);

/// Finishes a task with an error, as scsi_task_finish(), but granted blocks still move before the
/// status.
void scsi_task_finish_behind(struct scsi* scsi, struct task* task, enum status status,
                             uint32_t lba);

/// Ends a task of which a limit has expired, in any state. Stops its data phase and makes the core
/// end it. The sense data of `why` follow, with the status that belongs to them. @return false, and
/// nothing has changed: the task owes no status any more, it has failed already, or its status is
/// being sent.
/// @return false, and nothing has changed: the task owes no status any more, it has failed already,
/// or its status is being sent.
bool scsi_task_expire(struct scsi* scsi, struct task* task, enum status why);

/// Whether a command's status or COMMAND COMPLETE is on its way.
bool scsi_is_completing(const struct scsi* scsi);

/// Finishes a task that the core cannot begin, because the drive is not ready. CHECK CONDITION with
/// the reason follows.
void scsi_task_fail_not_ready(struct scsi* scsi, struct task* task);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_SCSI_H
