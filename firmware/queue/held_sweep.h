// SPDX-License-Identifier: Apache-2.0
/// @file
/// A sweep with a held-back list, for policies that check the deadlines of the sweep at arrivals.
///
/// The sweep serves the main list. Candidates that are held back wait until the main list is empty,
/// and are then the main list. A candidate's mark says in which of the two lists it is. What holds
/// a candidate back is the policy's own rule.
#ifndef FIRMWARE_QUEUE_HELD_SWEEP_H
#define FIRMWARE_QUEUE_HELD_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/path.h"
#include "firmware/queue/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A main list at least this long is not checked.
#define HELD_SWEEP_MAX 256U

struct held_sweep_store {
  struct candidate* order[HELD_SWEEP_MAX];  ///< Order in which a sweep serves the main list.
};

/// The state of a policy with such a sweep. Its store begins with a struct held_sweep_store, its
/// flags are path_price_flags, and its counters are held_sweep_counters.
struct held_sweep {
  struct held_sweep_store* store;
  uint32_t* unasked;
  struct sweep sweep;
  bool exact;         ///< Paths have exact prices (PATH_FLAG_PRICE_EXACT).
  uint8_t main_mark;  ///< Mark of the candidates in the main list.

  // The order in the store. Arrivals change it as they join, so that many at once take little more
  // time than their checks.
  bool order_holds;         ///< False: a candidate was served since it was made.
  uint16_t order_count;     ///< Candidates of the order. HELD_SWEEP_MAX: too many for the store.
  uint16_t order_cylinder;  ///< The sweep begins at this cylinder.
  uint32_t order_breaks;    ///< `breaks` of the waiting candidates when it was made.
};

extern const struct policy_counter held_sweep_counters[];

/// Makes the order in which a sweep from the heads serves the main list.
/// @return the number of candidates. HELD_SWEEP_MAX: the list is too long to be checked.
uint32_t held_sweep_order(struct held_sweep* held, const struct policy_view* view);

/// Puts a candidate into the main list, and into its order, after held_sweep_order().
/// @return the number of candidates, as held_sweep_order() does.
uint32_t held_sweep_join(struct held_sweep* held, struct candidate* candidate);

/// Holds a candidate back, from the main list or without having joined it.
void held_sweep_hold(struct held_sweep* held, struct candidate* candidate);

/// The number of candidates in the order up to the last that has a deadline.
uint32_t held_sweep_count_due(const struct held_sweep* held);

/// The calls of a policy; `state` is a struct held_sweep.
void held_sweep_begin(void* state, const struct policy_setup* setup);
void held_sweep_task_served(void* state, const struct policy_view* view,
                            const struct candidate* candidate);
struct candidate* held_sweep_which_next(const void* state, struct policy_view* view);
bool held_sweep_is_better(const void* state, const struct policy_view* view,
                          const struct candidate* one, const struct candidate* other);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_HELD_SWEEP_H
