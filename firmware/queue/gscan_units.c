// SPDX-License-Identifier: Apache-2.0
/// The units of `gscan`: which candidates form a unit, and what a unit costs.
#include <stddef.h>

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/bits.h"
#include "firmware/queue/gscan.h"
#include "firmware/queue/task.h"

static uint32_t seek_tick(const struct gscan_units* units, uint32_t distance) {
  return units->seek_part[distance] / DRIVE_DESIGN_TICK_PARTS;
}

static bool is_older(uint32_t sequence, uint32_t other) { return (int32_t)(sequence - other) < 0; }

// ------------------------------------------------------------------------------- who is looked at

static bool goes_below(const struct candidate* one, const struct candidate* other) {
  if (one->cylinder != other->cylinder) return one->cylinder < other->cylinder;
  return candidate_is_older(one, other);
}

static void append_band(struct gscan_units* units, struct candidate* item,
                        const struct candidate* youngest) {
  struct candidate** seen = units->seen;
  const uint32_t begin = units->seen_count;
  for (; item != NULL; item = item->band_next) {
    if (item->announced == 0) continue;
    if (youngest != NULL && candidate_is_older(youngest, item)) continue;
    uint32_t place = units->seen_count++;
    for (; place > begin && goes_below(item, seen[place - 1]); --place) {
      seen[place] = seen[place - 1];
    }
    seen[place] = item;
  }
}

/// The youngest candidate to consider; NULL: all are considered. Younger ones are in no unit.
static const struct candidate* find_youngest_seen(const struct candidate_set* waiting) {
  if (waiting->count <= GSCAN_SEEN_MAX) return NULL;
  struct candidate* item = waiting->first;
  for (uint32_t i = 1; i < GSCAN_SEEN_MAX; ++i) item = item->next;
  const struct candidate* youngest = item;
  for (item = item->next; item != NULL; item = item->next) item->mark = 0;
  return youngest;
}

/// Rebuilds `seen`, the sorted list of the candidates that are considered.
static void rebuild_seen(struct gscan_units* units, const struct candidate_set* waiting) {
  const struct candidate* youngest = find_youngest_seen(waiting);
  units->seen_count = 0;
  for (uint32_t word = 0; word < CANDIDATE_BAND_WORDS; ++word) {
    for (uint32_t bits = waiting->occupied[word]; bits != 0; bits &= bits - 1) {
      append_band(units, waiting->band[word * 32 + bits_lowest(bits)], youngest);
    }
  }
  units->arrived = NULL;
  units->is_settled = false;
  units->breaks = waiting->breaks;
  units->announced = waiting->count;
  if (units->seen_count != waiting->count) {
    units->announced = 0;
    for (const struct candidate* item = waiting->first; item != NULL; item = item->next) {
      units->announced += item->announced;
    }
  }
  units->sees_all = units->seen_count == units->announced;
}

/// Inserts the candidate that has arrived. @return its place.
static uint32_t insert_seen(struct gscan_units* units, struct candidate* item) {
  uint32_t place = units->seen_count++;
  struct candidate** seen = units->seen;
  for (; place > 0 && goes_below(item, seen[place - 1]); --place) seen[place] = seen[place - 1];
  seen[place] = item;
  units->arrived = NULL;
  ++units->announced;
  return place;
}

/// Removes a candidate that was served. @return the place that it had.
static uint32_t remove_seen(struct gscan_units* units, const struct candidate* item) {
  struct candidate** seen = units->seen;
  uint32_t place = 0;
  while (seen[place] != item) ++place;
  --units->seen_count;
  for (uint32_t i = place; i < units->seen_count; ++i) seen[i] = seen[i + 1];
  return place;
}

/// PLACE_NONE: more than one candidate changed, or none.
#define PLACE_NONE UINT32_MAX

/// Rebuilds `seen` unless it is still valid.
/// @return the place of the only candidate that arrived since; PLACE_NONE: there is no such one.
static uint32_t update_seen(struct gscan_units* units, const struct candidate_set* waiting) {
  const bool is_known = units->sees_all && units->breaks == waiting->breaks;
  if (!is_known || (units->arrived != NULL && units->seen_count == GSCAN_SEEN_MAX)) {
    rebuild_seen(units, waiting);
    return PLACE_NONE;
  }
  return units->arrived == NULL ? PLACE_NONE : insert_seen(units, units->arrived);
}

// ------------------------------------------------------------------------------------------ prices

static int32_t due_tick(uint32_t deadline_64ticks, const struct gscan_start* start) {
  const uint32_t now_64ticks = (uint32_t)(start->at_tick / TASK_ARRIVED_TICKS);
  const int32_t slack = (int32_t)(deadline_64ticks - now_64ticks);
  if (slack <= 0) return 0;
  if (slack >= (int32_t)(GSCAN_NEVER_TICK / TASK_ARRIVED_TICKS)) return GSCAN_NEVER_TICK;
  return slack * (int32_t)TASK_ARRIVED_TICKS - (int32_t)(start->at_tick % TASK_ARRIVED_TICKS);
}

int32_t gscan_due(const struct gscan_unit* unit, const struct gscan_start* start) {
  return unit->is_real_time ? due_tick(unit->deadline_64ticks, start) : GSCAN_NEVER_TICK;
}

void gscan_take_prices(struct gscan_units* units, const struct predictor* predictor) {
  const uint32_t period_tick64 = predictor->rotation->period_tick64;
  const uint32_t access_tick = predictor->margin_tick + period_tick64 / (64 * 2);
  units->seek_part = &predictor->design->pool[predictor->design->seek_table];
  units->rotation = predictor->rotation;
  if (units->access_tick == access_tick && units->period_tick64 == period_tick64) return;
  units->access_tick = access_tick;
  units->period_tick64 = period_tick64;
  units->stale = ~(gscan_bits)0;
}

uint32_t gscan_access_tick(const struct gscan_units* units, uint32_t from,
                           const struct candidate* candidate) {
  return seek_tick(units, distance_u32(from, candidate->cylinder)) + units->access_tick +
         rotation_ticks(units->rotation, candidate->span_turn24);
}

static inline uint32_t find_hop(const struct gscan_units* units, uint32_t from, uint32_t number) {
  const struct gscan_unit* unit = &units->unit[number];
  const uint32_t to_lowest = distance_u32(from, unit->lowest);
  if (unit->lowest == unit->highest) return (seek_tick(units, to_lowest) + unit->inner_tick) << 1;
  const uint32_t to_highest = distance_u32(from, unit->highest);
  const bool goes_down =
      to_highest < to_lowest ||
      (to_highest == to_lowest && is_older(unit->highest_oldest, unit->lowest_oldest));
  const uint32_t distance = goes_down ? to_highest : to_lowest;
  return (seek_tick(units, distance) + unit->inner_tick) << 1 | (goes_down ? 1U : 0U);
}

uint32_t gscan_hop(const struct gscan_units* units, uint32_t from, uint32_t number) {
  return find_hop(units, from, number);
}

void gscan_find_first_hops(struct gscan_units* units, uint32_t from) {
  for (uint32_t number = 1; number <= units->most; ++number) {
    if (units->unit[number].count != 0) units->hop[0][number] = find_hop(units, from, number);
  }
}

/// A set of unit numbers as a list.
struct numbers {
  uint32_t count;
  uint8_t number[GSCAN_UNITS_MAX];
};

static void find_hops_from(struct gscan_units* units, uint32_t stand, uint32_t from,
                           const struct numbers* to) {
  uint32_t* hops = units->hop[stand];
  for (uint32_t i = 0; i < to->count; ++i) {
    const uint32_t number = to->number[i];
    if (number == stand / 2) continue;
    const uint32_t hop = find_hop(units, from, number);
    struct gscan_unit* unit = &units->unit[number];
    hops[number] = hop;
    if (GSCAN_HOP_TICK(hop) < unit->least_hop_tick) unit->least_hop_tick = GSCAN_HOP_TICK(hop);
    if (GSCAN_HOP_TICK(hop) > unit->most_hop_tick) unit->most_hop_tick = GSCAN_HOP_TICK(hop);
  }
}

/// Computes the stale hops: those of units that moved, or whose times changed.
static void find_hops(struct gscan_units* units) {
  if ((units->stale_hops | units->stale_lowest | units->stale_highest) == 0) return;
  struct numbers all = {.count = 0};
  struct numbers changed = {.count = 0};
  gscan_bits bits = units->stale_hops;
  for (uint32_t number = 1; number <= units->most; ++number, bits >>= 1) {
    struct gscan_unit* unit = &units->unit[number];
    if (unit->count == 0) continue;
    all.number[all.count++] = (uint8_t)number;
    if ((bits & 1U) == 0) continue;
    changed.number[changed.count++] = (uint8_t)number;
    unit->least_hop_tick = UINT32_MAX;
    unit->most_hop_tick = 0;
  }
  for (uint32_t i = 0; i < all.count; ++i) {
    const uint32_t number = all.number[i];
    const struct gscan_unit* unit = &units->unit[number];
    const bool has_highest = (units->stale_highest >> (number - 1) & 1U) == 0;
    find_hops_from(units, 2 * number, unit->highest, has_highest ? &changed : &all);
    if (unit->lowest == unit->highest) continue;
    const bool has_lowest = (units->stale_lowest >> (number - 1) & 1U) == 0;
    find_hops_from(units, 2 * number + 1, unit->lowest, has_lowest ? &changed : &all);
  }
  units->stale_hops = units->stale_lowest = units->stale_highest = 0;
}

// ------------------------------------------------------------------------------------- what it is

static void begin_unit(struct gscan_unit* unit, const struct candidate* item) {
  unit->fixed_tick = unit->inner_tick = 0;
  unit->lowest = unit->highest = item->cylinder;
  unit->oldest = unit->lowest_oldest = unit->highest_oldest = item->sequence;
  unit->is_real_time = candidate_is_real_time(item);
  unit->deadline_64ticks = item->deadline_64ticks;
}

/// Adds `item`, the next one upward, to a unit.
static void add_member(const struct gscan_units* units, struct gscan_unit* unit,
                       const struct candidate* item) {
  if (unit->count++ == 0) begin_unit(unit, item);
  unit->fixed_tick += units->access_tick + rotation_ticks(units->rotation, item->span_turn24);
  if (is_older(item->sequence, unit->oldest)) unit->oldest = item->sequence;
  if (item->cylinder == unit->highest) return;
  unit->inner_tick += seek_tick(units, (uint32_t)item->cylinder - unit->highest);
  unit->highest = item->cylinder;
  unit->highest_oldest = item->sequence;
}

/// Whether the hops to and from a unit are the same in both states.
static bool is_as_far(const struct gscan_unit* one, const struct gscan_unit* other) {
  return one->count != 0 && one->lowest == other->lowest && one->highest == other->highest &&
         one->inner_tick == other->inner_tick && one->lowest_oldest == other->lowest_oldest &&
         one->highest_oldest == other->highest_oldest;
}

static bool is_among(gscan_bits bits, uint32_t number) {
  return number != 0 && (bits >> (number - 1) & 1U) != 0;
}

/// Adds the members of the units in `unknown`.
static void add_members(struct gscan_units* units, gscan_bits unknown) {
  units->outside = units->announced - units->seen_count;
  for (uint32_t i = 0; i < units->seen_count; ++i) {
    const struct candidate* item = units->seen[i];
    if (item->mark == 0) {
      ++units->outside;
    } else if (is_among(unknown, item->mark)) {
      add_member(units, &units->unit[item->mark], item);
    }
  }
}

/// Marks all hops of a changed unit as stale.
static void note_change(struct gscan_units* units, uint32_t number) {
  const gscan_bits bit = (gscan_bits)1 << (number - 1);
  units->stale_hops |= bit;
  units->stale_lowest |= bit;
  units->stale_highest |= bit;
}

/// Recounts some units from their members' marks. @return whether a unit has ended.
static bool sum_up(struct gscan_units* units, gscan_bits unknown) {
  struct gscan_unit former[GSCAN_UNITS_MAX + 1];
  for (uint32_t number = 1; number <= units->most; ++number) {
    if (!is_among(unknown, number)) continue;
    former[number].count = units->unit[number].count;
    if (former[number].count == 0) continue;
    former[number] = units->unit[number];
    units->unit[number].count = 0;
  }
  add_members(units, unknown);
  bool has_ended = false;
  units->count = 0;
  for (uint32_t number = 1; number <= units->most; ++number) {
    const struct gscan_unit* unit = &units->unit[number];
    units->count += unit->count != 0 ? 1U : 0U;
    if (!is_among(unknown, number)) continue;
    if (unit->count == 0) {
      has_ended = has_ended || former[number].count != 0;
    } else if (!is_as_far(&former[number], unit)) {
      note_change(units, number);
    }
  }
  find_hops(units);
  units->stale = 0;
  ++units->changes;
  return has_ended;
}

static uint32_t gap_between(const struct candidate* below, const struct candidate* item) {
  if (candidate_is_real_time(below) || candidate_is_real_time(item)) return GSCAN_FAR;
  return (uint32_t)item->cylinder - below->cylinder;
}

/// Time of an access without its seek.
static uint32_t own_tick(const struct gscan_units* units, const struct candidate* item) {
  return units->access_tick + rotation_ticks(units->rotation, item->span_turn24);
}

/// Seek time that a stop between two cylinders adds to the way from one to the other.
static uint32_t stop_tick(const struct gscan_units* units, uint32_t from, uint32_t stop,
                          uint32_t to) {
  return seek_tick(units, stop - from) + seek_tick(units, to - stop) - seek_tick(units, to - from);
}

/// The neighbour at a place of `seen` if it is a member of the unit; else NULL.
static const struct candidate* find_beside(const struct gscan_units* units, uint32_t place,
                                           uint32_t number) {
  if (place >= units->seen_count || units->seen[place]->mark != number) return NULL;
  return units->seen[place];
}

/// Sets the unit's new lowest or highest member: the oldest one on its cylinder.
static void set_lowest(struct gscan_unit* unit, const struct candidate* item) {
  unit->lowest = item->cylinder;
  unit->lowest_oldest = item->sequence;
}
static void set_highest(struct gscan_unit* unit, const struct candidate* item) {
  unit->highest = item->cylinder;
  unit->highest_oldest = item->sequence;
}

/// Marks the hops that a unit's change makes stale. A unit of one cylinder had no hops from its
/// lowest.
static void note_changes(struct gscan_units* units, uint32_t number,
                         const struct gscan_unit* former, bool has_hops_to) {
  const struct gscan_unit* unit = &units->unit[number];
  if (is_as_far(former, unit)) return;
  const gscan_bits bit = (gscan_bits)1 << (number - 1);
  const bool was_single = former->lowest == former->highest;
  if (has_hops_to) units->stale_hops |= bit;
  if (was_single || former->lowest != unit->lowest) units->stale_lowest |= bit;
  if (former->highest != unit->highest) units->stale_highest |= bit;
}

/// Adds the candidate at a place of `seen` to a unit.
static void add_one(struct gscan_units* units, uint32_t place, uint32_t number) {
  struct gscan_unit* unit = &units->unit[number];
  const struct candidate* item = units->seen[place];
  const struct candidate* below = find_beside(units, place - 1, number);
  const struct candidate* above = find_beside(units, place + 1, number);
  const struct gscan_unit former = *unit;
  ++unit->count;
  unit->fixed_tick += own_tick(units, item);
  if (is_older(item->sequence, unit->oldest)) unit->oldest = item->sequence;
  if (below == NULL) {
    unit->inner_tick += seek_tick(units, (uint32_t)above->cylinder - item->cylinder);
    set_lowest(unit, item);
    if (item->cylinder == unit->highest) set_highest(unit, item);
  } else if (above == NULL) {
    unit->inner_tick += seek_tick(units, (uint32_t)item->cylinder - below->cylinder);
    if (item->cylinder != unit->highest) set_highest(unit, item);
  } else {
    unit->inner_tick += stop_tick(units, below->cylinder, item->cylinder, above->cylinder);
    if (item->cylinder == unit->highest && item->cylinder != below->cylinder) {
      set_highest(unit, item);
    }
  }
  note_changes(units, number, &former, true);
}

/// The oldest member of its unit on the cylinder of the candidate at a place.
static const struct candidate* find_oldest_there(const struct gscan_units* units, uint32_t place) {
  const struct candidate* item = units->seen[place];
  const struct candidate* other = item;
  while (other != NULL && other->cylinder == item->cylinder) {
    item = other;
    other = find_beside(units, --place, item->mark);
  }
  return item;
}

/// The oldest member of a unit whose members are at, below or above a place of `seen`.
static uint32_t find_oldest(const struct gscan_units* units, uint32_t place, uint32_t number) {
  while (find_beside(units, place - 1, number) != NULL) --place;
  uint32_t oldest = units->seen[place]->sequence;
  const struct candidate* item = units->seen[place];
  for (; item != NULL; item = find_beside(units, ++place, number)) {
    if (is_older(item->sequence, oldest)) oldest = item->sequence;
  }
  return oldest;
}

/// Removes a member, formerly at a place of `seen`, from a unit that has others. If all schedules
/// begin with the unit, only hops to it from units that are still to come matter.
static void take_one(struct gscan_units* units, uint32_t place, const struct candidate* item,
                     bool is_first) {
  const uint32_t number = item->mark;
  struct gscan_unit* unit = &units->unit[number];
  const struct candidate* below = find_beside(units, place - 1, number);
  const struct candidate* above = find_beside(units, place, number);
  const struct gscan_unit former = *unit;
  unit->fixed_tick -= own_tick(units, item);
  if (item->sequence == unit->oldest) unit->oldest = find_oldest(units, place, number);
  if (below == NULL) {
    unit->inner_tick -= seek_tick(units, (uint32_t)above->cylinder - item->cylinder);
    set_lowest(unit, above);
    if (item->cylinder == unit->highest) set_highest(unit, above);
  } else if (above == NULL) {
    unit->inner_tick -= seek_tick(units, (uint32_t)item->cylinder - below->cylinder);
    if (item->cylinder != below->cylinder) {
      set_highest(unit, find_oldest_there(units, place - 1));
    }
  } else {
    unit->inner_tick -= stop_tick(units, below->cylinder, item->cylinder, above->cylinder);
    if (item->cylinder == unit->highest && item->cylinder != below->cylinder) {
      set_highest(unit, above);
    }
  }
  note_changes(units, number, &former, !is_first);
  ++units->changes;
}

/// Whether the two neighbours of a place of `seen` are in one unit exactly if they are near.
static bool stays_settled(const struct gscan_units* units, uint32_t place) {
  if (place == 0 || place == units->seen_count) return true;
  const struct candidate* below = units->seen[place - 1];
  const struct candidate* above = units->seen[place];
  return (below->mark == above->mark) == (gap_between(below, above) < units->tau);
}

bool gscan_take(struct gscan_units* units, const struct candidate_set* waiting,
                const struct candidate* candidate, bool is_first) {
  // The served candidate's own departure is accounted for.
  const bool is_alone = units->breaks + 1 == waiting->breaks;
  if (is_alone) ++units->breaks;
  if (units->arrived == candidate) {
    units->arrived = NULL;
    return false;
  }
  units->sees_all = units->sees_all && is_alone;
  const uint32_t place = units->sees_all ? remove_seen(units, candidate) : PLACE_NONE;
  const bool is_settled = units->sees_all && units->is_settled && units->stale == 0;
  units->is_settled = is_settled && stays_settled(units, place);
  --units->announced;
  const uint32_t number = candidate->mark;
  if (number == 0) {
    --units->outside;
    return false;
  }
  if (--units->unit[number].count != 0) {
    if (is_settled) {
      take_one(units, place, candidate, is_first);
    } else {
      units->stale |= (gscan_bits)1 << (number - 1);
    }
    return false;
  }
  --units->count;
  ++units->changes;
  return true;
}

struct candidate* gscan_find_entry(const struct gscan_units* units,
                                   const struct candidate_set* waiting, uint32_t from,
                                   uint32_t number) {
  const struct gscan_unit* unit = &units->unit[number];
  const bool goes_down = (find_hop(units, from, number) & 1U) != 0;
  const uint32_t oldest = goes_down ? unit->highest_oldest : unit->lowest_oldest;
  if (!units->sees_all) {
    struct candidate* item = waiting->first;
    while (item != NULL && item->sequence != oldest) item = item->next;
    return item;
  }
  uint32_t place = 0;
  while (units->seen[place]->sequence != oldest) ++place;
  return units->seen[place];
}

bool gscan_count(struct gscan_units* units, const struct candidate_set* waiting) {
  if (units->stale == 0 && units->breaks == waiting->breaks) {
    find_hops(units);
    return false;
  }
  const bool knows_all = units->breaks == waiting->breaks;
  (void)update_seen(units, waiting);
  // A candidate that has just arrived is in no unit yet.
  units->is_settled = false;
  return sum_up(units, knows_all ? units->stale : ~(gscan_bits)0);
}

// ----------------------------------------------------------------------------------------- groups

/// Neighbours in `seen` that are to be a unit: `begin` is included, `end` is not.
struct group {
  uint16_t begin;
  uint16_t end;
  uint8_t rank;                   ///< First sort key: groups of lower ranks become units first.
  const struct candidate* first;  ///< Oldest member of the group: second sort key by its deadline,
                                  ///< third by its age.
};
enum { RANK_FEASIBLE, RANK_LATE, RANK_BEST_EFFORT };

static void find_gaps(struct gscan_units* units) {
  for (uint32_t i = 1; i < units->seen_count; ++i) {
    units->gap[i] = gap_between(units->seen[i - 1], units->seen[i]);
  }
}

/// Keeps those gaps in `wide` that separate groups. @return their number.
static uint32_t keep_wide(struct gscan_units* units, uint32_t count, uint32_t tau) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (units->wide[i] >= tau) units->wide[left++] = units->wide[i];
  }
  return left;
}

/// The distance for grouping: tau, doubled until there are at most `most` groups or no more can
/// merge.
static uint32_t find_tau(struct gscan_units* units) {
  uint32_t count = 0;
  uint32_t tau = units->tau;
  for (uint32_t i = 1; i < units->seen_count; ++i) {
    if (units->gap[i] >= tau) units->wide[count++] = units->gap[i];
  }
  if (count >= units->most && tau == 0) {
    tau = 1;
    count = keep_wide(units, count, tau);
  }
  while (count >= units->most && tau <= UINT16_MAX) {
    tau *= 2;
    count = keep_wide(units, count, tau);
  }
  return tau;
}

/// The oldest member of a group.
static const struct candidate* find_first(const struct gscan_units* units,
                                          const struct group* group) {
  const struct candidate* first = units->seen[group->begin];
  for (uint32_t i = group->begin + 1U; i < group->end; ++i) {
    if (candidate_is_older(units->seen[i], first)) first = units->seen[i];
  }
  return first;
}

static void rank_group(const struct gscan_units* units, const struct gscan_start* start,
                       struct group* group) {
  group->first = find_first(units, group);
  group->rank = RANK_BEST_EFFORT;
  if (!candidate_is_real_time(group->first)) return;
  const uint32_t end_tick = gscan_access_tick(units, start->cylinder, group->first);
  const int32_t due = due_tick(group->first->deadline_64ticks, start);
  group->rank = end_tick <= (uint32_t)due ? RANK_FEASIBLE : RANK_LATE;
}

static bool is_due_first(const struct candidate* one, const struct candidate* other) {
  if (candidate_is_due_before(one, other)) return true;
  if (candidate_is_due_before(other, one)) return false;
  return candidate_is_older(one, other);
}

static bool group_goes_first(const struct group* one, const struct group* other) {
  if (one->rank != other->rank) return one->rank < other->rank;
  return is_due_first(one->first, other->first);
}

/// Adds a group to the list of the best groups, which has at most `most` entries.
static uint32_t add_group(struct group groups[], uint32_t count, uint32_t most,
                          const struct group* group) {
  uint32_t place = count;
  if (count == most) {
    if (!group_goes_first(group, &groups[count - 1])) return count;
    --place;
  } else {
    ++count;
  }
  for (; place > 0 && group_goes_first(group, &groups[place - 1]); --place) {
    groups[place] = groups[place - 1];
  }
  groups[place] = *group;
  return count;
}

static void sort_by_place(struct group groups[], uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    const struct group group = groups[i];
    uint32_t place = i;
    for (; place > 0 && group.begin < groups[place - 1].begin; --place) {
      groups[place] = groups[place - 1];
    }
    groups[place] = group;
  }
}

static struct group group_from(const struct gscan_units* units, uint32_t begin, uint32_t tau) {
  uint32_t end = begin + 1;
  while (end < units->seen_count && units->gap[end] < tau) ++end;
  return (struct group){.begin = (uint16_t)begin, .end = (uint16_t)end};
}

/// Selects the best groups when there are more groups than units, sorted by cylinder. @return their
/// number.
static uint32_t choose_groups(const struct gscan_units* units, const struct gscan_start* start,
                              uint32_t tau, struct group groups[]) {
  uint32_t count = 0;
  for (uint32_t begin = 0; begin < units->seen_count;) {
    struct group group = group_from(units, begin, tau);
    rank_group(units, start, &group);
    count = add_group(groups, count, units->most, &group);
    begin = group.end;
  }
  sort_by_place(groups, count);
  return count;
}

/// Finds the groups that are to be units, sorted by cylinder. @return their number.
static uint32_t find_groups(struct gscan_units* units, const struct gscan_start* start,
                            struct group groups[]) {
  const uint32_t tau = find_tau(units);
  units->is_settled = tau == units->tau;
  uint32_t count = 0;
  for (uint32_t begin = 0; begin < units->seen_count; begin = groups[count++].end) {
    if (count == units->most) {
      units->is_settled = false;
      return choose_groups(units, start, tau, groups);
    }
    groups[count] = group_from(units, begin, tau);
  }
  return count;
}

// ---------------------------------------------------------------------------------------- numbers

/// Gives a group the number of one of its former units that no other group has taken; 0: there is
/// none. Notes the former units of which the group has parts.
static uint8_t take_number(const struct gscan_units* units, const struct group* group,
                           gscan_bits* taken, gscan_bits part, gscan_bits parts[]) {
  uint8_t number = 0;
  uint8_t last = 0;
  for (uint32_t i = group->begin; i < group->end; ++i) {
    const uint8_t former = units->seen[i]->mark;
    if (former == last) continue;
    last = former;
    if (former == 0) continue;
    parts[former] |= part;
    const gscan_bits bit = (gscan_bits)1 << (former - 1);
    if (number != 0 || (*taken & bit) != 0) continue;
    *taken |= bit;
    number = former;
  }
  return number;
}

static uint8_t take_free_number(gscan_bits* taken) {
  uint8_t number = 1;
  while ((*taken >> (number - 1) & 1U) != 0) ++number;
  *taken |= (gscan_bits)1 << (number - 1);
  return number;
}

static bool is_newcomer(const struct gscan_units* units, const struct group* group) {
  for (uint32_t i = group->begin; i < group->end; ++i) {
    if (units->seen[i]->mark != 0) return false;
  }
  return true;
}

static void add_newcomer(struct gscan_change* change, const struct candidate* first[],
                         const struct candidate* oldest, uint8_t number) {
  uint32_t place = change->newcomers++;
  for (; place > 0 && is_due_first(oldest, first[place - 1]); --place) {
    first[place] = first[place - 1];
    change->newcomer[place] = change->newcomer[place - 1];
  }
  first[place] = oldest;
  change->newcomer[place] = number;
}

static void number_groups(const struct gscan_units* units, const struct group groups[],
                          uint32_t count, struct gscan_change* change) {
  gscan_bits taken = 0;
  for (uint32_t number = 0; number <= units->most; ++number) change->parts[number] = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const gscan_bits part = (gscan_bits)1 << i;
    change->number[i] = take_number(units, &groups[i], &taken, part, change->parts);
  }
  const struct candidate* first[GSCAN_UNITS_MAX];
  for (uint32_t i = 0; i < count; ++i) {
    if (change->number[i] != 0) continue;
    change->number[i] = take_free_number(&taken);
    if (is_newcomer(units, &groups[i])) {
      add_newcomer(change, first, find_first(units, &groups[i]), change->number[i]);
    }
  }
  change->count = count;
}

/// Whether a unit has ended, has merged, or has been split.
static bool finds_moves(const struct gscan_units* units, const struct gscan_change* change) {
  uint32_t stay = 0;
  for (uint32_t i = 0; i < change->count; ++i) {
    if (change->parts[change->number[i]] == (gscan_bits)1 << i) ++stay;
  }
  return stay + change->newcomers != change->count || stay != units->count;
}

/// Marks the members of a group. @return whether the unit had the same members before.
static bool mark_group(const struct gscan_units* units, const struct group* group, uint8_t number) {
  bool are_same = units->unit[number].count == (uint32_t)group->end - group->begin;
  for (uint32_t i = group->begin; i < group->end; ++i) {
    struct candidate* item = units->seen[i];
    are_same = are_same && item->mark == number;
    item->mark = number;
  }
  return are_same;
}

/// @return the units whose members have changed.
static gscan_bits mark_members(const struct gscan_units* units, const struct group groups[],
                               const struct gscan_change* change) {
  gscan_bits unknown = ~(gscan_bits)0;
  uint32_t i = 0;
  for (uint32_t k = 0; k < change->count; ++k) {
    for (; i < groups[k].begin; ++i) units->seen[i]->mark = 0;
    const uint8_t number = change->number[k];
    if (mark_group(units, &groups[k], number)) unknown ^= (gscan_bits)1 << (number - 1);
    i = groups[k].end;
  }
  for (; i < units->seen_count; ++i) units->seen[i]->mark = 0;
  return unknown;
}

/// Makes a new unit of the candidate at a place of `seen`. @return false: there are too many units.
static bool become_unit(struct gscan_units* units, struct candidate* item,
                        struct gscan_change* change) {
  if (units->count >= units->most) return false;
  uint32_t number = 1;
  while (units->unit[number].count != 0) ++number;
  item->mark = (uint8_t)number;
  add_member(units, &units->unit[number], item);
  ++units->count;
  note_change(units, number);
  change->newcomers = 1;
  change->newcomer[0] = (uint8_t)number;
  return true;
}

/// Groups the one new candidate if all others stay. @return whether they do.
static bool group_one(struct gscan_units* units, uint32_t place, struct gscan_change* change) {
  if (place == PLACE_NONE || !units->is_settled || units->stale != 0) return false;
  struct candidate* item = units->seen[place];
  const struct candidate* below = place > 0 ? units->seen[place - 1] : NULL;
  const struct candidate* above = place + 1 < units->seen_count ? units->seen[place + 1] : NULL;
  const bool joins_below = below != NULL && gap_between(below, item) < units->tau;
  const bool joins_above = above != NULL && gap_between(item, above) < units->tau;
  const bool are_one = below != NULL && above != NULL && below->mark == above->mark;
  // Otherwise two units become one, or one becomes two.
  if ((joins_below && joins_above) != are_one) return false;
  if (joins_below || joins_above) {
    item->mark = joins_below ? below->mark : above->mark;
    add_one(units, place, item->mark);
    change->newcomers = 0;
  } else if (!become_unit(units, item, change)) {
    return false;
  }
  change->moves = false;
  find_hops(units);
  ++units->changes;
  return true;
}

bool gscan_group(struct gscan_units* units, const struct candidate_set* waiting,
                 const struct gscan_start* start, struct gscan_change* change) {
  if (group_one(units, update_seen(units, waiting), change)) return true;
  struct group groups[GSCAN_UNITS_MAX];
  find_gaps(units);
  const uint32_t count = find_groups(units, start, groups);
  change->newcomers = 0;
  number_groups(units, groups, count, change);
  change->moves = finds_moves(units, change);
  const gscan_bits unknown = mark_members(units, groups, change);
  (void)sum_up(units, unknown | units->stale);
  return false;
}
