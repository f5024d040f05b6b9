// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_CANDIDATE_SET
#include "firmware/queue/candidate_set.h"

#include <stddef.h>

#include "firmware/kernel/assert.h"

void candidate_set_init(struct candidate_set* set, uint32_t band_shift) {
  set->first = set->last = NULL;
  set->count = 0;
  set->breaks = 0;
  set->band_shift = band_shift;
  for (uint32_t i = 0; i < CANDIDATE_BAND_WORDS; ++i) set->occupied[i] = 0;
  for (uint32_t i = 0; i < CANDIDATE_BANDS; ++i) set->band[i] = NULL;
}

static void band_insert(struct candidate_set* set, struct candidate* item) {
  const uint32_t band = candidate_set_band(set, item->cylinder);
  ASSERT(band < CANDIDATE_BANDS);
  struct candidate* next = set->band[band];
  item->band_next = next;
  if (next != NULL) next->band_link = &item->band_next;
  item->band_link = &set->band[band];
  set->band[band] = item;
  set->occupied[band / 32] |= 1U << band % 32;
}

/// The time is the same wherever the candidate is in its band: the arm waits for this.
static void band_remove(struct candidate_set* set, struct candidate* item) {
  const uint32_t band = candidate_set_band(set, item->cylinder);
  struct candidate* next = item->band_next;
  ASSERT(*item->band_link == item);
  *item->band_link = next;
  if (next != NULL) next->band_link = item->band_link;
  item->band_next = NULL;
  item->band_link = NULL;
  if (set->band[band] != NULL) return;
  set->occupied[band / 32] &= ~(1U << band % 32);
}

void candidate_set_insert(struct candidate_set* set, struct candidate* before,
                          struct candidate* item) {
  struct candidate* after = before != NULL ? before->next : set->first;
  item->previous = before;
  item->next = after;
  item->announced = 0;
  item->mark = 0;
  *(before != NULL ? &before->next : &set->first) = item;
  *(after != NULL ? &after->previous : &set->last) = item;
  ++set->count;
  if (after != NULL) ++set->breaks;
  band_insert(set, item);
}

void candidate_set_append(struct candidate_set* set, struct candidate* item) {
  candidate_set_insert(set, set->last, item);
}

void candidate_set_remove(struct candidate_set* set, struct candidate* item) {
  *(item->previous != NULL ? &item->previous->next : &set->first) = item->next;
  *(item->next != NULL ? &item->next->previous : &set->last) = item->previous;
  item->next = NULL;
  item->previous = NULL;
  --set->count;
  ++set->breaks;
  band_remove(set, item);
}
