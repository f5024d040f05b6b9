// SPDX-License-Identifier: Apache-2.0
/// @file
/// The lowest and the highest set bit of a word, without a loop: the drive's core has no
/// instruction for them. The product of a lone bit and a de Bruijn constant differs for each bit in
/// its top five bits.
#ifndef FIRMWARE_KERNEL_BITS_H
#define FIRMWARE_KERNEL_BITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Number of a bit, indexed by the top five bits of its product with the de Bruijn sequence
/// 0x077CB531.
extern const uint8_t bits_position[32];

static inline uint32_t bits_of_lone(uint32_t lone) {
  return bits_position[(lone * 0x077CB531U) >> 27];
}

/// Number of the lowest bit that is set; `word` is not 0.
static inline uint32_t bits_lowest(uint32_t word) { return bits_of_lone(word & (0U - word)); }

/// Number of the highest bit that is set; `word` is not 0.
static inline uint32_t bits_highest(uint32_t word) {
  word |= word >> 1;
  word |= word >> 2;
  word |= word >> 4;
  word |= word >> 8;
  word |= word >> 16;
  return bits_of_lone(word ^ (word >> 1));
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_BITS_H
