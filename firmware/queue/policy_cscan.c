// SPDX-License-Identifier: Apache-2.0
/// `cscan`: the nearest at or above the heads; with none there, the lowest of all. The arm goes
/// there straight from the last request, or with `edge` from the last cylinder that it can reach.
#include <stddef.h>

#include "firmware/queue/search.h"

static const struct policy_flag flags[] = {
    {"edge", POLICY_TEXT("each sweep runs to the last cylinder before it restarts")},
    {NULL, NULL},
};
#define FLAG_EDGE 0x01U

struct state {
  bool to_edge;
  uint32_t last_cylinder;  ///< The upper edge.
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* cscan = state;
  cscan->to_edge = (setup->flags & FLAG_EDGE) != 0;
  cscan->last_cylinder = setup->design->cylinders - 1;
}

static uint32_t detour(const void* state, const struct policy_view* view,
                       const struct candidate* candidate) {
  const struct state* cscan = state;
  const uint32_t at = view->head->cylinder;
  const bool jumps = candidate->cylinder < at;
  return cscan->to_edge && jumps && at != cscan->last_cylinder ? cscan->last_cylinder
                                                               : POLICY_NO_DETOUR;
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  (void)state;
  const uint32_t at = view->head->cylinder;
  const struct search_scope above = search_cylinders(at, SEARCH_CYLINDER_MAX);
  struct candidate* best = search_nearest(view, &above, at);
  if (best != NULL) return best;
  const struct search_scope everything = search_everything();
  return search_nearest(view, &everything, 0);
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  (void)state;
  // Candidates below wrap around, and come after all those above.
  const uint32_t at = view->head->cylinder;
  return search_is_less(one->cylinder - at, one, other->cylinder - at, other);
}

const struct policy policy_cscan = {
    .name = "cscan",
    .text =
        POLICY_TEXT("C-SCAN: next request at or above the heads; after the highest, the lowest"),
    .number = POLICY_NUMBER_cscan,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 40,
    .flags = flags,
    .begin = begin,
    .detour = detour,
    .which_next = which_next,
    .is_better = is_better};
