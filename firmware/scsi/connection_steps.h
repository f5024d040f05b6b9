/// @file
/// Inside the connection: what its source files call of each other.
///
/// connection.c: events and phases. connection_message.c: what arrives by MESSAGE OUT, and what is
/// owed. connection_command.c: command, data and status of what is connected. connection_queue.c:
/// who wants the bus.
#ifndef FIRMWARE_SCSI_CONNECTION_STEPS_H
#define FIRMWARE_SCSI_CONNECTION_STEPS_H

#include "firmware/hal/scsi_target_hal.h"
#include "firmware/scsi/connection.h"
#include "firmware/scsi/scsi.h"

#ifdef __cplusplus
extern "C" {
#endif

// connection.c

/// The operation before has ended: answers ATN, sends what is owed, or takes the step.
void connection_proceed(struct scsi* scsi);
/// Starts a transfer by the FIFO.
void connection_start_fifo(struct scsi* scsi, enum connection_state state, enum scsi_phase phase,
                           uint32_t count);
/// Takes a command, or messages, up to what is whole.
void connection_start_whole(struct scsi* scsi, enum connection_state state, enum scsi_phase phase);
/// Bus free; the connected task goes on without a connection.
void connection_leave(struct scsi* scsi);
/// Unexpected bus free: the connected task ends without status.
void connection_drop(struct scsi* scsi);

// connection_message.c

/// Begins a MESSAGE OUT phase.
void connection_receive_messages(struct scsi* scsi);
/// Bytes have come. Ends in connection_proceed(), or reads on.
void connection_message_bytes(struct scsi* scsi, bool damaged);
/// Adds a message to those owed.
void connection_say(struct connection* connection, const uint8_t* bytes, uint32_t count);
void connection_say_code(struct connection* connection, uint8_t code);
/// Starts the MESSAGE IN phase of what is owed.
void connection_send_messages(struct scsi* scsi);
/// That phase is over.
void connection_messages_sent(struct scsi* scsi);

// connection_command.c

void connection_start_command(struct scsi* scsi);
void connection_command_bytes(struct scsi* scsi, bool damaged);
void connection_start_data(struct scsi* scsi);
void connection_data_bytes(struct scsi* scsi, bool damaged);
/// What the connected task needs next.
void connection_serve(struct scsi* scsi);
void connection_dma_done(struct scsi* scsi, bool damaged);
void connection_send_status(struct scsi* scsi);
/// The command of this connection fails by the bus's fault; status follows, at once or when the
/// core lets go.
void connection_fail(struct scsi* scsi, enum sense_code code);

// connection_queue.c

/// Takes the task out of the queue, if it is in it.
void connection_dequeue(struct scsi* scsi, struct task* task);
/// Nobody answered.
void connection_reselect_failed(struct scsi* scsi);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_CONNECTION_STEPS_H
