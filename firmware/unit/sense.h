// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sense data: every way in which a command can fail, as one row of a table, and its wire format.
#ifndef FIRMWARE_UNIT_SENSE_H
#define FIRMWARE_UNIT_SENSE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// SPC-2 7.20.1, byte 7 = 10: the length of this drive's answer to REQUEST SENSE.
#define SENSE_BYTES 18U

/// SPC-2 table 107.
enum sense_key {
  SENSE_KEY_NO_SENSE = 0x0,
  SENSE_KEY_RECOVERED_ERROR = 0x1,
  SENSE_KEY_NOT_READY = 0x2,
  SENSE_KEY_MEDIUM_ERROR = 0x3,
  SENSE_KEY_HARDWARE_ERROR = 0x4,
  SENSE_KEY_ILLEGAL_REQUEST = 0x5,
  SENSE_KEY_UNIT_ATTENTION = 0x6,
  SENSE_KEY_ABORTED_COMMAND = 0xB,
  SENSE_KEY_MISCOMPARE = 0xE,
  SENSE_KEY_COMPLETED = 0xF,  ///< SPC-4 4.5.6: sense data of a command whose status is GOOD.
};

/// Rows of the sense table. The comment is key/ASC/ASCQ.
enum sense_code {
  SENSE_NONE,                          ///< 0/00/00; as a result: GOOD.
  SENSE_WRITE_RECOVERED,               ///< 1/0C/00 write error
  SENSE_WRITE_MOVED,                   ///< 1/0C/01 write error recovered with auto-reallocation
  SENSE_READ_RECOVERED,                ///< 1/17/01 recovered data with retries
  SENSE_READ_MOVED,                    ///< 1/17/06 recovered without ECC, data auto-reallocated
  SENSE_READ_STAYS,                    ///< 1/17/07 recovered without ECC, recommend reassignment
  SENSE_DEFECT_LIST_NOT_FOUND,         ///< 1/1C/00 not in the format asked for
  SENSE_ROUNDED_PARAMETER,             ///< 1/37/00
  SENSE_NOT_READY,                     ///< 2/04/00 cause not reportable
  SENSE_BECOMING_READY,                ///< 2/04/01
  SENSE_START_REQUIRED,                ///< 2/04/02 initializing command required
  SENSE_FORMAT_IN_PROGRESS,            ///< 2/04/04
  SENSE_WRITE_NOT_MOVED,               ///< 3/0C/02 write error, auto-reallocation failed
  SENSE_ID_CRC,                        ///< 3/10/00 headers unreadable
  SENSE_UNRECOVERED_READ,              ///< 3/11/00
  SENSE_READ_NOT_MOVED,                ///< 3/11/04 unrecovered, auto-reallocation failed
  SENSE_NO_ADDRESS_MARK,               ///< 3/12/00 for the ID field: no sync mark
  SENSE_RECORD_NOT_FOUND,              ///< 3/14/01
  SENSE_MEDIUM_CORRUPTED,              ///< 3/31/00 medium format corrupted
  SENSE_NO_INDEX,                      ///< 4/01/00 no index/sector signal
  SENSE_NO_SEEK_COMPLETE,              ///< 4/02/00
  SENSE_WRITE_FAULT,                   ///< 4/03/00 peripheral device write fault
  SENSE_NO_REFERENCE,                  ///< 4/06/00 no reference position found
  SENSE_TRACK_FOLLOWING,               ///< 4/09/00
  SENSE_SEEK_POSITIONING,              ///< 4/15/01 mechanical positioning error
  SENSE_READ_POSITIONING,              ///< 4/15/02 positioning error detected by read of medium
  SENSE_NO_SPARE,                      ///< 4/32/00 no defect spare location available
  SENSE_UNIT_FAILURE,                  ///< 4/3E/01 logical unit failure
  SENSE_SELF_TEST_FAILED,              ///< 4/40/80 diagnostic failure on component 80h: positioning
  SENSE_INTERNAL_FAILURE,              ///< 4/44/00
  SENSE_PARAMETER_LIST_LENGTH,         ///< 5/1A/00
  SENSE_INVALID_OPCODE,                ///< 5/20/00
  SENSE_LBA_RANGE,                     ///< 5/21/00
  SENSE_INVALID_CDB_FIELD,             ///< 5/24/00
  SENSE_LUN_NOT_SUPPORTED,             ///< 5/25/00
  SENSE_INVALID_PARAMETER_FIELD,       ///< 5/26/00
  SENSE_SAVING_NOT_SUPPORTED,          ///< 5/39/00 saving parameters not supported
  SENSE_MEDIUM_MAY_HAVE_CHANGED,       ///< 6/28/00
  SENSE_POWER_ON_OR_RESET,             ///< 6/29/00
  SENSE_BUS_RESET,                     ///< 6/29/02
  SENSE_DEVICE_RESET,                  ///< 6/29/03
  SENSE_MODE_PARAMETERS_CHANGED,       ///< 6/2A/01
  SENSE_LOG_PARAMETERS_CHANGED,        ///< 6/2A/02
  SENSE_CLEARED_BY_ANOTHER_INITIATOR,  ///< 6/2F/00
  SENSE_TIMED_OUT_WAITING,             ///< B/2E/01 command timeout before processing
  SENSE_TIMED_OUT,                     ///< B/2E/02 command timeout during processing
  SENSE_TIMED_OUT_RECOVERING,          ///< B/2E/03 the same, due to error recovery
  SENSE_MESSAGE_ERROR,                 ///< B/43/00
  SENSE_SELECT_FAILURE,                ///< B/45/00 select or reselect failure
  SENSE_PARITY,                        ///< B/47/00 SCSI parity error
  SENSE_INITIATOR_DETECTED_ERROR,      ///< B/48/00
  SENSE_INVALID_MESSAGE,               ///< B/49/00
  SENSE_OVERLAPPED_COMMANDS,           ///< B/4E/00
  SENSE_DATA_UNAVAILABLE,              ///< F/55/0A data currently unavailable: beside GOOD
  SENSE_CODE_COUNT
};

/// The meaning of a sense's `value`.
enum sense_detail {
  SENSE_DETAIL_NONE,
  SENSE_DETAIL_INFORMATION,      ///< `value` is a logical block: INFORMATION and VALID.
  SENSE_DETAIL_CDB_FIELD,        ///< `value` is a byte of the CDB: field pointer, C/D set.
  SENSE_DETAIL_PARAMETER_FIELD,  ///< `value` is a byte of the parameter list: field pointer.
  SENSE_DETAIL_STOPPED_AT,       ///< `value` is a logical block: INFORMATION and COMMAND-SPECIFIC
                                 ///< INFORMATION, the first that was not handled.
  SENSE_DETAIL_PROGRESS,         ///< `value` of 65,536 is done: progress indication.
};

/// Mark of a bit in a field pointer, besides the byte: the highest bit of the field.
#define SENSE_FIELD_BIT(bit) (0x80000U | (uint32_t)(bit) << 16)

struct sense {
  uint32_t value;
  uint8_t code;      ///< enum sense_code
  uint8_t detail;    ///< enum sense_detail
  bool is_deferred;  ///< The sense is of an earlier command, whose status was GOOD.
};

static inline struct sense sense_plain(enum sense_code code) {
  struct sense sense = {0, (uint8_t)code, SENSE_DETAIL_NONE, false};
  return sense;
}

static inline struct sense sense_at_lba(enum sense_code code, uint32_t lba) {
  struct sense sense = {lba, (uint8_t)code, SENSE_DETAIL_INFORMATION, false};
  return sense;
}

/// 5/24/00 with a pointer to byte `index` of the CDB.
static inline struct sense sense_cdb_field(uint32_t index) {
  struct sense sense = {index, SENSE_INVALID_CDB_FIELD, SENSE_DETAIL_CDB_FIELD, false};
  return sense;
}

/// 5/26/00 with a pointer to byte `index` of the parameter list.
static inline struct sense sense_parameter_field(uint32_t index) {
  struct sense sense = {index, SENSE_INVALID_PARAMETER_FIELD, SENSE_DETAIL_PARAMETER_FIELD, false};
  return sense;
}

/// 5/26/00 with a pointer to bit `bit` of byte `index` of the parameter list.
static inline struct sense sense_parameter_bit(uint32_t index, uint32_t bit) {
  return sense_parameter_field(index | SENSE_FIELD_BIT(bit));
}

enum sense_key sense_key_of(enum sense_code code);

/// Key << 16 | ASC << 8 | ASCQ.
uint32_t sense_number(enum sense_code code);

/// The one place where an internal status becomes sense data; SENSE_NONE for STATUS_OK.
enum sense_code sense_from_status(enum status status);

/// Writes fixed-format sense data (SPC-2 7.20.2).
void sense_put_fixed(const struct sense* sense, uint8_t bytes[SENSE_BYTES]);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_SENSE_H
