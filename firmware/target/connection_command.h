// SPDX-License-Identifier: Apache-2.0
/// @file
/// Command, data and status of the connected nexus.
#ifndef FIRMWARE_TARGET_CONNECTION_COMMAND_H
#define FIRMWARE_TARGET_CONNECTION_COMMAND_H

#include <stdbool.h>

#include "firmware/target/target_state.h"
#include "firmware/unit/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

void connection_start_command(struct target* target);
void connection_start_data(struct target* target);
void connection_send_status(struct target* target);

/// Handles `count` bytes of the CDB that have come. @return whether the connection goes on;
/// otherwise the rest of them has been requested.
bool connection_command_bytes(struct target* target, uint32_t count, bool damaged);
// The functions below handle the bytes that a phase has brought. The connection goes on.
void connection_data_bytes(struct target* target, bool damaged);
void connection_dma_done(struct target* target, bool damaged);

/// Does what the connected task needs next. @return whether the connection goes on. Otherwise an
/// operation has begun, or the connection waits for the core.
bool connection_serve(struct target* target);

/// Fails the connected command by an error of the bus. Status follows at once, or when the core has
/// ended the task.
void connection_fail(struct target* target, enum sense_code code);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_CONNECTION_COMMAND_H
