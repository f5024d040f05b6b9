// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/command_handlers.h"
#include "firmware/device/command_maintenance.h"
#include "firmware/device/command_rows.h"
#include "firmware/device/device.h"
#include "firmware/device/mode_change.h"
#include "firmware/device/mode_select.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/transfer/host_events.h"

/// Mode parameter headers (SPC-2 tables 147, 148) and the block descriptor (SBC-2 6.3.2, short
/// form).
#define HEADER_6_BYTES 4U
#define HEADER_10_BYTES 8U
#define DESCRIPTOR_BYTES 8U
/// Device-specific parameter (SBC-2 table 94): DPO and FUA are supported.
#define DPOFUA 0x10U
/// A number of blocks that means "all" in a descriptor.
#define ALL_BLOCKS 0xFFFFFFFFU

#define CDB_DISABLE_BLOCK_DESCRIPTORS 0x08U
#define CDB_SAVE_PAGES 0x01U

STATIC_ASSERT(HEADER_10_BYTES + DESCRIPTOR_BYTES + MODE_PAGES_BYTES + DURATION_PAGES_BYTES +
                      STREAM_PAGE_BYTES <=
                  DEVICE_DATA_BYTES,
              "all pages fit the buffer");
/// The longest data that the length byte of the short header can count.
#define SHORT_BYTES_MAX 256U
STATIC_ASSERT(HEADER_6_BYTES + DESCRIPTOR_BYTES + MODE_PAGES_BYTES <= SHORT_BYTES_MAX,
              "MODE SENSE(6) returns all pages");

static void put_descriptor(const struct unit_config* config, uint8_t* bytes) {
  bytes_put_be32(bytes, config->block_count);
  bytes_put_be32(bytes + 4, config->block_bytes);
}

static bool is_6_byte(const struct command* command) {
  return command_cdb_bytes(command->cdb[0]) == 6;
}

static struct mode_view view_of(struct device* device, const struct command* command) {
  return (struct mode_view){&device->unit.modes, &device->unit.durations[command->initiator]};
}

/// More than a page or two with their subpages needs MODE SENSE(10).
enum command_result command_mode_sense(struct device* device, struct command* command) {
  const uint8_t* cdb = command->cdb;
  uint8_t* data = command->data;
  const uint32_t header_bytes = is_6_byte(command) ? HEADER_6_BYTES : HEADER_10_BYTES;
  const uint32_t descriptor_bytes =
      (cdb[1] & CDB_DISABLE_BLOCK_DESCRIPTORS) != 0 ? 0 : DESCRIPTOR_BYTES;
  const enum mode_page_control control = (enum mode_page_control)(cdb[2] >> 6);
  if (control == MODE_SAVED && !device->unit.config->keeps_modes) {
    return command_fail(command, sense_plain(SENSE_SAVING_NOT_SUPPORTED));
  }
  bytes_fill(data, 0, header_bytes);
  if (descriptor_bytes != 0) put_descriptor(device->unit.config, data + header_bytes);
  const struct mode_view view = view_of(device, command);
  uint32_t page_bytes = 0;
  switch (mode_pages_get(&view, cdb[2] & MODE_PAGE_ALL, cdb[3], control,
                         data + header_bytes + descriptor_bytes, &page_bytes)) {
    case MODE_FOUND: break;
    case MODE_NO_PAGE: return command_fail(command, sense_cdb_field(2));
    case MODE_NO_SUBPAGE: return command_fail(command, sense_cdb_field(3));
    case MODE_NOT_SAVED: return command_fail(command, sense_plain(SENSE_SAVING_NOT_SUPPORTED));
  }
  const uint32_t count = header_bytes + descriptor_bytes + page_bytes;
  if (is_6_byte(command)) {
    if (count > SHORT_BYTES_MAX) return command_fail(command, sense_cdb_field(3));
    data[0] = (uint8_t)(count - 1U);  // the length does not count itself
    data[2] = DPOFUA;
    data[3] = (uint8_t)descriptor_bytes;
    return command_reply(command, count, cdb[4]);
  }
  bytes_put_be16(data, count - 2U);
  data[3] = DPOFUA;
  bytes_put_be16(data + 6, descriptor_bytes);
  return command_reply(command, count, bytes_get_be16(cdb + 7));
}

static uint32_t list_bytes(const struct command* command) {
  return is_6_byte(command) ? command->cdb[4] : bytes_get_be16(command->cdb + 7);
}

/// SP.
static bool wants_save(const struct command* command) {
  return (command->cdb[1] & CDB_SAVE_PAGES) != 0;
}

/// With PF 0 what follows the block descriptors is the vendor's (SCSI-2 8.2.8), and this vendor has
/// pages there. Without a store nothing can be saved. An empty list is no error.
enum command_result command_mode_select(struct device* device, struct command* command) {
  const uint32_t count = list_bytes(command);
  if (wants_save(command) && !device->unit.config->keeps_modes) {
    return command_fail(command, sense_cdb_field(1));
  }
  if (count == 0) return COMMAND_DONE;
  if (count > DEVICE_DATA_BYTES) {
    return command_fail(command, sense_plain(SENSE_PARAMETER_LIST_LENGTH));
  }
  command->data_count = count;
  return COMMAND_NEEDS_DATA;
}

/// MODE SELECT cannot reformat the medium. The descriptor must have the current values, or 0 blocks
/// for "unchanged".
static struct sense check_descriptor(const struct unit_config* config, const uint8_t* list,
                                     uint32_t at) {
  const uint32_t blocks = bytes_get_be32(list + at);
  if (blocks != 0 && blocks != config->block_count && blocks != ALL_BLOCKS) {
    return sense_parameter_field(at);
  }
  if (bytes_get_be32(list + at + 4) != config->block_bytes) return sense_parameter_field(at + 5);
  return sense_plain(SENSE_NONE);
}

/// Checks header and descriptor. @param[out] pages_at  Where the first page begins.
static struct sense check_header(const struct device* device, const struct command* command,
                                 uint32_t* pages_at) {
  const uint8_t* list = command->data;
  const bool short_header = is_6_byte(command);
  const uint32_t header_bytes = short_header ? HEADER_6_BYTES : HEADER_10_BYTES;
  const uint32_t count = command->data_count;
  if (count < header_bytes) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  const uint32_t medium_type_at = short_header ? 1 : 2;
  if (list[medium_type_at] != 0) return sense_parameter_field(medium_type_at);
  const uint32_t length_at = short_header ? 3 : 6;
  const uint32_t descriptor_bytes = short_header ? list[3] : bytes_get_be16(list + 6);
  *pages_at = header_bytes + descriptor_bytes;
  if (descriptor_bytes == 0) return sense_plain(SENSE_NONE);
  if (descriptor_bytes != DESCRIPTOR_BYTES) return sense_parameter_field(length_at);
  if (count < *pages_at) return sense_plain(SENSE_PARAMETER_LIST_LENGTH);
  return check_descriptor(device->unit.config, list, header_bytes);
}

/// With SP, where there is a store: the drive writes the pages there first, and then sends the
/// status.
static enum command_result order_save(struct device* device, struct command* command,
                                      bool rounded) {
  device->unit.maintenance.rounded = rounded;
  return command_queue_order(device, command);
}

/// Whether the command turns the write cache off, while data are in it alone. It then ends when
/// they are on the media (SBC-3 6.4.5).
static bool must_write_back(const struct device* device, const struct command* command,
                            uint32_t pages_at) {
  return device->tasks->reported_count > 0 &&
         mode_select_turn_cache_off(command->data, pages_at, command->data_count);
}

static enum command_result order_write_back(struct device* device, struct command* command,
                                            bool rounded) {
  const struct block_range all = {0, device->unit.config->block_count};
  const enum command_result result =
      command_queue_task(device, command, TASK_SYNCHRONIZE, &all, false);
  const bool says_rounded = rounded && result == COMMAND_TASK && command->task->sense == SENSE_NONE;
  if (says_rounded) task_set_sense(command->task, SENSE_ROUNDED_PARAMETER);
  return result;
}

/// Sets pages of a command that goes on as a task. They take effect when the task is certain to be
/// served.
static enum command_result set_and_queue(struct device* device, struct command* command,
                                         uint32_t pages_at, bool to_store) {
  const struct mode_view view = view_of(device, command);
  const uint32_t count = command->data_count;
  const enum task_operation operation = to_store ? TASK_MAINTENANCE : TASK_SYNCHRONIZE;
  if (!command_may_queue(device, command, operation)) return command_refuse(command);
  if (to_store && !command_begin_order(device, MAINTENANCE_SAVE)) return command_refuse(command);
  const bool rounded =
      mode_select_round(&device->unit.modes, &device->parts, command->data, pages_at, count);
  mode_change_note(device, command->initiator);
  const bool is_shared = mode_select_set(&view, command->data, pages_at, count);
  const enum command_result result =
      to_store ? order_save(device, command, rounded) : order_write_back(device, command, rounded);
  if (result == COMMAND_TASK) {
    mode_change_await(device, command->task, is_shared);
  } else {
    mode_change_undo(device);
  }
  return result;
}

/// All pages are checked before any is changed. The other initiators get 2A/01 for a change of what
/// they share.
enum command_result command_mode_select_data(struct device* device, struct command* command) {
  const uint32_t count = command->data_count;
  const struct mode_view view = view_of(device, command);
  uint32_t pages_at = 0;
  struct sense sense = check_header(device, command, &pages_at);
  if (sense.code == SENSE_NONE) {
    sense = mode_select_check(&view, &device->parts, command->data, pages_at, count);
  }
  if (sense.code != SENSE_NONE) return command_fail(command, sense);
  const bool to_store = wants_save(command);
  if (to_store && device_not_ready(device) != SENSE_NONE) {
    return command_fail(command, sense_plain(device_not_ready(device)));
  }
  if (to_store || must_write_back(device, command, pages_at)) {
    return set_and_queue(device, command, pages_at, to_store);
  }
  const bool rounded =
      mode_select_round(&device->unit.modes, &device->parts, command->data, pages_at, count);
  if (mode_select_set(&view, command->data, pages_at, count)) {
    device_report_modes_changed(device, command->initiator);
    host_modes_changed(device->target);
  }
  // The values are in force. The sense data say that some were rounded.
  return rounded ? command_fail(command, sense_plain(SENSE_ROUNDED_PARAMETER)) : COMMAND_DONE;
}
