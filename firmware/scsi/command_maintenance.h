// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the commands that fill in the maintenance order share.
#ifndef FIRMWARE_SCSI_COMMAND_MAINTENANCE_H
#define FIRMWARE_SCSI_COMMAND_MAINTENANCE_H

#include "firmware/scsi/command.h"
#include "firmware/scsi/maintenance_order.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins an order. @return false when one is queued.
bool command_begin_order(struct scsi* scsi, enum maintenance_kind kind);

/// Queues a task for the complete order.
enum command_result command_queue_order(struct scsi* scsi, struct command* command);

/// Requests the next piece of the descriptors. When all have come, queues the order.
enum command_result command_need_descriptors(struct scsi* scsi, struct command* command);

/// Adds a block to the list, which has room. @return COMMAND_DONE; COMMAND_CHECK when there is no
/// such block.
enum command_result command_take_block(struct scsi* scsi, struct command* command, uint32_t lba);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_COMMAND_MAINTENANCE_H
