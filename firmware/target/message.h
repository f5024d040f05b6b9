// SPDX-License-Identifier: Apache-2.0
/// @file
/// SCSI messages (SCSI-2 6.6): codes, and cutting the bytes of a MESSAGE OUT phase into messages.
#ifndef FIRMWARE_TARGET_MESSAGE_H
#define FIRMWARE_TARGET_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/// SCSI-2 table 10.
enum message_code {
  MESSAGE_COMMAND_COMPLETE = 0x00,
  MESSAGE_EXTENDED = 0x01,
  MESSAGE_SAVE_DATA_POINTER = 0x02,
  MESSAGE_RESTORE_POINTERS = 0x03,
  MESSAGE_DISCONNECT = 0x04,
  MESSAGE_INITIATOR_DETECTED_ERROR = 0x05,
  MESSAGE_ABORT = 0x06,
  MESSAGE_REJECT = 0x07,
  MESSAGE_NO_OPERATION = 0x08,
  MESSAGE_PARITY_ERROR = 0x09,
  MESSAGE_BUS_DEVICE_RESET = 0x0C,
  MESSAGE_ABORT_TAG = 0x0D,
  MESSAGE_CLEAR_QUEUE = 0x0E,
  MESSAGE_SIMPLE_TAG = 0x20,
  MESSAGE_HEAD_OF_QUEUE_TAG = 0x21,
  MESSAGE_ORDERED_TAG = 0x22,
  MESSAGE_IGNORE_WIDE_RESIDUE = 0x23,
  MESSAGE_IDENTIFY = 0x80,  ///< 80h .. FFh
};

/// Extended messages: third byte. 80h and 81h are this drive's own.
enum message_extended_code {
  MESSAGE_EXTENDED_SYNCHRONOUS = 0x01,  ///< 01 03 01 period offset
  MESSAGE_EXTENDED_WIDE = 0x03,         ///< 01 02 03 exponent
  MESSAGE_EXTENDED_LONG_TAG = 0x80,     ///< 01 04 80 (20|21|22) tag(high) tag(low)
  MESSAGE_EXTENDED_DEADLINE = 0x81,     ///< Sent before COMMAND. Short: 01 05 81 microseconds (4
                                        ///< bytes). Long: 01 08 81 microseconds (4) class stream
                                        ///< priority.
};

/// IDENTIFY (SCSI-2 6.6.7): bit 6 disconnect privilege, bit 5 target routine, bits 4-3 reserved.
#define IDENTIFY_MAY_DISCONNECT 0x40U
#define IDENTIFY_UNSUPPORTED 0x38U
#define IDENTIFY_LUN 0x07U

/// The longest message that a builder writes; a rejection fits after it.
#define MESSAGE_BYTES_MAX 7U

/// The kind of a message, once length and code have been examined.
enum message_kind {
  MESSAGE_KIND_INCOMPLETE,   ///< Bytes are missing: `size` of them, as far as known.
  MESSAGE_KIND_UNKNOWN,      ///< The message is whole, and to be rejected.
  MESSAGE_KIND_IDENTIFY,     ///< value: the byte
  MESSAGE_KIND_TAG,          ///< code: 20h..22h, value: tag
  MESSAGE_KIND_LONG_TAG,     ///< code: 20h..22h, value: tag
  MESSAGE_KIND_SYNCHRONOUS,  ///< value: period << 8 | offset, as on the wire
  MESSAGE_KIND_WIDE,         ///< value: exponent
  MESSAGE_KIND_DEADLINE,     ///< value: microseconds
  MESSAGE_KIND_URGENCY,      ///< value: microseconds; message_urgency() has the rest
  MESSAGE_KIND_SIMPLE,       ///< code: a one-byte message
};

struct message {
  uint32_t value;
  uint16_t size;  ///< Bytes, on the wire.
  uint8_t kind;   ///< enum message_kind
  uint8_t code;
};

/// Decodes the first message in `count` bytes.
struct message message_next(const uint8_t* bytes, uint32_t count);

/// Decodes a MESSAGE_KIND_URGENCY that begins at `bytes`.
struct task_urgency message_urgency(const uint8_t* bytes);

// Builders; each returns the bytes written, at most MESSAGE_BYTES_MAX.
uint32_t message_put_identify(uint8_t* bytes, uint8_t lun);
/// SIMPLE QUEUE TAG, in the form in which the tag came; all reselections use it (SCSI-2 6.6.17).
uint32_t message_put_tag(uint8_t* bytes, uint16_t tag, bool long_tag);
uint32_t message_put_synchronous(uint8_t* bytes, uint8_t period, uint8_t offset);
uint32_t message_put_wide(uint8_t* bytes, uint8_t exponent);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_MESSAGE_H
