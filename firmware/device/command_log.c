// SPDX-License-Identifier: Apache-2.0
// LOG SENSE and LOG SELECT (SPC-4 6.7, 6.6). With page and subpage code 0 they are those of SCSI-2
// (8.2.7, 8.2.6).
#include "firmware/device/command_handlers.h"
#include "firmware/device/device.h"
#include "firmware/device/log_page.h"
#include "firmware/kernel/bytes.h"

#define PAGE_CODE 0x3FU
#define PARAMETER_CODE_RESET 0x02U

static uint32_t page_code(const struct command* command) { return command->cdb[2] & PAGE_CODE; }

static enum log_control page_control(const struct command* command) {
  return (enum log_control)(command->cdb[2] >> 6);
}

/// Page code and subpage code that belong to no page.
static enum command_result fail_page(struct command* command) {
  return command_fail(command, sense_cdb_field(log_page_exists(page_code(command)) ? 3 : 2));
}

enum command_result command_log_sense(struct device* device, struct command* command) {
  const uint8_t* cdb = command->cdb;
  const uint32_t number = log_page_find(page_code(command), cdb[3]);
  if (number == log_page_count()) return fail_page(command);
  const uint32_t count = log_page_put(device, command->initiator, number, page_control(command),
                                      bytes_get_be16(cdb + 5), command->data);
  if (count == 0) return command_fail(command, sense_cdb_field(5));
  return command_reply(command, count, bytes_get_be16(cdb + 7));
}

/// Whether the page is one of those that a CDB names (SPC-4 table 204).
static bool is_meant(const uint8_t* cdb, uint32_t number) {
  const uint32_t code = cdb[2] & PAGE_CODE;
  if (!log_page_counts(number)) return false;
  if (code == 0 && cdb[3] == 0) return true;
  return log_page_code(number) == code &&
         (cdb[3] == LOG_SUBPAGE_ALL || log_page_subpage(number) == cdb[3]);
}

/// PCR sets counters to 0, and so does an empty list with default cumulative values. Other
/// initiators get 2A/02 if they share the counters. Nothing else can be set: no parameter list is
/// accepted.
enum command_result command_log_select(struct device* device, struct command* command) {
  const uint8_t* cdb = command->cdb;
  if (bytes_get_be16(cdb + 7) != 0) return command_fail(command, sense_cdb_field(7));
  const bool resets =
      (cdb[1] & PARAMETER_CODE_RESET) != 0 || page_control(command) == LOG_DEFAULT_CUMULATIVE;
  bool is_there = false;
  bool is_shared = false;
  for (uint32_t number = 0; number < log_page_count(); ++number) {
    if (!is_meant(cdb, number)) continue;
    is_there = true;
    if (resets && log_page_clear(device, command->initiator, number)) is_shared = true;
  }
  if (!is_there) return fail_page(command);
  for (uint8_t initiator = 0; is_shared && initiator < UNIT_INITIATORS; ++initiator) {
    if (initiator == command->initiator) continue;
    nexus_raise_attention(&device->nexus[initiator], SENSE_LOG_PARAMETERS_CHANGED);
  }
  return COMMAND_DONE;
}
