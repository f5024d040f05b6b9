/// `msedf`: batches in the order of the least seeks that meets the deadlines (MS-EDF, as papers/003
/// sorts it).
///
/// A batch is what waits when the one before is empty; where more than 22 wait, the earliest
/// deadlines, then the oldest best effort. It is served in the order of the least movements that
/// meets every deadline but those which even an access at once would miss. Where there is no such
/// order, it goes by deadline, best effort last, and of equal ones by cylinder. Of equal orders the
/// younger request goes later, where they part seen from the end. Of up to 11 requests the order is
/// the least, of more it is a beam's (least_order.h), which a counter tells.
///
/// On the cheetah_9lp a batch of 7 takes 82,000 cycles, one of 11 2.2 million, a beam of 22 1.3
/// million: from some 8 on it is longer than an access, and the heads wait for it.
///
/// Accesses are expected to wait half a turn each, and a write's data to be in the buffer. Exact
/// prices are not offered: how long a sector is waited for hangs on all that comes before, so that
/// the orders of a subset do not take the same.
#include "firmware/queue/policy_msedf.h"

#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/least_order.h"
#include "firmware/queue/path.h"
#include "firmware/queue/search.h"

/// Marks: the place in the batch, from 1 on. Who waits for the next batch has none.
#define MARK_NONE 0U

struct store {
  struct order_search search;
  struct candidate* item[ORDER_STOPS_MAX];  ///< Of the batch that is being ordered, by age.
  /// The order found last, by the candidates' numbers: what a search ahead of time has found,
  /// task_served need not search for again.
  uint32_t found[ORDER_STOPS_MAX];
  uint32_t found_count;
  bool found_by_beam;
};
_Static_assert(sizeof(struct store) <= POLICY_STORE_BYTES_MAX, "the store is too small");

enum { COUNTER_BATCHES, COUNTER_BEAMS };

static const struct policy_counter counters[] = {
    [COUNTER_BATCHES] = {"batches", POLICY_TEXT("batches that were begun")},
    [COUNTER_BEAMS] = {"beams", POLICY_TEXT("of those, ordered by a beam: too long to be exact")},
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
  msedf->store->found_count = 0;
}

uint32_t policy_msedf_beams(const void* state) {
  const struct state* msedf = state;
  return msedf->counters[COUNTER_BEAMS];
}

// ------------------------------------------------------------------------------------- a new batch

/// @param first  One more, which has left the set; NULL: nobody.
static uint32_t take_batch(struct store* store, struct policy_view* view, struct candidate* first) {
  struct candidate** item = store->item;
  const uint32_t room = first == NULL ? ORDER_STOPS_MAX : ORDER_STOPS_MAX - 1;
  uint32_t count = deadline_earliest_few(view, item, room);
  if (first != NULL) item[count++] = first;
  for (uint32_t i = 1; i < count; ++i) {
    struct candidate* younger = item[i];
    uint32_t place = i;
    for (; place > 0 && candidate_is_older(younger, item[place - 1]); --place) {
      item[place] = item[place - 1];
    }
    item[place] = younger;
  }
  return count;
}

static uint32_t move_turn24(const struct pricing* pricing, const struct candidate* to) {
  const uint32_t part = pricing_positioning_part(pricing, to->cylinder, to->head, to->kind);
  return multiply_high(part, pricing->turn24_per_part);
}

static void ask(struct store* store, const struct policy_view* view, uint32_t count,
                const struct candidate* first) {
  struct order_question* question = &store->search.question;
  struct path_prices prices;
  path_prices_begin(&prices, view);
  path_expect_half_turns(&prices);
  struct pricing* pricing = &prices.pricing;
  question->count = count;
  question->first = ORDER_ANY;
  for (uint32_t i = 0; i < count; ++i) {
    const struct candidate* item = store->item[i];
    if (item == first) question->first = i;
    const uint32_t own_turn24 =
        pricing->margin_turn24 + pricing->wait_mean_turn24 + item->span_turn24;
    const uint32_t begin_turn24 = move_turn24(pricing, item);
    question->fixed_turn24[i] = own_turn24;
    question->move_turn24[i][ORDER_BEGIN] = begin_turn24;
    question->due_turn24[i] = ORDER_NEVER_TURN24;
    if (!candidate_is_real_time(item)) continue;
    const uint32_t due_turn24 = path_due(&prices, item);
    if (begin_turn24 + own_turn24 <= due_turn24) question->due_turn24[i] = due_turn24;
  }
  for (uint32_t from = 0; from < count; ++from) {
    pricing->cylinder = store->item[from]->end_cylinder;
    pricing->head = store->item[from]->end_head;
    for (uint32_t to = 0; to < count; ++to) {
      question->move_turn24[to][from] = move_turn24(pricing, store->item[to]);
    }
  }
}

/// By deadline, then by cylinder, then by age.
static bool is_earlier(const struct candidate* one, const struct candidate* other) {
  if (candidate_is_due_before(one, other)) return true;
  if (candidate_is_due_before(other, one)) return false;
  return search_is_less(one->cylinder, one, other->cylinder, other);
}

/// What is served where no order meets all that it must.
static void order_by_deadline(struct store* store, uint32_t count, const struct candidate* first) {
  uint8_t* stops = store->search.stops;
  for (uint32_t i = 0; i < count; ++i) {
    struct candidate* const* item = store->item;
    uint32_t place = i;
    for (; place > 0 && item[stops[place - 1]] != first; --place) {
      if (item[i] != first && !is_earlier(item[i], item[stops[place - 1]])) break;
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
static void put_older_first(struct store* store, uint32_t count, uint32_t from) {
  uint8_t* stops = store->search.stops;
  for (uint32_t i = from; i < count; ++i) {
    for (uint32_t k = i + 1; k < count; ++k) {
      if (stops[k] > stops[i] || !are_alike(store->item[stops[i]], store->item[stops[k]])) continue;
      const uint8_t older = stops[k];
      stops[k] = stops[i];
      stops[i] = older;
    }
  }
}

/// Orders a new batch, which begins with `first` or, if that is NULL, with the best.
static void find_order(struct store* store, struct policy_view* view, struct candidate* first) {
  const uint32_t count = take_batch(store, view, first);
  ask(store, view, count, first);
  const enum order_result result = order_find(&store->search);
  view->looked_at += store->search.steps;
  if (result == ORDER_NONE) order_by_deadline(store, count, first);
  if (result != ORDER_NONE && count > ORDER_EXACT_MAX) {
    put_older_first(store, count, first == NULL ? 0 : 1);
  }
  for (uint32_t i = 0; i < count; ++i) {
    store->found[i] = store->item[store->search.stops[i]]->sequence;
  }
  store->found_count = count;
  store->found_by_beam = count > ORDER_EXACT_MAX;
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

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* msedf = state;
  struct store* store = msedf->store;
  struct policy_view here = *view;
  if (candidate->mark != MARK_NONE || next_of_batch(&here) != NULL) return;
  if (store->found_count == 0 || store->found[0] != candidate->sequence) {
    struct candidate first = *candidate;
    find_order(store, &here, &first);
  }
  ++msedf->counters[COUNTER_BATCHES];
  msedf->counters[COUNTER_BEAMS] += store->found_by_beam;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    for (uint32_t i = 1; i < store->found_count; ++i) {
      if (store->found[i] == item->sequence) item->mark = (uint8_t)(i + 1);
    }
  }
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* msedf = state;
  if (view->waiting->first == NULL) return NULL;
  struct candidate* next = next_of_batch(view);
  if (next != NULL) return next;
  find_order(msedf->store, view, NULL);
  return msedf->store->item[msedf->store->search.stops[0]];
}

const struct policy policy_msedf = {
    .name = "msedf",
    .text = POLICY_TEXT("batches, in the order of the least seeks that meets the deadlines"),
    .number = POLICY_NUMBER_msedf,
    .state_bytes = sizeof(struct state),
    .store_bytes = sizeof(struct store),
    .candidate_ticks = 15,
    .counters = counters,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next};
