// SPDX-License-Identifier: Apache-2.0
/// @file
/// A set of sector numbers that only grows: a hash table with open addressing.
#ifndef FIRMWARE_MOTION_SECTOR_SET_H
#define FIRMWARE_MOTION_SECTOR_SET_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Room for half as many sectors: a power of two.
#define SECTOR_SET_SLOTS_BITS 12U
#define SECTOR_SET_SLOTS (1U << SECTOR_SET_SLOTS_BITS)

struct sector_set {
  uint32_t used_bits;  ///< 2^used_bits slots are in use.
  uint32_t count;
  uint32_t slot[SECTOR_SET_SLOTS];  ///< A sector, plus 1; 0: the slot is empty.
};

/// Begins an empty set with room for four times `count` sectors, and for more than a few.
void sector_set_clear(struct sector_set* set, uint32_t count);

/// Whether there is room for another sector before the next sector_set_clear().
static inline bool sector_set_has_room(const struct sector_set* set) {
  return 2U * (set->count + 1U) <= 1U << set->used_bits;
}

/// Adds a sector that is not in the set. There must be room.
void sector_set_add(struct sector_set* set, uint32_t sector);

/// The slot at which the search for a sector begins. The factor is 2^32 divided by the golden
/// ratio, so that neighbours are far apart (Knuth, The Art of Computer Programming, volume 3, 6.4).
static inline uint32_t sector_set_first(const struct sector_set* set, uint32_t sector) {
  return (sector * 0x9E3779B1U) >> (32U - set->used_bits);
}

static inline bool sector_set_has(const struct sector_set* set, uint32_t sector) {
  const uint32_t last = (1U << set->used_bits) - 1U;
  uint32_t index = sector_set_first(set, sector);
  for (; set->slot[index] != 0; index = (index + 1U) & last) {
    if (set->slot[index] == sector + 1U) return true;
  }
  return false;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_SECTOR_SET_H
