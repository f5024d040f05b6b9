#include "firmware/scsi/sense.h"

#define FILE_ID (FILE_ID_SCSI_FIRST + 0)
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

struct sense_row {
  uint8_t key;
  uint8_t asc;
  uint8_t ascq;
};

/// SPC-2 annex C.2 (additional sense codes), in the order of enum sense_code.
static const struct sense_row sense_table[SENSE_CODE_COUNT] = {
    [SENSE_NONE] = {SENSE_KEY_NO_SENSE, 0x00, 0x00},
    [SENSE_WRITE_RECOVERED] = {SENSE_KEY_RECOVERED_ERROR, 0x0C, 0x00},
    [SENSE_WRITE_MOVED] = {SENSE_KEY_RECOVERED_ERROR, 0x0C, 0x01},
    [SENSE_READ_RECOVERED] = {SENSE_KEY_RECOVERED_ERROR, 0x17, 0x01},
    [SENSE_READ_MOVED] = {SENSE_KEY_RECOVERED_ERROR, 0x17, 0x06},
    [SENSE_READ_STAYS] = {SENSE_KEY_RECOVERED_ERROR, 0x17, 0x07},
    [SENSE_DEFECT_LIST_NOT_FOUND] = {SENSE_KEY_RECOVERED_ERROR, 0x1C, 0x00},
    [SENSE_ROUNDED_PARAMETER] = {SENSE_KEY_RECOVERED_ERROR, 0x37, 0x00},
    [SENSE_NOT_READY] = {SENSE_KEY_NOT_READY, 0x04, 0x00},
    [SENSE_BECOMING_READY] = {SENSE_KEY_NOT_READY, 0x04, 0x01},
    [SENSE_START_REQUIRED] = {SENSE_KEY_NOT_READY, 0x04, 0x02},
    [SENSE_ID_CRC] = {SENSE_KEY_MEDIUM_ERROR, 0x10, 0x00},
    [SENSE_UNRECOVERED_READ] = {SENSE_KEY_MEDIUM_ERROR, 0x11, 0x00},
    [SENSE_NO_ADDRESS_MARK] = {SENSE_KEY_MEDIUM_ERROR, 0x12, 0x00},
    [SENSE_RECORD_NOT_FOUND] = {SENSE_KEY_MEDIUM_ERROR, 0x14, 0x01},
    [SENSE_NO_INDEX] = {SENSE_KEY_HARDWARE_ERROR, 0x01, 0x00},
    [SENSE_NO_SEEK_COMPLETE] = {SENSE_KEY_HARDWARE_ERROR, 0x02, 0x00},
    [SENSE_WRITE_FAULT] = {SENSE_KEY_HARDWARE_ERROR, 0x03, 0x00},
    [SENSE_NO_REFERENCE] = {SENSE_KEY_HARDWARE_ERROR, 0x06, 0x00},
    [SENSE_SEEK_POSITIONING] = {SENSE_KEY_HARDWARE_ERROR, 0x15, 0x01},
    [SENSE_READ_POSITIONING] = {SENSE_KEY_HARDWARE_ERROR, 0x15, 0x02},
    [SENSE_TRACK_FOLLOWING] = {SENSE_KEY_HARDWARE_ERROR, 0x09, 0x00},
    [SENSE_UNIT_FAILURE] = {SENSE_KEY_HARDWARE_ERROR, 0x3E, 0x01},
    [SENSE_INTERNAL_FAILURE] = {SENSE_KEY_HARDWARE_ERROR, 0x44, 0x00},
    [SENSE_PARAMETER_LIST_LENGTH] = {SENSE_KEY_ILLEGAL_REQUEST, 0x1A, 0x00},
    [SENSE_INVALID_OPCODE] = {SENSE_KEY_ILLEGAL_REQUEST, 0x20, 0x00},
    [SENSE_LBA_RANGE] = {SENSE_KEY_ILLEGAL_REQUEST, 0x21, 0x00},
    [SENSE_INVALID_CDB_FIELD] = {SENSE_KEY_ILLEGAL_REQUEST, 0x24, 0x00},
    [SENSE_LUN_NOT_SUPPORTED] = {SENSE_KEY_ILLEGAL_REQUEST, 0x25, 0x00},
    [SENSE_INVALID_PARAMETER_FIELD] = {SENSE_KEY_ILLEGAL_REQUEST, 0x26, 0x00},
    [SENSE_MEDIUM_MAY_HAVE_CHANGED] = {SENSE_KEY_UNIT_ATTENTION, 0x28, 0x00},
    [SENSE_POWER_ON_OR_RESET] = {SENSE_KEY_UNIT_ATTENTION, 0x29, 0x00},
    [SENSE_BUS_RESET] = {SENSE_KEY_UNIT_ATTENTION, 0x29, 0x02},
    [SENSE_DEVICE_RESET] = {SENSE_KEY_UNIT_ATTENTION, 0x29, 0x03},
    [SENSE_MODE_PARAMETERS_CHANGED] = {SENSE_KEY_UNIT_ATTENTION, 0x2A, 0x01},
    [SENSE_LOG_PARAMETERS_CHANGED] = {SENSE_KEY_UNIT_ATTENTION, 0x2A, 0x02},
    [SENSE_CLEARED_BY_ANOTHER_INITIATOR] = {SENSE_KEY_UNIT_ATTENTION, 0x2F, 0x00},
    [SENSE_MESSAGE_ERROR] = {SENSE_KEY_ABORTED_COMMAND, 0x43, 0x00},
    [SENSE_SELECT_FAILURE] = {SENSE_KEY_ABORTED_COMMAND, 0x45, 0x00},
    [SENSE_PARITY] = {SENSE_KEY_ABORTED_COMMAND, 0x47, 0x00},
    [SENSE_INITIATOR_DETECTED_ERROR] = {SENSE_KEY_ABORTED_COMMAND, 0x48, 0x00},
    [SENSE_INVALID_MESSAGE] = {SENSE_KEY_ABORTED_COMMAND, 0x49, 0x00},
    [SENSE_OVERLAPPED_COMMANDS] = {SENSE_KEY_ABORTED_COMMAND, 0x4E, 0x00},
};

/// What is not listed cannot be the fault of initiator or media: SENSE_NONE, read as an internal
/// failure.
static const uint8_t sense_of_status[STATUS_COUNT] = {
    [STATUS_LBA_RANGE] = SENSE_LBA_RANGE,
    [STATUS_BAD_VALUE] = SENSE_INVALID_CDB_FIELD,
    [STATUS_BAD_COMMAND] = SENSE_INVALID_OPCODE,
    [STATUS_NOT_READY] = SENSE_START_REQUIRED,
    [STATUS_BECOMING_READY] = SENSE_BECOMING_READY,
    [STATUS_SPINDLE_FAILED] = SENSE_UNIT_FAILURE,
    [STATUS_SEEK_ERROR] = SENSE_SEEK_POSITIONING,
    [STATUS_NO_SEEK_COMPLETE] = SENSE_NO_SEEK_COMPLETE,
    [STATUS_NO_REFERENCE] = SENSE_NO_REFERENCE,
    [STATUS_WRONG_TRACK] = SENSE_READ_POSITIONING,
    [STATUS_OFF_TRACK] = SENSE_TRACK_FOLLOWING,
    [STATUS_NO_INDEX] = SENSE_NO_INDEX,
    [STATUS_SECTOR_NOT_FOUND] = SENSE_RECORD_NOT_FOUND,
    [STATUS_HEADER_DAMAGED] = SENSE_ID_CRC,
    [STATUS_NO_SYNC] = SENSE_NO_ADDRESS_MARK,
    [STATUS_DATA_DAMAGED] = SENSE_UNRECOVERED_READ,
    [STATUS_WRITE_FAULT] = SENSE_WRITE_FAULT,
    [STATUS_PARITY] = SENSE_PARITY,
    [STATUS_NO_RESPONSE] = SENSE_SELECT_FAILURE,
};

enum sense_key sense_key_of(enum sense_code code) {
  ASSERT(code < SENSE_CODE_COUNT);
  return (enum sense_key)sense_table[code].key;
}

uint32_t sense_number(enum sense_code code) {
  ASSERT(code < SENSE_CODE_COUNT);
  const struct sense_row* row = &sense_table[code];
  return (uint32_t)row->key << 16 | (uint32_t)row->asc << 8 | row->ascq;
}

enum sense_code sense_from_status(enum status status) {
  ASSERT(status < STATUS_COUNT);
  if (status == STATUS_OK) return SENSE_NONE;
  const enum sense_code code = (enum sense_code)sense_of_status[status];
  return code == SENSE_NONE ? SENSE_INTERNAL_FAILURE : code;
}

/// Response codes 70h: current error, 71h: deferred error, both in fixed format; VALID: INFORMATION
/// holds something.
#define RESPONSE_CURRENT 0x70U
#define RESPONSE_DEFERRED 0x71U
#define INFORMATION_VALID 0x80U
/// Sense-key specific bytes: SKSV, C/D set when the pointer is into the CDB, BPV and the bit
/// (SPC-2 7.20.3); for FORMAT UNIT, SKSV and the progress (SCSI-2 8.2.14.1).
#define FIELD_POINTER_VALID 0x80U
#define FIELD_IN_CDB 0x40U
#define FIELD_BIT 0x0FU
#define PROGRESS_VALID 0x80U

void sense_put_fixed(const struct sense* sense, uint8_t bytes[SENSE_BYTES]) {
  ASSERT(sense->code < SENSE_CODE_COUNT);
  const struct sense_row* row = &sense_table[sense->code];
  bytes_fill(bytes, 0, SENSE_BYTES);
  bytes[0] = sense->is_deferred ? RESPONSE_DEFERRED : RESPONSE_CURRENT;
  bytes[2] = row->key;
  bytes[7] = SENSE_BYTES - 8U;
  bytes[12] = row->asc;
  bytes[13] = row->ascq;
  switch ((enum sense_detail)sense->detail) {
    case SENSE_DETAIL_NONE: break;
    case SENSE_DETAIL_INFORMATION:
      bytes[0] |= INFORMATION_VALID;
      bytes_put_be32(bytes + 3, sense->value);
      break;
    case SENSE_DETAIL_CDB_FIELD:
    case SENSE_DETAIL_PARAMETER_FIELD:
      bytes[15] = (uint8_t)(FIELD_POINTER_VALID | (sense->value >> 16 & FIELD_BIT));
      if (sense->detail == SENSE_DETAIL_CDB_FIELD) bytes[15] |= FIELD_IN_CDB;
      bytes_put_be16(bytes + 16, sense->value);
      break;
    case SENSE_DETAIL_STOPPED_AT:
      bytes[0] |= INFORMATION_VALID;
      bytes_put_be32(bytes + 3, sense->value);
      bytes_put_be32(bytes + 8, sense->value);
      break;
    case SENSE_DETAIL_PROGRESS:
      bytes[15] = PROGRESS_VALID;
      bytes_put_be16(bytes + 16, sense->value);
      break;
    default: ASSERT_UNREACHABLE();
  }
}
