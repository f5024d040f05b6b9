// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the command layer reports of tasks: that they have come, may begin, move their data, or are
/// over.
///
/// These functions implement firmware/scsi/scsi_core.h, which says what each means. The task set
/// reports which tasks may be chosen.
///
/// A drive whose own controller was slow (page 21h) spends a time on each command before its first
/// action, one command after another. The time counts from the command's receipt, whatever the
/// firmware does meanwhile. Read-ahead that no command wants ends at once, so that the arm is free
/// when the time is over.
#ifndef FIRMWARE_TRANSFER_SERVICE_TASKS_H
#define FIRMWARE_TRANSFER_SERVICE_TASKS_H

#include <stdbool.h>

#include "firmware/queue/task_set.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/transfer/service.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The task set's listener; its context is struct service.
extern const struct task_set_listener service_tasks_listener;

/// Acts on the service's alarm.
void service_tasks_on_alarm(struct service* service);

// The functions below implement those of firmware/scsi/scsi_core.h.
void service_tasks_arrived(struct service* service, struct task* task, time_tick received);

/// Notes the arrival of a TASK_REPLY, for which the media have nothing to do.
void service_tasks_reply_arrived(const struct service* service, struct task* task);
bool service_tasks_abort(struct service* service, struct task* task);
void service_tasks_ended(struct service* service, struct task* task);
void service_tasks_transfer_end(struct service* service, struct task* task);
enum core_hold service_tasks_hold_bus(struct service* service, struct task* task);
void service_tasks_release_bus(struct service* service);
void service_tasks_resumed(struct service* service);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SERVICE_TASKS_H
