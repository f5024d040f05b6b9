// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/command_handlers.h"
#include "firmware/device/command_rows.h"
#include "firmware/device/device.h"
#include "firmware/kernel/bytes.h"

// REPORT SUPPORTED OPERATION CODES (SPC-4 6.35; duration limits: SPC-5). All its data come from the
// rows of commands.def.

/// CDB byte 2: RCTD and the reporting options.
#define RETURN_TIMEOUTS 0x80U
#define OPTIONS 0x07U
enum option { ALL, BY_OPCODE, BY_OPCODE_AND_ACTION, BY_EITHER, OPTION_COUNT };

/// Byte 5 of a descriptor of all commands.
#define ALL_LIMITED_BY_T2 0x40U
#define ALL_LIMIT_PAGE_SHIFT 2U
#define ALL_HAS_TIMEOUTS 0x02U
#define ALL_HAS_SERVICE_ACTION 0x01U
/// Bytes 0 and 1 of the data about one command.
#define ONE_LIMITED_BY_T2 0x01U
#define ONE_HAS_TIMEOUTS 0x80U
#define ONE_LIMIT_PAGE_SHIFT 3U
#define ONE_NOT_SUPPORTED 0x01U
#define ONE_SUPPORTED 0x03U  ///< In conformance with a standard.
/// CDLP beside RWCDLP 1: page T2A or T2B.
#define LIMIT_PAGE_T2A 1U
#define LIMIT_PAGE_T2B 2U

#define ALL_HEADER_BYTES 4U
#define ALL_DESCRIPTOR_BYTES 8U
#define ONE_HEADER_BYTES 4U
#define TIMEOUTS_BYTES 12U

STATIC_ASSERT(ALL_HEADER_BYTES + COMMAND_ROW_COUNT * (ALL_DESCRIPTOR_BYTES + TIMEOUTS_BYTES) <=
                  DEVICE_DATA_BYTES,
              "all commands fit the buffer");

/// CDLP; 0: no page limits the command's duration.
static uint32_t limit_page(const struct command_row* row) {
  if ((row->flags & LIMITED_BY_T2A) != 0) return LIMIT_PAGE_T2A;
  return (row->flags & LIMITED_BY_T2B) != 0 ? LIMIT_PAGE_T2B : 0;
}

/// Command timeouts descriptor (SPC-4 6.35.4). Both times are 0, "not indicated": how long a
/// command takes depends on the queue that it joins.
static uint32_t put_timeouts(uint8_t* bytes) {
  bytes_fill(bytes, 0, TIMEOUTS_BYTES);
  bytes_put_be16(bytes, TIMEOUTS_BYTES - 2U);
  return TIMEOUTS_BYTES;
}

static uint32_t put_all(uint8_t* data, bool with_timeouts) {
  uint32_t count = ALL_HEADER_BYTES;
  for (uint32_t i = 0; i < COMMAND_ROW_COUNT; ++i) {
    const struct command_row* row = &command_rows[i];
    uint8_t* bytes = data + count;
    bytes_fill(bytes, 0, ALL_DESCRIPTOR_BYTES);
    bytes[0] = row->opcode;
    bytes_put_be16(bytes + 2, command_service_action(row));
    const uint32_t page = limit_page(row);
    bytes[5] = (uint8_t)((page != 0 ? ALL_LIMITED_BY_T2 : 0U) | page << ALL_LIMIT_PAGE_SHIFT |
                         (with_timeouts ? ALL_HAS_TIMEOUTS : 0U) |
                         ((row->flags & SERVICE_ACTION) != 0 ? ALL_HAS_SERVICE_ACTION : 0U));
    bytes_put_be16(bytes + 6, command_cdb_bytes(row->opcode));
    count += ALL_DESCRIPTOR_BYTES;
    if (with_timeouts) count += put_timeouts(data + count);
  }
  bytes_put_be32(data, count - ALL_HEADER_BYTES);
  return count;
}

/// `row`: NULL for a command that the drive does not have.
static uint32_t put_one(uint8_t* data, const struct command_row* row, bool has_lun,
                        bool with_timeouts) {
  bytes_fill(data, 0, ONE_HEADER_BYTES);
  if (row == NULL) {
    data[1] = ONE_NOT_SUPPORTED;
    return ONE_HEADER_BYTES;
  }
  const uint32_t cdb_bytes = command_cdb_bytes(row->opcode);
  const uint32_t page = limit_page(row);
  data[0] = page != 0 ? ONE_LIMITED_BY_T2 : 0;
  data[1] = (uint8_t)(ONE_SUPPORTED | page << ONE_LIMIT_PAGE_SHIFT |
                      (with_timeouts ? ONE_HAS_TIMEOUTS : 0U));
  bytes_put_be16(data + 2, cdb_bytes);
  data[ONE_HEADER_BYTES] = row->opcode;
  bytes_copy(data + ONE_HEADER_BYTES + 1, row->usage, cdb_bytes - 1U);
  data[ONE_HEADER_BYTES + 1] = command_usage_1(row, has_lun);
  const uint32_t count = ONE_HEADER_BYTES + cdb_bytes;
  return with_timeouts ? count + put_timeouts(data + count) : count;
}

/// Support of an operation code.
struct found {
  const struct command_row* row;  ///< The row of its service action; NULL: none.
  bool has_actions;
};

static struct found find(uint8_t opcode, uint32_t action) {
  struct found found = {NULL, false};
  for (uint32_t i = 0; i < COMMAND_ROW_COUNT; ++i) {
    const struct command_row* row = &command_rows[i];
    if (row->opcode != opcode) continue;
    if ((row->flags & SERVICE_ACTION) != 0) found.has_actions = true;
    if (command_service_action(row) == action) found.row = row;
  }
  return found;
}

enum command_result command_report_operation_codes(struct device* device, struct command* command) {
  const bool has_lun = device->unit.config->scsi_version == UNIT_VERSION_2;
  const uint8_t* cdb = command->cdb;
  const bool with_timeouts = (cdb[2] & RETURN_TIMEOUTS) != 0;
  const uint32_t option = cdb[2] & OPTIONS;
  const uint32_t allocation_bytes = bytes_get_be32(cdb + 6);
  if (option >= OPTION_COUNT) return command_fail(command, sense_cdb_field(2));
  if (option == ALL) {
    return command_reply(command, put_all(command->data, with_timeouts), allocation_bytes);
  }
  const uint32_t action = option == BY_OPCODE ? 0 : bytes_get_be16(cdb + 4);
  struct found found = find(cdb[3], action);
  // Two errors (SPC-4 table 260): no service action for an operation code that has some, and a
  // service action for one that has none. An unsupported command is no error.
  const bool is_there = found.row != NULL || find(cdb[3], 0).row != NULL;
  if (option == BY_OPCODE && found.has_actions) return command_fail(command, sense_cdb_field(2));
  if (option == BY_OPCODE_AND_ACTION && is_there && !found.has_actions) {
    return command_fail(command, sense_cdb_field(2));
  }
  return command_reply(command, put_one(command->data, found.row, has_lun, with_timeouts),
                       allocation_bytes);
}
