// SPDX-License-Identifier: Apache-2.0
#include "firmware/remap/arrange_units.h"

#include "firmware/kernel/time.h"
#include "firmware/remap/arrange_trial.h"

/// Slots away, at the most: from a unit's own slot, and from that of one that it goes with.
#define NEAR_OWN 66U
#define NEAR_OTHER 17U
/// Trials of each kind among ten.
#define NEAR_OWN_TRIALS 3U
#define NEAR_OTHER_TRIALS 5U
#define TRIALS 10U

/// Temperatures: the first is 3 counts x ms, and each is 0.8794 = (0.02 / 3)^(1 / 39) of the one
/// before.
#define ROUNDS 40U
#define FIRST_COUNTS_MS 3U
#define FALL 3777136236U  // of 2^32

void arrange_units_begin(struct arrange* arrange) {
  const uint64_t k = arrange->per_group;
  // turn24 is turn16 with the 8 bits of fraction that a temperature has.
  const uint64_t turn24_per_ms =
      rotation_turn24(&arrange->energy.rotation, TIME_TICKS_PER_MILLISECOND);
  arrange->temperature = FIRST_COUNTS_MS * turn24_per_ms * k * k;
  if (arrange->plan.start == ARRANGE_FROM_GIVEN) arrange->temperature = 0;
  if (arrange->plan.hottest == 0) arrange->region = arrange->plan.units;
  arrange->round = 0;
  arrange->next = 0;
}

/// Slot `slot` and so many to either side, mirrored at the region's ends.
static uint32_t near(struct arrange* arrange, uint32_t slot, uint32_t most) {
  const uint32_t offset = chance_below(&arrange->chance, 2 * most + 1);
  const uint32_t last = arrange->region - 1;
  uint32_t target = slot + offset;
  target = target < most ? most - target : target - most;
  if (target > last) target = target - last < last ? 2 * last - target : 0;
  return target;
}

static uint32_t unit_of(struct arrange* arrange, uint32_t group) {
  const uint32_t first = group * arrange->per_group;
  const uint32_t left = arrange->plan.units - first;
  const uint32_t units = left < arrange->per_group ? left : arrange->per_group;
  return first + chance_below(&arrange->chance, units);
}

static uint32_t hot_unit(struct arrange* arrange) {
  return unit_of(arrange, arrange->hot[chance_below(&arrange->chance, arrange->hot_groups)]);
}

/// A group that comes before or after `group`; `group` itself if there is none on the map.
static uint32_t neighbour(struct arrange* arrange, uint32_t group) {
  const struct energy* energy = &arrange->energy;
  const uint32_t from = energy_first_pair(energy, false, group);
  const uint32_t from_count = energy_first_pair(energy, false, group + 1) - from;
  const uint32_t to = energy_first_pair(energy, true, group);
  const uint32_t to_count = energy_first_pair(energy, true, group + 1) - to;
  if (from_count + to_count == 0) return group;
  const uint32_t pick = chance_below(&arrange->chance, from_count + to_count);
  const struct remap_pair* pairs = arrange->plan.counts->pairs;
  const uint32_t other = pick < from_count ? pairs[energy->by_from[from + pick]].to
                                           : pairs[energy->by_to[to + pick - from_count]].from;
  return other * arrange->per_group < arrange->plan.units ? other : group;
}

static uint32_t choose_slot(struct arrange* arrange, uint32_t unit) {
  const uint16_t* slot_of = arrange->plan.goal_of;
  const uint32_t draw = chance_below(&arrange->chance, TRIALS);
  if (draw < NEAR_OWN_TRIALS) return near(arrange, slot_of[unit], NEAR_OWN);
  if (draw < NEAR_OWN_TRIALS + NEAR_OTHER_TRIALS) {
    const uint32_t other = unit_of(arrange, neighbour(arrange, unit / arrange->per_group));
    return near(arrange, slot_of[other], NEAR_OTHER);
  }
  return slot_of[hot_unit(arrange)];
}

static void begin_trial(struct arrange* arrange) {
  const uint32_t unit = hot_unit(arrange);
  const uint32_t slot = choose_slot(arrange, unit);
  // A unit that found no room in a small table's region stays.
  const bool stays = slot >= arrange->region || arrange->plan.goal_of[unit] >= arrange->region;
  arrange_trial_begin(arrange, unit, stays ? unit : arrange->plan.goal_at[slot]);
}

/// Trials up to the end of a round.
static uint32_t trials_until(const struct arrange* arrange, uint32_t round) {
  return (uint32_t)((uint64_t)arrange->plan.trials * (round + 1) / ROUNDS);
}

bool arrange_units_step(struct arrange* arrange) {
  if (!arrange_trial_is_idle(arrange)) {
    arrange_trial_step(arrange);
    return false;
  }
  if (arrange->hot_groups == 0 || arrange->round == ROUNDS) return true;
  if (arrange->next == trials_until(arrange, arrange->round)) {
    ++arrange->round;
    const uint64_t t = arrange->temperature;
    arrange->temperature = (t >> 32) * FALL + ((t & UINT32_MAX) * FALL >> 32);
    return false;
  }
  ++arrange->next;
  begin_trial(arrange);
  return false;
}
