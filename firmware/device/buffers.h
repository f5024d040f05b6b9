// SPDX-License-Identifier: Apache-2.0
/// @file
/// The buffers of WRITE BUFFER and READ BUFFER (SPC-2 7.13, 7.26): maps of blocks, and what the
/// drive has learned of its load.
#ifndef FIRMWARE_DEVICE_BUFFERS_H
#define FIRMWARE_DEVICE_BUFFERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device_parts;

/// Buffers by their id.
enum buffer_id {
  BUFFER_MAP_1 = 0x01,  ///< Slots of units, two bytes each: written, in order.
  BUFFER_MAP_2 = 0x02,
  BUFFER_LOCATIONS = 0x10,  ///< Present places of units, two bytes each: read.
  BUFFER_VISITS = 0x11,     ///< Accesses by group, two bytes each.
  BUFFER_PAIRS = 0x12,      ///< Triples of two bytes each: from, to, count; count 0: nothing.
};

/// Bytes that a buffer has; 0: there is no such buffer.
uint32_t buffer_bytes(const struct device_parts* parts, uint32_t id);

/// `offset` and `count` are inside the buffer; both are multiples of 2.
void buffer_read(const struct device_parts* parts, uint32_t id, uint32_t offset, uint8_t* bytes,
                 uint32_t count);

/// The result of writing a part of a map.
enum buffer_written {
  BUFFER_TAKEN,
  BUFFER_NO_SUCH,     ///< There is no such buffer to be written.
  BUFFER_BUSY,        ///< An earlier map is being saved.
  BUFFER_BAD_OFFSET,  ///< The part does not continue where the last one ended.
  BUFFER_BAD_BYTES,   ///< Byte `*bad` of the data is wrong.
};
enum buffer_written buffer_write(const struct device_parts* parts, uint32_t id, uint32_t offset,
                                 const uint8_t* bytes, uint32_t count, uint32_t* bad);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_BUFFERS_H
