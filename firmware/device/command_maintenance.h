// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the commands that fill in the maintenance order share.
#ifndef FIRMWARE_DEVICE_COMMAND_MAINTENANCE_H
#define FIRMWARE_DEVICE_COMMAND_MAINTENANCE_H

#include "firmware/device/command.h"
#include "firmware/unit/maintenance_order.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins an order. @return false when one is queued.
bool command_begin_order(struct device* device, enum maintenance_kind kind);

/// Queues a task for the complete order.
enum command_result command_queue_order(struct device* device, struct command* command);

/// Requests the next piece of the descriptors. When all have come, queues the order.
enum command_result command_need_descriptors(struct device* device, struct command* command);

/// Adds a block to the list, which has room. @return COMMAND_DONE; COMMAND_CHECK when there is no
/// such block.
enum command_result command_take_block(struct device* device, struct command* command,
                                       uint32_t lba);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_COMMAND_MAINTENANCE_H
