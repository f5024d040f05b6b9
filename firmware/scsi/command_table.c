#include "firmware/scsi/command_table.h"

#include "firmware/scsi/command_handlers.h"
#include "firmware/scsi/scsi_state.h"
#include "firmware/scsi/task_management.h"

enum command_flag {
  ANY_LUN = 1U << 0,          ///< Answers for logical units that do not exist, too.
  KEEPS_ATTENTION = 1U << 1,  ///< Neither reports nor clears a unit attention beforehand.
  ANY_HOLDER = 1U << 2,       ///< Not subject to a reservation.
  NEEDS_READY = 1U << 3,      ///< NOT READY unless the media can be used.
  NEEDS_SPINDLE = 1U << 4,    ///< The same, but for media that are to be formatted.
};

#define USAGE_BYTES 15U

struct command_row {
  uint8_t opcode;
  uint8_t flags;
  uint8_t usage[USAGE_BYTES];  ///< Bits that may be set in byte 1, 2, ... of the CDB.
  command_handler* handler;
  command_handler* data_handler;  ///< For COMMAND_NEEDS_DATA.
};

static const struct command_row command_table[] = {
#define COMMAND(name, code, file, flags, handler, ...) {code, flags, {__VA_ARGS__}, handler, NULL},
#define DATA_COMMAND(name, code, file, flags, handler, data_handler, ...) \
  {code, flags, {__VA_ARGS__}, handler, data_handler},
#include "firmware/scsi/commands.def"
#undef DATA_COMMAND
#undef COMMAND
};

static const struct command_row* find_row(uint8_t opcode) {
  for (uint32_t i = 0; i < sizeof(command_table) / sizeof(command_table[0]); ++i) {
    if (command_table[i].opcode == opcode) return &command_table[i];
  }
  return NULL;
}

/// SCSI-2 7.5.2: a tag still in use, or untagged beside tagged. REQUEST SENSE may come untagged at
/// any time.
static bool is_overlapped(struct scsi* scsi, const struct command* command) {
  struct task_set* tasks = scsi->tasks;
  if (command->lun != 0) return false;  // A nexus of its own, and never a task.
  if (task_set_live_of(tasks, command->initiator) == 0) return false;
  if (command->attribute == TASK_UNTAGGED) return command->cdb[0] != OPCODE_REQUEST_SENSE;
  return task_set_find(tasks, command->initiator, true, 0) != NULL ||
         task_set_find(tasks, command->initiator, false, command->tag) != NULL;
}

/// First byte of the CDB with a bit that the row does not allow; 0 for none.
static uint32_t find_bad_byte(const struct command_row* row, const uint8_t* cdb) {
  const uint32_t count = command_cdb_bytes(cdb[0]);
  for (uint32_t i = 1; i < count; ++i) {
    if ((cdb[i] & (uint8_t)~row->usage[i - 1]) != 0) return i;
  }
  return 0;
}

/// SPC-2 7.20.1 and SCSI-2 7.6: REQUEST SENSE takes the sense along, any other command drops it.
static void end_allegiance(struct scsi* scsi, struct command* command) {
  const struct nexus* nexus = &scsi->nexus[command->initiator];
  if (!nexus->contingent_allegiance || command->lun != 0) return;
  if (command->cdb[0] == OPCODE_REQUEST_SENSE) command->sense = nexus->sense;
  task_end_allegiance(scsi, command->initiator);
}

enum command_result command_execute(struct scsi* scsi, struct command* command) {
  end_allegiance(scsi, command);
  if (is_overlapped(scsi, command)) {
    task_abort_initiator(scsi, command->initiator, NULL);
    return command_fail(command, sense_plain(SENSE_OVERLAPPED_COMMANDS));
  }
  const struct command_row* row = find_row(command->cdb[0]);
  const uint32_t flags = row == NULL ? 0 : row->flags;
  if (command->lun != 0 && (flags & ANY_LUN) == 0) {
    return command_fail(command, sense_plain(SENSE_LUN_NOT_SUPPORTED));
  }
  if ((flags & KEEPS_ATTENTION) == 0) {
    const enum sense_code attention = nexus_take_attention(&scsi->nexus[command->initiator]);
    command->tells = attention != SENSE_NONE ? sense_plain(attention)
                                             : task_take_deferred(scsi, command->initiator);
    if (command->tells.code != SENSE_NONE) return command_fail(command, command->tells);
  }
  if (row == NULL) return command_fail(command, sense_plain(SENSE_INVALID_OPCODE));
  const bool held =
      scsi->reserved_by != SCSI_NOT_RESERVED && scsi->reserved_by != command->initiator;
  if (held && (flags & ANY_HOLDER) == 0) return COMMAND_RESERVED;
  // SCSI-2 9.2.1: during a format, only the commands that may always come.
  if ((flags & KEEPS_ATTENTION) == 0 && scsi_is_formatting(scsi)) {
    return command_fail(command, command_format_sense(scsi));
  }
  const uint32_t bad_byte = find_bad_byte(row, command->cdb);
  if (bad_byte != 0) return command_fail(command, sense_cdb_field(bad_byte));
  const bool needs_spindle = (flags & (NEEDS_READY | NEEDS_SPINDLE)) != 0;
  if (needs_spindle && scsi->not_ready != SENSE_NONE) {
    return command_fail(command, sense_plain((enum sense_code)scsi->not_ready));
  }
  if ((flags & NEEDS_READY) != 0 && scsi->is_corrupt) {
    return command_fail(command, sense_plain(SENSE_MEDIUM_CORRUPTED));
  }
  return row->handler(scsi, command);
}

enum command_result command_finish(struct scsi* scsi, struct command* command) {
  return find_row(command->cdb[0])->data_handler(scsi, command);
}

void command_continue(struct scsi* scsi, struct command* command) {
  (void)find_row(command->cdb[0])->data_handler(scsi, command);
}
