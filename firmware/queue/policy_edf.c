// SPDX-License-Identifier: Apache-2.0
/// `edf`: the earliest deadline (also ED); without deadlines, the oldest.
#include "firmware/queue/deadline.h"

static struct candidate* which_next(const void* state, struct policy_view* view) {
  (void)state;
  return deadline_earliest(view);
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  (void)state;
  (void)view;
  return deadline_is_earlier(one, other);
}

const struct policy policy_edf = {.name = "edf",
                                  .text = POLICY_TEXT("earliest deadline first"),
                                  .number = POLICY_NUMBER_edf,
                                  .candidate_ticks = 15,
                                  .which_next = which_next,
                                  .is_better = is_better};
