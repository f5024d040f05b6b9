// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/words_probe.h"

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/bits.h"
#include "firmware/kernel/bytes.h"
#include "firmware/kernel/status.h"

uint32_t probe_bits_lowest(uint32_t word) { return bits_lowest(word); }
uint32_t probe_bits_highest(uint32_t word) { return bits_highest(word); }

uint32_t probe_multiply_high(uint32_t a, uint32_t b) { return multiply_high(a, b); }
uint32_t probe_divide_by_reciprocal(uint32_t n, uint32_t divisor, uint32_t reciprocal) {
  return divide_by_reciprocal(n, divisor, reciprocal);
}
uint32_t probe_distance(uint32_t a, uint32_t b) { return distance_u32(a, b); }

int probe_status_is_done(int status) { return status_is_done((enum status)status); }

uint16_t probe_get_be16(const uint8_t* bytes) { return bytes_get_be16(bytes); }
uint32_t probe_get_be24(const uint8_t* bytes) { return bytes_get_be24(bytes); }
uint32_t probe_get_be32(const uint8_t* bytes) { return bytes_get_be32(bytes); }
uint64_t probe_get_be64(const uint8_t* bytes) { return bytes_get_be64(bytes); }
uint16_t probe_get_le16(const uint8_t* bytes) { return bytes_get_le16(bytes); }
uint32_t probe_get_le32(const uint8_t* bytes) { return bytes_get_le32(bytes); }
void probe_put_be16(uint8_t* bytes, uint32_t value) { bytes_put_be16(bytes, value); }
void probe_put_be24(uint8_t* bytes, uint32_t value) { bytes_put_be24(bytes, value); }
void probe_put_be32(uint8_t* bytes, uint32_t value) { bytes_put_be32(bytes, value); }
void probe_put_be64(uint8_t* bytes, uint64_t value) { bytes_put_be64(bytes, value); }
void probe_put_le16(uint8_t* bytes, uint32_t value) { bytes_put_le16(bytes, value); }
void probe_put_le32(uint8_t* bytes, uint32_t value) { bytes_put_le32(bytes, value); }
void probe_copy(uint8_t* to, const uint8_t* from, size_t count) { bytes_copy(to, from, count); }
void probe_fill(uint8_t* to, uint8_t value, size_t count) { bytes_fill(to, value, count); }
