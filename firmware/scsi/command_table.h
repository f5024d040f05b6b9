/// @file
/// The table of commands (commands.def), and the checks that every command passes.
///
/// Checks are made in this order, the first that fails answers: incorrect initiator connection
/// (overlapped commands), logical unit, unit attention, deferred error, operation code,
/// reservation, CDB bits (command_rows.h), readiness, then what the handler looks at.
#ifndef FIRMWARE_SCSI_COMMAND_TABLE_H
#define FIRMWARE_SCSI_COMMAND_TABLE_H

#include "firmware/scsi/command.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Executes a command as far as it can without the initiator's data or the media.
enum command_result command_execute(struct scsi* scsi, struct command* command);

/// The data asked for by COMMAND_NEEDS_DATA has come: data_count bytes at `data`. It may need more.
enum command_result command_finish(struct scsi* scsi, struct command* command);

/// The first data_done bytes of a command whose data_count is more than CONNECTION_DATA_BYTES have
/// gone to the initiator: puts the next ones, as many as there are and fit, at `data`.
void command_continue(struct scsi* scsi, struct command* command);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_COMMAND_TABLE_H
