// SPDX-License-Identifier: Apache-2.0
/// `dscan`: the nearest in the direction of the earliest deadline (D-SCAN, Abbott and
/// Garcia-Molina 1990).
///
/// The target is the candidate that `edf` would serve, chosen anew for each decision. Candidates on
/// the arm's own cylinder are ahead. A target there does not change the direction.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/sweep.h"

struct state {
  struct sweep sweep;
};

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* dscan = state;
  sweep_on_served(&dscan->sweep, view->head->cylinder, candidate);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* dscan = state;
  const struct candidate* target = deadline_earliest(view);
  return target == NULL ? NULL : sweep_next_towards(&dscan->sweep, target, view);
}

const struct policy policy_dscan = {
    .name = "dscan",
    .text = POLICY_TEXT("nearest request in the direction of the earliest deadline"),
    .number = POLICY_NUMBER_dscan,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 20,
    .task_served = task_served,
    .which_next = which_next};
