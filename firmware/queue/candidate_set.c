#define FILE_ID FILE_ID_CANDIDATE_SET
#include "firmware/queue/candidate_set.h"

#include <stddef.h>

#include "firmware/kernel/assert.h"
#include "firmware/kernel/bits.h"
#include "firmware/kernel/waypoint.h"

STATIC_ASSERT(CANDIDATE_BAND_WORDS <= 32, "a word has a bit for each word of bands");

void candidate_set_init(struct candidate_set* set, uint32_t band_shift) {
  set->first = set->last = NULL;
  set->count = 0;
  set->band_shift = band_shift;
  set->occupied_words = 0;
  for (uint32_t i = 0; i < CANDIDATE_BAND_WORDS; ++i) set->occupied[i] = 0;
  for (uint32_t i = 0; i < CANDIDATE_BANDS; ++i) set->band[i] = NULL;
}

static void band_insert(struct candidate_set* set, struct candidate* item) {
  const uint32_t band = candidate_set_band(set, item->cylinder);
  ASSERT(band < CANDIDATE_BANDS);
  item->band_next = set->band[band];
  set->band[band] = item;
  set->occupied[band / 32] |= 1U << band % 32;
  set->occupied_words |= 1U << band / 32;
}

static void band_remove(struct candidate_set* set, struct candidate* item) {
  const uint32_t band = candidate_set_band(set, item->cylinder);
  struct candidate** link = &set->band[band];
  while (*link != item) {
    WAYPOINT(BAND_PASSED);
    ASSERT(*link != NULL);
    link = &(*link)->band_next;
  }
  *link = item->band_next;
  item->band_next = NULL;
  if (set->band[band] != NULL) return;
  WAYPOINT(BAND_EMPTIED);
  set->occupied[band / 32] &= ~(1U << band % 32);
  if (set->occupied[band / 32] == 0) set->occupied_words &= ~(1U << band / 32);
}

void candidate_set_insert(struct candidate_set* set, struct candidate* before,
                          struct candidate* item) {
  struct candidate* after = before != NULL ? before->next : set->first;
  item->previous = before;
  item->next = after;
  *(before != NULL ? &before->next : &set->first) = item;
  *(after != NULL ? &after->previous : &set->last) = item;
  ++set->count;
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
  band_remove(set, item);
}

uint32_t candidate_set_band_from(const struct candidate_set* set, uint32_t band) {
  if (band >= CANDIDATE_BANDS) return CANDIDATE_BAND_NONE;
  uint32_t word = band / 32;
  uint32_t bits = set->occupied[word] >> band % 32;
  if (bits != 0) return band + bits_lowest(bits);
  // Of the words above this one, which is not the 32nd bit's shift: that would be none at all.
  const uint32_t words = set->occupied_words & ~(((1U << word) << 1) - 1U);
  if (words == 0) return CANDIDATE_BAND_NONE;
  WAYPOINT(BAND_WORD_PASSED);
  word = bits_lowest(words);
  return word * 32 + bits_lowest(set->occupied[word]);
}

uint32_t candidate_set_band_below(const struct candidate_set* set, uint32_t band) {
  uint32_t word = band / 32;
  if (band % 32 != 0) {
    const uint32_t bits = set->occupied[word] & ((1U << band % 32) - 1U);
    if (bits != 0) return word * 32 + bits_highest(bits);
  }
  const uint32_t words =
      word >= 32 ? set->occupied_words : set->occupied_words & ((1U << word) - 1U);
  if (words == 0) return CANDIDATE_BAND_NONE;
  WAYPOINT(BAND_WORD_PASSED);
  word = bits_highest(words);
  return word * 32 + bits_highest(set->occupied[word]);
}

static uint32_t up_to(const struct band_walk* walk, uint32_t band) {
  return band == CANDIDATE_BAND_NONE ? CANDIDATE_BAND_NONE : band - walk->start;
}

static uint32_t down_to(const struct band_walk* walk, uint32_t band) {
  return band == CANDIDATE_BAND_NONE ? CANDIDATE_BAND_NONE : walk->start - band;
}

void band_walk_begin(struct band_walk* walk, const struct candidate_set* set, uint32_t cylinder) {
  walk->set = set;
  walk->start = candidate_set_band(set, cylinder);
  walk->up = up_to(walk, candidate_set_band_from(set, walk->start));
  walk->down = down_to(walk, candidate_set_band_below(set, walk->start));
  walk->distance = 0;
}

struct candidate* band_walk_next(struct band_walk* walk) {
  const struct candidate_set* set = walk->set;
  if (walk->up <= walk->down) {
    if (walk->up == CANDIDATE_BAND_NONE) return NULL;
    WAYPOINT(BAND_ABOVE);
    const uint32_t band = walk->start + walk->up;
    walk->distance = walk->up;
    walk->up = up_to(walk, candidate_set_band_from(set, band + 1));
    return set->band[band];
  }
  WAYPOINT(BAND_BELOW);
  const uint32_t band = walk->start - walk->down;
  walk->distance = walk->down;
  walk->down = down_to(walk, candidate_set_band_below(set, band));
  return set->band[band];
}
