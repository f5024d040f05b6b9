// SPDX-License-Identifier: Apache-2.0
/// @file
/// The operations of the connection on the bus.
///
/// connection.c handles the ends of operations and chooses the next step; connection_message.c and
/// connection_command.c begin operations. A function that returns "the connection goes on" leaves
/// the next step to connection.c.
#ifndef FIRMWARE_SCSI_CONNECTION_STEPS_H
#define FIRMWARE_SCSI_CONNECTION_STEPS_H

#include <stdint.h>

#include "firmware/hal/scsi_target_hal.h"
#include "firmware/scsi/scsi_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Starts a transfer by the FIFO.
void connection_start_fifo(struct scsi* scsi, enum connection_state state, enum scsi_phase phase,
                           uint32_t count);
/// Receives a whole command, or whole messages.
void connection_start_whole(struct scsi* scsi, enum connection_state state, enum scsi_phase phase);
/// Appends a message to the pending ones.
void connection_say(struct connection* connection, const uint8_t* bytes, uint32_t count);
void connection_say_code(struct connection* connection, uint8_t code);
/// Starts the MESSAGE IN phase of the pending messages.
void connection_send_messages(struct scsi* scsi);
/// The status was not sent: what it should have reported is pending again.
void connection_take_back(struct scsi* scsi);
/// Frees the bus; the connected task goes on without a connection.
void connection_leave(struct scsi* scsi);
/// Unexpected bus free: the connected task ends without status.
void connection_drop(struct scsi* scsi);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_CONNECTION_STEPS_H
