#include "firmware/kernel/bytes.h"
#include "firmware/scsi/command.h"
#include "firmware/scsi/scsi.h"
#include "firmware/scsi/task_management.h"

typedef enum command_result command_handler(struct scsi* scsi, struct command* command);

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

// Byte 1, bits 7-5, of a SCSI-2 CDB is the logical unit, for initiators that send no IDENTIFY.
// The control byte has no bit that this drive allows: no linked commands, no NACA.
/// The commands, those that matter for speed first.
static const struct command_row command_table[] = {
    // SBC-2 5.9, 5.29: DPO 10h, FUA 08h; RELADR not allowed.
    {OPCODE_READ_10,
     NEEDS_READY,
     {0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0xFF, 0xFF, 0x00},
     command_read_write,
     NULL},
    {OPCODE_WRITE_10,
     NEEDS_READY,
     {0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0xFF, 0xFF, 0x00},
     command_read_write,
     NULL},
    {OPCODE_READ_16,
     NEEDS_READY,
     {0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00},
     command_read_write,
     NULL},
    {OPCODE_WRITE_16,
     NEEDS_READY,
     {0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00},
     command_read_write,
     NULL},
    {OPCODE_READ_6, NEEDS_READY, {0xFF, 0xFF, 0xFF, 0xFF, 0x00}, command_read_write, NULL},
    {OPCODE_WRITE_6, NEEDS_READY, {0xFF, 0xFF, 0xFF, 0xFF, 0x00}, command_read_write, NULL},
    {OPCODE_TEST_UNIT_READY, NEEDS_READY, {0xE0, 0, 0, 0, 0}, command_test_unit_ready, NULL},
    {OPCODE_REQUEST_SENSE,
     ANY_LUN | KEEPS_ATTENTION | ANY_HOLDER,
     {0xE0, 0, 0, 0xFF, 0},
     command_request_sense,
     NULL},
    // SPC-2 7.3: EVPD 01h; CMDDT 02h not supported.
    {OPCODE_INQUIRY,
     ANY_LUN | KEEPS_ATTENTION | ANY_HOLDER,
     {0xE1, 0xFF, 0, 0xFF, 0},
     command_inquiry,
     NULL},
    // SPC-2 7.6: PF 10h, SP 01h.
    {OPCODE_MODE_SELECT_6, 0, {0xF1, 0, 0, 0xFF, 0}, command_mode_select, command_mode_select_data},
    {OPCODE_MODE_SELECT_10,
     0,
     {0xF1, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0},
     command_mode_select,
     command_mode_select_data},
    // SPC-2 7.8: DBD 08h.
    {OPCODE_MODE_SENSE_6, 0, {0xE8, 0xFF, 0, 0xFF, 0}, command_mode_sense, NULL},
    {OPCODE_MODE_SENSE_10, 0, {0xE8, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0}, command_mode_sense, NULL},
    // SCSI-2 8.2.12, 8.2.11: whole unit only, no third party.
    {OPCODE_RESERVE_6, 0, {0xE0, 0, 0, 0, 0}, command_reserve, NULL},
    {OPCODE_RELEASE_6, ANY_HOLDER, {0xE0, 0, 0, 0, 0}, command_release, NULL},
    // SBC-2 5.17: IMMED 01h; START 01h. LOEJ needs a removable medium.
    {OPCODE_START_STOP_UNIT, 0, {0xE1, 0, 0, 0x01, 0}, command_start_stop, NULL},
    // SBC-2 5.10: PMI not supported, and the LBA must be 0 without it.
    {OPCODE_READ_CAPACITY_10,
     NEEDS_READY,
     {0xE0, 0, 0, 0, 0, 0, 0, 0, 0},
     command_read_capacity_10,
     NULL},
    // SBC-2 5.20: DPO 10h; BYTCHK not supported.
    {OPCODE_VERIFY_10,
     NEEDS_READY,
     {0xF0, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0xFF, 0xFF, 0x00},
     command_verify,
     NULL},
    // SBC-2 5.18: IMMED 02h.
    {OPCODE_SYNCHRONIZE_CACHE_10,
     NEEDS_READY,
     {0xE2, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0xFF, 0xFF, 0x00},
     command_synchronize_cache,
     NULL},
    // SBC-2 5.11: service action 10h is READ CAPACITY(16).
    {OPCODE_SERVICE_ACTION_IN_16,
     NEEDS_READY,
     {0x1F, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0},
     command_read_capacity_16,
     NULL},
    // SCSI-2 9.2.1: FMTDATA 10h, CMPLST 08h, format of the defect list 07h; interleave.
    {OPCODE_FORMAT_UNIT,
     NEEDS_SPINDLE,
     {0xFF, 0, 0xFF, 0xFF, 0},
     command_format_unit,
     command_format_unit_data},
    // SCSI-2 9.2.10.
    {OPCODE_REASSIGN_BLOCKS,
     NEEDS_READY,
     {0xE0, 0, 0, 0, 0},
     command_reassign_blocks,
     command_reassign_blocks_data},
    // SCSI-2 8.2.15: PF 10h, SELFTEST 04h, DEVOFL 02h, UNITOFL 01h.
    {OPCODE_SEND_DIAGNOSTIC,
     NEEDS_SPINDLE,
     {0xF7, 0, 0xFF, 0xFF, 0},
     command_send_diagnostic,
     NULL},
    // SCSI-2 9.2.8: PLIST 10h, GLIST 08h, format 07h.
    {OPCODE_READ_DEFECT_DATA_10,
     0,
     {0xE0, 0x1F, 0, 0, 0, 0, 0xFF, 0xFF, 0},
     command_read_defect_data,
     command_read_defect_data_more},
    {OPCODE_READ_DEFECT_DATA_12,
     0,
     {0x1F, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0},
     command_read_defect_data,
     command_read_defect_data_more},
    // SCSI-2 8.2.7: nothing is saved; PPC is not supported. PC, page, parameter pointer.
    {OPCODE_LOG_SENSE, 0, {0xE0, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0}, command_log_sense, NULL},
    // SCSI-2 8.2.6: PCR 02h; PC.
    {OPCODE_LOG_SELECT, 0, {0xE2, 0xC0, 0, 0, 0, 0, 0xFF, 0xFF, 0}, command_log_select, NULL},
    // SPC-2 7.19.
    {OPCODE_REPORT_LUNS,
     ANY_LUN | KEEPS_ATTENTION | ANY_HOLDER,
     {0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0},
     command_report_luns,
     NULL},
};

static const struct command_row* find_row(uint8_t opcode) {
  for (uint32_t i = 0; i < sizeof(command_table) / sizeof(command_table[0]); ++i) {
    if (command_table[i].opcode == opcode) return &command_table[i];
  }
  return NULL;
}

uint32_t command_cdb_bytes(uint8_t opcode) {
  static const uint8_t bytes_of_group[8] = {6, 10, 10, 6, 16, 12, 6, 6};
  return bytes_of_group[opcode >> 5];
}

enum command_result command_fail(struct command* command, struct sense sense) {
  command->sense = sense;
  return COMMAND_CHECK;
}

enum command_result command_reply(struct command* command, uint32_t count,
                                  uint32_t allocation_bytes) {
  command->data_count = count < allocation_bytes ? count : allocation_bytes;
  return COMMAND_DONE;
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
