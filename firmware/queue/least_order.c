// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/least_order.h"

#include "firmware/kernel/bits.h"

/// Effort of other work, in extensions.
#define EFFORT_OF_SUBSET 8U
#define EFFORT_OF_ADDING 48U

static inline uint32_t add(uint32_t one_turn24, uint32_t other_turn24) {
  const uint32_t sum_turn24 = one_turn24 + other_turn24;
  return sum_turn24 < one_turn24 || sum_turn24 == ORDER_NEVER_TURN24 ? ORDER_NEVER_TURN24 - 1
                                                                     : sum_turn24;
}

// ------------------------------------------------------------------------------------------ beam

/// Whether `one`, of `count` stops, goes before `other`.
static bool is_before(const struct order_path* one, const struct order_path* other,
                      uint32_t count) {
  if (one->moves_turn24 != other->moves_turn24) return one->moves_turn24 < other->moves_turn24;
  for (uint32_t i = count; i-- > 0;) {
    if (one->stops[i] != other->stops[i]) return one->stops[i] > other->stops[i];
  }
  return false;
}

/// Beginnings of `length` stops, the least first.
struct layer {
  struct order_path* path;
  uint32_t length;
  uint32_t count;
};

/// The place of a beginning with the same members and the same last stop; layer->count: none.
static uint32_t find_like(const struct layer* layer, const struct order_path* path) {
  const uint32_t end = layer->length - 1;
  uint32_t place = 0;
  while (place < layer->count && (layer->path[place].members != path->members ||
                                  layer->path[place].stops[end] != path->stops[end])) {
    ++place;
  }
  return place;
}

static void layer_add(struct layer* layer, const struct order_path* path) {
  uint32_t place = find_like(layer, path);
  if (place == layer->count) {
    if (layer->count < ORDER_BEAM) {
      ++layer->count;
    } else if (!is_before(path, &layer->path[--place], layer->length)) {
      return;
    }
  } else if (!is_before(path, &layer->path[place], layer->length)) {
    return;
  }
  for (; place > 0 && is_before(path, &layer->path[place - 1], layer->length); --place) {
    layer->path[place] = layer->path[place - 1];
  }
  layer->path[place] = *path;
}

/// Extends `path` by stop `next`, if that is in time and would have a place in the layer.
static void extend(struct order_search* search, struct layer* layer, const struct order_path* path,
                   uint32_t next) {
  const struct order_question* question = &search->question;
  const uint32_t end = layer->length - 1;
  const uint32_t from = end == 0 ? ORDER_BEGIN : path->stops[end - 1];
  ++search->steps;
  ++search->spent;
  const uint32_t moves_turn24 = path->moves_turn24 + question->move_turn24[next][from];
  if (layer->count == ORDER_BEAM && moves_turn24 > layer->path[ORDER_BEAM - 1].moves_turn24) return;
  const uint32_t fixed_turn24 = add(path->fixed_turn24, question->fixed_turn24[next]);
  if (add(moves_turn24, fixed_turn24) > question->due_turn24[next]) return;
  struct order_path longer = *path;
  longer.moves_turn24 = moves_turn24;
  longer.fixed_turn24 = fixed_turn24;
  longer.members |= 1U << next;
  longer.stops[end] = (uint8_t)next;
  layer_add(layer, &longer);
  search->spent += EFFORT_OF_ADDING;
}

/// The beginnings of `length` stops: a layer of the beam.
static struct layer layer_of(struct order_search* search, uint32_t length, uint32_t count) {
  return (struct layer){.path = search->room.beam[length % 2], .length = length, .count = count};
}

static void begin_beam(struct order_search* search) {
  search->room.beam[0][0] = (struct order_path){0};
  search->length = search->next = search->stop = search->longer_count = 0;
  search->path_count = 1;
}

/// Extends one beginning by each stop from search->stop on, until `effort` has been spent.
static void extend_path(struct order_search* search, uint32_t effort) {
  const struct order_question* question = &search->question;
  const struct order_path* path = &search->room.beam[search->length % 2][search->next];
  const bool is_given = search->length == 0 && question->first != ORDER_ANY;
  struct layer longer = layer_of(search, search->length + 1, search->longer_count);
  uint32_t stop = search->stop;
  for (; stop < question->count && search->spent < effort; ++stop) {
    if ((path->members >> stop & 1) != 0 || (is_given && stop != question->first)) continue;
    extend(search, &longer, path, stop);
  }
  search->stop = stop;
  search->longer_count = longer.count;
}

static void end_beam(struct order_search* search) {
  const uint32_t count = search->question.count;
  const struct order_path* path = &search->room.beam[count % 2][0];
  search->result = search->path_count == 0 ? ORDER_NONE : ORDER_GOOD;
  for (uint32_t i = 0; i < count; ++i) search->stops[i] = path->stops[i];
}

/// @return whether there is more.
static bool go_on_with_beam(struct order_search* search, uint32_t effort) {
  if (search->next < search->path_count) {
    extend_path(search, effort);
    if (search->stop < search->question.count) return true;
    search->stop = 0;
    ++search->next;
    return true;
  }
  ++search->length;
  search->path_count = search->longer_count;
  search->next = search->longer_count = 0;
  if (search->length < search->question.count && search->path_count != 0) return true;
  end_beam(search);
  return false;
}

// --------------------------------------------------------------------------------------- subsets

static inline uint32_t others_of(uint32_t members, uint32_t last) {
  const uint32_t below = members & ((1U << last) - 1U);
  return below | members >> (last + 1) << last;
}

static inline uint32_t* moves_of(struct order_search* search, uint32_t members, uint32_t last) {
  return &search->room.subsets.moves_turn24[last][others_of(members, last)];
}

static inline uint8_t* before_of(struct order_search* search, uint32_t members, uint32_t last) {
  return &search->room.subsets.before[last][others_of(members, last)];
}

/// The stops of the least beginning with these members that ends with `last`.
static void trace(struct order_search* search, uint32_t members, uint32_t last, uint8_t stops[]) {
  uint32_t place = 0;
  for (uint32_t bits = members; bits != 0; bits &= bits - 1) ++place;
  while (place-- > 0) {
    stops[place] = (uint8_t)last;
    const uint32_t before = *before_of(search, members, last);
    members &= ~(1U << last);
    last = before;
  }
}

static void fixed_sums_begin(struct order_fixed_sums* sums, const struct order_question* question) {
  for (uint32_t half = 0; half < 2; ++half) {
    uint32_t* sum_turn24 = sums->sum_turn24[half];
    sum_turn24[0] = 0;
    for (uint32_t subset = 1; subset < ORDER_HALF_SUBSETS; ++subset) {
      const uint32_t stop = half * ORDER_HALF_STOPS + bits_lowest(subset);
      const uint32_t own_turn24 = stop < question->count ? question->fixed_turn24[stop] : 0;
      sum_turn24[subset] = add(sum_turn24[subset & (subset - 1)], own_turn24);
    }
  }
}

static inline uint32_t fixed_of(const struct order_fixed_sums* sums, uint32_t members) {
  return add(sums->sum_turn24[0][members % ORDER_HALF_SUBSETS],
             sums->sum_turn24[1][members / ORDER_HALF_SUBSETS]);
}

/// The beginnings of some members that are in time, by their last stop.
struct ends {
  uint32_t count;
  uint32_t last[ORDER_EXACT_MAX];
  uint32_t moves_turn24[ORDER_EXACT_MAX];
};

static void find_ends(struct order_search* search, uint32_t members, struct ends* ends) {
  uint32_t count = 0;
  for (uint32_t bits = members, last = 0; bits != 0; bits >>= 1, ++last) {
    if ((bits & 1) == 0) continue;
    const uint32_t moves_turn24 = *moves_of(search, members, last);
    if (moves_turn24 == ORDER_NEVER_TURN24) continue;
    ends->last[count] = last;
    ends->moves_turn24[count] = moves_turn24;
    ++count;
  }
  ends->count = count;
}

/// Which beginning gives the least order when it goes on to stop `next`; ends->count: none.
static uint32_t find_least_end(struct order_search* search, const struct ends* ends,
                               uint32_t next) {
  const uint32_t* move_turn24 = search->question.move_turn24[next];
  uint32_t best_turn24 = ORDER_NEVER_TURN24;
  uint32_t best = ends->count;
  for (uint32_t i = 0; i < ends->count; ++i) {
    const uint32_t sum_turn24 = ends->moves_turn24[i] + move_turn24[ends->last[i]];
    // The last of equal ones is kept.
    if (sum_turn24 > best_turn24) continue;
    best_turn24 = sum_turn24;
    best = i;
  }
  search->steps += ends->count;
  search->spent += ends->count;
  return best;
}

/// Extends the beginnings of these members by all other stops.
static void join_all(struct order_search* search, uint32_t members, uint32_t fixed_turn24) {
  const struct order_question* question = &search->question;
  struct ends ends;
  find_ends(search, members, &ends);
  for (uint32_t next = 0; next < question->count; ++next) {
    if ((members >> next & 1) != 0) continue;
    const uint32_t others = others_of(members, next);
    const uint32_t end = find_least_end(search, &ends, next);
    uint32_t moves_turn24 = ORDER_NEVER_TURN24;
    if (end < ends.count) {
      const uint32_t last = ends.last[end];
      const uint32_t sum_turn24 = ends.moves_turn24[end] + question->move_turn24[next][last];
      const uint32_t end_turn24 = add(add(fixed_turn24, question->fixed_turn24[next]), sum_turn24);
      if (end_turn24 <= question->due_turn24[next]) moves_turn24 = sum_turn24;
      search->room.subsets.before[next][others] = (uint8_t)last;
    }
    search->room.subsets.moves_turn24[next][others] = moves_turn24;
  }
}

static void join_first(struct order_search* search, uint32_t stop) {
  const struct order_question* question = &search->question;
  const uint32_t move_turn24 = question->move_turn24[stop][ORDER_BEGIN];
  const bool may_be = question->first == ORDER_ANY || question->first == stop;
  const bool in_time = add(move_turn24, question->fixed_turn24[stop]) <= question->due_turn24[stop];
  *moves_of(search, 1U << stop, stop) = may_be && in_time ? move_turn24 : ORDER_NEVER_TURN24;
  ++search->steps;
}

static void begin_subsets(struct order_search* search) {
  const struct order_question* question = &search->question;
  for (uint32_t stop = 0; stop < question->count; ++stop) join_first(search, stop);
  fixed_sums_begin(&search->sums, question);
  search->next = 1;
}

static void end_subsets(struct order_search* search) {
  const uint32_t count = search->question.count;
  const uint32_t all = (1U << count) - 1U;
  uint32_t best = 0;
  for (uint32_t last = 1; last < count; ++last) {
    if (*moves_of(search, all, last) <= *moves_of(search, all, best)) best = last;
  }
  search->result = ORDER_NONE;
  if (*moves_of(search, all, best) == ORDER_NEVER_TURN24) return;
  search->result = ORDER_LEAST;
  trace(search, all, best, search->stops);
}

/// @return whether there is more.
static bool go_on_with_subsets(struct order_search* search) {
  if (search->next < (1U << search->question.count) - 1U) {
    join_all(search, search->next, fixed_of(&search->sums, search->next));
    search->spent += EFFORT_OF_SUBSET;
    ++search->next;
    return true;
  }
  end_subsets(search);
  return false;
}

void order_begin(struct order_search* search) {
  search->steps = 0;
  if (search->question.count <= ORDER_EXACT_MAX) {
    begin_subsets(search);
  } else {
    begin_beam(search);
  }
}

bool order_go_on(struct order_search* search, uint32_t effort) {
  const bool is_exact = search->question.count <= ORDER_EXACT_MAX;
  search->spent = 0;
  while (is_exact ? go_on_with_subsets(search) : go_on_with_beam(search, effort)) {
    if (search->spent >= effort) return true;
  }
  return false;
}
