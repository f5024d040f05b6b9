// SPDX-License-Identifier: Apache-2.0
/// @file
/// A sweep: the arm goes one way as long as there are candidates ahead, then turns.
///
/// Candidates on the sweep's own cylinder are ahead. The sweep begins upward, to higher cylinders.
/// It turns when a candidate behind it is served, not when one is planned.
#ifndef FIRMWARE_QUEUE_SWEEP_H
#define FIRMWARE_QUEUE_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/search.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The state of a sweep; all zero at its beginning.
struct sweep {
  bool downward;
};

/// Whether a candidate lies behind a sweep that is at cylinder `at`.
static inline bool sweep_is_behind(const struct sweep* sweep, uint32_t at,
                                   const struct candidate* candidate) {
  return sweep->downward ? candidate->cylinder > at : candidate->cylinder < at;
}

/// Called when `served` is served from cylinder `at`.
static inline void sweep_on_served(struct sweep* sweep, uint32_t at,
                                   const struct candidate* served) {
  if (sweep_is_behind(sweep, at, served)) sweep->downward = !sweep->downward;
}

/// The nearest ahead, or behind, of the candidates in `scope`, which spans all cylinders; NULL:
/// none.
struct candidate* sweep_find(const struct sweep* sweep, uint32_t at, bool behind,
                             struct policy_view* view, const struct search_scope* scope);

/// The nearest ahead; with none there, the nearest behind; NULL: none is in the scope.
struct candidate* sweep_next(const struct sweep* sweep, uint32_t at, struct policy_view* view,
                             const struct search_scope* scope);

/// The order in which a sweep from cylinder `at` serves the candidates of a mark: ahead, then
/// behind.
/// @param[out] order  Room for `most`; later ones are left out.
/// @return the number found.
uint32_t sweep_order(const struct sweep* sweep, uint32_t at, const struct policy_view* view,
                     uint8_t mark, struct candidate* order[], uint32_t most);

/// Whether sweep_next() would choose the first of two.
bool sweep_is_better(const struct sweep* sweep, uint32_t at, const struct candidate* one,
                     const struct candidate* other);

/// The nearest from the heads in the direction of `target`, which waits, the heads' own cylinder
/// included. A target there does not change the sweep's direction.
struct candidate* sweep_next_towards(const struct sweep* sweep, const struct candidate* target,
                                     struct policy_view* view);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_SWEEP_H
