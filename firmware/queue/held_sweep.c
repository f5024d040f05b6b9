// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/held_sweep.h"

#include <stddef.h>

const struct policy_counter held_sweep_counters[] = {
    {"unasked", POLICY_TEXT("arrivals that joined unchecked because the sweep was too long")},
    {NULL, NULL},
};

void held_sweep_begin(void* state, const struct policy_setup* setup) {
  struct held_sweep* held = state;
  held->store = setup->store;
  held->unasked = setup->counters;
  held->exact = (setup->flags & PATH_FLAG_PRICE_EXACT) != 0;
  held->main_mark = 1;
}

void held_sweep_task_served(void* state, const struct policy_view* view,
                            const struct candidate* candidate) {
  struct held_sweep* held = state;
  held->order_holds = false;
  sweep_on_served(&held->sweep, view->head->cylinder, candidate);
  // A mark of 0: HEAD OF QUEUE was served first, and its arrival was not announced.
  if (candidate->mark != 0) held->main_mark = candidate->mark;
}

// ------------------------------------------------------------------------------------------ order

uint32_t held_sweep_order(struct held_sweep* held, const struct policy_view* view) {
  const uint32_t cylinder = view->head->cylinder;
  const uint32_t breaks = view->waiting->breaks;
  const bool holds =
      held->order_holds && held->order_cylinder == cylinder && held->order_breaks == breaks;
  if (holds) return held->order_count;
  held->order_count = (uint16_t)sweep_order(&held->sweep, cylinder, view, held->main_mark,
                                            held->store->order, HELD_SWEEP_MAX);
  held->order_cylinder = (uint16_t)cylinder;
  held->order_breaks = breaks;
  held->order_holds = true;
  return held->order_count;
}

/// The number of candidates that the sweep serves before this one.
static uint32_t find_place(const struct held_sweep* held, const struct candidate* candidate) {
  uint32_t low = 0;
  uint32_t high = held->order_count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2U;
    const struct candidate* other = held->store->order[middle];
    if (sweep_is_better(&held->sweep, held->order_cylinder, candidate, other)) {
      high = middle;
    } else {
      low = middle + 1U;
    }
  }
  return low;
}

uint32_t held_sweep_join(struct held_sweep* held, struct candidate* candidate) {
  candidate->mark = held->main_mark;
  if (held->order_count < HELD_SWEEP_MAX) {
    struct candidate** order = held->store->order;
    const uint32_t place = find_place(held, candidate);
    for (uint32_t i = held->order_count++; i > place; --i) order[i] = order[i - 1];
    order[place] = candidate;
  }
  return held->order_count;
}

void held_sweep_hold(struct held_sweep* held, struct candidate* candidate) {
  candidate->mark = (uint8_t)(3U - held->main_mark);  // The two marks are 1 and 2.
  struct candidate** order = held->store->order;
  uint32_t place = 0;
  while (place < held->order_count && order[place] != candidate) ++place;
  if (place == held->order_count) return;
  --held->order_count;
  for (uint32_t i = place; i < held->order_count; ++i) order[i] = order[i + 1];
}

uint32_t held_sweep_count_due(const struct held_sweep* held) {
  uint32_t count = held->order_count;
  while (count > 0 && !candidate_is_real_time(held->store->order[count - 1])) --count;
  return count;
}

// ------------------------------------------------------------------------------------------ calls

/// The candidates held back come after all of the main list.
static bool goes_before(const struct held_sweep* held, uint32_t at, const struct candidate* one,
                        const struct candidate* other) {
  if (one->mark != other->mark) return one->mark == held->main_mark;
  return sweep_is_better(&held->sweep, at, one, other);
}

struct candidate* held_sweep_which_next(const void* state, struct policy_view* view) {
  const struct held_sweep* held = state;
  struct candidate* best = view->waiting->first;
  if (best == NULL) return NULL;
  for (struct candidate* item = best->next; item != NULL; item = item->next) {
    if (goes_before(held, view->head->cylinder, item, best)) best = item;
  }
  view->looked_at += view->waiting->count;
  return best;
}

bool held_sweep_is_better(const void* state, const struct policy_view* view,
                          const struct candidate* one, const struct candidate* other) {
  return goes_before(state, view->head->cylinder, one, other);
}
