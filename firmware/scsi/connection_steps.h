/// @file
/// What the connection does on the bus, operation by operation.
///
/// connection.c hears of the ends of operations and says which comes next; connection_message.c and
/// connection_command.c begin them. A function that returns "the connection goes on" leaves the
/// next step to connection.c.
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
/// Takes a command, or messages, up to what is whole.
void connection_start_whole(struct scsi* scsi, enum connection_state state, enum scsi_phase phase);
/// Adds a message to those owed.
void connection_say(struct connection* connection, const uint8_t* bytes, uint32_t count);
void connection_say_code(struct connection* connection, uint8_t code);
/// Starts the MESSAGE IN phase of what is owed.
void connection_send_messages(struct scsi* scsi);
/// What the status was to tell stays to be told.
void connection_take_back(struct scsi* scsi);
/// Bus free; the connected task goes on without a connection.
void connection_leave(struct scsi* scsi);
/// Unexpected bus free: the connected task ends without status.
void connection_drop(struct scsi* scsi);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_CONNECTION_STEPS_H
