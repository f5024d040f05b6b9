// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random numbers that a seed determines, and the rise of an energy that one of them accepts.
///
/// xoroshiro64* (Blackman and Vigna, 2018): 64 bits of state, two multiplications by shifts, no
/// division.
#ifndef FIRMWARE_REMAP_CHANCE_H
#define FIRMWARE_REMAP_CHANCE_H

#include <stdint.h>

#include "firmware/kernel/arithmetic.h"

#ifdef __cplusplus
extern "C" {
#endif

struct chance {
  uint32_t state[2];
};

/// Starts with any seed; equal seeds give equal numbers.
void chance_begin(struct chance* chance, uint32_t seed);

static inline uint32_t chance_next(struct chance* chance) {
  const uint32_t low = chance->state[0];
  const uint32_t high = chance->state[1] ^ low;
  chance->state[0] = (low << 26 | low >> 6) ^ high ^ (high << 9);
  chance->state[1] = high << 13 | high >> 19;
  return low * 0x9E3779BBU;
}

/// Draws 0 .. count - 1, each as likely, to 2^-32 of `count`.
static inline uint32_t chance_below(struct chance* chance, uint32_t count) {
  return multiply_high(chance_next(chance), count);
}

/// A temperature has CHANCE_TEMPERATURE_BITS bits of fraction, and is CHANCE_TEMPERATURE_MAX at
/// most: its product with a logarithm has 64 bits.
#define CHANCE_TEMPERATURE_BITS 8U
#define CHANCE_TEMPERATURE_MAX ((UINT64_C(1) << 38) - 1)

/// Computes -ln(word / 2^32), 20 bits of fraction, off by 1e-5 at the most; word 0 counts as 1.
uint32_t chance_minus_ln(uint32_t word);

/// Draws u from 0 .. 1, and returns the largest rise of an energy that it accepts: the largest
/// whole E with u <= e^(-E / temperature). Temperature 0 accepts no rise.
uint64_t chance_rise(struct chance* chance, uint64_t temperature);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_CHANCE_H
