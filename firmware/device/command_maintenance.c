// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/command_maintenance.h"
#include "firmware/device/command_handlers.h"
#include "firmware/device/device.h"
#include "firmware/kernel/bytes.h"

// ------------------------------------------------------------------------------------- the order

bool command_begin_order(struct device* device, enum maintenance_kind kind) {
  struct maintenance_order* order = &device->unit.maintenance;
  if (order->task != NULL) return false;
  order->kind = (uint8_t)kind;
  order->names_blocks = true;
  order->is_immediate = false;
  order->discards_grown = false;
  order->certifies = true;
  order->saves_modes = kind == MAINTENANCE_FORMAT || kind == MAINTENANCE_SAVE;
  order->rounded = false;
  order->stage = 0;
  order->pattern_bytes = 0;
  order->count = 0;
  order->offset = 0;
  order->left = 0;
  order->has_ahead = false;
  return true;
}

enum command_result command_queue_order(struct device* device, struct command* command) {
  return command_queue_barrier(device, command, TASK_MAINTENANCE,
                               device->unit.maintenance.is_immediate);
}

enum command_result command_need_descriptors(struct device* device, struct command* command) {
  const struct maintenance_order* order = &device->unit.maintenance;
  if (order->left == 0) return command_queue_order(device, command);
  const uint32_t left = order->has_ahead ? order->left - 1U : order->left;
  command->data_count = left < DEVICE_DATA_BYTES ? left : DEVICE_DATA_BYTES;
  return COMMAND_NEEDS_DATA;
}

enum command_result command_take_block(struct device* device, struct command* command,
                                       uint32_t lba) {
  struct maintenance_order* order = &device->unit.maintenance;
  if (lba >= device->unit.config->block_count)
    return command_fail(command, sense_at_lba(SENSE_LBA_RANGE, lba));
  order->list[order->count++] = lba;
  return COMMAND_DONE;
}

// -------------------------------------------------------------------------------- REASSIGN BLOCKS

/// SCSI-2 9.2.10: header of the defect list, and a block.
#define LIST_HEADER_BYTES 4U
#define BLOCK_BYTES 4U

enum command_result command_reassign_blocks(struct device* device, struct command* command) {
  if (!command_begin_order(device, MAINTENANCE_REASSIGN)) return command_refuse(command);
  command->data_count = LIST_HEADER_BYTES;
  return COMMAND_NEEDS_DATA;
}

/// A list without blocks is no error.
static enum command_result take_list_header(struct device* device, struct command* command) {
  struct maintenance_order* order = &device->unit.maintenance;
  const uint8_t* header = command->data;
  for (uint32_t i = 0; i < 2; ++i) {
    if (header[i] != 0) return command_fail(command, sense_parameter_field(i));
  }
  const uint32_t bytes = bytes_get_be16(header + 2);
  if (bytes % BLOCK_BYTES != 0 || bytes / BLOCK_BYTES > MAINTENANCE_LIST_MAX) {
    return command_fail(command, sense_parameter_field(2));
  }
  if (bytes == 0) return COMMAND_DONE;
  order->left = (uint16_t)bytes;
  order->offset = LIST_HEADER_BYTES;
  return command_need_descriptors(device, command);
}

enum command_result command_reassign_blocks_data(struct device* device, struct command* command) {
  struct maintenance_order* order = &device->unit.maintenance;
  if (order->offset == 0) return take_list_header(device, command);
  for (uint32_t at = 0; at < command->data_count; at += BLOCK_BYTES) {
    const uint32_t lba = bytes_get_be32(command->data + at);
    if (command_take_block(device, command, lba) != COMMAND_DONE) return COMMAND_CHECK;
  }
  order->left = (uint16_t)(order->left - command->data_count);
  return command_need_descriptors(device, command);
}

// -------------------------------------------------------------------------------- SEND DIAGNOSTIC

/// SCSI-2 8.2.15.
#define CDB_SELF_TEST 0x04U

/// There are no diagnostic pages, so a parameter list must be empty. Without a self-test there is
/// then nothing to do.
enum command_result command_send_diagnostic(struct device* device, struct command* command) {
  if (bytes_get_be16(command->cdb + 3) != 0) return command_fail(command, sense_cdb_field(3));
  if ((command->cdb[1] & CDB_SELF_TEST) == 0) return COMMAND_DONE;
  if (!command_begin_order(device, MAINTENANCE_SELF_TEST)) return command_refuse(command);
  return command_queue_order(device, command);
}
