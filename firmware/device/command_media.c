// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/command_handlers.h"
#include "firmware/device/command_rows.h"
#include "firmware/device/device.h"
#include "firmware/device/task_management.h"
#include "firmware/kernel/bytes.h"

/// Byte 1 of the 10-, 12- and 16-byte commands (SBC-2 5.6, 5.25).
#define CDB_DISABLE_PAGE_OUT 0x10U
#define CDB_FORCE_UNIT_ACCESS 0x08U
/// DLD bits of the 16-byte commands. Byte 1: DLD2; byte 14: DLD1 and DLD0 are its upper bits.
#define CDB_DLD2 0x01U
#define CDB_DLD_SHIFT 6U

/// READ(6) and WRITE(6): 21 bits of address, and a length of 0 means 256 (SBC-2 5.5, 5.24).
static struct block_range range_6(const uint8_t* cdb) {
  const struct block_range range = {bytes_get_be24(cdb + 1) & 0x1FFFFFU,
                                    cdb[4] == 0 ? 256U : cdb[4]};
  return range;
}

static struct block_range range_10(const uint8_t* cdb) {
  const struct block_range range = {bytes_get_be32(cdb + 2), bytes_get_be16(cdb + 7)};
  return range;
}

static struct block_range range_12(const uint8_t* cdb) {
  const struct block_range range = {bytes_get_be32(cdb + 2), bytes_get_be32(cdb + 6)};
  return range;
}

static struct block_range range_16(const uint8_t* cdb) {
  const struct block_range range = {bytes_get_be64(cdb + 2), bytes_get_be32(cdb + 10)};
  return range;
}

static bool is_in_range(const struct device* device, const struct block_range* range) {
  const uint64_t capacity = device->unit.config->block_count;
  return range->lba <= capacity && range->blocks <= capacity - range->lba;
}

/// INFORMATION is the first block that does not exist, if four bytes can hold it (SCSI-2 8.2.14).
static enum command_result fail_range(const struct device* device, struct command* command,
                                      const struct block_range* range) {
  const uint64_t capacity = device->unit.config->block_count;
  const uint64_t bad = range->lba > capacity ? range->lba : capacity;
  if (bad > UINT32_MAX) return command_fail(command, sense_plain(SENSE_LBA_RANGE));
  return command_fail(command, sense_at_lba(SENSE_LBA_RANGE, (uint32_t)bad));
}

/// The number of the descriptor of duration limits that a 16-byte CDB names; 0: none (SBC-4).
static uint32_t descriptor_number(const uint8_t* cdb) {
  return (cdb[1] & CDB_DLD2) << 2 | (uint32_t)cdb[14] >> CDB_DLD_SHIFT;
}

/// Decodes the limits. They also set the command's deadline, unless a message has set one.
static void set_limits(struct device* device, struct command* command, uint32_t number, bool writes,
                       struct duration_limits* limits) {
  const struct duration_pages* pages = &device->unit.durations[command->initiator];
  duration_pages_limits(pages, writes, number, limits);
  if (duration_limits_exist(limits)) command->limits = limits;
  const time_tick due = duration_pages_deadline(pages, writes, number, limits);
  if (due == 0 || command->urgency_known) return;
  const time_tick due_us = due / TIME_TICKS_PER_MICROSECOND;
  command->urgency.service_class = CANDIDATE_REAL_TIME;
  command->urgency.due_us = due_us < UINT32_MAX ? (uint32_t)due_us : UINT32_MAX;
}

enum command_result command_read_write(struct device* device, struct command* command) {
  const uint8_t* cdb = command->cdb;
  struct block_range range;
  struct duration_limits limits;
  uint32_t limit_number = 0;
  switch (command_cdb_bytes(cdb[0])) {
    case 6: range = range_6(cdb); break;
    case 10: range = range_10(cdb); break;
    case 12: range = range_12(cdb); break;
    default:
      range = range_16(cdb);
      limit_number = descriptor_number(cdb);
      break;
  }
  if (!is_in_range(device, &range)) return fail_range(device, command, &range);
  if (range.blocks == 0) return COMMAND_DONE;
  if (command_cdb_bytes(cdb[0]) != 6) {
    if ((cdb[1] & CDB_FORCE_UNIT_ACCESS) != 0) command->flags |= TASK_FLAG_FORCE_UNIT_ACCESS;
    if ((cdb[1] & CDB_DISABLE_PAGE_OUT) != 0) command->flags |= TASK_FLAG_DISABLE_PAGE_OUT;
  }
  // If the write ended before its data are on the media, there would be nothing to verify.
  if (cdb[0] == OPCODE_WRITE_AND_VERIFY_10) command->flags |= TASK_FLAG_FORCE_UNIT_ACCESS;
  // Bit 1 of the operation code separates writes from reads in all four lengths.
  const enum task_operation operation = (cdb[0] & 0x02U) != 0 ? TASK_WRITE : TASK_READ;
  if (limit_number != 0) {
    set_limits(device, command, limit_number, operation == TASK_WRITE, &limits);
  }
  const enum command_result result = command_queue_task(device, command, operation, &range, false);
  if (limit_number != 0 && result == COMMAND_TASK) {
    duration_counts_add(&device->unit.duration_counts[command->initiator], operation == TASK_WRITE,
                        limit_number, TALLY_COMMANDS);
  }
  return result;
}

enum command_result command_verify(struct device* device, struct command* command) {
  const struct block_range range = range_10(command->cdb);
  if (!is_in_range(device, &range)) return fail_range(device, command, &range);
  if (range.blocks == 0) return COMMAND_DONE;
  return command_queue_task(device, command, TASK_VERIFY, &range, false);
}

/// SEEK, and REZERO UNIT, whose CDB names block 0.
enum command_result command_seek(struct device* device, struct command* command) {
  const uint8_t* cdb = command->cdb;
  const bool is_short = command_cdb_bytes(cdb[0]) == 6;
  const struct block_range range = {is_short ? range_6(cdb).lba : range_10(cdb).lba, 1};
  if (!is_in_range(device, &range)) return fail_range(device, command, &range);
  return command_queue_task(device, command, TASK_SEEK, &range, false);
}

/// A length of 0 means up to the last block (SBC-2 5.18).
enum command_result command_synchronize_cache(struct device* device, struct command* command) {
  struct block_range range = range_10(command->cdb);
  if (!is_in_range(device, &range)) return fail_range(device, command, &range);
  if (range.blocks == 0) range.blocks = device->unit.config->block_count - (uint32_t)range.lba;
  const struct sense lost =
      task_find_lost(device, command->initiator, (uint32_t)range.lba, range.blocks);
  if (lost.code != SENSE_NONE) return command_fail(command, lost);
  const bool immediate = (command->cdb[1] & 0x02U) != 0;
  return command_queue_task(device, command, TASK_SYNCHRONIZE, &range, immediate);
}

/// The spindle stops when all earlier tasks have ended, and no later task begins before that. So
/// the task is ORDERED, whatever its tag says. With IMMED a stop has its effect on other commands
/// from its GOOD on (device_not_ready()).
enum command_result command_start_stop(struct device* device, struct command* command) {
  const bool immediate = (command->cdb[1] & 0x01U) != 0;
  const bool start = (command->cdb[4] & 0x01U) != 0;
  return command_queue_barrier(device, command, start ? TASK_START : TASK_STOP, immediate);
}
