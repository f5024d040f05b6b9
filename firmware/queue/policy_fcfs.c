/// `fcfs`: the oldest.
#include "firmware/queue/policy.h"

static struct candidate* which_next(const void* state, const struct policy_view* view,
                                    struct candidate* incumbent, struct candidate* from) {
  (void)state;
  (void)incumbent;
  (void)from;
  return view->waiting->first;
}

const struct policy policy_fcfs = {.name = "fcfs", .number = 0, .which_next = which_next};
