// SPDX-License-Identifier: Apache-2.0
/// @file
/// The operations of the connection on the bus.
///
/// connection.c handles the ends of operations and chooses the next step; connection_message.c and
/// connection_command.c begin operations. A function that returns "the connection goes on" leaves
/// the next step to connection.c.
#ifndef FIRMWARE_TARGET_CONNECTION_STEPS_H
#define FIRMWARE_TARGET_CONNECTION_STEPS_H

#include <stdint.h>

#include "firmware/hal/scsi_target_hal.h"
#include "firmware/target/message.h"
#include "firmware/target/target_state.h"
#include "firmware/transfer/service_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Starts a transfer by the FIFO.
void connection_start_fifo(struct target* target, enum connection_state state,
                           enum scsi_phase phase, uint32_t count);
/// Receives a whole command, or whole messages.
void connection_start_whole(struct target* target, enum connection_state state,
                            enum scsi_phase phase);
/// Appends a message to the pending ones.
void connection_say(struct connection* connection, const uint8_t* bytes, uint32_t count);
void connection_say_code(struct connection* connection, uint8_t code);
/// Starts the MESSAGE IN phase of the pending messages.
void connection_send_messages(struct target* target);
/// Makes a report pending again, because its status was not sent.
void connection_take_back(struct target* target);
/// Frees the bus; the connected task goes on without a connection.
void connection_leave(struct target* target);
/// Ends the connected task without status: unexpected bus free.
void connection_drop(struct target* target);

/// Leaves the bus. The task requests it again when it has something to do there.
///
/// A reconnection restores the pointers (SCSI-2 6.6.7). When a read's data have all moved, the
/// saved pointers must show that. Its status may still have to wait, for a block that moves to a
/// spare. A write whose data have all moved needs no pointers any more.
static inline __attribute__((always_inline)) void connection_disconnect(struct target* target,
                                                                        struct task* task) {
  struct connection* connection = &target->connection;
  const bool pointers_matter = task->host_blocks_left > 0 || task->operation == TASK_READ;
  if ((task->flags & TASK_FLAG_MOVED_DATA) != 0 && pointers_matter) {
    connection_say_code(connection, MESSAGE_SAVE_DATA_POINTER);
  }
  task->flags &= (uint16_t)~TASK_FLAG_MOVED_DATA;
  service_tasks_release_bus(target->parts.service);
  connection_say_code(connection, MESSAGE_DISCONNECT);
  connection->step = STEP_RELEASE;
  connection_send_messages(target);
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_CONNECTION_STEPS_H
