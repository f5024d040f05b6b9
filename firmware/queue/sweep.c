#include "firmware/queue/sweep.h"

#include <stddef.h>

#include "firmware/kernel/arithmetic.h"

struct candidate* sweep_find(const struct sweep* sweep, uint32_t at, bool behind,
                             struct policy_view* view, const struct search_scope* scope) {
  struct search_scope side = *scope;
  if (sweep->downward == behind) {
    side.low = behind ? at + 1 : at;
  } else {
    if (behind && at == 0) return NULL;
    side.high = behind ? at - 1 : at;
  }
  return search_nearest(view, &side, at);
}

struct candidate* sweep_next(const struct sweep* sweep, uint32_t at, struct policy_view* view,
                             const struct search_scope* scope) {
  struct candidate* ahead = sweep_find(sweep, at, false, view, scope);
  return ahead != NULL ? ahead : sweep_find(sweep, at, true, view, scope);
}

bool sweep_is_better(const struct sweep* sweep, uint32_t at, const struct candidate* one,
                     const struct candidate* other) {
  const bool one_behind = sweep_is_behind(sweep, at, one);
  if (one_behind != sweep_is_behind(sweep, at, other)) return !one_behind;
  return search_is_less(distance_u32(one->cylinder, at), one, distance_u32(other->cylinder, at),
                        other);
}

struct candidate* sweep_next_towards(const struct sweep* sweep, const struct candidate* target,
                                     struct policy_view* view) {
  const uint32_t at = view->head->cylinder;
  const struct search_scope everything = search_everything();
  const bool turns = sweep_is_behind(sweep, at, target);
  const struct sweep towards = {.downward = sweep->downward != turns};
  return sweep_find(&towards, at, false, view, &everything);
}
