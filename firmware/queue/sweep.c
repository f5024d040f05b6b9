// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/sweep.h"

#include <stddef.h>

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/bits.h"

struct candidate* sweep_find(const struct sweep* sweep, uint32_t at, bool behind,
                             struct policy_view* view, const struct search_scope* scope) {
  struct search_scope side = *scope;
  if (sweep->downward == behind) {
    side.low = behind ? at + 1 : at;
  } else {
    if (behind && at == 0) return NULL;
    side.high = behind ? at - 1 : at;
  }
  return search_nearest(view, &side, at);
}

struct candidate* sweep_next(const struct sweep* sweep, uint32_t at, struct policy_view* view,
                             const struct search_scope* scope) {
  struct candidate* ahead = sweep_find(sweep, at, false, view, scope);
  return ahead != NULL ? ahead : sweep_find(sweep, at, true, view, scope);
}

bool sweep_is_better(const struct sweep* sweep, uint32_t at, const struct candidate* one,
                     const struct candidate* other) {
  const bool one_behind = sweep_is_behind(sweep, at, one);
  if (one_behind != sweep_is_behind(sweep, at, other)) return !one_behind;
  return search_is_less(distance_u32(one->cylinder, at), one, distance_u32(other->cylinder, at),
                        other);
}

struct candidate* sweep_next_towards(const struct sweep* sweep, const struct candidate* target,
                                     struct policy_view* view) {
  const uint32_t at = view->head->cylinder;
  const struct search_scope everything = search_everything();
  const bool turns = sweep_is_behind(sweep, at, target);
  const struct sweep towards = {.downward = sweep->downward != turns};
  return sweep_find(&towards, at, false, view, &everything);
}

// ------------------------------------------------------------------------------------------ order

/// An order that is being made.
struct ordering {
  const struct candidate_set* waiting;
  uint32_t at;
  bool above;  ///< The side that is being added: from `at` upward, or below it downward.
  uint8_t mark;
  struct candidate** order;
  uint32_t count;
  uint32_t most;
};

static bool is_added(const struct ordering* ordering, const struct candidate* item) {
  return item->mark == ordering->mark && (item->cylinder >= ordering->at) == ordering->above;
}

/// Whether all places are taken: later bands have no candidate that comes earlier.
static bool is_complete(const struct ordering* ordering) {
  return ordering->count == ordering->most;
}

/// Adds candidates of a band, each at its place after those of earlier bands.
static void add_band(struct ordering* ordering, uint32_t band) {
  struct candidate** order = ordering->order;
  const uint32_t begin = ordering->count;
  for (struct candidate* item = ordering->waiting->band[band]; item != NULL;
       item = item->band_next) {
    if (!is_added(ordering, item)) continue;
    const uint32_t distance = distance_u32(item->cylinder, ordering->at);
    uint32_t place = ordering->count;
    for (; place > begin; --place) {
      const struct candidate* before = order[place - 1];
      if (!search_is_less(distance, item, distance_u32(before->cylinder, ordering->at), before)) {
        break;
      }
      if (place < ordering->most) order[place] = order[place - 1];
    }
    if (place < ordering->most) order[place] = item;
    if (ordering->count < ordering->most) ++ordering->count;
  }
}

static void add_above(struct ordering* ordering) {
  const uint32_t start = candidate_set_band(ordering->waiting, ordering->at);
  if (start == CANDIDATE_BANDS) return;  // `at` is above the last cylinder.
  uint32_t bits = ordering->waiting->occupied[start / 32] & ~((1U << start % 32) - 1U);
  for (uint32_t word = start / 32;;) {
    for (; bits != 0; bits &= bits - 1) add_band(ordering, word * 32 + bits_lowest(bits));
    if (++word == CANDIDATE_BAND_WORDS || is_complete(ordering)) return;
    bits = ordering->waiting->occupied[word];
  }
}

static void add_below(struct ordering* ordering) {
  uint32_t start = candidate_set_band(ordering->waiting, ordering->at);
  if (start == CANDIDATE_BANDS) --start;
  uint32_t bits = ordering->waiting->occupied[start / 32];
  bits &= (2U << start % 32) - 1U;
  for (uint32_t word = start / 32;;) {
    while (bits != 0) {
      const uint32_t bit = bits_highest(bits);
      bits ^= 1U << bit;
      add_band(ordering, word * 32 + bit);
    }
    if (word-- == 0 || is_complete(ordering)) return;
    bits = ordering->waiting->occupied[word];
  }
}

uint32_t sweep_order(const struct sweep* sweep, uint32_t at, const struct policy_view* view,
                     uint8_t mark, struct candidate* order[], uint32_t most) {
  // Going down, candidates at `at` itself are ahead.
  struct ordering ordering = {.waiting = view->waiting,
                              .at = sweep->downward ? at + 1 : at,
                              .mark = mark,
                              .order = order,
                              .most = most};
  for (uint32_t side = 0; side < 2; ++side) {
    if (is_complete(&ordering)) break;
    ordering.above = sweep->downward == (side != 0);
    if (ordering.above) {
      add_above(&ordering);
    } else {
      add_below(&ordering);
    }
  }
  return ordering.count;
}
