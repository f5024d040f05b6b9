// SPDX-License-Identifier: Apache-2.0
#include "firmware/remap/organ.h"

#define PLACES_PER_STEP 32U

void organ_begin(struct organ* organ, const struct remap_counts* counts, uint32_t count,
                 uint16_t* slot_of, uint16_t* order) {
  *organ = (struct organ){.slot_of = slot_of};
  sort_begin(&organ->sort, counts, SORT_BY_VISITS, order, count);
}

uint32_t organ_slot(uint32_t rank, uint32_t count) {
  const uint32_t middle = count / 2;
  // The left side has one slot more if their number is even: the last rank has slot 0.
  if (rank == count - 1 && (count & 1) == 0) return 0;
  return (rank & 1) != 0 ? middle + (rank + 1) / 2 : middle - rank / 2;
}

bool organ_step(struct organ* organ) {
  struct sort* sort = &organ->sort;
  if (!organ->is_sorted) {
    organ->is_sorted = sort_step(sort);
    return false;
  }
  for (uint32_t i = 0; i < PLACES_PER_STEP && organ->rank < sort->count; ++i) {
    organ->slot_of[sort->items[organ->rank]] = (uint16_t)organ_slot(organ->rank, sort->count);
    ++organ->rank;
  }
  return organ->rank == sort->count;
}
