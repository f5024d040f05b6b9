// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/command_table.h"

#include "firmware/device/command_handlers.h"
#include "firmware/device/command_rows.h"
#include "firmware/device/device.h"
#include "firmware/device/task_management.h"

struct command_handlers {
  command_handler* handler;
  command_handler* data_handler;  ///< Handler of the data of COMMAND_NEEDS_DATA.
};

/// Handlers in the order of command_rows.
static const struct command_handlers handlers[COMMAND_ROW_COUNT] = {
#define COMMAND(name, code, file, flags, handler, ...) {handler, NULL},
#define DATA_COMMAND(name, code, file, flags, handler, data_handler, ...) {handler, data_handler},
#include "firmware/device/commands.def"
#undef DATA_COMMAND
#undef COMMAND
};

/// The row of a command. With service actions it is the row of the given one, if there is one, else
/// any row of the operation code.
/// @return COMMAND_ROW_COUNT: there is no such operation code.
static uint32_t find_row(const uint8_t* cdb) {
  uint32_t found = COMMAND_ROW_COUNT;
  for (uint32_t i = 0; i < COMMAND_ROW_COUNT; ++i) {
    const struct command_row* row = &command_rows[i];
    if (row->opcode != cdb[0]) continue;
    if ((row->flags & SERVICE_ACTION) == 0) return i;
    found = i;
    if ((cdb[1] & COMMAND_SERVICE_ACTION) == row->usage[0]) return i;
  }
  return found;
}

/// SCSI-2 7.5.2: a tag still in use, or untagged commands together with tagged ones. REQUEST SENSE
/// may come untagged at any time. Tasks that are being aborted have given up their tags.
static bool is_overlapped(struct device* device, const struct command* command) {
  struct task_set* tasks = device->tasks;
  if (command->lun != 0) return false;  // The command is a nexus of its own, and never a task.
  if (task_set_live_of(tasks, command->initiator) == 0) return false;
  if (command->attribute == TASK_UNTAGGED) {
    return command->cdb[0] != OPCODE_REQUEST_SENSE && !task_purges(device, command->initiator);
  }
  const bool is_used = task_set_find(tasks, command->initiator, true, 0) != NULL ||
                       task_set_find(tasks, command->initiator, false, command->tag) != NULL;
  return is_used && !task_purges(device, command->initiator);
}

/// First byte of the CDB with a bit that the row does not allow; 0 for none.
static uint32_t find_bad_byte(const struct device* device, const struct command_row* row,
                              const uint8_t* cdb) {
  if ((row->flags & SERVICE_ACTION) != 0 && cdb[1] != row->usage[0]) return 1;
  const bool has_lun = device->unit.config->scsi_version == UNIT_VERSION_2;
  if ((cdb[1] & (uint8_t)~command_usage_1(row, has_lun)) != 0) return 1;
  const uint32_t count = command_cdb_bytes(cdb[0]);
  for (uint32_t i = 2; i < count; ++i) {
    if ((cdb[i] & (uint8_t)~row->usage[i - 1]) != 0) return i;
  }
  return 0;
}

/// SPC-2 7.20.1 and SCSI-2 7.6: REQUEST SENSE returns and clears the sense data, any other command
/// clears them. Sense data of a GOOD status (nexus.h) are treated likewise.
static void end_allegiance(struct device* device, struct command* command) {
  const struct nexus* nexus = &device->nexus[command->initiator];
  if (nexus->sense.code == SENSE_NONE || command->lun != 0) return;
  if (command->cdb[0] == OPCODE_REQUEST_SENSE) command->sense = nexus->sense;
  task_end_allegiance(device, command->initiator);
}

enum command_result command_execute(struct device* device, struct command* command) {
  end_allegiance(device, command);
  if (is_overlapped(device, command)) {
    task_abort_initiator(device, command->initiator, NULL);
    return command_fail(command, sense_plain(SENSE_OVERLAPPED_COMMANDS));
  }
  const uint32_t number = find_row(command->cdb);
  const bool is_known = number < COMMAND_ROW_COUNT;
  const struct command_row* row = &command_rows[is_known ? number : 0];
  const uint32_t flags = is_known ? row->flags : 0;
  if (command->lun != 0 && (flags & ANY_LUN) == 0) {
    return command_fail(command, sense_plain(SENSE_LUN_NOT_SUPPORTED));
  }
  if ((flags & KEEPS_ATTENTION) == 0) {
    const enum sense_code attention = nexus_take_attention(&device->nexus[command->initiator]);
    command->reports = attention != SENSE_NONE ? sense_plain(attention)
                                               : task_take_deferred(device, command->initiator);
    if (command->reports.code != SENSE_NONE) return command_fail(command, command->reports);
  }
  if (!is_known) return command_fail(command, sense_plain(SENSE_INVALID_OPCODE));
  const bool held =
      device->reserved_by != DEVICE_NOT_RESERVED && device->reserved_by != command->initiator;
  if (held && (flags & ANY_HOLDER) == 0) return COMMAND_RESERVED;
  // SCSI-2 9.2.1: during a format, only the commands that are always allowed.
  if ((flags & KEEPS_ATTENTION) == 0 && device_is_formatting(device)) {
    return command_fail(command, command_format_sense(device));
  }
  const uint32_t bad_byte = find_bad_byte(device, row, command->cdb);
  if (bad_byte != 0) return command_fail(command, sense_cdb_field(bad_byte));
  const bool needs_spindle = (flags & (NEEDS_READY | NEEDS_SPINDLE)) != 0;
  if (needs_spindle && device_not_ready(device) != SENSE_NONE) {
    return command_fail(command, sense_plain(device_not_ready(device)));
  }
  if ((flags & NEEDS_READY) != 0 && device->unit.is_corrupt) {
    return command_fail(command, sense_plain(SENSE_MEDIUM_CORRUPTED));
  }
  return handlers[number].handler(device, command);
}

enum command_result command_finish(struct device* device, struct command* command) {
  return handlers[find_row(command->cdb)].data_handler(device, command);
}

void command_continue(struct device* device, struct command* command) {
  (void)handlers[find_row(command->cdb)].data_handler(device, command);
}
