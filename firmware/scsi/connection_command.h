// SPDX-License-Identifier: Apache-2.0
/// @file
/// Command, data and status of the connected nexus.
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

/// Handles `count` bytes of the CDB that have come. @return whether the connection goes on;
/// otherwise the rest of them has been requested.
bool connection_command_bytes(struct scsi* scsi, uint32_t count, bool damaged);
// The functions below handle the bytes that a phase has brought. The connection goes on.
void connection_data_bytes(struct scsi* scsi, bool damaged);
void connection_dma_done(struct scsi* scsi, bool damaged);

/// Does what the connected task needs next. @return whether the connection goes on. Otherwise an
/// operation has begun, or the connection waits for the core.
bool connection_serve(struct scsi* scsi);

/// Fails the connected command by an error of the bus. Status follows at once, or when the core has
/// ended the task.
void connection_fail(struct scsi* scsi, enum sense_code code);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_CONNECTION_COMMAND_H
