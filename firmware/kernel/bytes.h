// SPDX-License-Identifier: Apache-2.0
/// @file
/// Conversion between wire bytes and integers by shifts: the same on every host and for any
/// alignment.
///
/// `be` is big-endian, the order of SCSI. `le` is little-endian, the order of the design table from
/// the simulator. The caller guarantees that the bytes exist.
#ifndef FIRMWARE_KERNEL_BYTES_H
#define FIRMWARE_KERNEL_BYTES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint16_t bytes_get_be16(const uint8_t* bytes) {
  return (uint16_t)((uint32_t)bytes[0] << 8 | bytes[1]);
}

static inline uint32_t bytes_get_be24(const uint8_t* bytes) {
  return (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
}

static inline uint32_t bytes_get_be32(const uint8_t* bytes) {
  return (uint32_t)bytes[0] << 24 | bytes_get_be24(bytes + 1);
}

static inline uint64_t bytes_get_be64(const uint8_t* bytes) {
  return (uint64_t)bytes_get_be32(bytes) << 32 | bytes_get_be32(bytes + 4);
}

static inline void bytes_put_be16(uint8_t* bytes, uint32_t value) {
  bytes[0] = (uint8_t)(value >> 8);
  bytes[1] = (uint8_t)value;
}

static inline void bytes_put_be24(uint8_t* bytes, uint32_t value) {
  bytes[0] = (uint8_t)(value >> 16);
  bytes_put_be16(bytes + 1, value);
}

static inline void bytes_put_be32(uint8_t* bytes, uint32_t value) {
  bytes[0] = (uint8_t)(value >> 24);
  bytes_put_be24(bytes + 1, value);
}

static inline void bytes_put_be64(uint8_t* bytes, uint64_t value) {
  bytes_put_be32(bytes, (uint32_t)(value >> 32));
  bytes_put_be32(bytes + 4, (uint32_t)value);
}

static inline uint16_t bytes_get_le16(const uint8_t* bytes) {
  return (uint16_t)((uint32_t)bytes[1] << 8 | bytes[0]);
}

static inline uint32_t bytes_get_le32(const uint8_t* bytes) {
  return (uint32_t)bytes_get_le16(bytes + 2) << 16 | bytes_get_le16(bytes);
}

static inline void bytes_put_le16(uint8_t* bytes, uint32_t value) {
  bytes[0] = (uint8_t)value;
  bytes[1] = (uint8_t)(value >> 8);
}

static inline void bytes_put_le32(uint8_t* bytes, uint32_t value) {
  bytes_put_le16(bytes, value);
  bytes_put_le16(bytes + 2, value >> 16);
}

/// Copies `count` bytes; the ranges do not overlap. (No library in a freestanding build.)
static inline void bytes_copy(uint8_t* to, const uint8_t* from, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}

static inline void bytes_fill(uint8_t* to, uint8_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = value;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_BYTES_H
