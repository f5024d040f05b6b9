// SPDX-License-Identifier: Apache-2.0
// READ BUFFER and WRITE BUFFER (SPC-2 7.13, 7.26): the maps by which a drive moves its blocks, and
// what it has learned of its load. Mode 2 moves data, mode 3 returns the length of a buffer.
#include "firmware/device/buffers.h"
#include "firmware/device/command_handlers.h"
#include "firmware/device/device.h"
#include "firmware/kernel/bytes.h"

#define CDB_MODE 0x0FU
#define MODE_DATA 2U
#define MODE_DESCRIPTOR 3U
#define DESCRIPTOR_BYTES 4U
/// Offsets are multiples of 2^1 (SPC-2 7.13.5).
#define OFFSET_BOUNDARY 1U

static uint32_t offset_of(const struct command* command) {
  return bytes_get_be24(command->cdb + 3);
}
static uint32_t length_of(const struct command* command) {
  return bytes_get_be24(command->cdb + 6);
}

/// All zeros where there is no such buffer (SPC-2 7.13.5).
static enum command_result reply_descriptor(struct command* command, uint32_t bytes) {
  if (offset_of(command) != 0) return command_fail(command, sense_cdb_field(3));
  bytes_put_be32(command->data, bytes);
  if (bytes > 0) command->data[0] = OFFSET_BOUNDARY;
  return command_reply(command, DESCRIPTOR_BYTES, length_of(command));
}

/// Not more than the drive has room for, nor than there is, comes in one command (SPC-2 7.13.4).
enum command_result command_read_buffer(struct device* device, struct command* command) {
  const uint32_t mode = command->cdb[1] & CDB_MODE;
  const uint32_t id = command->cdb[2];
  if (mode != MODE_DATA && mode != MODE_DESCRIPTOR) {
    return command_fail(command, sense_cdb_field(1));
  }
  const uint32_t bytes = buffer_bytes(&device->parts, id);
  if (mode == MODE_DESCRIPTOR) return reply_descriptor(command, bytes);
  if (bytes == 0) return command_fail(command, sense_cdb_field(2));
  const uint32_t offset = offset_of(command);
  if (offset % (1U << OFFSET_BOUNDARY) != 0 || offset >= bytes) {
    return command_fail(command, sense_cdb_field(3));
  }
  uint32_t count = bytes - offset;
  if (count > DEVICE_DATA_BYTES) count = DEVICE_DATA_BYTES;
  buffer_read(&device->parts, id, offset, command->data, count);
  return command_reply(command, count, length_of(command));
}

/// No data is no error (SPC-2 7.26).
enum command_result command_write_buffer(struct device* device, struct command* command) {
  (void)device;
  const uint32_t count = length_of(command);
  if ((command->cdb[1] & CDB_MODE) != MODE_DATA) return command_fail(command, sense_cdb_field(1));
  if (count == 0) return COMMAND_DONE;
  if (offset_of(command) % (1U << OFFSET_BOUNDARY) != 0) {
    return command_fail(command, sense_cdb_field(3));
  }
  if (count > DEVICE_DATA_BYTES || count % 2 != 0) {
    return command_fail(command, sense_cdb_field(6));
  }
  command->data_count = count;
  return COMMAND_NEEDS_DATA;
}

enum command_result command_write_buffer_data(struct device* device, struct command* command) {
  uint32_t bad = 0;
  switch (buffer_write(&device->parts, command->cdb[2], offset_of(command), command->data,
                       command->data_count, &bad)) {
    case BUFFER_TAKEN: return COMMAND_DONE;
    case BUFFER_NO_SUCH: return command_fail(command, sense_cdb_field(2));
    case BUFFER_BUSY: return command_refuse(command);
    case BUFFER_BAD_OFFSET: return command_fail(command, sense_cdb_field(3));
    case BUFFER_BAD_BYTES: return command_fail(command, sense_parameter_field(bad));
  }
  return command_fail(command, sense_cdb_field(2));
}
