// SPDX-License-Identifier: Apache-2.0
/// `msedf`: batches, each in the order of the least arm movement that meets the deadlines (MS-EDF,
/// as Kim, Bahn and Won classify it).
///
/// When a batch has been served, the waiting candidates form the next one. A batch has at most 22:
/// the earliest deadlines, then the oldest best effort. Its order has the least total movement of
/// the heads among all orders that meet each feasible deadline. A deadline is feasible if an access
/// at once would meet it. If no order meets them all, the batch is served by deadline, equal ones
/// by cylinder, and best effort last. Two orders of equal movement are compared at the last place
/// where they differ: the one with the younger candidate there is taken. Up to 11 candidates are
/// searched exactly. More are ordered by a beam search (least_order.h), which a counter counts.
///
/// On the cheetah_9lp the search takes 82,000 cycles for 7 candidates, 2.2 million for 11, and 1.3
/// million for a beam of 22. From about 8 candidates on it takes longer than an access, and the
/// heads wait for it. It runs in steps, between which the drive does other work. It covers the
/// candidates that wait when it is due; later arrivals wait for the next batch. If a candidate of
/// the batch leaves the set, the search starts again. If another is served first (HEAD OF QUEUE),
/// the batch is fixed at once. The search for its order then runs during that access.
///
/// Prices assume a wait of half a turn for each access, and that a write's data are in the buffer.
/// Exact prices are not offered. The exact search compares orders of the same candidates by
/// movement alone. Exact waits would depend on all accesses before.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/least_order.h"
#include "firmware/queue/path.h"
#include "firmware/queue/search.h"

/// Mark of a candidate outside the batch. Others have their place in the batch, from 1.
#define MARK_NONE 0U

/// What is known of the order of a batch.
enum phase {
  PHASE_NONE,
  PHASE_PRICES,  ///< Movements are being priced.
  PHASE_ORDER,   ///< Orders are being compared.
  PHASE_FOUND,
};

struct store {
  struct order_search search;
  struct candidate item[ORDER_STOPS_MAX];  ///< Copies of the batch that is being ordered, by age.
  uint8_t place[ORDER_STOPS_MAX];          ///< Place of each in the order, from 0 on; valid once
                                           ///< the order is found.
  uint32_t count;
  uint32_t first;          ///< The candidate that must be first, or ORDER_ANY.
  uint32_t priced;         ///< Number of candidates from which movements are priced.
  uint8_t phase;           ///< enum phase
  bool is_begun;           ///< Head state from which the batch begins.
  struct head_state from;  ///< Where it begins.
  uint32_t breaks;         ///< Breaks of the set when the batch was formed.
  uint32_t waiting;        ///< Number of candidates that waited then.
};
enum { COUNTER_BATCHES, COUNTER_BEAMS, COUNTER_AT_ONCE };

static const struct policy_counter counters[] = {
    [COUNTER_BATCHES] = {"batches", POLICY_TEXT("batches begun")},
    [COUNTER_BEAMS] = {"beams",
                       POLICY_TEXT("batches ordered by beam search, too long for exact search")},
    [COUNTER_AT_ONCE] = {"at_once",
                         POLICY_TEXT("searches that were completed at once, not in steps")},
    {.name = NULL},
};

struct state {
  struct store* store;
  uint32_t* counters;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* msedf = state;
  msedf->store = setup->store;
  msedf->counters = setup->counters;
  msedf->store->phase = PHASE_NONE;
  msedf->store->is_begun = false;
}

// ------------------------------------------------------------------------------------- a new batch

/// Who would be in a batch that began now, by age. @param few  Room for ORDER_STOPS_MAX.
static uint32_t find_batch(struct policy_view* view, uint32_t room, struct candidate* few[]) {
  const uint32_t count = deadline_earliest_few(view, few, room);
  for (uint32_t i = 1; i < count; ++i) {
    struct candidate* younger = few[i];
    uint32_t place = i;
    for (; place > 0 && candidate_is_older(younger, few[place - 1]); --place) {
      few[place] = few[place - 1];
    }
    few[place] = younger;
  }
  return count;
}

/// @param first  One more candidate, which has left the set; NULL: there is none.
static void take_batch(struct store* store, struct policy_view* view,
                       const struct candidate* first) {
  struct candidate* few[ORDER_STOPS_MAX];
  const uint32_t room = first == NULL ? ORDER_STOPS_MAX : ORDER_STOPS_MAX - 1;
  const uint32_t count = find_batch(view, room, few);
  store->count = 0;
  store->first = ORDER_ANY;
  for (uint32_t i = 0; i <= count; ++i) {
    const bool is_place = store->first == ORDER_ANY && first != NULL;
    if (is_place && (i == count || candidate_is_older(first, few[i]))) {
      store->first = store->count;
      store->item[store->count++] = *first;
    }
    if (i < count) store->item[store->count++] = *few[i];
  }
}

static uint32_t move_turn24(const struct pricing* pricing, const struct candidate* to) {
  const uint32_t part = pricing_positioning_part(pricing, to->cylinder, to->head, to->kind);
  return multiply_high(part, pricing->turn24_per_part);
}

/// Prices of what each takes itself, and from where the batch begins.
static void ask_each(struct store* store, struct path_prices* prices) {
  struct order_question* question = &store->search.question;
  const struct pricing* pricing = &prices->pricing;
  question->count = store->count;
  question->first = store->first;
  for (uint32_t i = 0; i < store->count; ++i) {
    const struct candidate* item = &store->item[i];
    const uint32_t own_turn24 =
        pricing->margin_turn24 + pricing->wait_mean_turn24 + item->span_turn24;
    const uint32_t begin_turn24 = move_turn24(pricing, item);
    question->fixed_turn24[i] = own_turn24;
    question->move_turn24[i][ORDER_BEGIN] = begin_turn24;
    question->due_turn24[i] = ORDER_NEVER_TURN24;
    if (!candidate_is_real_time(item)) continue;
    const uint32_t due_turn24 = path_due(prices, item);
    if (begin_turn24 + own_turn24 <= due_turn24) question->due_turn24[i] = due_turn24;
  }
}

/// Prices of the movements after item `from`.
static void ask_from(struct store* store, struct pricing* pricing, uint32_t from) {
  pricing->cylinder = store->item[from].end_cylinder;
  pricing->head = store->item[from].end_head;
  pricing_set_element(pricing, store->item[from].kind != CANDIDATE_READ);
  for (uint32_t to = 0; to < store->count; ++to) {
    store->search.question.move_turn24[to][from] = move_turn24(pricing, &store->item[to]);
  }
}

/// Batches of up to PRICED_AT_ONCE requests are priced in one step.
#define PRICED_AT_ONCE 3U

static void ask_some(struct store* store, const struct policy_view* view) {
  struct policy_view then = *view;
  then.head = &store->from;
  struct path_prices prices;
  path_prices_begin(&prices, &then);
  path_expect_half_turns(&prices);
  if (store->priced == 0) ask_each(store, &prices);
  for (uint32_t i = 0; i < PRICED_AT_ONCE && store->priced < store->count; ++i) {
    ask_from(store, &prices.pricing, store->priced++);
  }
  if (store->priced < store->count) return;
  order_begin(&store->search);
  store->phase = PHASE_ORDER;
}

/// Order by deadline, then by cylinder, then by age.
static bool is_earlier(const struct candidate* one, const struct candidate* other) {
  if (candidate_is_due_before(one, other)) return true;
  if (candidate_is_due_before(other, one)) return false;
  return search_is_less(one->cylinder, one, other->cylinder, other);
}

/// The order if no order meets all deadlines that it must.
static void order_by_deadline(struct store* store) {
  uint8_t* stops = store->search.stops;
  const struct candidate* item = store->item;
  for (uint32_t i = 0; i < store->count; ++i) {
    uint32_t place = i;
    for (; place > 0 && stops[place - 1] != store->first; --place) {
      if (i != store->first && !is_earlier(&item[i], &item[stops[place - 1]])) break;
      stops[place] = stops[place - 1];
    }
    stops[place] = (uint8_t)i;
  }
}

/// Whether the two are the same blocks, due at the same time: it makes no difference which of them
/// comes first.
static bool are_alike(const struct candidate* one, const struct candidate* other) {
  if (candidate_is_real_time(one) != candidate_is_real_time(other)) return false;
  if (candidate_is_real_time(one) && one->deadline_64ticks != other->deadline_64ticks) return false;
  return one->cylinder == other->cylinder && one->head == other->head &&
         one->angle_turn32 == other->angle_turn32 && one->span_turn24 == other->span_turn24 &&
         (one->kind == CANDIDATE_READ) == (other->kind == CANDIDATE_READ);
}

/// A beam has no place for every order of those that are alike: here the older goes first.
static void put_older_first(struct store* store) {
  uint8_t* stops = store->search.stops;
  for (uint32_t i = store->first == ORDER_ANY ? 0 : 1; i < store->count; ++i) {
    for (uint32_t k = i + 1; k < store->count; ++k) {
      const struct candidate* one = &store->item[stops[i]];
      if (stops[k] > stops[i] || !are_alike(one, &store->item[stops[k]])) continue;
      const uint8_t older = stops[k];
      stops[k] = stops[i];
      stops[i] = older;
    }
  }
}

static bool is_by_beam(const struct store* store) { return store->count > ORDER_EXACT_MAX; }

static void end_search(struct store* store) {
  if (store->search.result == ORDER_NONE) {
    order_by_deadline(store);
  } else if (is_by_beam(store)) {
    put_older_first(store);
  }
  for (uint32_t i = 0; i < store->count; ++i) store->place[store->search.stops[i]] = (uint8_t)i;
  store->phase = PHASE_FOUND;
}

/// Begins to order a new batch, which begins with `first` or, if that is NULL, with the best.
static void begin_search(struct store* store, struct policy_view* view,
                         const struct candidate* first) {
  take_batch(store, view, first);
  store->from = *view->head;
  store->breaks = view->waiting->breaks;
  store->waiting = view->waiting->count;
  store->priced = 0;
  store->phase = PHASE_PRICES;
}

/// Extensions that a step tries: some 5,000 cycles.
#define STEP_EFFORT 224U

/// Makes a step. @return whether there is more.
static bool go_on(struct store* store, const struct policy_view* view) {
  if (store->phase == PHASE_PRICES) {
    ask_some(store, view);
  } else if (store->phase == PHASE_ORDER && !order_go_on(&store->search, STEP_EFFORT)) {
    end_search(store);
  }
  return store->phase != PHASE_FOUND;
}

/// Number of candidates of the batch that wait.
static uint32_t count_waiting(const struct store* store, const struct candidate_set* waiting) {
  uint32_t i = 0;
  uint32_t count = 0;
  const struct candidate* item = waiting->first;
  while (item != NULL && i < store->count) {
    if (item->sequence == store->item[i].sequence) {
      ++count;
      ++i;
      item = item->next;
    } else if (candidate_is_older(item, &store->item[i])) {
      item = item->next;
    } else {
      ++i;
    }
  }
  return count;
}

/// Whether a batch that began now would be the one that is being ordered.
static bool is_same_batch(const struct store* store, struct policy_view* view) {
  struct candidate* few[ORDER_STOPS_MAX];
  const uint32_t count = find_batch(view, ORDER_STOPS_MAX, few);
  if (count != store->count) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (few[i]->sequence != store->item[i].sequence) return false;
  }
  return true;
}

/// Whether the search is for this moment, and for the candidates that wait. If the choice is due,
/// these are those that waited when it became due.
static bool is_search_for(struct store* store, struct policy_view* view) {
  const struct head_state* head = view->head;
  if (store->phase == PHASE_NONE || store->from.at_tick != head->at_tick ||
      store->from.cylinder != head->cylinder || store->from.head != head->head) {
    return false;
  }
  const struct candidate_set* waiting = view->waiting;
  if (store->breaks == waiting->breaks && store->waiting == waiting->count) return true;
  const bool is_it =
      view->is_due ? count_waiting(store, waiting) == store->count : is_same_batch(store, view);
  if (!is_it) return false;
  store->breaks = waiting->breaks;
  store->waiting = waiting->count;
  return true;
}

// ------------------------------------------------------------------------------------------ calls

/// The next of the batch that is under way; NULL: it is empty.
static struct candidate* next_of_batch(struct policy_view* view) {
  struct candidate* best = NULL;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (item->mark == MARK_NONE) continue;
    if (best == NULL || item->mark < best->mark) best = item;
  }
  view->looked_at += view->waiting->count;
  return best;
}

/// Begins the batch: the order is known, and its waiting candidates get their marks.
static void begin_batch(const struct state* msedf, const struct candidate_set* waiting) {
  struct store* store = msedf->store;
  ++msedf->counters[COUNTER_BATCHES];
  msedf->counters[COUNTER_BEAMS] += is_by_beam(store);
  uint32_t i = 0;
  struct candidate* item = waiting->first;
  while (item != NULL && i < store->count) {
    if (item->sequence == store->item[i].sequence) {
      item->mark = (uint8_t)(store->place[i++] + 1);
      item = item->next;
    } else if (candidate_is_older(item, &store->item[i])) {
      item = item->next;
    } else {
      ++i;
    }
  }
  store->is_begun = false;
  store->phase = PHASE_NONE;
}

static bool is_of_batch(const struct store* store, const struct candidate* candidate) {
  for (uint32_t i = 0; i < store->count; ++i) {
    if (store->item[i].sequence == candidate->sequence) return true;
  }
  return false;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* msedf = state;
  struct store* store = msedf->store;
  struct policy_view here = *view;
  if (store->is_begun) {
    if (count_waiting(store, view->waiting) != 0) return;
    // The batch whose order is being searched for is empty.
    const bool was_last = is_of_batch(store, candidate);
    begin_batch(msedf, view->waiting);
    if (was_last) return;
  }
  if (candidate->mark != MARK_NONE || next_of_batch(&here) != NULL) return;
  const bool is_found = store->phase == PHASE_FOUND &&
                        store->item[store->search.stops[0]].sequence == candidate->sequence;
  if (is_found) {
    begin_batch(msedf, view->waiting);
    return;
  }
  begin_search(store, &here, candidate);
  store->is_begun = true;
}

static bool prepare(const void* state, struct policy_view* view) {
  const struct state* msedf = state;
  struct store* store = msedf->store;
  if (store->is_begun) {
    if (!go_on(store, view)) begin_batch(msedf, view->waiting);
    return true;
  }
  if (view->waiting->first == NULL || next_of_batch(view) != NULL) return false;
  if (!is_search_for(store, view)) {
    begin_search(store, view, NULL);
    return true;
  }
  return store->phase != PHASE_FOUND && go_on(store, view);
}

static struct candidate* find_first(const struct store* store,
                                    const struct candidate_set* waiting) {
  const uint32_t sequence = store->item[store->search.stops[0]].sequence;
  struct candidate* item = waiting->first;
  while (item->sequence != sequence) item = item->next;
  return item;
}

static void finish(const struct state* msedf, const struct policy_view* view) {
  if (msedf->store->phase == PHASE_FOUND) return;
  ++msedf->counters[COUNTER_AT_ONCE];
  while (go_on(msedf->store, view)) {
  }
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* msedf = state;
  struct store* store = msedf->store;
  if (store->is_begun) {
    if (count_waiting(store, view->waiting) != 0) finish(msedf, view);
    begin_batch(msedf, view->waiting);
  }
  if (view->waiting->first == NULL) return NULL;
  struct candidate* next = next_of_batch(view);
  if (next != NULL) return next;
  if (!is_search_for(store, view)) begin_search(store, view, NULL);
  finish(msedf, view);
  view->looked_at += store->search.steps;
  return find_first(store, view->waiting);
}

const struct policy policy_msedf = {
    .name = "msedf",
    .text = POLICY_TEXT("batches, each in the order of least seek time that meets its deadlines"),
    .number = POLICY_NUMBER_msedf,
    .state_bytes = sizeof(struct state),
    .store_bytes = sizeof(struct store),
    .candidate_ticks = 15,
    .late_steps = POLICY_WAITS,
    .counters = counters,
    .begin = begin,
    .task_served = task_served,
    .prepare = prepare,
    .which_next = which_next};
