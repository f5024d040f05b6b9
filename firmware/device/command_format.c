// SPDX-License-Identifier: Apache-2.0
// FORMAT UNIT (SCSI-2 9.2.1): the command, and its parameter list piece by piece: header,
// initialization pattern, defect descriptors.
#include "firmware/device/command_handlers.h"
#include "firmware/device/command_maintenance.h"
#include "firmware/device/device.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

#define FILE_ID FILE_ID_COMMAND_FORMAT

/// Byte 1 of the command.
#define CDB_FORMAT_DATA 0x10U
#define CDB_COMPLETE_LIST 0x08U
#define CDB_LIST_FORMAT 0x07U

/// Byte 1 of the defect list header (table 113): bits by number, for field pointers.
enum header_bit {
  HEADER_VENDOR = 0,
  HEADER_IMMEDIATE = 1,
  HEADER_DISABLE_SAVING = 2,
  HEADER_PATTERN = 3,
  HEADER_STOP_FORMAT = 4,
  HEADER_DISABLE_CERTIFICATION = 5,
  HEADER_DISABLE_PRIMARY = 6,
  HEADER_OPTIONS_VALID = 7,
};
#define HEADER_BYTES 4U
#define HEADER_LENGTH_AT 2U

/// Initialization pattern descriptor (table 114), after the header.
#define PATTERN_HEADER_BYTES 4U
#define PATTERN_MODIFIER_AT (HEADER_BYTES + 0U)
#define PATTERN_TYPE_AT (HEADER_BYTES + 1U)
#define PATTERN_LENGTH_AT (HEADER_BYTES + 2U)
#define PATTERN_DEFAULT 0x00U
#define PATTERN_REPEAT 0x01U

#define BLOCK_DESCRIPTOR_BYTES 4U
#define PLACE_DESCRIPTOR_BYTES 8U

/// The next part of the parameter list.
enum stage { STAGE_HEADER, STAGE_PATTERN_HEADER, STAGE_PATTERN, STAGE_DESCRIPTORS };

static uint32_t list_format(const struct command* command) {
  return command->cdb[1] & CDB_LIST_FORMAT;
}

static uint32_t descriptor_bytes(const struct command* command) {
  return list_format(command) == DEFECT_BY_BLOCK ? BLOCK_DESCRIPTOR_BYTES : PLACE_DESCRIPTOR_BYTES;
}

/// Table 112: without a list, CmpLst and the list's format must be 0, and the grown list is kept.
enum command_result command_format_unit(struct device* device, struct command* command) {
  const uint8_t* cdb = command->cdb;
  const bool has_list = (cdb[1] & CDB_FORMAT_DATA) != 0;
  const uint32_t format = list_format(command);
  const bool is_known = format == DEFECT_BY_BLOCK || format == DEFECT_BY_BYTES_FROM_INDEX ||
                        format == DEFECT_BY_SECTOR;
  if (has_list && !is_known) return command_fail(command, sense_cdb_field(1));
  if (!has_list && (cdb[1] & (CDB_COMPLETE_LIST | CDB_LIST_FORMAT)) != 0) {
    return command_fail(command, sense_cdb_field(1));
  }
  // Interleave: 0 is the drive's own, 1 is consecutive sectors; there is no other.
  if (bytes_get_be16(cdb + 3) > 1) return command_fail(command, sense_cdb_field(3));
  if (!command_begin_order(device, MAINTENANCE_FORMAT)) return command_refuse(command);
  device->unit.maintenance.names_blocks = format == DEFECT_BY_BLOCK;
  device->unit.maintenance.discards_grown = (cdb[1] & CDB_COMPLETE_LIST) != 0;
  if (!has_list) return command_queue_order(device, command);
  command->data_count = HEADER_BYTES;
  return COMMAND_NEEDS_DATA;
}

// ----------------------------------------------------------------------------------------- header

static bool is_set(uint8_t byte, enum header_bit bit) { return (byte >> bit & 1U) != 0; }

/// The highest bit of byte 1 that this drive does not support, or HEADER_OPTIONS_VALID for none.
/// Without FOV, the options must be 0. The maker's defects are in the layout, and cannot be
/// disregarded. STPF has no effect: both lists are always available.
static enum header_bit find_bad_bit(uint8_t options) {
  if (is_set(options, HEADER_DISABLE_PRIMARY)) return HEADER_DISABLE_PRIMARY;
  if (!is_set(options, HEADER_OPTIONS_VALID)) {
    for (uint32_t bit = HEADER_DISABLE_CERTIFICATION; bit >= HEADER_DISABLE_SAVING; --bit) {
      if (is_set(options, (enum header_bit)bit)) return (enum header_bit)bit;
    }
  }
  return is_set(options, HEADER_VENDOR) ? HEADER_VENDOR : HEADER_OPTIONS_VALID;
}

static enum command_result take_header(struct device* device, struct command* command) {
  struct maintenance_order* order = &device->unit.maintenance;
  const uint8_t* header = command->data;
  if (header[0] != 0) return command_fail(command, sense_parameter_field(0));
  const uint8_t options = header[1];
  const enum header_bit bad = find_bad_bit(options);
  if (bad != HEADER_OPTIONS_VALID) return command_fail(command, sense_parameter_bit(1, bad));
  const uint32_t bytes = bytes_get_be16(header + HEADER_LENGTH_AT);
  const uint32_t one = descriptor_bytes(command);
  if (bytes % one != 0 || bytes / one > MAINTENANCE_LIST_MAX) {
    return command_fail(command, sense_parameter_field(HEADER_LENGTH_AT));
  }
  order->is_immediate = is_set(options, HEADER_IMMEDIATE);
  order->certifies = !is_set(options, HEADER_DISABLE_CERTIFICATION);
  order->saves_modes = !is_set(options, HEADER_DISABLE_SAVING);
  order->left = (uint16_t)bytes;
  order->offset = HEADER_BYTES;
  if (!is_set(options, HEADER_PATTERN)) {
    order->stage = STAGE_DESCRIPTORS;
    return command_need_descriptors(device, command);
  }
  order->stage = STAGE_PATTERN_HEADER;
  command->data_count = PATTERN_HEADER_BYTES;
  return COMMAND_NEEDS_DATA;
}

// ---------------------------------------------------------------------------------------- pattern

STATIC_ASSERT(MAINTENANCE_PATTERN_MAX < DEVICE_DATA_BYTES, "a pattern is one piece");

static enum command_result need_descriptors(struct device* device, struct command* command) {
  device->unit.maintenance.stage = STAGE_DESCRIPTORS;
  return command_need_descriptors(device, command);
}

/// Requests the pattern. On a wide bus a piece of odd length ends within a word (SCSI-2 6.6.8). The
/// word's second byte is the next one of the list. So that byte comes with the pattern.
static enum command_result need_pattern(struct device* device, struct command* command) {
  struct maintenance_order* order = &device->unit.maintenance;
  if (order->pattern_bytes == 0) return need_descriptors(device, command);
  order->has_ahead = order->pattern_bytes % 2 != 0 && order->left > 0;
  order->stage = STAGE_PATTERN;
  command->data_count = order->pattern_bytes + (order->has_ahead ? 1U : 0U);
  return COMMAND_NEEDS_DATA;
}

/// The drive does not write block addresses into blocks, so it accepts no modifier.
static enum command_result take_pattern_header(struct device* device, struct command* command) {
  struct maintenance_order* order = &device->unit.maintenance;
  const uint8_t* descriptor = command->data;
  if (descriptor[0] != 0) return command_fail(command, sense_parameter_field(PATTERN_MODIFIER_AT));
  const uint32_t type = descriptor[1];
  if (type != PATTERN_DEFAULT && type != PATTERN_REPEAT) {
    return command_fail(command, sense_parameter_field(PATTERN_TYPE_AT));
  }
  const uint32_t block_bytes = device->unit.config->block_bytes;
  const uint32_t most =
      block_bytes < MAINTENANCE_PATTERN_MAX ? block_bytes : MAINTENANCE_PATTERN_MAX;
  const uint32_t bytes = bytes_get_be16(descriptor + 2);
  const bool fits = type == PATTERN_DEFAULT ? bytes == 0 : bytes >= 1 && bytes <= most;
  if (!fits) return command_fail(command, sense_parameter_field(PATTERN_LENGTH_AT));
  order->pattern_bytes = (uint16_t)bytes;
  order->offset = HEADER_BYTES + PATTERN_HEADER_BYTES;
  return need_pattern(device, command);
}

static enum command_result take_pattern(struct device* device, struct command* command) {
  struct maintenance_order* order = &device->unit.maintenance;
  const uint32_t count = order->pattern_bytes;
  bytes_copy(order->pattern, command->data, count);
  order->ahead = command->data[count];
  order->offset = (uint16_t)(order->offset + count);
  return need_descriptors(device, command);
}

// ------------------------------------------------------------------------------------ descriptors

/// An entry for a whole track counts as many defects as the track has sectors.
static enum command_result take_place(struct device* device, struct command* command, uint32_t at) {
  struct maintenance_order* order = &device->unit.maintenance;
  uint32_t first = 0;
  uint32_t count = 0;
  const uint32_t bad =
      defect_data_sectors(device->parts.design, (enum defect_format)list_format(command),
                          command->data + at, &first, &count);
  if (bad != DEFECT_FINE) {
    return command_fail(command, sense_parameter_field(order->offset + at + bad));
  }
  if (count > MAINTENANCE_LIST_MAX - order->count) {
    return command_fail(command, sense_parameter_field(HEADER_LENGTH_AT));
  }
  for (uint32_t i = 0; i < count; ++i) order->list[order->count++] = first + i;
  return COMMAND_DONE;
}

static enum command_result take_block(struct device* device, struct command* command, uint32_t at) {
  const uint32_t lba = bytes_get_be32(command->data + at);
  if (lba < device->unit.config->block_count) return command_take_block(device, command, lba);
  return command_fail(command, sense_parameter_field(device->unit.maintenance.offset + at));
}

/// Puts the byte that came ahead before the others. If it is not the last piece, the piece's last
/// byte comes ahead of the next one. @return bytes of whole descriptors.
static uint32_t put_ahead(struct maintenance_order* order, const struct command* command) {
  const uint32_t count = command->data_count;
  if (!order->has_ahead) return count;
  uint8_t* data = command->data;
  const uint8_t last = data[count - 1U];
  for (uint32_t i = count - 1U; i > 0; --i) data[i] = data[i - 1U];
  data[0] = order->ahead;
  order->ahead = last;
  order->has_ahead = count + 1U < order->left;
  if (order->has_ahead) return count;
  data[count] = last;
  return count + 1U;
}

static enum command_result take_descriptors(struct device* device, struct command* command) {
  struct maintenance_order* order = &device->unit.maintenance;
  const uint32_t count = put_ahead(order, command);
  for (uint32_t at = 0; at < count; at += descriptor_bytes(command)) {
    const enum command_result taken =
        order->names_blocks ? take_block(device, command, at) : take_place(device, command, at);
    if (taken != COMMAND_DONE) return taken;
  }
  order->offset = (uint16_t)(order->offset + count);
  order->left = (uint16_t)(order->left - count);
  return command_need_descriptors(device, command);
}

enum command_result command_format_unit_data(struct device* device, struct command* command) {
  switch ((enum stage)device->unit.maintenance.stage) {
    case STAGE_HEADER: return take_header(device, command);
    case STAGE_PATTERN_HEADER: return take_pattern_header(device, command);
    case STAGE_PATTERN: return take_pattern(device, command);
    case STAGE_DESCRIPTORS: return take_descriptors(device, command);
  }
  ASSERT_UNREACHABLE();
}
