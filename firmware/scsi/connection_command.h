/// @file
/// Command, data and status of what is connected.
#ifndef FIRMWARE_SCSI_CONNECTION_COMMAND_H
#define FIRMWARE_SCSI_CONNECTION_COMMAND_H

#include <stdbool.h>

#include "firmware/scsi/scsi_state.h"
#include "firmware/scsi/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

void connection_start_command(struct scsi* scsi);
void connection_start_data(struct scsi* scsi);
void connection_send_status(struct scsi* scsi);

// What such a phase has brought: the connection goes on.
void connection_command_bytes(struct scsi* scsi, bool damaged);
void connection_data_bytes(struct scsi* scsi, bool damaged);
void connection_dma_done(struct scsi* scsi, bool damaged);

/// What the connected task needs next. @return whether the connection goes on; else an operation
/// has begun, or the connection waits for the core.
bool connection_serve(struct scsi* scsi);

/// The command of this connection fails by the bus's fault; status follows, at once or when the
/// core lets go.
void connection_fail(struct scsi* scsi, enum sense_code code);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_CONNECTION_COMMAND_H
