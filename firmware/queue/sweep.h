/// @file
/// A sweep: the arm goes one way as long as something lies ahead, then turns.
///
/// What lies on the sweep's own cylinder is ahead. It begins upward, to higher cylinders, and has
/// turned when a candidate behind it is served, not when one is planned.
#ifndef FIRMWARE_QUEUE_SWEEP_H
#define FIRMWARE_QUEUE_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/search.h"

#ifdef __cplusplus
extern "C" {
#endif

/// All zero is how it begins.
struct sweep {
  bool downward;
};

/// Whether a candidate lies behind a sweep that is at cylinder `at`.
static inline bool sweep_is_behind(const struct sweep* sweep, uint32_t at,
                                   const struct candidate* candidate) {
  return sweep->downward ? candidate->cylinder > at : candidate->cylinder < at;
}

/// `served` is served from cylinder `at`.
static inline void sweep_on_served(struct sweep* sweep, uint32_t at,
                                   const struct candidate* served) {
  if (sweep_is_behind(sweep, at, served)) sweep->downward = !sweep->downward;
}

/// The nearest ahead, or behind, of those in `scope`, which spans all cylinders; NULL: none is.
struct candidate* sweep_find(const struct sweep* sweep, uint32_t at, bool behind,
                             struct policy_view* view, const struct search_scope* scope);

/// The nearest ahead; with none there, the nearest behind; NULL: none is in the scope.
struct candidate* sweep_next(const struct sweep* sweep, uint32_t at, struct policy_view* view,
                             const struct search_scope* scope);

/// The order in which a sweep from cylinder `at` serves those of a mark: ahead, then behind.
/// @param[out] order  Room for `most`; who comes later is left out.
/// @return How many.
uint32_t sweep_order(const struct sweep* sweep, uint32_t at, const struct policy_view* view,
                     uint8_t mark, struct candidate* order[], uint32_t most);

/// Whether sweep_next() would choose the first of two.
bool sweep_is_better(const struct sweep* sweep, uint32_t at, const struct candidate* one,
                     const struct candidate* other);

/// The nearest from the heads in the direction of `target`, which waits, the heads' own cylinder
/// included; a target there leaves the sweep's direction.
struct candidate* sweep_next_towards(const struct sweep* sweep, const struct candidate* target,
                                     struct policy_view* view);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_SWEEP_H
