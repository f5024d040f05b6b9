/// The schedules of `gscan`: how they grow, and which are kept (papers/003, section 3.3).
#include <stddef.h>

#include "firmware/queue/gscan.h"

/// Keys: schedules that miss a deadline come behind all that miss none.
#define KEY_MISSES 0x80000000U
#define KEY_COST_MAX 0x7FFFFFFFU
#define NO_KEY UINT32_MAX

/// Keys are counted by range.
#define RANGES 64U

/// What takes about as long as to weigh a unit in a schedule.
#define CHILDREN_PER_EFFORT 4U
#define EFFORT_OF_KEEPING 4U
#define EFFORT_OF_ADDING 3U

void gscan_schedules_begin(struct gscan_schedules* schedules) {
  schedules->current = 0;
  gscan_give_up(schedules);
  schedules->priced_changes = UINT32_MAX;  // No price is known.
  schedules->list[0].count = 1;
  schedules->list[0].length = 0;
  schedules->list[0].sequence[0] = (union gscan_sequence){{0}};
}

static bool is_older_unit(const struct gscan_units* units, uint32_t one, uint32_t other) {
  return (int32_t)(units->unit[one].oldest - units->unit[other].oldest) < 0;
}

// ------------------------------------------------------------------------------------ evaluation

/// What all schedules of all units lie between.
struct bounds {
  uint32_t end_tick;     ///< None ends later.
  uint32_t spread_tick;  ///< The seeks of none take so much longer than another's.
  uint32_t due_tick;     ///< Of all deadlines the earliest.
};

static void add_to_bounds(struct bounds* bounds, const struct gscan_unit* unit, uint32_t hop_tick,
                          const struct gscan_price* price) {
  const uint32_t most = hop_tick > unit->most_hop_tick ? hop_tick : unit->most_hop_tick;
  const uint32_t least = hop_tick < unit->least_hop_tick ? hop_tick : unit->least_hop_tick;
  bounds->end_tick += most + price->fixed_tick;
  bounds->spread_tick += most - least;
  if ((uint32_t)price->due_tick < bounds->due_tick) bounds->due_tick = (uint32_t)price->due_tick;
}

/// From now on hops from stand 0, and deadlines, are from there.
static void go_to(struct gscan_schedules* schedules, struct gscan_units* units,
                  const struct gscan_start* start) {
  const bool is_there = schedules->priced_changes == units->changes &&
                        schedules->priced.at_tick == start->at_tick &&
                        schedules->priced.cylinder == start->cylinder;
  if (is_there) return;
  schedules->priced_changes = units->changes;
  schedules->priced = *start;
  struct bounds bounds = {.due_tick = GSCAN_NEVER_TICK};
  for (uint32_t number = 1; number <= units->most; ++number) {
    const struct gscan_unit* unit = &units->unit[number];
    if (unit->count == 0) continue;
    const uint32_t hop = gscan_hop(units, start->cylinder, number);
    units->hop[0][number] = hop;
    struct gscan_price* price = &schedules->price[number];
    price->fixed_tick = unit->fixed_tick;
    price->due_tick = gscan_due(unit, start);
    add_to_bounds(&bounds, unit, GSCAN_HOP_TICK(hop), price);
  }
  schedules->is_calm = bounds.end_tick <= bounds.due_tick;
  schedules->is_near = bounds.spread_tick <= schedules->sweep_tick;
}

/// Where a schedule stands before its i-th unit.
struct stop {
  const uint32_t* hops;  ///< From there, by unit.
  uint32_t tick;         ///< From the start,
  uint32_t cost_tick;    ///< of which seeks,
  uint32_t late_tick;    ///< and so much too late, all deadlines before it together.
  int32_t reserve_tick;  ///< So much later, all deadlines behind it are still met.
};

static uint32_t add_up_to_most(uint32_t a, uint32_t b) {
  const uint32_t sum = a + b;
  return sum < a || sum > KEY_COST_MAX ? KEY_COST_MAX : sum;
}

static uint32_t key_of(uint32_t cost_tick, uint32_t late_tick) {
  if (late_tick == 0) return cost_tick;
  return add_up_to_most(cost_tick, late_tick) | KEY_MISSES;
}

/// What a step goes by.
struct round {
  struct gscan_schedules* schedules;
  const struct gscan_units* units;
  const struct gscan_list* parents;
  uint32_t newcomer;
  uint32_t most;  ///< So many are kept now.
  uint32_t evaluations;
  uint32_t effort;  ///< Beside these, in terms of them.
  /// The schedule that was walked along last, as far as its stops are known.
  const union gscan_sequence* walked;
  uint32_t known;
  struct stop stops[GSCAN_UNITS_MAX + 1];
  uint16_t ranges[RANGES];  ///< In use during a call.
};

static const uint32_t* hops_behind(const struct round* round, uint32_t hop, uint32_t number) {
  return round->units->hop[GSCAN_STAND_BEHIND(hop, number)];
}

/// Goes on to one more unit.
static inline void go_on(const struct round* round, struct stop* stop, uint32_t number) {
  const uint32_t hop = stop->hops[number];
  const struct gscan_price* price = &round->schedules->price[number];
  stop->hops = hops_behind(round, hop, number);
  stop->cost_tick += GSCAN_HOP_TICK(hop);
  stop->tick += GSCAN_HOP_TICK(hop) + price->fixed_tick;
  const int32_t reserve_tick = price->due_tick - (int32_t)stop->tick;
  if (reserve_tick < 0) stop->late_tick = add_up_to_most(stop->late_tick, (uint32_t)-reserve_tick);
}

/// How far a schedule begins as the one before.
static inline uint32_t find_common(const struct round* round,
                                   const union gscan_sequence* sequence) {
  const uint32_t known = round->known;
  uint32_t i = 0;
  while (i < known && round->walked->unit[i] == sequence->unit[i]) ++i;
  return i;
}

/// Walks along a schedule until its key is above `most`: no unit makes it less. The stops are those
/// of the schedule before as far as they begin alike. @return whether it came to the end.
static inline bool walk(struct round* round, const union gscan_sequence* sequence, uint32_t most) {
  const uint32_t length = round->parents->length;
  const uint32_t begin = find_common(round, sequence);
  const uint8_t* unit = &sequence->unit[begin];
  const uint8_t* end = &sequence->unit[length];
  struct stop* stop = &round->stops[begin];
  struct stop here = *stop;
  bool goes_on = true;
  while (goes_on && unit != end) {
    go_on(round, &here, *unit++);
    ++stop;
    stop->hops = here.hops;
    stop->tick = here.tick;
    stop->cost_tick = here.cost_tick;
    stop->late_tick = here.late_tick;
    goes_on = most == NO_KEY || key_of(here.cost_tick, here.late_tick) <= most;
  }
  const uint32_t known = (uint32_t)(unit - sequence->unit);
  round->evaluations += known - begin;
  round->known = known;
  round->walked = sequence;
  return goes_on;
}

/// The same where no deadline is missed: seeks alone.
static inline void walk_calmly(struct round* round, const union gscan_sequence* sequence) {
  const uint32_t length = round->parents->length;
  const uint32_t begin = find_common(round, sequence);
  const uint8_t* unit = &sequence->unit[begin];
  const uint8_t* end = &sequence->unit[length];
  struct stop* stop = &round->stops[begin];
  const uint32_t* hops = stop->hops;
  uint32_t cost_tick = stop->cost_tick;
  while (unit != end) {
    const uint32_t hop = hops[*unit];
    hops = hops_behind(round, hop, *unit++);
    cost_tick += GSCAN_HOP_TICK(hop);
    ++stop;
    stop->hops = hops;
    stop->cost_tick = cost_tick;
  }
  round->evaluations += length - begin;
  round->known = length;
  round->walked = sequence;
}

static void find_reserves(struct round* round, const union gscan_sequence* sequence) {
  const struct gscan_price* price = round->schedules->price;
  int32_t reserve_tick = GSCAN_NEVER_TICK;
  struct stop* stop = &round->stops[round->parents->length];
  const uint8_t* unit = &sequence->unit[round->parents->length];
  stop->reserve_tick = reserve_tick;
  while (stop != round->stops) {
    const int32_t own_tick = price[*--unit].due_tick - (int32_t)stop->tick;
    if (own_tick < reserve_tick) reserve_tick = own_tick;
    (--stop)->reserve_tick = reserve_tick;
  }
}

// -------------------------------------------------------------------------------------- children

static uint32_t child_unit(const struct round* round, const struct gscan_child* child, uint32_t i) {
  const uint8_t* unit = round->parents->sequence[child->parent].unit;
  if (i < child->place) return unit[i];
  return i == child->place ? round->newcomer : unit[i - 1];
}

/// The best are first; of equals, that with the older unit where they differ first.
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

/// `kept` becomes a heap but for its i-th, which finds its place below.
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

/// Whether there is room for a child of such a key, or better: of equal ones keep() decides.
static inline bool may_be_kept(const struct round* round, uint32_t key) {
  const struct gscan_schedules* schedules = round->schedules;
  return schedules->kept_count < round->most || key <= schedules->kept[0].key;
}

/// Of all that come, so many as are wanted. Only when these are full they need be a heap.
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

/// Goes on with a child that misses nothing so far, and comes back to where its parent was later
/// than behind the unit that follows the newcomer: a group is entered at its other end.
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

/// The key of a child that misses no deadline, or NO_KEY. What it has in common with its parent
/// before the newcomer and behind it is not worked out again.
static inline uint32_t find_feasible_key(struct round* round, const uint8_t unit[],
                                         uint32_t place) {
  const struct stop* before = &round->stops[place];
  const struct gscan_price* price = round->schedules->price;
  const uint32_t newcomer = round->newcomer;
  const uint32_t hop = before->hops[newcomer];
  const uint32_t tick = before->tick + GSCAN_HOP_TICK(hop) + price[newcomer].fixed_tick;
  const uint32_t cost_tick = before->cost_tick + GSCAN_HOP_TICK(hop);
  if ((int32_t)tick > price[newcomer].due_tick) return NO_KEY;
  if (place == round->parents->length) return cost_tick;
  const uint32_t* hops = hops_behind(round, hop, newcomer);
  const uint32_t next = hops[unit[place]];
  const struct stop* same = before + 1;
  if (hops_behind(round, next, unit[place]) != same->hops) {
    const struct stop stop = {.hops = hops, .tick = tick, .cost_tick = cost_tick};
    return find_detour_key(round, unit, place, stop);
  }
  // `before` has the reserve of that unit, too.
  const uint32_t end_tick = tick + GSCAN_HOP_TICK(next) + price[unit[place]].fixed_tick;
  if ((int32_t)(end_tick - same->tick) > before->reserve_tick) return NO_KEY;
  const struct stop* end = &round->stops[round->parents->length];
  return cost_tick + GSCAN_HOP_TICK(next) + (end->cost_tick - same->cost_tick);
}

/// No key of a child is less that is at `stop`, where its parent was at `same`, but no earlier.
static uint32_t find_late_bound(const struct round* round, const struct stop* stop,
                                const struct stop* same) {
  const struct stop* end = &round->stops[round->parents->length];
  const uint32_t late_tick = add_up_to_most(stop->late_tick, end->late_tick - same->late_tick);
  return key_of(stop->cost_tick + end->cost_tick - same->cost_tick, late_tick);
}

/// The key of a child that misses one, or NO_KEY: it misses none, or is not kept.
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

/// The place of a parent's first child in `key`.
static uint32_t* keys_of(const struct round* round, uint32_t parent) {
  const uint32_t places = round->newcomer == 0 ? 1 : round->parents->length + 1;
  return &round->schedules->key[parent * places];
}

static inline void note_key(struct gscan_search* search, uint32_t key) {
  ++search->feasible;
  if (key < search->least) search->least = key;
  if (key > search->greatest) search->greatest = key;
}

static void try_feasible_children(struct round* round, uint32_t parent) {
  const union gscan_sequence* sequence = &round->parents->sequence[parent];
  const uint32_t length = round->parents->length;
  uint32_t* keys = keys_of(round, parent);
  (void)walk(round, sequence, NO_KEY);
  find_reserves(round, sequence);
  uint32_t place = 0;
  for (; place <= length && round->stops[place].late_tick == 0; ++place) {
    const uint32_t key = find_feasible_key(round, sequence->unit, place);
    keys[place] = key;
    if (key != NO_KEY) note_key(&round->schedules->search, key);
  }
  round->evaluations += 2 * place;
  for (; place <= length; ++place) keys[place] = NO_KEY;
}

static void try_late_children(struct round* round, uint32_t parent) {
  const union gscan_sequence* sequence = &round->parents->sequence[parent];
  (void)walk(round, sequence, NO_KEY);
  struct gscan_child child = {.parent = (uint16_t)parent};
  for (uint32_t place = 0; place <= round->parents->length; ++place) {
    child.place = (uint8_t)place;
    child.key = find_late_key(round, sequence->unit, place);
    if (child.key != NO_KEY && may_be_kept(round, child.key)) keep(round, &child);
  }
}

/// The key of a child where none misses a deadline.
static inline uint32_t find_calm_key(const struct round* round, const uint8_t unit[],
                                     uint32_t place) {
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
  uint32_t* keys = keys_of(round, parent);
  walk_calmly(round, sequence);
  for (uint32_t place = 0; place <= length; ++place) {
    const uint32_t key = find_calm_key(round, sequence->unit, place);
    keys[place] = key;
    note_key(&round->schedules->search, key);
  }
  round->evaluations += 2 * (length + 1);
}

/// Nobody comes new: of those that are there.
static void try_itself(struct round* round, uint32_t parent) {
  (void)walk(round, &round->parents->sequence[parent], NO_KEY);
  const struct stop* end = &round->stops[round->parents->length];
  const uint32_t key = key_of(end->cost_tick, end->late_tick);
  round->schedules->key[parent] = key;
  if (key < KEY_MISSES) note_key(&round->schedules->search, key);
}

static void try_itself_late(struct round* round, uint32_t parent) {
  const struct gscan_child child = {
      .key = round->schedules->key[parent], .parent = (uint16_t)parent, .place = GSCAN_AS_IT_IS};
  if (child.key >= KEY_MISSES && child.key != NO_KEY) keep(round, &child);
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

static void try_late(struct round* round, uint32_t parent) {
  if (round->newcomer == 0) {
    try_itself_late(round, parent);
  } else {
    try_late_children(round, parent);
  }
}

// -------------------------------------------------------------------------------- which are kept

static uint32_t count_children(const struct round* round) {
  return (uint32_t)(keys_of(round, round->parents->count) - round->schedules->key);
}

/// Theorem 2: what is more than a full sweep above the best goes.
static void drop_far_ones(struct round* round) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_search* search = &schedules->search;
  if (schedules->is_near || search->greatest - search->least <= schedules->sweep_tick) return;
  const uint32_t most = search->least + schedules->sweep_tick;
  const uint32_t count = count_children(round);
  search->greatest = most;
  for (uint32_t i = 0; i < count; ++i) {
    if (schedules->key[i] <= most || schedules->key[i] >= KEY_MISSES) continue;
    schedules->key[i] = NO_KEY;
    --search->feasible;
  }
}

static uint32_t place_in_keys(const struct round* round, const struct gscan_child* child) {
  return (uint32_t)(keys_of(round, child->parent) - round->schedules->key) +
         (child->place == GSCAN_AS_IT_IS ? 0 : child->place);
}

/// Of more children than are kept, finds the range in which the last of them lies.
/// @param[out] room  So many of that range are kept.
static uint32_t find_last_range(struct round* round, uint32_t shift, uint32_t* room) {
  const struct gscan_schedules* schedules = round->schedules;
  const uint32_t least = schedules->search.least;
  const uint32_t count = count_children(round);
  uint16_t* in_range = round->ranges;
  for (uint32_t i = 0; i < RANGES; ++i) in_range[i] = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t key = schedules->key[i];
    if (key < KEY_MISSES) ++in_range[(key - least) >> shift];
  }
  uint32_t range = 0;
  uint32_t left = schedules->most;
  while (in_range[range] < left) left -= in_range[range++];
  *room = left;
  return range;
}

/// A parent's children: those of ranges behind the last lose their keys. So do those of the last
/// range, who contend for its room.
static void sift_children(struct round* round, uint32_t parent) {
  const struct gscan_search* search = &round->schedules->search;
  uint32_t* keys = keys_of(round, parent);
  uint32_t* end = keys_of(round, parent + 1);
  for (uint32_t* key = keys; key != end; ++key) {
    if (*key >= KEY_MISSES || (*key - search->least) >> search->shift < search->range) continue;
    const uint32_t at = round->newcomer == 0 ? GSCAN_AS_IT_IS : (uint32_t)(key - keys);
    const struct gscan_child child = {*key, (uint16_t)parent, (uint8_t)at};
    *key = NO_KEY;
    if ((child.key - search->least) >> search->shift != search->range) continue;
    if (!may_be_kept(round, child.key)) continue;
    keep(round, &child);
    round->effort += EFFORT_OF_KEEPING;
  }
  round->effort += (uint32_t)(end - keys) / CHILDREN_PER_EFFORT;
}

/// Finds which ranges of keys are kept. @return false: all are.
static bool find_ranges(struct round* round) {
  struct gscan_search* search = &round->schedules->search;
  if (search->feasible <= round->schedules->most) return false;
  search->shift = 0;
  while ((search->greatest - search->least) >> search->shift >= RANGES) ++search->shift;
  search->range = find_last_range(round, search->shift, &search->room);
  search->feasible = round->schedules->most;
  return true;
}

/// Those that have contended with success get their keys again.
static void keep_contenders(struct round* round) {
  struct gscan_schedules* schedules = round->schedules;
  for (uint32_t i = 0; i < schedules->kept_count; ++i) {
    schedules->key[place_in_keys(round, &schedules->kept[i])] = schedules->kept[i].key;
  }
  schedules->kept_count = 0;
}

static void make_sequence(const struct round* round, const struct gscan_child* child,
                          union gscan_sequence* sequence) {
  *sequence = round->parents->sequence[child->parent];
  if (child->place == GSCAN_AS_IT_IS) return;
  for (uint32_t i = round->parents->length; i > child->place; --i) {
    sequence->unit[i] = sequence->unit[i - 1];
  }
  sequence->unit[child->place] = (uint8_t)round->newcomer;
}

/// Adds a child to the other list. Of all, the best is remembered.
static void add_child(struct round* round, const struct gscan_child* child) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_child* best = &schedules->search.best_child;
  struct gscan_list* list = &schedules->list[1 - schedules->current];
  if (list->count == 0 || (child->key <= best->key && child_goes_first(round, child, best))) {
    *best = *child;
    schedules->search.best = list->count;
  }
  make_sequence(round, child, &list->sequence[list->count++]);
  round->effort += EFFORT_OF_ADDING;
}

static void begin_list(const struct round* round) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_list* list = &schedules->list[1 - schedules->current];
  list->count = 0;
  list->length = round->parents->length + (round->newcomer != 0 ? 1U : 0U);
}

/// A parent's children that miss nothing and are kept.
static void add_feasible(struct round* round, uint32_t parent) {
  const uint32_t* keys = keys_of(round, parent);
  const uint32_t* end = keys_of(round, parent + 1);
  struct gscan_child child = {.parent = (uint16_t)parent, .place = GSCAN_AS_IT_IS};
  for (const uint32_t* key = keys; key != end; ++key) {
    if (*key >= KEY_MISSES) continue;
    child.key = *key;
    if (round->newcomer != 0) child.place = (uint8_t)(key - keys);
    add_child(round, &child);
  }
  round->effort += (uint32_t)(end - keys) / CHILDREN_PER_EFFORT;
}

/// The other list becomes that of the children that are kept.
static void end_list(struct round* round) {
  struct gscan_schedules* schedules = round->schedules;
  for (uint32_t i = 0; i < schedules->kept_count; ++i) add_child(round, &schedules->kept[i]);
  schedules->current = 1 - schedules->current;
  schedules->is_evaluated = true;
  schedules->evaluated = schedules->search.start;
  schedules->best = schedules->search.best;
}

// -------------------------------------------------------------------------------------- decision

/// Of two that are equal.
static bool is_older_schedule(const struct gscan_units* units, const uint8_t one[],
                              const uint8_t other[], uint32_t length) {
  for (uint32_t i = 0; i < length; ++i) {
    if (one[i] != other[i]) return is_older_unit(units, one[i], other[i]);
  }
  return false;
}

/// Whether a schedule is better than the best so far.
static void weigh_one(struct round* round, uint32_t i) {
  struct gscan_search* search = &round->schedules->weighing;
  const struct gscan_list* list = round->parents;
  if (!walk(round, &list->sequence[i], search->least)) return;
  const struct stop* end = &round->stops[list->length];
  const uint32_t key = key_of(end->cost_tick, end->late_tick);
  const bool is_best =
      key < search->least || is_older_schedule(round->units, list->sequence[i].unit,
                                               list->sequence[search->best].unit, list->length);
  if (!is_best) return;
  search->best = i;
  search->least = key;
}

/// The same where no deadline is missed.
static void weigh_calmly(struct round* round, uint32_t i) {
  struct gscan_search* search = &round->schedules->weighing;
  const struct gscan_list* list = round->parents;
  walk_calmly(round, &list->sequence[i]);
  const uint32_t key = round->stops[list->length].cost_tick;
  if (key > search->least) return;
  if (key == search->least && !is_older_schedule(round->units, list->sequence[i].unit,
                                                 list->sequence[search->best].unit, list->length)) {
    return;
  }
  search->best = i;
  search->least = key;
}

// ----------------------------------------------------------------------------------------- steps

static struct gscan_search begin_search(enum gscan_phase phase, const struct gscan_start* start,
                                        uint32_t newcomer) {
  return (struct gscan_search){
      .phase = (uint8_t)phase, .newcomer = newcomer, .start = *start, .least = NO_KEY};
}

void gscan_expand(struct gscan_schedules* schedules, const struct gscan_start* start,
                  uint32_t newcomer) {
  gscan_give_up(schedules);
  schedules->search = begin_search(GSCAN_FEASIBLE, start, newcomer);
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

/// What the phase does with one of the current list. The phase is a constant where it is called.
__attribute__((always_inline)) static inline void do_one(struct round* round,
                                                         enum gscan_phase phase, uint32_t i) {
  switch (phase) {
    case GSCAN_FEASIBLE: try_feasible(round, i); return;
    case GSCAN_SIFT: sift_children(round, i); return;
    case GSCAN_LATE: try_late(round, i); return;
    case GSCAN_LIST: add_feasible(round, i); return;
    default: round->schedules->is_calm ? weigh_calmly(round, i) : weigh_one(round, i); return;
  }
}

/// Goes on with those of the current list. @return whether there are more.
__attribute__((always_inline)) static inline bool go_along(struct round* round,
                                                           struct gscan_search* search,
                                                           uint32_t evaluations,
                                                           enum gscan_phase phase) {
  while (search->next < round->parents->count) {
    if (round->evaluations + round->effort >= evaluations) return true;
    do_one(round, phase, search->next++);
  }
  search->next = 0;
  return false;
}

/// Nobody comes new, and none of them goes.
static bool all_stay(const struct round* round) {
  return round->newcomer == 0 && round->schedules->is_calm && round->schedules->is_near;
}

static enum gscan_phase behind_pruning(const struct gscan_schedules* schedules) {
  const bool are_few = schedules->search.feasible < schedules->least;
  return are_few && !schedules->is_calm ? GSCAN_LATE : GSCAN_LIST;
}

static enum gscan_phase prune(struct round* round) {
  round->effort += count_children(round) / CHILDREN_PER_EFFORT;
  drop_far_ones(round);
  return find_ranges(round) ? GSCAN_SIFT : behind_pruning(round->schedules);
}

/// Makes the phase's work, or a part of it. @return what is next.
static enum gscan_phase make_step(struct round* round, uint32_t evaluations,
                                  struct gscan_work* work) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_search* search = &schedules->search;
  switch (search->phase) {
    case GSCAN_FEASIBLE:
      if (all_stay(round)) return GSCAN_IDLE;
      return go_along(round, search, evaluations, GSCAN_FEASIBLE) ? GSCAN_FEASIBLE : GSCAN_PRUNE;
    case GSCAN_PRUNE: return prune(round);
    case GSCAN_SIFT:
      round->most = search->room;
      if (go_along(round, search, evaluations, GSCAN_SIFT)) return GSCAN_SIFT;
      keep_contenders(round);
      return behind_pruning(schedules);
    case GSCAN_LATE:
      round->most = schedules->least - search->feasible;
      return go_along(round, search, evaluations, GSCAN_LATE) ? GSCAN_LATE : GSCAN_LIST;
    default:
      if (search->next == 0) begin_list(round);
      if (go_along(round, search, evaluations, GSCAN_LIST)) return GSCAN_LIST;
      end_list(round);
      if (round->newcomer != 0) work->created += count_children(round);
      return GSCAN_IDLE;
  }
}

/// Of the stops, only the first is known: the others are not worth clearing.
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
}

bool gscan_go_on_expanding(struct gscan_schedules* schedules, struct gscan_units* units,
                           struct gscan_work* work, uint32_t evaluations) {
  struct gscan_search* search = &schedules->search;
  if (search->phase == GSCAN_IDLE) return false;
  struct round round;
  begin_round(&round, schedules, units, search);
  do {
    // All at once: that is not begun behind other work.
    const bool is_long = search->phase == GSCAN_PRUNE && evaluations != GSCAN_ALL_AT_ONCE;
    if (is_long && round.evaluations > evaluations / 2) break;
    search->phase = (uint8_t)make_step(&round, evaluations, work);
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
  const bool goes_on = go_along(&round, weighing, evaluations, GSCAN_WEIGH);
  work->evaluations += round.evaluations;
  if (goes_on) return true;
  weighing->phase = GSCAN_IDLE;
  schedules->is_evaluated = true;
  schedules->evaluated = weighing->start;
  schedules->best = weighing->best;
  return false;
}
