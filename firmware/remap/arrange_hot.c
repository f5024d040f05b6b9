// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_ARRANGE_HOT
#include "firmware/remap/arrange_hot.h"

#include "firmware/kernel/assert.h"
#include "firmware/motion/geometry.h"
#include "firmware/remap/arrange_map.h"
#include "firmware/remap/sort.h"

#define GROUPS_PER_STEP 64U
/// Hot: 995 of 1,000 visits.
#define HOT_VISITS 995U
#define ALL_VISITS 1000U

enum phase { SORT, SUM, CHOOSE };

/// Groups on the map, the last one with fewer units included.
static uint32_t groups_on_map(const struct arrange* arrange) {
  return (arrange->plan.units + arrange->per_group - 1) / arrange->per_group;
}

void arrange_hot_begin(struct arrange* arrange) {
  struct arrange_order* order = &arrange->order;
  *order = (struct arrange_order){.phase = SORT};
  sort_begin(&arrange->organ.sort, arrange->plan.counts, SORT_BY_VISITS, arrange->plan.goal_at,
             groups_on_map(arrange));
  arrange->hot_groups = 0;
  arrange->next = 0;
}

static void sum_visits(struct arrange* arrange) {
  struct arrange_order* order = &arrange->order;
  const uint32_t groups = groups_on_map(arrange);
  for (uint32_t i = 0; i < GROUPS_PER_STEP && arrange->next < groups; ++i) {
    order->visits += arrange->plan.counts->visits[arrange->plan.goal_at[arrange->next++]];
  }
  if (arrange->next < groups) return;
  order->most_groups = groups < ARRANGE_HOT_MAX ? groups : ARRANGE_HOT_MAX;
  if (arrange->plan.hottest != 0) {
    const uint32_t named = arrange->plan.hottest / arrange->per_group;
    if (named < order->most_groups) order->most_groups = named;
  }
  order->phase = CHOOSE;
}

/// @return whether the next group is not hot.
static bool choose(struct arrange* arrange) {
  struct arrange_order* order = &arrange->order;
  for (uint32_t i = 0; i < GROUPS_PER_STEP; ++i) {
    if (arrange->hot_groups == order->most_groups) return true;
    if (order->passed * ALL_VISITS >= order->visits * HOT_VISITS) return true;
    const uint16_t group = arrange->plan.goal_at[arrange->hot_groups];
    arrange->hot[arrange->hot_groups++] = group;
    order->passed += arrange->plan.counts->visits[group];
  }
  return false;
}

bool arrange_hot_step(struct arrange* arrange) {
  switch ((enum phase)arrange->order.phase) {
    case SORT:
      if (sort_step(&arrange->organ.sort)) arrange->order.phase = SUM;
      return false;
    case SUM: sum_visits(arrange); return false;
    case CHOOSE: return choose(arrange);
  }
  ASSERT_UNREACHABLE();
}

// ------------------------------------------------------------------------------------------ outer

void arrange_outer_begin(struct arrange* arrange) {
  arrange->order = (struct arrange_order){.groups = groups_on_map(arrange)};
  arrange->region = 0;
}

static bool is_hot(const struct arrange* arrange, uint32_t group) {
  if (arrange->hot_groups == 0) return false;
  const uint16_t* visits = arrange->plan.counts->visits;
  const uint32_t last = arrange->hot[arrange->hot_groups - 1];
  return visits[group] > visits[last] || (visits[group] == visits[last] && group <= last);
}

/// The group whose turn it is: all are hot in the order by popularity.
static uint32_t group_in_turn(const struct arrange* arrange) {
  const uint32_t turn = arrange->order.turn;
  if (arrange->plan.method == ARRANGE_POPULARITY) return arrange->hot[turn];
  return turn < arrange->groups ? arrange->saved_at[turn] : turn;
}

static bool is_on_one_track(const struct arrange* arrange, uint32_t slot) {
  struct place at;
  const enum status status = geometry_locate(
      arrange->plan.design, arrange->plan.first_block + slot * arrange->plan.unit_blocks, &at);
  ASSERT(status == STATUS_OK);
  return at.contiguous_blocks >= arrange->plan.unit_blocks;
}

static void next_group(struct arrange_order* order) {
  ++order->turn;
  order->in_group = 0;
}

/// Looks at one slot for one unit.
bool arrange_outer_step(struct arrange* arrange) {
  struct arrange_order* order = &arrange->order;
  const struct arrange_plan* plan = &arrange->plan;
  const bool by_popularity = plan->method == ARRANGE_POPULARITY;
  const uint32_t turns = by_popularity ? arrange->hot_groups : order->groups;
  if (order->turn == turns || arrange->region == plan->units) return true;
  const uint32_t group = group_in_turn(arrange);
  const uint32_t unit = group * arrange->per_group + order->in_group;
  if (order->in_group == arrange->per_group || unit >= plan->units || !is_hot(arrange, group)) {
    next_group(order);
    return false;
  }
  const uint32_t slot = arrange->region++;
  if (!is_on_one_track(arrange, slot)) return false;
  const uint32_t there = plan->goal_at[slot];
  if (there != unit) arrange_map_exchange(plan->goal_of, plan->goal_at, unit, there);
  ++order->in_group;
  return false;
}
