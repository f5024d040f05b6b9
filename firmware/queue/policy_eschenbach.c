// SPDX-License-Identifier: Apache-2.0
/// `eschenbach`: cylinders in the order of cscan, and in a cylinder the sectors as they come under
/// the heads. With order E, each group of E neighbouring cylinders is served like a cylinder,
/// counted from cylinder 0. The heads' own group comes first, all of it, then the next one above,
/// and the lowest after the last.
#include <stddef.h>

#include "firmware/queue/search.h"

static const struct policy_parameter parameters[] = {
    {.name = "order",
     .unit = POLICY_TEXT("cylinders: number of neighbouring cylinders served as one"),
     .minimum = 1,
     .maximum = DRIVE_DESIGN_CYLINDERS_MAX,
     .initial = 1},
    {.name = NULL},
};

struct state {
  uint32_t order;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* eschenbach = state;
  eschenbach->order = setup->parameter[0];
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* eschenbach = state;
  const uint32_t order = eschenbach->order;
  const uint32_t own = view->head->cylinder / order * order;
  struct search_scope scope = search_cylinders(own, SEARCH_CYLINDER_MAX);
  const struct candidate* lowest = search_nearest(view, &scope, own);
  if (lowest == NULL) {
    scope.low = 0;
    lowest = search_nearest(view, &scope, 0);
    if (lowest == NULL) return NULL;
  }
  scope.low = lowest->cylinder / order * order;
  scope.high = scope.low + order - 1;
  return search_cheapest(view, &scope, SEARCH_LATENCY);
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  const struct state* eschenbach = state;
  const uint32_t own = view->head->cylinder / eschenbach->order;
  // Groups below the heads' own wrap around, and come after all those above.
  const uint32_t one_group = one->cylinder / eschenbach->order - own;
  const uint32_t other_group = other->cylinder / eschenbach->order - own;
  if (one_group != other_group) return one_group < other_group;
  return search_is_cheaper(view, SEARCH_LATENCY, one, other);
}

const struct policy policy_eschenbach = {
    .name = "eschenbach",
    .text = POLICY_TEXT("cylinders in C-SCAN order; in each, sectors in rotational order"),
    .number = POLICY_NUMBER_eschenbach,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 60,
    .parameters = parameters,
    .begin = begin,
    .which_next = which_next,
    .is_better = is_better};
