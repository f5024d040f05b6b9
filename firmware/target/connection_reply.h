// SPDX-License-Identifier: Apache-2.0
/// @file
/// Long data of a command without media. They leave in pieces of DEVICE_DATA_BYTES, and the
/// drive disconnects between two of them.
///
/// A piece of a list of defects takes milliseconds to make, and other tasks need the bus meanwhile.
/// The nexus needs a task for its reconnections: a TASK_REPLY. It is made after the first piece. An
/// initiator that does not allow disconnection, or a page 02h with DTDC, gets all pieces at once.
/// So does a command for which there is no free task.
///
/// What a TASK_REPLY says: `sense_information` the CDB and its pieces, `host_blocks_left` the
/// bytes that are still to move, and `sense` what the status will report.
#ifndef FIRMWARE_TARGET_CONNECTION_REPLY_H
#define FIRMWARE_TARGET_CONNECTION_REPLY_H

#include <stdbool.h>

#include "firmware/target/target_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Continues after a piece has moved, when others are to follow. STEP_SERVE is next if the drive
/// disconnects first.
void connection_reply_piece(struct target* target);

/// Does STEP_SERVE of a connected TASK_REPLY. @return as connection_serve().
bool connection_reply_serve(struct target* target, struct task* task);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_CONNECTION_REPLY_H
