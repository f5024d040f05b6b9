// SPDX-License-Identifier: Apache-2.0
/// @file
/// What is known of each command: the rows of commands.def without the functions that execute them.
///
/// The bits of the CDB that a row allows are its usage map, as REPORT SUPPORTED OPERATION CODES
/// returns it.
#ifndef FIRMWARE_DEVICE_COMMAND_ROWS_H
#define FIRMWARE_DEVICE_COMMAND_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Operation codes (SPC-2 table 11 and SBC-2 table 5).
enum opcode {
#define COMMAND(name, code, ...) OPCODE_##name = code,
#define DATA_COMMAND COMMAND
#include "firmware/device/commands.def"
#undef DATA_COMMAND
#undef COMMAND
};

enum command_flag {
  ANY_LUN = 1U << 0,          ///< Also answers for logical units that do not exist.
  KEEPS_ATTENTION = 1U << 1,  ///< Neither reports nor clears a pending unit attention.
  ANY_HOLDER = 1U << 2,       ///< Not subject to a reservation.
  NEEDS_READY = 1U << 3,      ///< NOT READY unless the media can be used.
  NEEDS_SPINDLE = 1U << 4,    ///< NOT READY unless the spindle is ready; media that are to be
                              ///< formatted are accepted, too.
  SERVICE_ACTION = 1U << 5,   ///< The row is for one service action: the number in byte 1.
  LIMITED_BY_T2A = 1U << 6,   ///< Duration limits of page 0Ah/07h (duration_page.h).
  LIMITED_BY_T2B = 1U << 7,   ///< Duration limits of page 0Ah/08h.
};

#define COMMAND_USAGE_BYTES 15U
/// Byte 1 of a CDB: the service action (SPC-4 4.3.5.2).
#define COMMAND_SERVICE_ACTION 0x1FU

struct command_row {
  uint8_t opcode;
  uint8_t flags;                       ///< enum command_flag
  uint8_t usage[COMMAND_USAGE_BYTES];  ///< Bits that may be set in bytes 1, 2, ... of the CDB; for
                                       ///< byte 1 see command_usage_1(). A row with SERVICE_ACTION
                                       ///< has the service action alone in byte 1.
};

/// Row numbers, in the order of commands.def.
enum command_row_number {
#define COMMAND(name, ...) COMMAND_ROW_##name,
#define DATA_COMMAND COMMAND
#include "firmware/device/commands.def"
#undef DATA_COMMAND
#undef COMMAND
  COMMAND_ROW_COUNT,
};

extern const struct command_row command_rows[COMMAND_ROW_COUNT];

/// Length of a CDB by the group of its operation code (SPC-2 7.1): 6 for reserved and vendor
/// groups.
uint32_t command_cdb_bytes(uint8_t opcode);

/// The service action of the row; 0 for a row without one.
static inline uint8_t command_service_action(const struct command_row* row) {
  return (row->flags & SERVICE_ACTION) != 0 ? row->usage[0] : 0;
}

/// Bits 7-5 of byte 1 of a SCSI-2 CDB: the logical unit (SCSI-2 7.2.2).
#define COMMAND_LUN 0xE0U

/// Bits that may be set in byte 1 of the CDB. `has_lun`: the drive is one of SCSI-2.
static inline uint8_t command_usage_1(const struct command_row* row, bool has_lun) {
  const uint32_t reserved = has_lun || (row->flags & SERVICE_ACTION) != 0 ? 0 : COMMAND_LUN;
  return (uint8_t)(row->usage[0] & ~reserved);
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_COMMAND_ROWS_H
