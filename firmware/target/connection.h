// SPDX-License-Identifier: Apache-2.0
/// @file
/// The connection to an initiator: from selection or reselection to bus free, phase by phase.
///
/// One operation of the scsi_target block is under way at a time, and its end is an event. Between
/// two operations the connection first answers ATN with a MESSAGE OUT phase. Then it sends pending
/// messages, and then takes its next step. Tasks that want the bus queue here in the order of their
/// requests. Those that the media wait for go first. When the bus becomes free, the first task
/// whose initiator has no contingent allegiance is reselected.
///
/// Errors (SCSI-2 6.1.9.2, 6.6, 7.6). After a parity error in MESSAGE OUT the initiator sends the
/// messages again, up to CONNECTION_RETRIES times; then the bus is freed. In COMMAND, the drive
/// sends RESTORE POINTERS and repeats the phase as often; then comes CHECK CONDITION B/47/00. In
/// DATA OUT, CHECK CONDITION B/47/00 comes at once. An initiator that does not answer
/// CONNECTION_RETRIES reselections loses the task. When the drive frees the bus without DISCONNECT
/// or COMMAND COMPLETE, the connected task ends (SCSI-2 6.1.1).
#ifndef FIRMWARE_TARGET_CONNECTION_H
#define FIRMWARE_TARGET_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task.h"
#include "firmware/target/target_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Starts with a free bus and no request.
void connection_init(struct connection* connection);

/// Sets the state after a reset of the bus. Tasks that are still being aborted stay in the queue.
void connection_reset(struct connection* connection);

/// Acts on bits of enum scsi_target_event, without BUS_RESET, which target_on_events() handles.
void connection_on_events(struct target* target, uint32_t events);

/// Acts on the alarm: the reselection has timed out, or a stage of the controller is over.
void connection_on_alarm(struct target* target);

/// Requests the bus for a task that has granted blocks or is TASK_ENDED. Repeated calls do no harm.
void connection_request(struct target* target, struct task* task);

/// Stops the data phase of a failed task, if one is under way.
void connection_stop_data(struct target* target, const struct task* task);

/// Acts on RST: the block has freed the bus already. The caller ends the tasks, then calls
/// connection_reset().
void connection_bus_reset(struct target* target);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_CONNECTION_H
