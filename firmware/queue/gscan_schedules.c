/// The schedules of `gscan`: how they grow, and which are kept (papers/003, section 3.3).
#include <stddef.h>

#include "firmware/queue/gscan.h"

/// Keys: schedules that miss a deadline come behind all that miss none.
#define KEY_MISSES 0x80000000U
#define KEY_COST_MAX 0x7FFFFFFFU
#define NO_KEY UINT32_MAX

void gscan_schedules_begin(struct gscan_schedules* schedules) {
  schedules->current = 0;
  schedules->is_evaluated = false;
  schedules->list[0].count = 1;
  schedules->list[0].length = 0;
}

static bool is_older_unit(const struct gscan_units* units, uint32_t one, uint32_t other) {
  return (int32_t)(units->unit[one].oldest - units->unit[other].oldest) < 0;
}

// ------------------------------------------------------------------------------------ evaluation

/// From now on hops from stand 0, and deadlines, are from there.
static void go_to(struct gscan_schedules* schedules, struct gscan_units* units,
                  const struct gscan_start* start) {
  for (uint32_t number = 1; number <= units->most; ++number) {
    if (units->unit[number].count == 0) continue;
    units->hop[0][number] = gscan_hop(units, start->cylinder, number);
    schedules->price[number] =
        (struct gscan_price){.fixed_tick = units->unit[number].fixed_tick,
                             .due_tick = gscan_due(&units->unit[number], start)};
  }
}

/// Where a schedule stands before its i-th unit.
struct stop {
  uint32_t stand;
  uint32_t tick;         ///< From the start,
  uint32_t cost_tick;    ///< of which seeks,
  uint32_t late_tick;    ///< and so much too late, all deadlines before it together.
  int32_t reserve_tick;  ///< So much later, all deadlines behind it are still met.
};

static uint32_t add_up_to_most(uint32_t a, uint32_t b) {
  const uint32_t sum = a + b;
  return sum < a || sum > KEY_COST_MAX ? KEY_COST_MAX : sum;
}

/// Goes on to one more unit.
static inline void go_on(const struct gscan_schedules* schedules, const struct gscan_units* units,
                         struct stop* stop, uint32_t number) {
  const uint32_t hop = units->hop[stop->stand][number];
  stop->stand = GSCAN_STAND_BEHIND(hop, number);
  stop->cost_tick += GSCAN_HOP_TICK(hop);
  const struct gscan_price* price = &schedules->price[number];
  stop->tick += GSCAN_HOP_TICK(hop) + price->fixed_tick;
  const int32_t reserve_tick = price->due_tick - (int32_t)stop->tick;
  if (reserve_tick < 0) stop->late_tick = add_up_to_most(stop->late_tick, (uint32_t)-reserve_tick);
}

static uint32_t key_of(const struct stop* end) {
  if (end->late_tick == 0) return end->cost_tick;
  return add_up_to_most(end->cost_tick, end->late_tick) | KEY_MISSES;
}

/// All stops of a schedule; the last is behind all units.
static void find_stops(const struct gscan_schedules* schedules, const struct gscan_units* units,
                       const uint8_t sequence[], uint32_t length, struct stop stops[]) {
  struct stop stop = {0};
  for (uint32_t i = 0; i < length; ++i) {
    stops[i] = stop;
    go_on(schedules, units, &stop, sequence[i]);
  }
  stop.reserve_tick = GSCAN_NEVER_TICK;
  stops[length] = stop;
  for (uint32_t i = length; i-- > 0;) {
    const int32_t own_tick = schedules->price[sequence[i]].due_tick - (int32_t)stops[i + 1].tick;
    if (own_tick < stop.reserve_tick) stop.reserve_tick = own_tick;
    stops[i].reserve_tick = stop.reserve_tick;
  }
}

// -------------------------------------------------------------------------------------- children

/// What a round of gscan_expand() goes by.
struct round {
  struct gscan_schedules* schedules;
  const struct gscan_units* units;
  const struct gscan_list* parents;
  uint32_t newcomer;
  uint32_t most;  ///< So many are kept now.
  uint32_t evaluations;
};

static uint32_t child_unit(const struct round* round, const struct gscan_child* child, uint32_t i) {
  const uint8_t* sequence = round->parents->sequence[child->parent];
  if (i < child->place) return sequence[i];
  return i == child->place ? round->newcomer : sequence[i - 1];
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

/// `kept` is a heap: the worst is its first.
static void sift_up(const struct round* round, struct gscan_child kept[], uint32_t i) {
  const struct gscan_child child = kept[i];
  while (i > 0 && child_goes_first(round, &kept[(i - 1) / 2], &child)) {
    kept[i] = kept[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  kept[i] = child;
}

static void sift_down(const struct round* round, struct gscan_child kept[], uint32_t count) {
  const struct gscan_child child = kept[0];
  uint32_t i = 0;
  for (uint32_t next = 1; next < count; next = 2 * i + 1) {
    if (next + 1 < count && child_goes_first(round, &kept[next], &kept[next + 1])) ++next;
    if (!child_goes_first(round, &child, &kept[next])) break;
    kept[i] = kept[next];
    i = next;
  }
  kept[i] = child;
}

static void keep(const struct round* round, const struct gscan_child* child) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_child* kept = schedules->kept;
  if (schedules->kept_count < round->most) {
    kept[schedules->kept_count] = *child;
    sift_up(round, kept, schedules->kept_count++);
  } else if (child_goes_first(round, child, &kept[0])) {
    kept[0] = *child;
    sift_down(round, kept, schedules->kept_count);
  }
}

/// Whether there is room for a child of such a key, or better: of equal ones keep() decides.
static inline bool may_be_kept(const struct round* round, uint32_t key) {
  const struct gscan_schedules* schedules = round->schedules;
  return schedules->kept_count < round->most || key <= schedules->kept[0].key;
}

/// The key of a child that misses no deadline, or NO_KEY. What it has in common with its parent
/// before the newcomer and behind it is not worked out again.
static uint32_t find_feasible_key(struct round* round, const struct stop stops[],
                                  const uint8_t sequence[], uint32_t place) {
  const uint32_t length = round->parents->length;
  const struct gscan_price* prices = round->schedules->price;
  struct stop stop = stops[place];
  uint32_t number = round->newcomer;
  uint32_t i = place;
  for (;;) {
    go_on(round->schedules, round->units, &stop, number);
    ++round->evaluations;
    if ((int32_t)stop.tick > prices[number].due_tick) return NO_KEY;
    if (i == length || stop.stand == stops[i].stand) break;
    number = sequence[i++];
  }
  const int32_t delay_tick = (int32_t)(stop.tick - stops[i].tick);
  if (delay_tick > stops[i].reserve_tick) return NO_KEY;
  return stop.cost_tick + (stops[length].cost_tick - stops[i].cost_tick);
}

/// The key of a child that misses one, or NO_KEY: it misses none, or is not kept.
static uint32_t find_late_key(struct round* round, const struct stop stops[],
                              const uint8_t sequence[], uint32_t place) {
  struct stop stop = stops[place];
  uint32_t number = round->newcomer;
  for (uint32_t i = place;; ++i) {
    go_on(round->schedules, round->units, &stop, number);
    ++round->evaluations;
    if (!may_be_kept(round, key_of(&stop))) return NO_KEY;
    if (i == round->parents->length) break;
    number = sequence[i];
  }
  return stop.late_tick == 0 ? NO_KEY : key_of(&stop);
}

static void try_children(struct round* round, uint32_t parent, bool feasible) {
  const uint32_t length = round->parents->length;
  const uint8_t* sequence = round->parents->sequence[parent];
  struct stop stops[GSCAN_UNITS_MAX + 1];
  find_stops(round->schedules, round->units, sequence, length, stops);
  round->evaluations += length;
  struct gscan_child child = {.parent = (uint16_t)parent, .place = GSCAN_AS_IT_IS};
  if (round->newcomer == 0) {
    child.key = key_of(&stops[length]);
    if (feasible == (child.key < KEY_MISSES)) keep(round, &child);
    return;
  }
  for (uint32_t place = 0; place <= length; ++place) {
    if (feasible && stops[place].late_tick != 0) break;
    child.place = (uint8_t)place;
    child.key = feasible ? find_feasible_key(round, stops, sequence, place)
                         : find_late_key(round, stops, sequence, place);
    if (child.key != NO_KEY && may_be_kept(round, child.key)) keep(round, &child);
  }
}

static void try_all(struct round* round, uint32_t most, bool feasible) {
  round->most = most;
  for (uint32_t parent = 0; parent < round->parents->count; ++parent) {
    try_children(round, parent, feasible);
  }
}

/// Theorem 2: what is more than a full sweep above the best goes.
static void drop_far_ones(struct gscan_schedules* schedules) {
  uint32_t least = UINT32_MAX;
  for (uint32_t i = 0; i < schedules->kept_count; ++i) {
    if (schedules->kept[i].key < least) least = schedules->kept[i].key;
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < schedules->kept_count; ++i) {
    if (schedules->kept[i].key - least > schedules->sweep_tick) continue;
    schedules->kept[count++] = schedules->kept[i];
  }
  if (count == schedules->kept_count) return;
  schedules->kept_count = count;
}

static void build_heap(struct round* round) {
  const uint32_t count = round->schedules->kept_count;
  for (uint32_t i = 1; i < count; ++i) sift_up(round, round->schedules->kept, i);
}

/// The other list becomes that of the children that are kept, the best first.
static void make_list(const struct round* round) {
  struct gscan_schedules* schedules = round->schedules;
  struct gscan_list* list = &schedules->list[1 - schedules->current];
  list->count = schedules->kept_count;
  list->length = round->parents->length + (round->newcomer != 0 ? 1U : 0U);
  uint32_t best = 0;
  for (uint32_t i = 1; i < list->count; ++i) {
    if (child_goes_first(round, &schedules->kept[i], &schedules->kept[best])) best = i;
  }
  const struct gscan_child swapped = schedules->kept[0];
  schedules->kept[0] = schedules->kept[best];
  schedules->kept[best] = swapped;
  for (uint32_t k = 0; k < list->count; ++k) {
    for (uint32_t i = 0; i < list->length; ++i) {
      list->sequence[k][i] = (uint8_t)child_unit(round, &schedules->kept[k], i);
    }
  }
  schedules->current = 1 - schedules->current;
}

void gscan_expand(struct gscan_schedules* schedules, struct gscan_units* units,
                  const struct gscan_start* start, uint32_t newcomer, struct gscan_work* work) {
  struct round round = {.schedules = schedules,
                        .units = units,
                        .parents = gscan_current(schedules),
                        .newcomer = newcomer};
  go_to(schedules, units, start);
  schedules->kept_count = 0;
  try_all(&round, schedules->most, true);
  drop_far_ones(schedules);
  if (schedules->kept_count < schedules->least) {
    build_heap(&round);
    try_all(&round, schedules->least, false);
  }
  if (newcomer != 0) work->created += round.parents->count * (round.parents->length + 1);
  work->evaluations += round.evaluations;
  make_list(&round);
  schedules->is_evaluated = true;
  schedules->evaluated = *start;
}

// -------------------------------------------------------------------------------------- decision

/// The key, or, when it is above `most`, NO_KEY.
static uint32_t find_key(const struct gscan_schedules* schedules, const struct gscan_units* units,
                         const uint8_t sequence[], uint32_t length, uint32_t most,
                         uint32_t* evaluations) {
  struct stop stop = {0};
  for (uint32_t i = 0; i < length; ++i) {
    go_on(schedules, units, &stop, sequence[i]);
    ++*evaluations;
    if (key_of(&stop) > most) return NO_KEY;
  }
  return key_of(&stop);
}

/// Of two that are equal.
static bool is_older_schedule(const struct gscan_units* units, const uint8_t one[],
                              const uint8_t other[], uint32_t length) {
  for (uint32_t i = 0; i < length; ++i) {
    if (one[i] != other[i]) return is_older_unit(units, one[i], other[i]);
  }
  return false;
}

uint32_t gscan_find_best(struct gscan_schedules* schedules, struct gscan_units* units,
                         const struct gscan_start* start, struct gscan_work* work) {
  const struct gscan_list* list = gscan_current(schedules);
  go_to(schedules, units, start);
  if (schedules->is_evaluated && schedules->evaluated.at_tick == start->at_tick &&
      schedules->evaluated.cylinder == start->cylinder) {
    return 0;
  }
  uint32_t best = 0, least = UINT32_MAX;
  for (uint32_t i = 0; i < list->count; ++i) {
    const uint32_t key =
        find_key(schedules, units, list->sequence[i], list->length, least, &work->evaluations);
    if (key == NO_KEY) continue;
    if (key == least &&
        !is_older_schedule(units, list->sequence[i], list->sequence[best], list->length)) {
      continue;
    }
    best = i;
    least = key;
  }
  return best;
}
