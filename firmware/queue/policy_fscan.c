// SPDX-License-Identifier: Apache-2.0
/// `fscan`: scan over the candidates that had arrived when the set was frozen; the others wait for
/// the next set. The set is frozen when its first candidate is served. It is served to its last
/// candidate, and turns where scan turns.
#include <stddef.h>

#include "firmware/queue/sweep.h"

struct state {
  struct sweep sweep;
  bool has_set;            ///< A set has been frozen, perhaps served to its end.
  uint32_t last_sequence;  ///< Number of its youngest.
};

static bool is_frozen(const struct state* fscan, const struct candidate* candidate) {
  return fscan->has_set && search_had_arrived(candidate, fscan->last_sequence);
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* fscan = state;
  sweep_on_served(&fscan->sweep, view->head->cylinder, candidate);
  if (is_frozen(fscan, candidate)) return;
  fscan->has_set = true;
  fscan->last_sequence = search_youngest(view, candidate);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* fscan = state;
  struct search_scope scope = search_everything();
  scope.frozen = view->waiting->first != NULL && is_frozen(fscan, view->waiting->first);
  scope.last_sequence = fscan->last_sequence;
  return sweep_next(&fscan->sweep, view->head->cylinder, view, &scope);
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  const struct state* fscan = state;
  const bool one_frozen = is_frozen(fscan, one);
  if (one_frozen != is_frozen(fscan, other)) return one_frozen;
  return sweep_is_better(&fscan->sweep, view->head->cylinder, one, other);
}

const struct policy policy_fscan = {
    .name = "fscan",
    .text = POLICY_TEXT("SCAN over a frozen batch; arrivals wait for the next batch"),
    .number = POLICY_NUMBER_fscan,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 40,
    .task_served = task_served,
    .which_next = which_next,
    .is_better = is_better};
