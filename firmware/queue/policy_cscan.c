/// `cscan`: the nearest at or above the heads; with none there, the lowest of all.
#include <stddef.h>

#include "firmware/queue/search.h"

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
  // What lies below wraps around to behind all that lie above.
  const uint32_t at = view->head->cylinder;
  return search_is_less(one->cylinder - at, one, other->cylinder - at, other);
}

const struct policy policy_cscan = {
    .name = "cscan",
    .text = POLICY_TEXT("the nearest at or above the heads; with none there, the lowest"),
    .number = 4,
    .candidate_ticks = 40,
    .which_next = which_next,
    .is_better = is_better};
