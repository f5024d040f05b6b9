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
  sweep_on_served(&held->sweep, view->head->cylinder, candidate);
  // A mark of 0: HEAD OF QUEUE was served first, and its arrival was not announced.
  if (candidate->mark != 0) held->main_mark = candidate->mark;
}

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
