// SPDX-License-Identifier: Apache-2.0
// Functions for code that the kernel has in headers only. They contain a fault that tests/mutation
// puts into a header. The test itself uses the original header.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint32_t probe_bits_lowest(uint32_t word);
uint32_t probe_bits_highest(uint32_t word);

uint32_t probe_multiply_high(uint32_t a, uint32_t b);
uint32_t probe_divide_by_reciprocal(uint32_t n, uint32_t divisor, uint32_t reciprocal);
uint32_t probe_distance(uint32_t a, uint32_t b);

int probe_status_is_done(int status);

uint16_t probe_get_be16(const uint8_t* bytes);
uint32_t probe_get_be24(const uint8_t* bytes);
uint32_t probe_get_be32(const uint8_t* bytes);
uint64_t probe_get_be64(const uint8_t* bytes);
uint16_t probe_get_le16(const uint8_t* bytes);
uint32_t probe_get_le32(const uint8_t* bytes);
void probe_put_be16(uint8_t* bytes, uint32_t value);
void probe_put_be24(uint8_t* bytes, uint32_t value);
void probe_put_be32(uint8_t* bytes, uint32_t value);
void probe_put_be64(uint8_t* bytes, uint64_t value);
void probe_put_le16(uint8_t* bytes, uint32_t value);
void probe_put_le32(uint8_t* bytes, uint32_t value);
void probe_copy(uint8_t* to, const uint8_t* from, size_t count);
void probe_fill(uint8_t* to, uint8_t value, size_t count);

#ifdef __cplusplus
}
#endif
