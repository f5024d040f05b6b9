// SPDX-License-Identifier: Apache-2.0
/// `scanrt`: a scan that an arrival joins only if no deadline suffers (SCAN-RT, Kamel and Ito
/// 1995).
///
/// An arrival is put into the order in which a sweep from the arm's position would serve the main
/// list. It goes to the tail if some pending deadline is missed with it and met without it. A
/// deadline that even an access at once would miss does not count. The main list is served as a
/// scan; when it is empty, the tail becomes the main list.
///
/// Accesses are expected to wait half a turn each, as in the paper, or priced by the drive's
/// predictor. An arrival joins a main list of HELD_SWEEP_MAX or more without this check.
#include <stddef.h>

#include "firmware/queue/held_sweep.h"

struct store {
  struct held_sweep_store main;
  bool is_missed[HELD_SWEEP_MAX];  ///< The deadline is missed without the arrival, too.
};
_Static_assert(sizeof(struct store) <= POLICY_STORE_BYTES_MAX, "the store is too small");

/// Goes on to `next`. @return whether it is real time and then late.
static bool walk_misses(struct path_walk* walk, const struct candidate* next) {
  const uint32_t end_turn24 = path_walk_on(walk, next);
  return candidate_is_real_time(next) && end_turn24 > path_due(&walk->prices, next);
}

/// Whether some deadline of the order is missed because of `arrived`.
static bool makes_miss(const struct held_sweep* scanrt, const struct policy_view* view,
                       const struct candidate* arrived) {
  const uint32_t count = held_sweep_count_due(scanrt);
  if (count == 0) return false;
  struct store* store = (struct store*)scanrt->store;
  struct candidate** order = store->main.order;
  struct path_prices from_heads;
  path_prices_begin(&from_heads, view);
  if (!scanrt->exact) path_expect_half_turns(&from_heads);
  struct path_walk without = path_walk_begin(&from_heads);
  for (uint32_t i = 0; i < count; ++i) store->is_missed[i] = walk_misses(&without, order[i]);
  struct path_walk with = path_walk_begin(&from_heads);
  bool has_joined = false;
  for (uint32_t i = 0; i < count; ++i) {
    const struct candidate* item = order[i];
    if (!has_joined && sweep_is_better(&scanrt->sweep, view->head->cylinder, arrived, item)) {
      (void)walk_misses(&with, arrived);
      has_joined = true;
    }
    if (!walk_misses(&with, item) || store->is_missed[i]) continue;
    const bool is_hopeless = path_end(&from_heads, 0, item) > path_due(&from_heads, item);
    if (!is_hopeless) return true;
  }
  return false;
}

static void task_arrived(void* state, const struct policy_view* view, struct candidate* candidate) {
  struct held_sweep* scanrt = state;
  const bool is_checked = held_sweep_order(scanrt, view) < HELD_SWEEP_MAX;
  if (!is_checked) ++*scanrt->unasked;
  if (!is_checked || !makes_miss(scanrt, view, candidate)) {
    (void)held_sweep_join(scanrt, candidate);
  } else {
    held_sweep_hold(scanrt, candidate);
  }
}

const struct policy policy_scanrt = {
    .name = "scanrt",
    .text = POLICY_TEXT("SCAN; an arrival joins the sweep only if no pending deadline is missed"),
    .number = POLICY_NUMBER_scanrt,
    .state_bytes = sizeof(struct held_sweep),
    .store_bytes = sizeof(struct store),
    .candidate_ticks = 25,
    .flags = path_price_flags,
    .defaults = path_price_defaults,
    .counters = held_sweep_counters,
    .begin = held_sweep_begin,
    .task_arrived = task_arrived,
    .task_served = held_sweep_task_served,
    .which_next = held_sweep_which_next,
    .is_better = held_sweep_is_better};
