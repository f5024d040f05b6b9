// SPDX-License-Identifier: Apache-2.0
/// @file
/// Ending tasks early: abort messages, clear queue, resets, and QERR (SCSI-2 6.2.2, 6.6, 7.6).
#ifndef FIRMWARE_DEVICE_TASK_MANAGEMENT_H
#define FIRMWARE_DEVICE_TASK_MANAGEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task.h"
#include "firmware/unit/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

struct device;

/// Removes a failed write or immediate format, whose status has been sent, from the task set. Each
/// failure is reported to its initiator by a CHECK CONDITION of its own (SCSI-2 8.2.14.2). Each
/// SYNCHRONIZE CACHE that was to bring the write to the media fails, too. So does each read that
/// waits for the write: the media have older data from block `lba` on.
void task_defer_error(struct device* device, struct task* task, enum status status, uint32_t lba);

/// Takes the sense of the oldest such write of the initiator; SENSE_NONE for none.
struct sense task_take_deferred(struct device* device, uint8_t initiator);

/// Finds a lost write of any initiator in a range of blocks that is not yet reported to
/// `initiator`, and marks it as reported. @return its sense, as a current error; SENSE_NONE for
/// none.
struct sense task_find_lost(struct device* device, uint8_t initiator, uint32_t lba,
                            uint32_t blocks);

/// Removes the task from the task set: its status was sent, or never will be.
void task_end(struct device* device, struct task* task);

/// Ends a task without status. Its nexus is free for a new command when this returns.
void task_abort(struct device* device, struct task* task);

// The next functions may have to abort thousands of tasks, which takes 0.1 s. For hosts the tasks
// end at once: none is chosen, none is reselected for, and their tags are free. Those beyond a
// first slice are aborted by task_purge_step() in the main loop. Until then, a command of any
// initiator that needs a task is answered with BUSY or QUEUE FULL.

/// Whether the initiator's tasks are being aborted.
bool task_purges(const struct device* device, uint8_t initiator);

/// Aborts another slice. @return whether all tasks are aborted.
bool task_purge_step(struct device* device);

/// Aborts all tasks of one initiator, but for `except` (NULL: none excepted).
void task_abort_initiator(struct device* device, uint8_t initiator, const struct task* except);

/// Aborts all tasks of all initiators, but for `except`. Every initiator other than `initiator`
/// that lost a task gets unit attention 2F/00.
void task_clear_queue(struct device* device, uint8_t initiator, const struct task* except);

/// Hard reset (SCSI-2 6.2.2.1): tasks, sense, reservation and agreements end, mode parameters
/// become the saved ones, every initiator gets unit attention `code`.
void task_hard_reset(struct device* device, enum sense_code code);

/// CHECK CONDITION has been sent to the initiator. Its sense is kept, the nexus's tasks are
/// suspended, and QERR ends others. `task`: the one that failed, or NULL.
void task_check_condition(struct device* device, uint8_t initiator, const struct sense* sense,
                          const struct task* task);

/// The next command of the initiator has come: the allegiance is over, and its tasks go on.
void task_end_allegiance(struct device* device, uint8_t initiator);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_TASK_MANAGEMENT_H
