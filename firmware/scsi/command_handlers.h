/// @file
/// The handlers of commands: each is implemented by the file that its row in commands.def names.
#ifndef FIRMWARE_SCSI_COMMAND_HANDLERS_H
#define FIRMWARE_SCSI_COMMAND_HANDLERS_H

#include "firmware/scsi/command.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a handler is: executes the command, or takes or gives the next of its data.
typedef enum command_result command_handler(struct scsi* scsi, struct command* command);

#define COMMAND(name, code, file, flags, handler, ...) command_handler handler;
#define DATA_COMMAND(name, code, file, flags, handler, data_handler, ...) \
  command_handler handler;                                                \
  command_handler data_handler;
#include "firmware/scsi/commands.def"
#undef DATA_COMMAND
#undef COMMAND

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_COMMAND_HANDLERS_H
