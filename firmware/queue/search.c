// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/search.h"

#include <stddef.h>

#include "firmware/kernel/arithmetic.h"

static inline bool is_in(const struct search_scope* scope, const struct candidate* item) {
  return item->cylinder - scope->low <= scope->high - scope->low &&
         (!scope->frozen || search_had_arrived(item, scope->last_sequence));
}

// -------------------------------------------------------------------------------------------- few

/// Whether at most POLICY_FEW candidates can be in the scope. Comparing them one by one, from the
/// oldest on, is then quickest: frozen ones are the oldest.
static bool are_few(const struct candidate_set* waiting, const struct search_scope* scope) {
  if (waiting->count <= POLICY_FEW) return true;
  if (!scope->frozen) return false;
  const struct candidate* item = waiting->first;
  for (uint32_t i = 0; i < POLICY_FEW; ++i) {
    if (!search_had_arrived(item, scope->last_sequence)) return true;
    item = item->next;
  }
  return false;
}

/// The next of the few, from `item` on, that is in the scope; NULL: there are no more.
static inline struct candidate* next_of_few(const struct search_scope* scope,
                                            struct candidate* item) {
  while (item != NULL && !is_in(scope, item)) {
    if (scope->frozen && !search_had_arrived(item, scope->last_sequence)) return NULL;
    item = item->next;
  }
  return item;
}

// ------------------------------------------------------------------------------------------- walk

/// A walk through the bands of a scope, from near to far.
struct scope_walk {
  struct band_walk bands;
  uint32_t lowest;
  uint32_t highest;
  uint32_t outside;   ///< Bands between the heads' and the nearest of the scope.
  uint32_t distance;  ///< Bands from the heads' to the one last given.
  bool whole;         ///< All candidates of the one last given are in the scope.
};

/// Bands outside the scope are never given.
static inline void clip(struct scope_walk* walk) {
  if (walk->bands.up > walk->highest) walk->bands.up = CANDIDATE_BAND_NONE;
  if (walk->bands.down < walk->lowest) walk->bands.down = CANDIDATE_BAND_NONE;
}

static void walk_begin(struct scope_walk* walk, const struct candidate_set* set,
                       const struct search_scope* scope, uint32_t cylinder) {
  walk->lowest = candidate_set_band(set, scope->low);
  walk->highest = candidate_set_band(set, scope->high);
  if (walk->lowest >= CANDIDATE_BANDS) {  // above every drive
    walk->bands = (struct band_walk){.up = CANDIDATE_BAND_NONE, .down = CANDIDATE_BAND_NONE};
    return;
  }
  uint32_t from = cylinder < scope->low ? scope->low : cylinder;
  if (from > scope->high) from = scope->high;
  walk->outside = distance_u32(candidate_set_band(set, from), candidate_set_band(set, cylinder));
  band_walk_begin(&walk->bands, set, from);
  clip(walk);
}

/// The next band's candidates; NULL when all have been returned. Sets `distance` and `whole`.
static inline struct candidate* walk_next(struct scope_walk* walk,
                                          const struct search_scope* scope) {
  struct candidate* first = band_walk_next(&walk->bands);
  if (first == NULL) return NULL;
  clip(walk);
  walk->distance = walk->outside + walk->bands.distance;
  const uint32_t shift = walk->bands.set->band_shift;
  const uint32_t low = (uint32_t)first->cylinder >> shift << shift;
  walk->whole = !scope->frozen && low >= scope->low && low + (1U << shift) - 1 <= scope->high;
  return first;
}

// ---------------------------------------------------------------------------------------- nearest

static struct candidate* nearest_of_few(struct policy_view* view, const struct search_scope* scope,
                                        uint32_t cylinder) {
  struct search_best best = {NULL, SEARCH_PRICE_MAX};
  for (struct candidate* item = next_of_few(scope, view->waiting->first); item != NULL;
       item = next_of_few(scope, item->next)) {
    ++view->looked_at;
    search_consider(&best, item, distance_u32(item->cylinder, cylinder));
  }
  return best.candidate;
}

struct candidate* search_nearest(struct policy_view* view, const struct search_scope* scope,
                                 uint32_t cylinder) {
  const struct candidate_set* waiting = view->waiting;
  if (scope->low > scope->high) return NULL;
  if (are_few(waiting, scope)) return nearest_of_few(view, scope, cylinder);
  struct search_best best = {NULL, SEARCH_PRICE_MAX};
  struct scope_walk walk;
  walk_begin(&walk, waiting, scope, cylinder);
  struct candidate* item = walk_next(&walk, scope);
  while (item != NULL && candidate_set_gap(waiting, walk.distance) <= best.price) {
    for (; item != NULL; item = item->band_next) {
      ++view->looked_at;
      if (!walk.whole && !is_in(scope, item)) continue;
      search_consider(&best, item, distance_u32(item->cylinder, cylinder));
    }
    item = walk_next(&walk, scope);
  }
  return best.candidate;
}

// --------------------------------------------------------------------------------------- cheapest

/// Values common to all prices of one choice.
struct pricer {
  struct pricing pricing;
  uint32_t unpaid_span_mask;  ///< Part of a span that does not count.
};

static void pricer_begin(struct pricer* pricer, const struct policy_view* view,
                         enum search_price price) {
  predictor_begin(view->predictor, view->head, &pricer->pricing);
  pricer->unpaid_span_mask = price == SEARCH_LATENCY ? UINT32_MAX : 0;
}

static inline uint32_t price_of(const struct pricer* pricer, const struct candidate* item) {
  return pricing_access_turn24(&pricer->pricing, item) -
         (item->span_turn24 & pricer->unpaid_span_mask);
}

static struct candidate* cheapest_of_few(struct policy_view* view, const struct search_scope* scope,
                                         const struct pricer* pricer) {
  struct search_best best = {NULL, SEARCH_PRICE_MAX};
  for (struct candidate* item = next_of_few(scope, view->waiting->first); item != NULL;
       item = next_of_few(scope, item->next)) {
    ++view->looked_at;
    search_consider(&best, item, price_of(pricer, item));
  }
  return best.candidate;
}

struct candidate* search_cheapest(struct policy_view* view, const struct search_scope* scope,
                                  enum search_price price) {
  struct pricer pricer;
  pricer_begin(&pricer, view, price);
  if (are_few(view->waiting, scope)) return cheapest_of_few(view, scope, &pricer);
  struct search_best best = {NULL, SEARCH_PRICE_MAX};
  struct scope_walk walk;
  walk_begin(&walk, view->waiting, scope, pricer.pricing.cylinder);
  struct candidate* item = walk_next(&walk, scope);
  while (item != NULL && pricing_floor_turn24(&pricer.pricing, walk.distance) <= best.price) {
    for (; item != NULL; item = item->band_next) {
      ++view->looked_at;
      if (!walk.whole && !is_in(scope, item)) continue;
      search_consider(&best, item, price_of(&pricer, item));
    }
    item = walk_next(&walk, scope);
  }
  return best.candidate;
}

bool search_is_cheaper(const struct policy_view* view, enum search_price price,
                       const struct candidate* one, const struct candidate* other) {
  struct pricer pricer;
  pricer_begin(&pricer, view, price);
  return search_is_less(price_of(&pricer, one), one, price_of(&pricer, other), other);
}
