// SPDX-License-Identifier: Apache-2.0
/// `vr`: the least distance, where candidates behind the sweep are charged R times the whole stroke
/// on top (V(R), V-SCAN). R = 0 is sstf, R = 1 is scan. Distances are in thousandths of a cylinder,
/// so that nothing is rounded.
#include <stddef.h>

#include "firmware/kernel/arithmetic.h"
#include "firmware/queue/sweep.h"

#define THOUSANDTHS 1000U

static const struct policy_parameter parameters[] = {
    {.name = "r",
     .unit = POLICY_TEXT("of the stroke: distance penalty for a reversal"),
     .minimum = 0,
     .maximum = THOUSANDTHS,
     .decimals = 3,
     .initial = 200},
    {.name = NULL},
};

struct state {
  struct sweep sweep;
  uint32_t charge;  ///< 1/1000 cylinder
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* vr = state;
  vr->charge = setup->parameter[0] * (setup->design->cylinders - 1);
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* vr = state;
  sweep_on_served(&vr->sweep, view->head->cylinder, candidate);
}

static uint32_t price_of(const struct state* vr, uint32_t at, const struct candidate* item) {
  return THOUSANDTHS * distance_u32(item->cylinder, at) +
         (sweep_is_behind(&vr->sweep, at, item) ? vr->charge : 0);
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  const struct state* vr = state;
  const uint32_t at = view->head->cylinder;
  return search_is_less(price_of(vr, at, one), one, price_of(vr, at, other), other);
}

/// The better one of the nearest ahead and the nearest behind.
static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* vr = state;
  const uint32_t at = view->head->cylinder;
  const struct search_scope scope = search_everything();
  struct candidate* ahead = sweep_find(&vr->sweep, at, false, view, &scope);
  struct candidate* behind = sweep_find(&vr->sweep, at, true, view, &scope);
  if (ahead == NULL || behind == NULL) return ahead != NULL ? ahead : behind;
  return is_better(state, view, behind, ahead) ? behind : ahead;
}

const struct policy policy_vr = {
    .name = "vr",
    .text = POLICY_TEXT("V(R): nearest request, with a distance penalty for reversing the arm"),
    .number = POLICY_NUMBER_vr,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 40,
    .parameters = parameters,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next,
    .is_better = is_better};
