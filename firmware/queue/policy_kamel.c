// SPDX-License-Identifier: Apache-2.0
/// `kamel`: a scan that puts off the least important for a deadline that would be missed (Kamel,
/// Niranjan and Ghandeharizadeh 2000).
///
/// An arrival joins the main list. The policy takes the order in which a sweep from the arm's
/// position would serve the list. It looks for the first deadline that is missed, though an access
/// at once would meet it. The least important request before it is put off to the next round, and
/// the search begins again. Best effort is less important than real time. Inside a class the host's
/// priority decides, and of equals the last in the order is the least important. The search ends
/// when no request before a missed deadline is less important than it. The arrival is then put off
/// if it is real time. The main list is served as a scan; when it is empty, the next round becomes
/// the main list.
///
/// Accesses are expected to wait half a turn each, as in the paper, or priced by the drive's
/// predictor. An arrival joins a main list of HELD_SWEEP_MAX or more without this search.
#include <stddef.h>

#include "firmware/queue/held_sweep.h"

_Static_assert(sizeof(struct held_sweep_store) <= POLICY_STORE_BYTES_MAX, "the store is too small");

/// Rank by priority, 0 the most important. Candidates without a priority (0) come last.
static uint32_t unimportance_of(const struct candidate* candidate) {
  const uint32_t priority = (candidate->priority - 1U) & 0xFFU;
  return candidate_is_real_time(candidate) ? priority : priority + 0x100U;
}

/// The place of the first that is missed although it could be met; `count`: none.
static uint32_t find_missed(const struct path_prices* from_heads, struct candidate* const order[],
                            uint32_t count) {
  struct path_walk walk = path_walk_begin(from_heads);
  for (uint32_t i = 0; i < count; ++i) {
    const struct candidate* item = order[i];
    const uint32_t end_turn24 = path_walk_on(&walk, item);
    if (!candidate_is_real_time(item)) continue;
    const uint32_t due_turn24 = path_due(&walk.prices, item);
    if (end_turn24 > due_turn24 && path_end(from_heads, 0, item) <= due_turn24) return i;
  }
  return count;
}

/// The place of the least important before `missed`; `missed`: none is less important.
static uint32_t find_victim(struct candidate* const order[], uint32_t missed) {
  uint32_t victim = missed;
  uint32_t most = unimportance_of(order[missed]) + 1;
  for (uint32_t i = 0; i < missed; ++i) {
    const uint32_t unimportance = unimportance_of(order[i]);
    if (unimportance < most) continue;
    victim = i;
    most = unimportance;
  }
  return victim;
}

static void task_arrived(void* state, const struct policy_view* view, struct candidate* candidate) {
  struct held_sweep* kamel = state;
  struct candidate** order = kamel->store->order;
  (void)held_sweep_order(kamel, view);
  if (held_sweep_join(kamel, candidate) == HELD_SWEEP_MAX) {
    ++*kamel->unasked;
    return;
  }
  struct path_prices prices;
  path_prices_begin(&prices, view);
  if (!kamel->exact) path_expect_half_turns(&prices);
  for (;;) {
    const uint32_t count = held_sweep_count_due(kamel);
    const uint32_t missed = find_missed(&prices, order, count);
    if (missed == count) return;
    const uint32_t victim = find_victim(order, missed);
    if (victim == missed) break;
    held_sweep_hold(kamel, order[victim]);
  }
  if (candidate_is_real_time(candidate)) held_sweep_hold(kamel, candidate);
}

const struct policy policy_kamel = {
    .name = "kamel",
    .text = POLICY_TEXT("SCAN; the least important request is postponed to keep a deadline"),
    .number = POLICY_NUMBER_kamel,
    .state_bytes = sizeof(struct held_sweep),
    .store_bytes = sizeof(struct held_sweep_store),
    .candidate_ticks = 25,
    .flags = path_price_flags,
    .defaults = path_price_defaults,
    .counters = held_sweep_counters,
    .begin = held_sweep_begin,
    .task_arrived = task_arrived,
    .task_served = held_sweep_task_served,
    .which_next = held_sweep_which_next};
