// SPDX-License-Identifier: Apache-2.0
/// `walk`: the shortest access that is safe for the earliest live deadlines, served in their order
/// (ours; the simple rule beside stfd).
///
/// A candidate is live when an access from the heads' position would meet its deadline. The walk
/// goes over the `m` earliest live deadlines, and leaves out those that it would reach too late. A
/// candidate is safe when the walk, begun after it, still meets all that it met. The first of the
/// walk is safe, so there is always one.
#include <stddef.h>

#include "firmware/queue/path.h"
#include "firmware/queue/search.h"

#define WALK_MAX 16U
/// The cheapest candidates that one search finds.
#define BATCH 16U

static const struct policy_parameter parameters[] = {
    {.name = "m",
     .unit = POLICY_TEXT("deadlines: how many of the earliest feasible ones a choice keeps"),
     .minimum = 1,
     .maximum = WALK_MAX,
     .initial = 4},
    {.name = NULL},
};

struct state {
  uint32_t m;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* walk = state;
  walk->m = setup->parameter[0];
}

struct step {
  const struct candidate* candidate;
  uint32_t due_turn24;
};

struct choice {
  struct path_prices prices;
  uint32_t met_count;
  struct step met[WALK_MAX];  ///< Steps that meet their deadlines, sorted by deadline.
};

// ---- the walk

struct live {
  uint32_t count;
  struct step step[WALK_MAX];  ///< Steps sorted by deadline, the oldest of equal ones first.
};

/// The place among the `m` earliest, if it is one of them, and live.
static void note_live(struct live* live, const struct path_prices* prices, uint32_t m,
                      const struct candidate* item) {
  uint32_t at = live->count;
  if (at == m && !candidate_is_due_before(item, live->step[at - 1].candidate)) return;
  const uint32_t due_turn24 = path_due(prices, item);
  if (path_end(prices, 0, item) > due_turn24) return;
  if (at == m) {
    --at;
  } else {
    ++live->count;
  }
  for (; at > 0 && candidate_is_due_before(item, live->step[at - 1].candidate); --at) {
    live->step[at] = live->step[at - 1];
  }
  live->step[at] = (struct step){item, due_turn24};
}

/// The `m` earliest live deadlines.
static void find_live(const struct choice* choice, struct policy_view* view, uint32_t m,
                      struct live* live) {
  live->count = 0;
  for (const struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (candidate_is_real_time(item)) note_live(live, &choice->prices, m, item);
  }
}

/// Which live candidates a walk meets.
static void find_met(struct choice* choice, const struct live* live) {
  struct path_stop stop;
  choice->met_count = 0;
  for (uint32_t i = 0; i < live->count; ++i) {
    const struct step* step = &live->step[i];
    const struct candidate* item = step->candidate;
    const uint32_t end_turn24 = choice->met_count == 0
                                    ? path_end(&choice->prices, 0, item)
                                    : path_end_from(&choice->prices, &stop, item);
    if (end_turn24 > step->due_turn24) continue;
    choice->met[choice->met_count++] = *step;
    stop = path_behind(item, end_turn24);
  }
}

static bool is_safe(struct choice* choice, const struct search_best* first) {
  struct path_stop stop = path_behind(first->candidate, first->price);
  for (uint32_t i = 0; i < choice->met_count; ++i) {
    const struct step* step = &choice->met[i];
    if (step->candidate == first->candidate) {
      if (first->price > step->due_turn24) return false;
      continue;
    }
    const uint32_t end_turn24 = path_end_from(&choice->prices, &stop, step->candidate);
    if (end_turn24 > step->due_turn24) return false;
    stop = path_behind(step->candidate, end_turn24);
  }
  return true;
}

// ---- the cheapest

struct batch {
  uint32_t count;
  struct search_best item[BATCH];  ///< Candidates sorted by price, the oldest of equal ones first.
};

static bool is_before(const struct search_best* one, const struct search_best* other) {
  return search_is_less(one->price, one->candidate, other->price, other->candidate);
}

static void note_cheap(struct batch* batch, const struct search_best* item) {
  uint32_t at = batch->count;
  if (at == BATCH) {
    if (!is_before(item, &batch->item[at - 1])) return;
    --at;
  } else {
    ++batch->count;
  }
  for (; at > 0 && is_before(item, &batch->item[at - 1]); --at)
    batch->item[at] = batch->item[at - 1];
  batch->item[at] = *item;
}

/// The cheapest of the candidates after `last` in the order of a batch; NULL: of all.
static void find_cheapest(const struct path_prices* from_heads, struct policy_view* view,
                          const struct search_best* last, struct batch* batch) {
  const struct pricing* pricing = &from_heads->pricing;
  struct band_walk walk;
  batch->count = 0;
  band_walk_begin(&walk, view->waiting, pricing->cylinder);
  for (struct candidate* item = band_walk_next(&walk); item != NULL; item = band_walk_next(&walk)) {
    const uint32_t floor_turn24 =
        pricing->margin_turn24 + pricing_floor_turn24(pricing, walk.distance);
    if (batch->count == BATCH && floor_turn24 > batch->item[BATCH - 1].price) return;
    for (; item != NULL; item = item->band_next) {
      ++view->looked_at;
      const struct search_best best = {item, path_end(from_heads, 0, item)};
      if (last == NULL || is_before(last, &best)) note_cheap(batch, &best);
    }
  }
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* walk = state;
  if (view->waiting->count <= 1) return view->waiting->first;
  struct choice choice;
  path_prices_begin(&choice.prices, view);
  const struct path_prices from_heads = choice.prices;
  struct live live;
  find_live(&choice, view, walk->m, &live);
  find_met(&choice, &live);
  struct batch batch;
  struct search_best last;
  find_cheapest(&from_heads, view, NULL, &batch);
  while (batch.count > 0) {
    for (uint32_t i = 0; i < batch.count; ++i) {
      if (is_safe(&choice, &batch.item[i])) return batch.item[i].candidate;
    }
    last = batch.item[batch.count - 1];
    find_cheapest(&from_heads, view, &last, &batch);
  }
  // Only rounding can make the first of the walk unsafe.
  return (struct candidate*)(uintptr_t)choice.met[0].candidate;
}

const struct policy policy_walk = {
    .name = "walk",
    .text = POLICY_TEXT("shortest access time that keeps the earliest feasible deadlines"),
    .number = POLICY_NUMBER_walk,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 160,
    .parameters = parameters,
    .begin = begin,
    .which_next = which_next};
