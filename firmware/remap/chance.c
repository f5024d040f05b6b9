// SPDX-License-Identifier: Apache-2.0
#include "firmware/remap/chance.h"

#include "firmware/kernel/bits.h"

#define LOGARITHM_BITS 20U
/// ln 2, with so many bits of fraction more: up to 31 of them are added.
#define LN_2_MORE_BITS 6U
#define LN_2 46516320U
/// The table's argument steps, and bits between two of them.
#define STEP_BITS 7U
#define BETWEEN_BITS (31U - STEP_BITS)

/// -ln(1/2 + i / 256), LOGARITHM_BITS bits of fraction.
static const uint32_t minus_ln[(1U << STEP_BITS) + 1] = {
    726817, 718657, 710560, 702525, 694551, 686637, 678783, 670987, 663248, 655566, 647940, 640369,
    632852, 625389, 617979, 610620, 603313, 596056, 588850, 581692, 574583, 567522, 560508, 553541,
    546619, 539744, 532912, 526125, 519382, 512682, 506024, 499409, 492835, 486301, 479809, 473356,
    466942, 460568, 454232, 447935, 441674, 435451, 429265, 423115, 417001, 410922, 404878, 398869,
    392895, 386954, 381046, 375172, 369330, 363521, 357743, 351998, 346284, 340600, 334947, 329325,
    323733, 318170, 312636, 307132, 301657, 296209, 290790, 285399, 280036, 274699, 269390, 264108,
    258852, 253622, 248418, 243240, 238087, 232959, 227857, 222779, 217726, 212697, 207691, 202710,
    197752, 192818, 187906, 183018, 178152, 173309, 168488, 163689, 158912, 154156, 149422, 144709,
    140018, 135347, 130697, 126068, 121458, 116870, 112301, 107751, 103222, 98712,  94221,  89750,
    85297,  80863,  76448,  72052,  67674,  63314,  58972,  54648,  50341,  46053,  41781,  37528,
    33291,  29071,  24869,  20683,  16513,  12361,  8224,   4104,   0};

void chance_begin(struct chance* chance, uint32_t seed) {
  // Steps of splitmix32's constant, mixed: two words that are never both 0.
  for (uint32_t i = 0; i < 2; ++i) {
    uint32_t word = seed + (i + 1) * 0x9E3779B9U;
    word = (word ^ (word >> 16)) * 0x85EBCA6BU;
    word = (word ^ (word >> 13)) * 0xC2B2AE35U;
    chance->state[i] = word ^ (word >> 16);
  }
}

uint32_t chance_minus_ln(uint32_t word) {
  if (word == 0) word = 1;
  const uint32_t halvings = 31 - bits_highest(word);
  const uint32_t mantissa = (word << halvings) & 0x7FFFFFFFU;
  const uint32_t step = mantissa >> BETWEEN_BITS;
  const uint32_t between = mantissa & ((1U << BETWEEN_BITS) - 1);
  const uint32_t fall = minus_ln[step] - minus_ln[step + 1];
  return (halvings * LN_2 >> LN_2_MORE_BITS) + minus_ln[step] -
         multiply_high(fall, between << (32 - BETWEEN_BITS));
}

uint64_t chance_rise(struct chance* chance, uint64_t temperature) {
  return (temperature * chance_minus_ln(chance_next(chance))) >>
         (CHANCE_TEMPERATURE_BITS + LOGARITHM_BITS);
}
