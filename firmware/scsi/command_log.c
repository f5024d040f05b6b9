// LOG SENSE and LOG SELECT (SCSI-2 8.2.7, 8.2.6), and the error counter pages (8.3.2.2).
#include "firmware/kernel/bytes.h"
#include "firmware/scsi/command_handlers.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/scsi/scsi_state.h"

#define PAGE_SUPPORTED 0x00U
#define PAGE_CODE 0x3FU
#define PAGE_HEADER_BYTES 4U

/// Page control, in bits 7-6 of byte 2: values that are, and those that count begins with.
enum page_control {
  CONTROL_THRESHOLD = 0,
  CONTROL_CUMULATIVE = 1,
  CONTROL_DEFAULT_THRESHOLD = 2,
  CONTROL_DEFAULT_CUMULATIVE = 3,
};

/// In ascending order.
static const struct {
  uint8_t code;
  uint8_t counters;  ///< enum core_counters
} pages[] = {
    {0x02, CORE_COUNTERS_WRITE},
    {0x03, CORE_COUNTERS_READ},
    {0x05, CORE_COUNTERS_VERIFY},
};
#define PAGE_COUNT (sizeof(pages) / sizeof(pages[0]))

/// Parameter codes (SCSI-2 table 80).
enum parameter {
  CORRECTED_WITHOUT_DELAY = 0x0000,  ///< Nothing: this drive corrects nothing on the fly.
  CORRECTED_WITH_DELAY = 0x0001,     ///< By attempts again: each takes a revolution.
  TOTAL_RETRIES = 0x0002,            ///< Attempts.
  TOTAL_CORRECTED = 0x0003,
  CORRECTION_RUNS = 0x0004,  ///< Of an algorithm: there is none.
  BYTES_PROCESSED = 0x0005,
  TOTAL_UNCORRECTED = 0x0006,
  PARAMETER_COUNT
};
#define PARAMETER_HEADER_BYTES 4U
/// Control byte: DU 0, DS 1 (not saved), TSD 0, ETC 0, TMC 0, LP 0 (a counter).
#define PARAMETER_CONTROL 0x40U

static uint64_t value_of(const struct error_counters* counters, enum parameter parameter,
                         uint32_t block_bytes) {
  switch (parameter) {
    case CORRECTED_WITH_DELAY:
    case TOTAL_CORRECTED: return counters->recovered;
    case TOTAL_RETRIES: return counters->retries;
    case BYTES_PROCESSED: return counters->blocks * block_bytes;
    case TOTAL_UNCORRECTED: return counters->unrecovered;
    case CORRECTED_WITHOUT_DELAY:
    case CORRECTION_RUNS:
    case PARAMETER_COUNT:
    default: return 0;
  }
}

/// A counter has 4 bytes and stays at its highest value; that of bytes has 8.
static uint32_t put_parameter(uint8_t* bytes, enum parameter parameter, uint64_t value) {
  const uint32_t value_bytes = parameter == BYTES_PROCESSED ? 8 : 4;
  bytes_put_be16(bytes, parameter);
  bytes[2] = PARAMETER_CONTROL;
  bytes[3] = (uint8_t)value_bytes;
  if (value_bytes == 8) {
    bytes_put_be64(bytes + PARAMETER_HEADER_BYTES, value);
  } else {
    bytes_put_be32(bytes + PARAMETER_HEADER_BYTES, (uint32_t)value);
  }
  return PARAMETER_HEADER_BYTES + value_bytes;
}

static uint32_t put_supported(uint8_t* bytes) {
  bytes[PAGE_HEADER_BYTES] = PAGE_SUPPORTED;
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) bytes[PAGE_HEADER_BYTES + 1 + i] = pages[i].code;
  return 1 + PAGE_COUNT;
}

/// Thresholds are the highest values: nothing is compared with them.
static uint32_t put_counters(const struct scsi* scsi, const struct command* command,
                             enum core_counters which) {
  const enum page_control control = (enum page_control)(command->cdb[2] >> 6);
  const uint32_t first = bytes_get_be16(command->cdb + 5);
  const struct error_counters* counters = core_error_counters(scsi->drive, which);
  uint32_t count = 0;
  for (uint32_t parameter = first; parameter < PARAMETER_COUNT; ++parameter) {
    uint64_t value = UINT64_MAX;
    if (control == CONTROL_DEFAULT_CUMULATIVE) value = 0;
    if (control == CONTROL_CUMULATIVE) {
      value = value_of(counters, (enum parameter)parameter, scsi->config->block_bytes);
    }
    count +=
        put_parameter(command->data + PAGE_HEADER_BYTES + count, (enum parameter)parameter, value);
  }
  return count;
}

enum command_result command_log_sense(struct scsi* scsi, struct command* command) {
  const uint8_t* cdb = command->cdb;
  const uint32_t code = cdb[2] & PAGE_CODE;
  const uint32_t pointer = bytes_get_be16(cdb + 5);
  uint32_t count = 0;
  if (code == PAGE_SUPPORTED) {
    if (pointer != 0) return command_fail(command, sense_cdb_field(5));
    count = put_supported(command->data);
  } else {
    uint32_t page = 0;
    while (page < PAGE_COUNT && pages[page].code != code) ++page;
    if (page == PAGE_COUNT) return command_fail(command, sense_cdb_field(2));
    if (pointer >= PARAMETER_COUNT) return command_fail(command, sense_cdb_field(5));
    count = put_counters(scsi, command, (enum core_counters)pages[page].counters);
  }
  bytes_fill(command->data, 0, PAGE_HEADER_BYTES);
  command->data[0] = (uint8_t)code;
  bytes_put_be16(command->data + 2, count);
  return command_reply(command, PAGE_HEADER_BYTES + count, bytes_get_be16(cdb + 7));
}

#define CDB_PARAMETER_CODE_RESET 0x02U

/// PCR sets the counters to 0, and so does an empty list with default cumulative values; the other
/// initiators hear of it (2A/02). Nothing else can be set: no parameter list.
enum command_result command_log_select(struct scsi* scsi, struct command* command) {
  const uint8_t* cdb = command->cdb;
  if (bytes_get_be16(cdb + 7) != 0) return command_fail(command, sense_cdb_field(7));
  const bool resets = (cdb[1] & CDB_PARAMETER_CODE_RESET) != 0;
  if (!resets && cdb[2] >> 6 != CONTROL_DEFAULT_CUMULATIVE) return COMMAND_DONE;
  core_clear_error_counters(scsi->drive);
  for (uint8_t initiator = 0; initiator < SCSI_INITIATORS; ++initiator) {
    if (initiator == command->initiator) continue;
    nexus_raise_attention(&scsi->nexus[initiator], SENSE_LOG_PARAMETERS_CHANGED);
  }
  return COMMAND_DONE;
}
