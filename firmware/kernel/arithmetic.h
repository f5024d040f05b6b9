// SPDX-License-Identifier: Apache-2.0
/// @file
/// 32-bit arithmetic that avoids the divider: on the drive's core a division takes 37 cycles, a
/// multiplication 1 to 4.
#ifndef FIRMWARE_KERNEL_ARITHMETIC_H
#define FIRMWARE_KERNEL_ARITHMETIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// High word of the product: one instruction on RV32M.
static inline uint32_t multiply_high(uint32_t a, uint32_t b) {
  return (uint32_t)(((uint64_t)a * b) >> 32);
}

/// n / divisor for any n, with `reciprocal` = floor((2^32 - 1) / divisor), divisor >= 1.
///
/// The estimate is never above the quotient, as reciprocal < 2^32 / divisor. It is at most one
/// below: reciprocal >= 2^32 / divisor - 1, so n * reciprocal / 2^32 > n / divisor - 1.
static inline uint32_t divide_by_reciprocal(uint32_t n, uint32_t divisor, uint32_t reciprocal) {
  const uint32_t estimate = multiply_high(n, reciprocal);
  return n - estimate * divisor >= divisor ? estimate + 1 : estimate;
}

/// done / total in 65,536ths; less than 65,536 while `done` is less than `total`. Of large numbers,
/// only the upper 16 bits count.
static inline uint32_t share_65536(uint32_t done, uint32_t total) {
  uint32_t shift = 0;
  while (total >> shift >= 1U << 16) ++shift;
  return ((done >> shift) << 16) / ((total >> shift) + 1U);
}

static inline uint32_t distance_u32(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_ARITHMETIC_H
