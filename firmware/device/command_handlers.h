// SPDX-License-Identifier: Apache-2.0
/// @file
/// The handlers of commands. The file that a row in commands.def names implements its handler.
#ifndef FIRMWARE_DEVICE_COMMAND_HANDLERS_H
#define FIRMWARE_DEVICE_COMMAND_HANDLERS_H

#include "firmware/device/command.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of a handler: it executes the command, takes its next data, or gives them.
typedef enum command_result command_handler(struct device* device, struct command* command);

#define COMMAND(name, code, file, flags, handler, ...) command_handler handler;
#define DATA_COMMAND(name, code, file, flags, handler, data_handler, ...) \
  command_handler handler;                                                \
  command_handler data_handler;
#include "firmware/device/commands.def"
#undef DATA_COMMAND
#undef COMMAND

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_COMMAND_HANDLERS_H
