/// @file
/// What the command layer tells of tasks: that they came, may begin, move their data, or are over.
///
/// These are the answers to what firmware/scsi/scsi_core.h asks, where it says what each means; and
/// the task set tells which tasks may be chosen.
///
/// A drive whose own controller was slow (page 21h) takes a time for each command before it does
/// anything about it, one command after another.
#ifndef FIRMWARE_TRANSFER_SERVICE_TASKS_H
#define FIRMWARE_TRANSFER_SERVICE_TASKS_H

#include <stdbool.h>

#include "firmware/queue/task_set.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/transfer/service.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Hears from the task set which tasks may be chosen; its context is struct service.
extern const struct task_set_listener service_tasks_listener;

/// The time that the service's alarm was set for has come.
void service_tasks_on_alarm(struct service* service);

// As firmware/scsi/scsi_core.h says.
void service_tasks_arrived(struct service* service, struct task* task);
bool service_tasks_abort(struct service* service, struct task* task);
void service_tasks_ended(struct service* service, struct task* task);
void service_tasks_transfer_end(struct service* service, struct task* task);
enum core_hold service_tasks_hold_bus(struct service* service, struct task* task);
void service_tasks_let_bus_go(struct service* service);
void service_tasks_resumed(struct service* service);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SERVICE_TASKS_H
