// SPDX-License-Identifier: Apache-2.0
/// `stf`: the shortest access time (also SATF).
///
/// An access ends with its transfer, so a long request waits for short ones. `price=positioning`
/// leaves the transfer out: SPTF, the shortest positioning time (Worthington, Ganger and Patt
/// 1994). Among requests with equal transfers both choose the same.
///
/// The search goes from near to far, until the seek alone takes as long as the best access so far.
/// That is no less than the seek floor, which takes the curve's later dips into account. The choice
/// is that of a search through all.
#include "firmware/queue/search.h"

static const struct policy_flag flags[] = {
    {"price=positioning",
     POLICY_TEXT("SPTF: seek and rotational latency count, the transfer does not")},
    {NULL, NULL},
};
static const char* const defaults[] = {POLICY_TEXT("price=access"), NULL};

struct state {
  bool is_positioning;
};

static void begin(void* state, const struct policy_setup* setup) {
  ((struct state*)state)->is_positioning = setup->flags != 0;
}

static inline void compare(struct search_best* cheapest, const struct pricing* pricing,
                           struct candidate* item) {
  search_consider(cheapest, item, pricing_access_turn24(pricing, item));
}

static void compare_all(struct search_best* cheapest, const struct pricing* pricing,
                        struct policy_view* view) {
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    compare(cheapest, pricing, item);
  }
  view->looked_at += view->waiting->count;
}

static void compare_near(struct search_best* cheapest, const struct pricing* pricing,
                         struct policy_view* view) {
  struct band_walk walk;
  band_walk_begin(&walk, view->waiting, pricing->cylinder);
  struct candidate* item = band_walk_next(&walk);
  while (item != NULL && pricing_floor_turn24(pricing, walk.distance) <= cheapest->price) {
    for (; item != NULL; item = item->band_next) {
      ++view->looked_at;
      compare(cheapest, pricing, item);
    }
    item = band_walk_next(&walk);
  }
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  if (((const struct state*)state)->is_positioning) {
    const struct search_scope everything = search_everything();
    return search_cheapest(view, &everything, SEARCH_LATENCY);
  }
  struct pricing pricing;
  predictor_begin(view->predictor, view->head, &pricing);
  struct search_best cheapest = {NULL, SEARCH_PRICE_MAX};
  if (view->waiting->count <= POLICY_FEW) {
    compare_all(&cheapest, &pricing, view);
  } else {
    compare_near(&cheapest, &pricing, view);
  }
  return cheapest.candidate;
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  struct pricing pricing;
  predictor_begin(view->predictor, view->head, &pricing);
  uint32_t one_turn24 = pricing_access_turn24(&pricing, one);
  uint32_t other_turn24 = pricing_access_turn24(&pricing, other);
  if (((const struct state*)state)->is_positioning) {
    one_turn24 -= one->span_turn24;
    other_turn24 -= other->span_turn24;
  }
  return search_is_less(one_turn24, one, other_turn24, other);
}

const struct policy policy_stf = {
    .name = "stf",
    .text = POLICY_TEXT("request with the shortest predicted access time"),
    .number = POLICY_NUMBER_stf,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 60,
    .flags = flags,
    .defaults = defaults,
    .begin = begin,
    .which_next = which_next,
    .is_better = is_better};
