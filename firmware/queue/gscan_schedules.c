// SPDX-License-Identifier: Apache-2.0
/// The schedules of `gscan`: how they grow, and which are kept (Kim, Bahn, Won, 3.3).
#include <stddef.h>

#include "firmware/queue/gscan.h"

/// Flag in the key of a schedule that misses a deadline: it sorts after all that miss none.
#define KEY_MISSES 0x80000000U
#define KEY_COST_MAX 0x7FFFFFFFU
#define NO_KEY UINT32_MAX

/// Lists of up to FEW schedules are weighed in order; longer ones from the former best.
#define FEW 4U

/// Number of ranges in which keys are counted.
#define RANGES 64U

/// Effort that takes about as long as weighing one unit in a schedule.
#define SIFTED_PER_EFFORT 2U
#define ADDED_PER_EFFORT 1U
#define WAYS_PER_EFFORT 2U

void gscan_schedules_begin(struct gscan_schedules* schedules) {
  schedules->current = 0;
  gscan_give_up(schedules);
  schedules->priced_changes = UINT32_MAX;  // No price is known.
  schedules->best = 0;
  schedules->list[0].count = 1;
  schedules->list[0].length = 0;
  schedules->list[0].sequence[0] = (union gscan_sequence){{0}};
}

static bool is_older_unit(const struct gscan_units* units, uint32_t one, uint32_t other) {
  return (int32_t)(units->unit[one].oldest - units->unit[other].oldest) < 0;
}

// ------------------------------------------------------------------------------------ evaluation

/// Limits that hold for every schedule of all units.
struct bounds {
  uint32_t end_tick;     ///< No schedule ends later.
  uint32_t spread_tick;  ///< The seek times of two schedules differ by no more than this.
  uint32_t due_tick;     ///< The earliest of all deadlines.
};

/// @return a lower bound of every hop to the unit.
static inline uint32_t add_to_bounds(struct bounds* bounds, const struct gscan_unit* unit,
                                     uint32_t hop_tick, const struct gscan_price* price) {
  const uint32_t most = hop_tick > unit->most_hop_tick ? hop_tick : unit->most_hop_tick;
  const uint32_t least = hop_tick < unit->least_hop_tick ? hop_tick : unit->least_hop_tick;
  bounds->end_tick += most + price->fixed_tick;
  bounds->spread_tick += most - least;
  if ((uint32_t)price->due_tick < bounds->due_tick) bounds->due_tick = (uint32_t)price->due_tick;
  return least;
}

/// Moves stand 0 to `start`: its hops and all deadlines are counted from there.
static void go_to(struct gscan_schedules* schedules, struct gscan_units* units,
                  const struct gscan_start* start) {
  const bool is_there = schedules->priced_changes == units->changes &&
                        schedules->priced.at_tick == start->at_tick &&
                        schedules->priced.cylinder == start->cylinder;
  if (is_there) return;
  schedules->priced_changes = units->changes;
  schedules->priced = *start;
  gscan_find_first_hops(units, start->cylinder);
  struct bounds bounds = {.due_tick = GSCAN_NEVER_TICK};
  for (uint32_t number = 1; number <= units->most; ++number) {
    const struct gscan_unit* unit = &units->unit[number];
    if (unit->count == 0) continue;
    const uint32_t hop = units->hop[0][number];
    struct gscan_price* price = &schedules->price[number];
    price->fixed_tick = unit->fixed_tick;
    price->due_tick = unit->is_real_time ? gscan_due(unit, start) : GSCAN_NEVER_TICK;
    schedules->least_hop_tick[number] = add_to_bounds(&bounds, unit, GSCAN_HOP_TICK(hop), price);
  }
  schedules->is_calm = bounds.end_tick <= bounds.due_tick;
  schedules->is_near = bounds.spread_tick <= schedules->sweep_tick;
}

/// State of a schedule before its i-th unit.
struct stop {
  const uint32_t* hops;  ///< Hops from the stop, by unit.
  uint32_t tick;         ///< Time from the start.
  uint32_t cost_tick;  ///< Seek time of `tick`; with counts_least plus the least hops to the units
                       ///< that follow.
  uint32_t late_tick;  ///< Sum of the delays beyond all deadlines before the stop.
  int32_t reserve_tick;  ///< Delay that would still meet all deadlines after the stop.
};

static uint32_t add_up_to_most(uint32_t a, uint32_t b) {
  const uint32_t sum = a + b;
  return sum < a || sum > KEY_COST_MAX ? KEY_COST_MAX : sum;
}

static uint32_t key_of(uint32_t cost_tick, uint32_t late_tick) {
  if (late_tick == 0) return cost_tick;
  return add_up_to_most(cost_tick, late_tick) | KEY_MISSES;
}

/// The state of a step.
struct round {
  struct gscan_schedules* schedules;
  struct gscan_units* units;
  const struct gscan_list* parents;
  uint32_t newcomer;
  uint32_t most;  ///< Number of schedules to keep at present.
  uint32_t evaluations;
  uint32_t effort;  ///< Other work of the step, counted as evaluations.
  /// The schedule that was walked last; the first `known` of its stops are valid.
  const union gscan_sequence* walked;
  uint32_t known;
  struct stop stops[GSCAN_UNITS_MAX + 1];
};

static const uint32_t* hops_behind(const struct round* round, uint32_t hop, uint32_t number) {
  return round->units->hop[GSCAN_STAND_BEHIND(hop, number)];
}

/// Advances a stop by one more unit.
static inline void go_on(const struct round* round, struct stop* stop, uint32_t number) {
  const uint32_t hop = stop->hops[number];
  const struct gscan_price* price = &round->schedules->price[number];
  stop->hops = hops_behind(round, hop, number);
  stop->cost_tick += GSCAN_HOP_TICK(hop);
  stop->tick += GSCAN_HOP_TICK(hop) + price->fixed_tick;
  const int32_t reserve_tick = price->due_tick - (int32_t)stop->tick;
  if (reserve_tick < 0) stop->late_tick = add_up_to_most(stop->late_tick, (uint32_t)-reserve_tick);
}

/// Number of units that a schedule has in common with the beginning of `walked`.
static inline uint32_t find_common(const struct round* round,
                                   const union gscan_sequence* sequence) {
  const uint32_t known = round->known;
  if (known == 0) return 0;
  for (uint32_t word = 0; word < GSCAN_SEQUENCE_WORDS; ++word) {
    uint32_t difference = round->walked->words[word] ^ sequence->words[word];
    if (difference == 0) continue;
    uint32_t common = word * sizeof(uint32_t);
    for (; (difference & 0xFFU) == 0; difference >>= 8) ++common;
    return common < known ? common : known;
  }
  return known;
}

/// Walks along a schedule until its key is above `most`. Stops of the common beginning with the
/// schedule walked before are reused. @param counts_least  Costs include the least hops to all
/// units that follow, so no unit makes the key less. @return whether the walk came to the end.
__attribute__((always_inline)) static inline bool walk_some(struct round* round,
                                                            const union gscan_sequence* sequence,
                                                            bool counts_least, uint32_t most) {
  const uint32_t* least_hop_tick = round->schedules->least_hop_tick;
  const uint32_t length = round->parents->length;
  const uint32_t begin = find_common(round, sequence);
  const uint8_t* unit = &sequence->unit[begin];
  const uint8_t* end = &sequence->unit[length];
  struct stop* stop = &round->stops[begin];
  struct stop here = *stop;
  bool goes_on = !counts_least || key_of(here.cost_tick, here.late_tick) <= most;
  while (goes_on && unit != end) {
    go_on(round, &here, *unit);
    if (counts_least) here.cost_tick -= least_hop_tick[*unit];
    ++unit;
    ++stop;
    stop->hops = here.hops;
    stop->tick = here.tick;
    stop->cost_tick = here.cost_tick;
    stop->late_tick = here.late_tick;
    goes_on = !counts_least || key_of(here.cost_tick, here.late_tick) <= most;
  }
  const uint32_t known = (uint32_t)(unit - sequence->unit);
  round->evaluations += known - begin;
  round->known = known;
  round->walked = sequence;
  return goes_on;
}

static void walk(struct round* round, const union gscan_sequence* sequence) {
  (void)walk_some(round, sequence, false, NO_KEY);
}

static bool walk_up_to(struct round* round, const union gscan_sequence* sequence, uint32_t most) {
  return walk_some(round, sequence, true, most);
}

/// walk() for schedules that miss no deadline: only seeks count.
__attribute__((always_inline)) static inline bool walk_calmly(struct round* round,
                                                              const union gscan_sequence* sequence,
                                                              bool counts_least, uint32_t most) {
  const uint32_t* least_hop_tick = round->schedules->least_hop_tick;
  const uint32_t length = round->parents->length;
  const uint32_t begin = find_common(round, sequence);
  const uint8_t* unit = &sequence->unit[begin];
  const uint8_t* end = &sequence->unit[length];
  struct stop* stop = &round->stops[begin];
  const uint32_t* hops = stop->hops;
  uint32_t cost_tick = stop->cost_tick;
  while (unit != end && (!counts_least || cost_tick <= most)) {
    const uint32_t number = *unit++;
    const uint32_t hop = hops[number];
    hops = hops_behind(round, hop, number);
    cost_tick += GSCAN_HOP_TICK(hop);
    if (counts_least) cost_tick -= least_hop_tick[number];
    ++stop;
    stop->hops = hops;
    stop->cost_tick = cost_tick;
  }
  const uint32_t known = (uint32_t)(unit - sequence->unit);
  round->evaluations += known - begin;
  round->known = known;
  round->walked = sequence;
  return !counts_least || cost_tick <= most;
}

// -------------------------------------------------------------------------------------- children

static uint32_t child_unit(const struct round* round, const struct gscan_child* child, uint32_t i) {
  const uint8_t* unit = round->parents->sequence[child->parent].unit;
  if (i < child->place) return unit[i];
  return i == child->place ? round->newcomer : unit[i - 1];
}

/// Order of children: by key; of equal keys, the child with the older unit where they first differ.
static bool child_goes_first(const struct round* round, const struct gscan_child* one,
                             const struct gscan_child* other) {
  if (one->key != other->key) return one->key < other->key;
  const uint32_t length = round->parents->length + (round->newcomer != 0 ? 1U : 0U);
  for (uint32_t i = 0; i < length; ++i) {
    const uint32_t of_one = child_unit(round, one, i);
    const uint32_t of_other = child_unit(round, other, i);
    if (of_one != of_other) return is_older_unit(round->units, of_one, of_other);
  }
  return false;
}

/// Restores the heap `kept` below its i-th element.
static void sift_down(const struct round* round, uint32_t i) {
  struct gscan_child* kept = round->schedules->kept;
  const uint32_t count = round->schedules->kept_count;
  const struct gscan_child child = kept[i];
  for (uint32_t next = 2 * i + 1; next < count; next = 2 * i + 1) {
    if (next + 1 < count && child_goes_first(round, &kept[next], &kept[next + 1])) ++next;
    if (!child_goes_first(round, &child, &kept[next])) break;
    kept[i] = kept[next];
    i = next;
  }
  kept[i] = child;
}

/// Whether there is room for a child with this key or a better one; keep() decides between equal
/// keys.
static inline bool may_be_kept(const struct round* round, uint32_t key) {
  const struct gscan_schedules* schedules = round->schedules;
  return schedules->kept_count < round->most || key <= schedules->kept[0].key;
}

/// Keeps a child among the best `most`. `kept` becomes a heap once it is full.
static void keep(const struct round* round, const struct gscan_child* child) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_child* kept = schedules->kept;
  if (schedules->kept_count < round->most) {
    kept[schedules->kept_count++] = *child;
    if (schedules->kept_count < round->most) return;
    for (uint32_t i = round->most / 2; i-- > 0;) sift_down(round, i);
  } else if (child_goes_first(round, child, &kept[0])) {
    kept[0] = *child;
    sift_down(round, 0);
  }
}

/// Advances a detour child, which has missed no deadline so far, until its arm is where its
/// parent's was. A unit entered at its other end may delay that beyond the newcomer's successor.
/// @return its key, or NO_KEY: it misses a deadline.
static uint32_t find_detour_key(struct round* round, const uint8_t unit[], uint32_t place,
                                struct stop stop) {
  const uint32_t length = round->parents->length;
  const struct stop* same = &round->stops[place];
  while (place < length && stop.hops != same->hops) {
    go_on(round, &stop, unit[place++]);
    ++round->evaluations;
    if (stop.late_tick != 0) return NO_KEY;
    ++same;
  }
  if ((int32_t)(stop.tick - same->tick) > same->reserve_tick) return NO_KEY;
  return stop.cost_tick + (round->stops[length].cost_tick - same->cost_tick);
}

/// A lower bound of the key of a child at `stop`. Its parent was at `same` then, no later than the
/// child.
static uint32_t find_late_bound(const struct round* round, const struct stop* stop,
                                const struct stop* same) {
  const struct stop* end = &round->stops[round->parents->length];
  const uint32_t late_tick = add_up_to_most(stop->late_tick, end->late_tick - same->late_tick);
  return key_of(stop->cost_tick + end->cost_tick - same->cost_tick, late_tick);
}

/// The key of a child that misses a deadline. NO_KEY: it misses none, or is not kept.
static uint32_t find_late_key(struct round* round, const uint8_t unit[], uint32_t place) {
  struct stop stop = round->stops[place];
  const struct stop* same = &round->stops[place];
  const struct stop* end = &round->stops[round->parents->length];
  uint32_t number = round->newcomer;
  unit += place;
  for (;; ++same) {
    go_on(round, &stop, number);
    ++round->evaluations;
    if (!may_be_kept(round, key_of(stop.cost_tick, stop.late_tick))) return NO_KEY;
    if (same == end) break;
    if (stop.hops == same->hops && stop.tick >= same->tick &&
        !may_be_kept(round, find_late_bound(round, &stop, same))) {
      return NO_KEY;
    }
    number = *unit++;
  }
  return stop.late_tick == 0 ? NO_KEY : key_of(stop.cost_tick, stop.late_tick);
}

/// State of a parent's search for children that miss no deadline.
struct finds {
  struct gscan_child* next;
  uint32_t most;
  uint32_t least;
  uint32_t greatest;
};

static inline struct finds begin_finds(struct gscan_schedules* schedules) {
  const struct gscan_search* search = &schedules->search;
  return (struct finds){&schedules->found[search->found], search->most, search->least,
                        search->greatest};
}

/// Adds a child, unless enough better ones are known.
static inline void find_one(struct finds* finds, uint32_t key, uint32_t parent, uint32_t place) {
  if (key > finds->most) return;
  if (key < finds->least) finds->least = key;
  if (key > finds->greatest) finds->greatest = key;
  *finds->next++ = (struct gscan_child){key, (uint16_t)parent, (uint8_t)place};
}

static inline void end_finds(struct gscan_schedules* schedules, const struct finds* finds) {
  struct gscan_search* search = &schedules->search;
  search->found = (uint32_t)(finds->next - schedules->found);
  search->least = finds->least;
  search->greatest = finds->greatest;
}

/// Ticks that a newcomer adds to the hop to a unit if it is served right before it, without its
/// fixed part. A detour leaves the unit at its other end instead. The row of a stand has these
/// values after its hops.
#define WAY_DETOUR 0x80000000U

static void find_ways_from(struct round* round, uint32_t stand) {
  uint32_t* hops = round->units->hop[stand];
  const uint32_t hop = hops[round->newcomer];
  const uint32_t* behind = hops_behind(round, hop, round->newcomer);
  const uint8_t* unit = round->parents->sequence[0].unit;
  for (const uint8_t* end = unit + round->parents->length; unit != end; ++unit) {
    const uint32_t next = behind[*unit];
    const uint32_t same = hops[*unit];
    const uint32_t more_tick = GSCAN_HOP_TICK(hop) + GSCAN_HOP_TICK(next) - GSCAN_HOP_TICK(same);
    hops[GSCAN_HOPS + *unit] = ((next ^ same) & 1U) != 0 ? WAY_DETOUR : more_tick;
  }
}

/// Computes the detours from the start and from each unit of a schedule: all schedules have the
/// same units. @return whether there are more units.
static bool find_ways(struct round* round, uint32_t evaluations) {
  struct gscan_search* search = &round->schedules->search;
  const uint8_t* unit = round->parents->sequence[0].unit;
  const uint32_t length = round->parents->length;
  if (search->next == 0) find_ways_from(round, 0);
  while (search->next < length) {
    if (round->evaluations + round->effort >= evaluations) return true;
    const uint32_t number = unit[search->next++];
    const struct gscan_unit* one = &round->units->unit[number];
    find_ways_from(round, GSCAN_STAND_BEHIND(0, number));
    if (one->lowest != one->highest) find_ways_from(round, GSCAN_STAND_BEHIND(1, number));
    round->effort += length / WAYS_PER_EFFORT;
  }
  search->next = 0;
  return false;
}

/// The key of a child that misses no deadline, or NO_KEY. The parts that it shares with its parent,
/// before and after the newcomer, are not computed again. `before`, the stop before the newcomer,
/// has the reserve of all units that follow.
static inline uint32_t find_feasible_key(struct round* round, const uint8_t unit[],
                                         uint32_t place) {
  const struct stop* before = &round->stops[place];
  const uint32_t newcomer = round->newcomer;
  const struct gscan_price price = round->schedules->price[newcomer];
  const uint32_t hop = before->hops[newcomer];
  const uint32_t tick = before->tick + GSCAN_HOP_TICK(hop) + price.fixed_tick;
  if ((int32_t)tick > price.due_tick) return NO_KEY;
  const uint32_t way = before->hops[GSCAN_HOPS + unit[place]];
  if (way == WAY_DETOUR) {
    const struct stop stop = {.hops = hops_behind(round, hop, newcomer),
                              .tick = tick,
                              .cost_tick = before->cost_tick + GSCAN_HOP_TICK(hop)};
    return find_detour_key(round, unit, place, stop);
  }
  if ((int32_t)(way + price.fixed_tick) > before->reserve_tick) return NO_KEY;
  return round->stops[round->parents->length].cost_tick + way;
}

/// The same for the newcomer in the last place.
static inline uint32_t find_last_key(const struct round* round, const struct stop* before) {
  const struct gscan_price* price = &round->schedules->price[round->newcomer];
  const uint32_t hop_tick = GSCAN_HOP_TICK(before->hops[round->newcomer]);
  const bool is_late = (int32_t)(before->tick + hop_tick + price->fixed_tick) > price->due_tick;
  return is_late || before->late_tick != 0 ? NO_KEY : before->cost_tick + hop_tick;
}

/// Tries the places from the last to the first: reserves are computed in that order.
static void try_feasible_children(struct round* round, uint32_t parent) {
  const union gscan_sequence* sequence = &round->parents->sequence[parent];
  const uint32_t length = round->parents->length;
  const struct gscan_price* price = round->schedules->price;
  walk(round, sequence);
  struct finds finds = begin_finds(round->schedules);
  struct stop* stop = &round->stops[length];
  int32_t reserve_tick = stop->reserve_tick = GSCAN_NEVER_TICK;
  find_one(&finds, find_last_key(round, stop), parent, length);
  for (uint32_t place = length; place-- > 0;) {
    const int32_t own_tick = price[sequence->unit[place]].due_tick - (int32_t)stop->tick;
    if (own_tick < reserve_tick) reserve_tick = own_tick;
    (--stop)->reserve_tick = reserve_tick;
    if (stop->late_tick != 0) continue;
    find_one(&finds, find_feasible_key(round, sequence->unit, place), parent, place);
  }
  round->evaluations += length + 1;
  end_finds(round->schedules, &finds);
}

static void try_late_children(struct round* round, uint32_t parent) {
  const union gscan_sequence* sequence = &round->parents->sequence[parent];
  walk(round, sequence);
  struct gscan_child child = {.parent = (uint16_t)parent};
  for (uint32_t place = 0; place <= round->parents->length; ++place) {
    child.place = (uint8_t)place;
    child.key = find_late_key(round, sequence->unit, place);
    if (child.key != NO_KEY && may_be_kept(round, child.key)) keep(round, &child);
  }
}

/// The key of a child with a detour, when no deadline is missed.
static uint32_t find_calm_detour(const struct round* round, const uint8_t unit[], uint32_t place) {
  const uint32_t length = round->parents->length;
  const struct stop* same = &round->stops[place];
  const uint32_t* hops = same->hops;
  uint32_t cost_tick = same->cost_tick;
  uint32_t number = round->newcomer;
  for (;; ++same) {
    const uint32_t hop = hops[number];
    hops = hops_behind(round, hop, number);
    cost_tick += GSCAN_HOP_TICK(hop);
    if (hops == same->hops || place == length) break;
    number = unit[place++];
  }
  return cost_tick + (round->stops[length].cost_tick - same->cost_tick);
}

static void try_calm_children(struct round* round, uint32_t parent) {
  const union gscan_sequence* sequence = &round->parents->sequence[parent];
  const uint32_t length = round->parents->length;
  (void)walk_calmly(round, sequence, false, NO_KEY);
  struct finds finds = begin_finds(round->schedules);
  const struct stop* stop = round->stops;
  const uint32_t cost_tick = stop[length].cost_tick;
  for (uint32_t place = 0; place < length; ++place, ++stop) {
    const uint32_t way = stop->hops[GSCAN_HOPS + sequence->unit[place]];
    const uint32_t key =
        way == WAY_DETOUR ? find_calm_detour(round, sequence->unit, place) : cost_tick + way;
    find_one(&finds, key, parent, place);
  }
  find_one(&finds, cost_tick + GSCAN_HOP_TICK(stop->hops[round->newcomer]), parent, length);
  round->evaluations += length + 1;
  end_finds(round->schedules, &finds);
}

/// Keeps a schedule of the current list as it is: there is no newcomer. Schedules that miss a
/// deadline are collected separately, as many as may be kept.
static void try_itself(struct round* round, uint32_t parent) {
  struct gscan_schedules* schedules = round->schedules;
  round->most = schedules->least;
  const uint32_t most = schedules->kept_count < round->most ? NO_KEY : schedules->kept[0].key;
  if (!walk_up_to(round, &round->parents->sequence[parent], most)) return;
  const struct stop* end = &round->stops[round->parents->length];
  const struct gscan_child child = {.key = key_of(end->cost_tick, end->late_tick),
                                    .parent = (uint16_t)parent,
                                    .place = GSCAN_AS_IT_IS};
  if (child.key >= KEY_MISSES) {
    keep(round, &child);
  } else {
    struct finds finds = begin_finds(schedules);
    find_one(&finds, child.key, parent, GSCAN_AS_IT_IS);
    end_finds(schedules, &finds);
  }
}

static void try_feasible(struct round* round, uint32_t parent) {
  if (round->newcomer == 0) {
    try_itself(round, parent);
  } else if (round->schedules->is_calm) {
    try_calm_children(round, parent);
  } else {
    try_feasible_children(round, parent);
  }
}

// -------------------------------------------------------------------------------- which are kept

static uint32_t count_children(const struct round* round) {
  const uint32_t places = round->newcomer == 0 ? 1 : round->parents->length + 1;
  return round->parents->count * places;
}

/// Finds the key range of the last child to keep, when there are more children than are kept.
/// @param[out] room  Number of children of that range to keep.
static uint32_t find_last_range(const struct round* round, uint32_t shift, uint32_t* room) {
  const struct gscan_search* search = &round->schedules->search;
  const struct gscan_child* end = &round->schedules->found[search->found];
  uint16_t in_range[RANGES] = {0};
  for (const struct gscan_child* child = round->schedules->found; child != end; ++child) {
    ++in_range[(child->key - search->least) >> shift];
  }
  uint32_t range = 0;
  uint32_t left = round->schedules->most;
  while (in_range[range] < left) left -= in_range[range++];
  *room = left;
  return range;
}

/// Keeps the best of all children found so far. Their order is unchanged, but for some of the
/// worst.
static void sift(struct round* round) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_search* search = &schedules->search;
  struct gscan_child* found = schedules->found;
  uint32_t shift = 0;
  while ((search->greatest - search->least) >> shift >= RANGES) ++shift;
  const uint32_t range = find_last_range(round, shift, &round->most);
  uint32_t count = 0;
  for (uint32_t i = 0; i < search->found; ++i) {
    const struct gscan_child child = found[i];
    const uint32_t own_range = (child.key - search->least) >> shift;
    if (own_range > range) continue;
    if (own_range < range) {
      found[count++] = child;
    } else if (may_be_kept(round, child.key)) {
      keep(round, &child);
    }
  }
  search->most = search->greatest = schedules->kept[0].key;
  for (uint32_t i = 0; i < schedules->kept_count; ++i) found[count++] = schedules->kept[i];
  schedules->kept_count = 0;
  search->found = count;
}

/// Theorem 2: drops schedules that are more than a full sweep worse than the best.
static void drop_far_ones(struct gscan_schedules* schedules) {
  struct gscan_search* search = &schedules->search;
  if (schedules->is_near || search->found == 0) return;
  if (search->greatest - search->least <= schedules->sweep_tick) return;
  const uint32_t most = search->least + schedules->sweep_tick;
  uint32_t count = 0;
  for (uint32_t i = 0; i < search->found; ++i) {
    if (schedules->found[i].key <= most) schedules->found[count++] = schedules->found[i];
  }
  search->found = count;
}

/// Keeps the best `most` of the collected schedules that miss a deadline.
static void keep_fewer(struct round* round, uint32_t most) {
  struct gscan_schedules* schedules = round->schedules;
  if (schedules->kept_count <= most) return;
  for (uint32_t i = schedules->kept_count / 2; i-- > 0;) sift_down(round, i);
  while (schedules->kept_count > most) {
    schedules->kept[0] = schedules->kept[--schedules->kept_count];
    sift_down(round, 0);
  }
}

/// Inserts a unit at its place in a sequence, word by word.
static inline void make_sequence(const union gscan_sequence* parent, uint32_t place,
                                 uint32_t number, union gscan_sequence* sequence) {
  if (place == GSCAN_AS_IT_IS) {
    *sequence = *parent;
    return;
  }
  const uint32_t shift = place % sizeof(uint32_t) * 8U;
  const uint32_t before = (1U << shift) - 1U;
  uint32_t last = 0;
  for (uint32_t word = 0; word < GSCAN_SEQUENCE_WORDS; ++word) {
    const uint32_t units = parent->words[word];
    uint32_t longer = units;
    if (word == place / sizeof(uint32_t)) {
      longer = (units & before) | number << shift | (units & ~before) << 8;
    } else if (word > place / sizeof(uint32_t)) {
      longer = units << 8 | last >> 24;
    }
    sequence->words[word] = longer;
    last = units;
  }
}

/// Writes the kept children into the other list, and notes the best one.
static void add_children(struct round* round, const struct gscan_child* child, uint32_t count) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_child* best = &schedules->search.best_child;
  struct gscan_list* list = &schedules->list[1 - schedules->current];
  const union gscan_sequence* parents = round->parents->sequence;
  union gscan_sequence* sequence = &list->sequence[list->count];
  const uint32_t newcomer = round->newcomer;
  for (const struct gscan_child* end = child + count; child != end; ++child, ++sequence) {
    if (child->key <= best->key && child_goes_first(round, child, best)) {
      *best = *child;
      schedules->search.best = (uint32_t)(sequence - list->sequence);
    }
    make_sequence(&parents[child->parent], child->place, newcomer, sequence);
  }
  list->count += count;
  round->effort += count / ADDED_PER_EFFORT;
}

static void begin_list(const struct round* round) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_list* list = &schedules->list[1 - schedules->current];
  list->count = 0;
  list->length = round->parents->length + (round->newcomer != 0 ? 1U : 0U);
  const struct gscan_search* search = &schedules->search;
  const struct gscan_child* first = search->found != 0 ? schedules->found : schedules->kept;
  schedules->search.best_child = *first;
  schedules->search.best = 0;
}

/// Makes the other list, which has the kept children, the current one.
static void end_list(struct round* round) {
  struct gscan_schedules* schedules = round->schedules;
  add_children(round, schedules->kept, schedules->kept_count);
  schedules->current = 1 - schedules->current;
  schedules->is_evaluated = true;
  schedules->evaluated = schedules->search.start;
  schedules->best = schedules->search.best;
}

// -------------------------------------------------------------------------------------- decision

/// Decides between two schedules with equal keys.
static bool is_older_schedule(const struct gscan_units* units, const uint8_t one[],
                              const uint8_t other[], uint32_t length) {
  for (uint32_t i = 0; i < length; ++i) {
    if (one[i] != other[i]) return is_older_unit(units, one[i], other[i]);
  }
  return false;
}

/// Whether a schedule is better than the best so far. `is_calm`: none misses a deadline.
__attribute__((always_inline)) static inline void weigh_one(struct round* round, uint32_t i,
                                                            bool is_calm) {
  struct gscan_search* search = &round->schedules->weighing;
  const struct gscan_list* list = round->parents;
  const union gscan_sequence* sequence = &list->sequence[i];
  const bool is_good = is_calm ? walk_calmly(round, sequence, true, search->least)
                               : walk_up_to(round, sequence, search->least);
  if (!is_good) return;
  const struct stop* end = &round->stops[list->length];
  const uint32_t key = is_calm ? end->cost_tick : key_of(end->cost_tick, end->late_tick);
  const bool is_best =
      key < search->least || is_older_schedule(round->units, sequence->unit,
                                               list->sequence[search->best].unit, list->length);
  if (!is_best) return;
  search->best = i;
  search->least = key;
}

/// Weighs the best schedule from the former start first: most others are then given up early.
static void weigh_former_best(struct round* round) {
  const struct gscan_schedules* schedules = round->schedules;
  if (round->parents->count <= FEW || schedules->best >= round->parents->count) return;
  if (schedules->is_calm) {
    weigh_one(round, schedules->best, true);
  } else {
    weigh_one(round, schedules->best, false);
  }
}

// ----------------------------------------------------------------------------------------- steps

static struct gscan_search begin_search(enum gscan_phase phase, const struct gscan_start* start,
                                        uint32_t newcomer) {
  return (struct gscan_search){.phase = (uint8_t)phase,
                               .newcomer = newcomer,
                               .start = *start,
                               .least = NO_KEY,
                               .most = NO_KEY - 1};
}

void gscan_expand(struct gscan_schedules* schedules, const struct gscan_start* start,
                  uint32_t newcomer) {
  gscan_give_up(schedules);
  const enum gscan_phase phase = newcomer != 0 ? GSCAN_WAYS : GSCAN_FEASIBLE;
  schedules->search = begin_search(phase, start, newcomer);
  schedules->kept_count = 0;
}

void gscan_weigh(struct gscan_schedules* schedules, const struct gscan_start* start) {
  struct gscan_search* weighing = &schedules->weighing;
  if (gscan_is_weighed(schedules, start)) {
    weighing->phase = GSCAN_IDLE;
    return;
  }
  const bool goes_on = weighing->phase == GSCAN_WEIGH &&
                       weighing->start.at_tick == start->at_tick &&
                       weighing->start.cylinder == start->cylinder;
  if (!goes_on) *weighing = begin_search(GSCAN_WEIGH, start, 0);
}

/// Whether there is no room for more children.
static inline bool is_full(const struct gscan_schedules* schedules) {
  return schedules->search.found >= 2 * schedules->most;
}

/// Does the phase's work on one schedule of the current list. The caller gives the phase as a
/// constant.
__attribute__((always_inline)) static inline void do_one(struct round* round,
                                                         enum gscan_phase phase, uint32_t i) {
  switch (phase) {
    case GSCAN_FEASIBLE: try_feasible(round, i); return;
    case GSCAN_LATE: try_late_children(round, i); return;
    default: weigh_one(round, i, round->schedules->is_calm); return;
  }
}

/// Continues through the current list. @return whether there are more.
__attribute__((always_inline)) static inline bool go_along(struct round* round,
                                                           struct gscan_search* search,
                                                           uint32_t evaluations,
                                                           enum gscan_phase phase) {
  while (search->next < round->parents->count) {
    if (round->evaluations + round->effort >= evaluations) return true;
    if (phase == GSCAN_FEASIBLE && is_full(round->schedules)) return true;
    do_one(round, phase, search->next++);
  }
  search->next = 0;
  return false;
}

/// Continues through the kept children. @return whether there are more.
static bool go_along_children(struct round* round, uint32_t evaluations) {
  struct gscan_search* search = &round->schedules->search;
  const uint32_t spent = round->evaluations + round->effort;
  const uint32_t room = spent < evaluations ? (evaluations - spent) * ADDED_PER_EFFORT : 0;
  const uint32_t left = search->found - search->next;
  const uint32_t count = left < room ? left : room;
  add_children(round, &round->schedules->found[search->next], count);
  search->next += count;
  return count < left;
}

/// Whether every schedule stays: there is no newcomer, and theorem 2 removes none.
static bool all_stay(const struct round* round) {
  return round->newcomer == 0 && round->schedules->is_calm && round->schedules->is_near;
}

static enum gscan_phase prune(struct round* round) {
  struct gscan_schedules* schedules = round->schedules;
  const struct gscan_search* search = &schedules->search;
  round->effort += search->found / SIFTED_PER_EFFORT;
  if (search->found > schedules->most) sift(round);
  drop_far_ones(schedules);
  const uint32_t room = search->found < schedules->least ? schedules->least - search->found : 0;
  if (round->newcomer == 0) keep_fewer(round, room);
  return room == 0 || round->newcomer == 0 || schedules->is_calm ? GSCAN_LIST : GSCAN_LATE;
}

/// Does the phase's work, or a part of it. @return the next phase.
static enum gscan_phase make_step(struct round* round, uint32_t evaluations,
                                  struct gscan_work* work) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_search* search = &schedules->search;
  switch (search->phase) {
    case GSCAN_WAYS: return find_ways(round, evaluations) ? GSCAN_WAYS : GSCAN_FEASIBLE;
    case GSCAN_FEASIBLE:
      if (all_stay(round)) return GSCAN_IDLE;
      if (!go_along(round, search, evaluations, GSCAN_FEASIBLE)) return GSCAN_PRUNE;
      return is_full(schedules) ? GSCAN_SIFT : GSCAN_FEASIBLE;
    case GSCAN_SIFT:
      round->effort += search->found / SIFTED_PER_EFFORT;
      sift(round);
      return GSCAN_FEASIBLE;
    case GSCAN_PRUNE: return prune(round);
    case GSCAN_LATE:
      round->most = schedules->least - search->found;
      return go_along(round, search, evaluations, GSCAN_LATE) ? GSCAN_LATE : GSCAN_LIST;
    default:
      if (search->next == 0) begin_list(round);
      if (go_along_children(round, evaluations)) return GSCAN_LIST;
      end_list(round);
      if (round->newcomer != 0) work->created += count_children(round);
      return GSCAN_IDLE;
  }
}

/// Sum of the least hops to all units of a schedule.
static uint32_t add_up_least_hops(const struct gscan_schedules* schedules,
                                  const struct gscan_list* list) {
  uint32_t sum_tick = 0;
  for (uint32_t i = 0; i < list->length; ++i) {
    sum_tick += schedules->least_hop_tick[list->sequence[0].unit[i]];
  }
  return sum_tick;
}

/// Begins a step. Only the first stop is set: clearing the others is not worth its time.
static void begin_round(struct round* round, struct gscan_schedules* schedules,
                        struct gscan_units* units, const struct gscan_search* search) {
  round->schedules = schedules;
  round->units = units;
  round->parents = gscan_current(schedules);
  round->newcomer = search->newcomer;
  round->evaluations = round->effort = 0;
  round->walked = NULL;
  round->known = 0;
  round->stops[0] = (struct stop){.hops = units->hop[0]};
  go_to(schedules, units, &search->start);
  if (search->newcomer == 0) {
    round->stops[0].cost_tick = add_up_least_hops(schedules, round->parents);
  }
}

bool gscan_go_on_expanding(struct gscan_schedules* schedules, struct gscan_units* units,
                           struct gscan_work* work, uint32_t evaluations) {
  struct gscan_search* search = &schedules->search;
  if (search->phase == GSCAN_IDLE) return false;
  struct round round;
  begin_round(&round, schedules, units, search);
  bool has_stepped = false;  // Each call makes a step, however large the schedules are.
  do {
    // A unit of work that cannot be divided is not begun after other work.
    const bool is_long = (search->phase == GSCAN_SIFT || search->phase == GSCAN_PRUNE) &&
                         evaluations != GSCAN_ALL_AT_ONCE;
    if (is_long && has_stepped && round.evaluations > evaluations / 2) break;
    search->phase = (uint8_t)make_step(&round, evaluations, work);
    has_stepped = true;
  } while (search->phase != GSCAN_IDLE && round.evaluations + round.effort < evaluations);
  work->evaluations += round.evaluations;
  return search->phase != GSCAN_IDLE;
}

bool gscan_go_on_weighing(struct gscan_schedules* schedules, struct gscan_units* units,
                          struct gscan_work* work, uint32_t evaluations) {
  struct gscan_search* weighing = &schedules->weighing;
  if (weighing->phase == GSCAN_IDLE) return false;
  struct round round;
  begin_round(&round, schedules, units, weighing);
  if (weighing->next == 0) weigh_former_best(&round);
  const bool goes_on = go_along(&round, weighing, evaluations, GSCAN_WEIGH);
  work->evaluations += round.evaluations;
  if (goes_on) return true;
  weighing->phase = GSCAN_IDLE;
  schedules->is_evaluated = true;
  schedules->evaluated = weighing->start;
  schedules->best = weighing->best;
  return false;
}
