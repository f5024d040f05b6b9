// SPDX-License-Identifier: Apache-2.0
/// `dmscan`: the first of a sweep over all that can be served before the earliest deadline
/// (DM-SCAN, Chang, Shih and Chang 1998).
///
/// The group begins with the earliest deadline alone. The next by deadline join it one by one, and
/// after them best effort in the order of a sweep. They join as long as one of two sweeps over the
/// group still ends at that deadline or before. One sweep goes upward first, the other downward
/// first. The first of the sweep that ends earlier is served; of equal ones, of the sweep in the
/// direction of the arm. A deadline that cannot be met is served at once. Without deadlines it is a
/// scan. A group has at most 32.
///
/// Accesses are expected to wait half a turn each, as in the paper, or priced by the drive's
/// predictor.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/path.h"
#include "firmware/queue/sweep.h"

#define GROUP_MAX 32U

/// Marks: best effort has none.
#define MARK_REAL_TIME 1U

static const struct policy_counter counters[] = {
    {"cut", POLICY_TEXT("choices from a group with no room for all waiting requests")},
    {NULL, NULL},
};

struct state {
  struct sweep sweep;
  uint32_t* cut;
  bool exact;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* dmscan = state;
  dmscan->cut = setup->counters;
  dmscan->exact = (setup->flags & PATH_FLAG_PRICE_EXACT) != 0;
}

static void task_arrived(void* state, const struct policy_view* view, struct candidate* candidate) {
  (void)state;
  (void)view;
  if (candidate_is_real_time(candidate)) candidate->mark = MARK_REAL_TIME;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* dmscan = state;
  sweep_on_served(&dmscan->sweep, view->head->cylinder, candidate);
}

/// A sweep over a group, in its order.
struct route {
  struct sweep sweep;
  struct candidate* stop[GROUP_MAX + 1];
};

static void route_add(struct route* route, uint32_t count, uint32_t at, struct candidate* item) {
  uint32_t place = count;
  for (; place > 0 && sweep_is_better(&route->sweep, at, item, route->stop[place - 1]); --place) {
    route->stop[place] = route->stop[place - 1];
  }
  route->stop[place] = item;
}

static uint32_t route_end(const struct path_prices* from_heads, const struct route* route,
                          uint32_t count) {
  struct path_prices prices = *from_heads;
  uint32_t end_turn24 = path_end(&prices, 0, route->stop[0]);
  for (uint32_t i = 1; i < count; ++i) {
    const struct path_stop stop = path_behind(route->stop[i - 1], end_turn24);
    end_turn24 = path_end_from(&prices, &stop, route->stop[i]);
  }
  return end_turn24;
}

/// Candidates that join a group, in their order: by deadline, then best effort in the order of a
/// sweep.
static uint32_t find_joiners(const struct state* dmscan, struct policy_view* view,
                             struct candidate* joiners[]) {
  uint32_t count = deadline_earliest_few(view, joiners, GROUP_MAX);
  while (count > 0 && !candidate_is_real_time(joiners[count - 1])) --count;
  return count + sweep_order(&dmscan->sweep, view->head->cylinder, view, 0, &joiners[count],
                             GROUP_MAX - count);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* dmscan = state;
  const uint32_t at = view->head->cylinder;
  struct candidate* joiners[GROUP_MAX];
  const uint32_t count = find_joiners(dmscan, view, joiners);
  if (count == 0) return NULL;
  if (!candidate_is_real_time(joiners[0])) return joiners[0];

  struct path_prices prices;
  path_prices_begin(&prices, view);
  if (!dmscan->exact) path_expect_half_turns(&prices);
  const uint32_t due_turn24 = path_due(&prices, joiners[0]);
  struct candidate* first = joiners[0];
  struct route onward = {.sweep = dmscan->sweep};
  struct route back = {.sweep = {.downward = !dmscan->sweep.downward}};
  for (uint32_t i = 0; i < count; ++i) {
    if (i == GROUP_MAX - 1 && view->waiting->count > GROUP_MAX) ++*dmscan->cut;
    route_add(&onward, i, at, joiners[i]);
    route_add(&back, i, at, joiners[i]);
    const uint32_t onward_turn24 = route_end(&prices, &onward, i + 1);
    const uint32_t back_turn24 = route_end(&prices, &back, i + 1);
    const bool goes_on = onward_turn24 <= back_turn24;
    if ((goes_on ? onward_turn24 : back_turn24) > due_turn24) break;
    first = goes_on ? onward.stop[0] : back.stop[0];
  }
  return first;
}

const struct policy policy_dmscan = {
    .name = "dmscan",
    .text = POLICY_TEXT("sweep over all requests that fit before the earliest deadline"),
    .number = POLICY_NUMBER_dmscan,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 120,
    .flags = path_price_flags,
    .defaults = path_price_defaults,
    .counters = counters,
    .begin = begin,
    .task_arrived = task_arrived,
    .task_served = task_served,
    .which_next = which_next};
