// SPDX-License-Identifier: Apache-2.0
/// `fcfs`: the oldest.
#include "firmware/queue/policy.h"

static struct candidate* which_next(const void* state, struct policy_view* view) {
  (void)state;
  return view->waiting->first;
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  (void)state;
  (void)view;
  return candidate_is_older(one, other);
}

const struct policy policy_fcfs = {.name = "fcfs",
                                   .text = POLICY_TEXT("oldest request first"),
                                   .number = POLICY_NUMBER_fcfs,
                                   .which_next = which_next,
                                   .is_better = is_better};
