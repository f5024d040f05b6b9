// SPDX-License-Identifier: Apache-2.0
/// `scan`: the nearest in the direction of the sweep; with none left there, it turns (elevator). It
/// turns at the last request, or with `edge` at the last cylinder that the arm can reach.
#include "firmware/queue/sweep.h"

static const struct policy_flag flags[] = {
    {"edge", POLICY_TEXT("each sweep runs to the first or last cylinder before it reverses")},
    {NULL, NULL},
};
#define FLAG_EDGE 0x01U

struct state {
  struct sweep sweep;
  bool to_edge;
  uint32_t last_cylinder;  ///< The upper edge.
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* scan = state;
  scan->to_edge = (setup->flags & FLAG_EDGE) != 0;
  scan->last_cylinder = setup->design->cylinders - 1;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* scan = state;
  sweep_on_served(&scan->sweep, view->head->cylinder, candidate);
}

static uint32_t detour(const void* state, const struct policy_view* view,
                       const struct candidate* candidate) {
  const struct state* scan = state;
  const uint32_t at = view->head->cylinder;
  const uint32_t edge = scan->sweep.downward ? 0 : scan->last_cylinder;
  const bool turns = sweep_is_behind(&scan->sweep, at, candidate);
  return scan->to_edge && turns && at != edge ? edge : POLICY_NO_DETOUR;
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
    .text = POLICY_TEXT("SCAN: nearest request in the sweep direction; reverses at the last one"),
    .number = POLICY_NUMBER_scan,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 40,
    .flags = flags,
    .begin = begin,
    .task_served = task_served,
    .detour = detour,
    .which_next = which_next,
    .is_better = is_better};
