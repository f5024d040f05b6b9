// SPDX-License-Identifier: Apache-2.0
// READ DEFECT DATA (SCSI-2 9.2.8; the 12-byte form SBC-2 5.13).
#include "firmware/device/command_handlers.h"
#include "firmware/device/command_rows.h"
#include "firmware/device/device.h"
#include "firmware/drive_design.h"
#include "firmware/kernel/bytes.h"
#include "firmware/motion/defect_list.h"

/// Bits of byte 2 of the 10-byte command, of byte 1 of the other, and of byte 1 of the returned
/// header.
#define PRIMARY_LIST 0x10U
#define GROWN_LIST 0x08U
#define LIST_FORMAT 0x07U

#define HEADER_10_BYTES 4U
#define HEADER_12_BYTES 8U
#define BLOCK_BYTES 4U
#define PLACE_BYTES 8U
/// The limit keeps all descriptors below 64 KiB, which a header of 4 bytes can count.
#define DESCRIPTORS_MAX 8190U

/// The data that are returned.
struct defect_data {
  uint32_t lists;    ///< PRIMARY_LIST, GROWN_LIST
  uint32_t format;   ///< enum defect_format
  uint32_t primary;  ///< Number of descriptors.
  uint32_t count;    ///< Number of all bytes.
  uint32_t header_bytes;
  bool is_default_format;  ///< The format differs from the requested one.
};

static bool is_10_byte(const struct command* command) {
  return command->cdb[0] == OPCODE_READ_DEFECT_DATA_10;
}

static uint32_t list_byte(const struct command* command) {
  return is_10_byte(command) ? command->cdb[2] : command->cdb[1];
}

/// Only a defect that was on a block has a block's address. The maker's defects and bad spares have
/// none.
static bool have_blocks(const struct device* device, const struct defect_data* data) {
  if (data->primary > 0) return false;
  for (uint32_t i = 0; i < data->count; ++i) {
    struct defect_place defect;
    defect_data_grown(device->parts.defects, i, &defect);
    if (defect.lba == DEFECT_TRACK) return false;
  }
  return true;
}

static bool can_give(const struct device* device, const struct defect_data* data, uint32_t format) {
  switch (format) {
    case DEFECT_BY_BLOCK: return have_blocks(device, data);
    case DEFECT_BY_BYTES_FROM_INDEX:
    case DEFECT_BY_SECTOR: return true;
    default: return false;
  }
}

/// Counts all of the data, whatever their format.
static struct defect_data count_lists(const struct device* device, const struct command* command) {
  const uint32_t asked = list_byte(command);
  struct defect_data data = {.lists = asked & (PRIMARY_LIST | GROWN_LIST)};
  data.header_bytes = is_10_byte(command) ? HEADER_10_BYTES : HEADER_12_BYTES;
  if ((asked & PRIMARY_LIST) != 0) data.primary = device->parts.design->defect_descriptors;
  data.count = data.primary;
  if ((asked & GROWN_LIST) != 0) data.count += device->parts.defects->count;
  if (data.count > DESCRIPTORS_MAX) data.count = DESCRIPTORS_MAX;
  data.format = asked & LIST_FORMAT;
  return data;
}

static void set_format(struct defect_data* data, bool is_default) {
  data->is_default_format = is_default;
  if (is_default) data->format = DEFECT_BY_SECTOR;
}

static uint32_t descriptor_bytes(const struct defect_data* data) {
  return data->format == DEFECT_BY_BLOCK ? BLOCK_BYTES : PLACE_BYTES;
}

static void put_header(const struct defect_data* data, uint8_t* bytes) {
  const uint32_t list_bytes = data->count * descriptor_bytes(data);
  bytes_fill(bytes, 0, data->header_bytes);
  bytes[1] = (uint8_t)(data->lists | data->format);
  if (data->header_bytes == HEADER_10_BYTES) {
    bytes_put_be16(bytes + 2, list_bytes);
  } else {
    bytes_put_be32(bytes + 4, list_bytes);
  }
}

static void put_descriptor(struct device* device, const struct defect_data* data, uint32_t index,
                           uint8_t* bytes) {
  struct defect_place defect;
  if (index < data->primary) {
    defect_data_primary(device->parts.design, &device->defect_cursor, index, &defect);
  } else {
    defect_data_grown(device->parts.defects, index - data->primary, &defect);
  }
  if (data->format == DEFECT_BY_BLOCK) {
    bytes_put_be32(bytes, defect.lba);
    return;
  }
  bytes_put_be24(bytes, defect.cylinder);
  bytes[3] = (uint8_t)defect.head;
  bytes_put_be32(bytes + 4,
                 data->format == DEFECT_BY_BYTES_FROM_INDEX ? defect.bytes : defect.sector);
}

/// The piece of the data that begins at command->data_done, up to byte `end` of all. Headers and
/// descriptors are multiples of 4 bytes: a descriptor of 8 may lie across two pieces.
static void put_piece(struct device* device, const struct defect_data* data,
                      struct command* command, uint32_t end) {
  uint32_t at = 0;
  if (command->data_done == 0) {
    put_header(data, command->data);
    at = data->header_bytes;
  }
  const uint32_t one = descriptor_bytes(data);
  uint32_t index = (command->data_done + at - data->header_bytes) / one;
  uint32_t skipped = (command->data_done + at - data->header_bytes) % one;
  const uint32_t left = end - command->data_done;
  const uint32_t most = left < DEVICE_DATA_BYTES ? left : DEVICE_DATA_BYTES;
  for (; at < most && index < data->count; ++index) {
    uint8_t descriptor[PLACE_BYTES];
    put_descriptor(device, data, index, descriptor);
    const uint32_t room = DEVICE_DATA_BYTES - at;
    const uint32_t bytes = one - skipped < room ? one - skipped : room;
    bytes_copy(command->data + at, descriptor + skipped, bytes);
    at += bytes;
    skipped = 0;
  }
}

static uint32_t allocation_of(const struct command* command) {
  return is_10_byte(command) ? bytes_get_be16(command->cdb + 7) : bytes_get_be32(command->cdb + 6);
}

/// A format that the drive cannot give is replaced by its own. The sense data report that after the
/// data. Descriptors that the initiator has no room for are not made.
enum command_result command_read_defect_data(struct device* device, struct command* command) {
  struct defect_data data = count_lists(device, command);
  set_format(&data, !can_give(device, &data, data.format));
  const uint32_t bytes = data.header_bytes + data.count * descriptor_bytes(&data);
  const uint32_t allocation = allocation_of(command);
  command->data_done = 0;
  put_piece(device, &data, command, allocation < bytes ? allocation : bytes);
  if (data.is_default_format) command->sense = sense_plain(SENSE_DEFECT_LIST_NOT_FOUND);
  return command_reply(command, bytes, allocation);
}

/// A block that moves while its list is on the bus shifts the entries after it. Nothing is read
/// past the list's new end. The sense data that follow the data say of the default format.
enum command_result command_read_defect_data_more(struct device* device, struct command* command) {
  struct defect_data data = count_lists(device, command);
  set_format(&data, command->sense.code == SENSE_DEFECT_LIST_NOT_FOUND);
  bytes_fill(command->data, 0, DEVICE_DATA_BYTES);
  put_piece(device, &data, command, command->data_count);
  return COMMAND_DONE;
}
