// SPDX-License-Identifier: Apache-2.0
/// @file
/// The table of commands (commands.def), and the checks that every command passes.
///
/// Checks are made in this order, and the first that fails gives the answer. First come incorrect
/// initiator connection (overlapped commands), logical unit, unit attention, deferred error,
/// operation code and reservation. Then come CDB bits (command_rows.h), readiness, and the
/// handler's own checks.
#ifndef FIRMWARE_DEVICE_COMMAND_TABLE_H
#define FIRMWARE_DEVICE_COMMAND_TABLE_H

#include "firmware/device/command.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Executes a command as far as possible without the initiator's data or the media.
enum command_result command_execute(struct device* device, struct command* command);

/// Executes the command further: the data of COMMAND_NEEDS_DATA have come, data_count bytes at
/// `data`. The command may need more.
enum command_result command_finish(struct device* device, struct command* command);

/// Continues a command whose data_count is more than DEVICE_DATA_BYTES. Its first data_done
/// bytes have gone to the initiator. Puts the next ones, as many as there are and fit, at `data`.
void command_continue(struct device* device, struct command* command);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_COMMAND_TABLE_H
