// SPDX-License-Identifier: Apache-2.0
/// @file
/// A task's life outside the media: it arrives, may begin, moves its data, and ends.
///
/// `device/` and `target/` report these steps. The task set reports which tasks may be chosen.
///
/// A drive whose own controller was slow (page 21h) spends a time on each command before its first
/// action, one command after another. The time counts from the command's receipt, whatever the
/// firmware does meanwhile. Read-ahead that no command wants ends at once, so that the arm is free
/// when the time is over.
#ifndef FIRMWARE_TRANSFER_SERVICE_TASKS_H
#define FIRMWARE_TRANSFER_SERVICE_TASKS_H

#include <stdbool.h>

#include "firmware/queue/task_set.h"
#include "firmware/transfer/service.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The task set's listener; its context is struct service.
extern const struct task_set_listener service_tasks_listener;

/// Acts on the service's alarm.
void service_tasks_on_alarm(struct service* service);

/// Takes over a command that has become a task, with a valid block range. The task gets its place
/// on the media; it is not enabled yet. An older controller's time for the command (page 21h)
/// counts from `received`: when all of the command was there. What the firmware does for it
/// meanwhile takes none of its own.
void service_tasks_arrived(struct service* service, struct task* task, time_tick received);

/// Notes the arrival of a TASK_REPLY, for which the media have nothing to do.
void service_tasks_reply_arrived(const struct service* service, struct task* task);

/// Stops work for the task, in any state but TASK_FREE. It was aborted (message, reset, clear
/// queue), or its data phase failed on the bus. The function is called at most once for a task.
/// @return true when the work has ended for good; service_tasks_ended() still comes. false when the
/// media still need the task, because a sector is under way. Then host_task_finished() follows as
/// soon as possible, with any status.
bool service_tasks_abort(struct service* service, struct task* task);

/// The initiator has the task's status, or will never get it. The task is freed when this returns.
void service_tasks_ended(struct service* service, struct task* task);

/// Ends the data phase of host_side_begin_transfer(). The blocks that moved are already subtracted
/// from host_blocks_left and host_blocks_granted. If more are granted here, or the task finishes,
/// the connection stays. It is called once for every begin, also after host_task_finished() with an
/// error.
void service_tasks_transfer_end(struct service* service, struct task* task);

/// Decides on a connected task that has to wait and may not disconnect. Repeated calls are allowed.
/// With BUS_HOLD_SERVED the task may have been granted data, or be finished, when this returns.
enum bus_hold service_tasks_hold_bus(struct service* service, struct task* task);

/// The task that held the bus goes on without it: it has disconnected after all, or been reported.
void service_tasks_release_bus(struct service* service);

/// A contingent allegiance has begun: the initiator's tasks move no data until it is over. The
/// media may wait for one of them, and must not keep other initiators waiting.
void service_tasks_suspended(struct service* service);

/// The contingent allegiance of an initiator is over: its tasks may go on. One may not be enabled
/// yet, because it waits for other tasks. A task that holds the bus may wait for these.
void service_tasks_resumed(struct service* service);

/// Makes another slice of what the task set has left to do: ARM_WITHDRAWS or ARM_ENABLES is set.
void service_tasks_go_on(struct service* service);

/// Progress of the maintenance order, of 65,536; 0 while its task waits.
uint32_t service_tasks_progress(const struct service* service);

/// Many tasks are being aborted: none is chosen until the second function is called.
void service_tasks_purge_begins(struct service* service);
void service_tasks_purge_ended(struct service* service);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SERVICE_TASKS_H
