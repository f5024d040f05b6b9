// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_SECTOR_SET
#include "firmware/motion/sector_set.h"

#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

#define SLOTS_BITS_MIN 5U

void sector_set_clear(struct sector_set* set, uint32_t count) {
  set->used_bits = SLOTS_BITS_MIN;
  while (set->used_bits < SECTOR_SET_SLOTS_BITS && 1U << set->used_bits < 8U * count) {
    ++set->used_bits;
  }
  set->count = 0;
  bytes_fill((uint8_t*)set->slot, 0, sizeof set->slot[0] << set->used_bits);
}

void sector_set_add(struct sector_set* set, uint32_t sector) {
  ASSERT(sector_set_has_room(set));
  const uint32_t last = (1U << set->used_bits) - 1U;
  uint32_t index = sector_set_first(set, sector);
  while (set->slot[index] != 0) index = (index + 1U) & last;
  set->slot[index] = sector + 1U;
  ++set->count;
}
