/// `scan`: the nearest in the direction of the sweep; with none left there, it turns (elevator).
#include "firmware/queue/sweep.h"

struct state {
  struct sweep sweep;
};

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* scan = state;
  sweep_on_served(&scan->sweep, view->head->cylinder, candidate);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* scan = state;
  const struct search_scope scope = search_everything();
  return sweep_next(&scan->sweep, view->head->cylinder, view, &scope);
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  const struct state* scan = state;
  return sweep_is_better(&scan->sweep, view->head->cylinder, one, other);
}

const struct policy policy_scan = {
    .name = "scan",
    .text = POLICY_TEXT("the nearest in one direction; with none left there, it turns"),
    .number = 3,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 40,
    .task_served = task_served,
    .which_next = which_next,
    .is_better = is_better};
