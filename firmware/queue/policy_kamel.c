// SPDX-License-Identifier: Apache-2.0
/// `kamel`: a scan that puts off the least important for a deadline that would be missed (Kamel,
/// Niranjan and Ghandeharizadeh 2000).
///
/// An arrival joins the main list. The policy takes the order in which a sweep from the arm's
/// position would serve the list. It looks for the first deadline that is missed, though an access
/// at once would meet it. The least important request before it is put off to the next round, and
/// the search begins again. Best effort is less important than real time. Inside a class the host's
/// priority decides, and of equals the last in the order is the least important. The search ends
/// when no request before a missed deadline is less important than it. The arrival is then put off
/// if it is real time. The main list is served as a scan; when it is empty, the next round becomes
/// the main list.
///
/// Accesses are expected to wait half a turn each, as in the paper, or priced by the drive's
/// predictor. If the main list is longer than ORDER_MAX, an arrival joins it without this search.
#include <stddef.h>

#include "firmware/queue/path.h"
#include "firmware/queue/sweep.h"

#define ORDER_MAX 256U

static const struct policy_flag flags[] = {
    {"price=exact", POLICY_TEXT("access times from the drive's predictor, not mean times")},
    {NULL, NULL},
};
static const char* const defaults[] = {POLICY_TEXT("price=mean"), NULL};
#define FLAG_PRICE_EXACT 0x01U

static const struct policy_counter counters[] = {
    {"unasked", POLICY_TEXT("arrivals that joined unchecked because the sweep was too long")},
    {NULL, NULL},
};

/// Marks: the two lists take turns.
#define MARK_FIRST 1U
#define MARK_OTHER(mark) (3U - (mark))

struct store {
  struct candidate* order[ORDER_MAX];  ///< Order of the main list.
};
_Static_assert(sizeof(struct store) <= POLICY_STORE_BYTES_MAX, "the store is too small");

struct state {
  struct store* store;
  uint32_t* unasked;
  struct sweep sweep;
  bool exact;
  uint8_t main;  ///< Mark of the main list.
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* kamel = state;
  kamel->store = setup->store;
  kamel->unasked = setup->counters;
  kamel->exact = (setup->flags & FLAG_PRICE_EXACT) != 0;
  kamel->main = MARK_FIRST;
}

/// Rank by priority, 0 the most important. Candidates without a priority (0) come last.
static uint32_t unimportance_of(const struct candidate* candidate) {
  const uint32_t priority = (candidate->priority - 1U) & 0xFFU;
  return candidate_is_real_time(candidate) ? priority : priority + 0x100U;
}

/// The place of the first that is missed although it could be met; `count`: none.
static uint32_t find_missed(const struct path_prices* from_heads, struct candidate* const order[],
                            uint32_t count) {
  struct path_prices prices = *from_heads;
  uint32_t end_turn24 = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const struct candidate* item = order[i];
    if (i == 0) {
      end_turn24 = path_end(&prices, 0, item);
    } else {
      const struct path_stop stop = path_behind(order[i - 1], end_turn24);
      end_turn24 = path_end_from(&prices, &stop, item);
    }
    if (!candidate_is_real_time(item)) continue;
    const uint32_t due_turn24 = path_due(&prices, item);
    if (end_turn24 > due_turn24 && path_end(from_heads, 0, item) <= due_turn24) return i;
  }
  return count;
}

/// The place of the least important before `missed`; `missed`: none is less important.
static uint32_t find_victim(struct candidate* const order[], uint32_t missed) {
  uint32_t victim = missed;
  uint32_t most = unimportance_of(order[missed]) + 1;
  for (uint32_t i = 0; i < missed; ++i) {
    const uint32_t unimportance = unimportance_of(order[i]);
    if (unimportance < most) continue;
    victim = i;
    most = unimportance;
  }
  return victim;
}

static void task_arrived(void* state, const struct policy_view* view, struct candidate* candidate) {
  struct state* kamel = state;
  struct candidate** order = kamel->store->order;
  candidate->mark = kamel->main;
  uint32_t count =
      sweep_order(&kamel->sweep, view->head->cylinder, view, kamel->main, order, ORDER_MAX);
  if (count == ORDER_MAX) {
    ++*kamel->unasked;
    return;
  }
  struct path_prices prices;
  path_prices_begin(&prices, view);
  if (!kamel->exact) path_expect_half_turns(&prices);
  for (;;) {
    const uint32_t missed = find_missed(&prices, order, count);
    if (missed == count) return;
    const uint32_t victim = find_victim(order, missed);
    if (victim == missed) break;
    order[victim]->mark = MARK_OTHER(kamel->main);
    --count;
    for (uint32_t i = victim; i < count; ++i) order[i] = order[i + 1];
  }
  if (candidate_is_real_time(candidate)) candidate->mark = MARK_OTHER(kamel->main);
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* kamel = state;
  sweep_on_served(&kamel->sweep, view->head->cylinder, candidate);
  // A mark of 0: HEAD OF QUEUE was served first, and its arrival was not announced.
  if (candidate->mark != 0) kamel->main = candidate->mark;
}

/// The next round comes after all of the main list.
static bool goes_before(const struct state* kamel, uint32_t at, const struct candidate* one,
                        const struct candidate* other) {
  if (one->mark != other->mark) return one->mark == kamel->main;
  return sweep_is_better(&kamel->sweep, at, one, other);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* kamel = state;
  struct candidate* best = view->waiting->first;
  if (best == NULL) return NULL;
  for (struct candidate* item = best->next; item != NULL; item = item->next) {
    if (goes_before(kamel, view->head->cylinder, item, best)) best = item;
  }
  view->looked_at += view->waiting->count;
  return best;
}

const struct policy policy_kamel = {
    .name = "kamel",
    .text = POLICY_TEXT("SCAN; the least important request is postponed to keep a deadline"),
    .number = POLICY_NUMBER_kamel,
    .state_bytes = sizeof(struct state),
    .store_bytes = sizeof(struct store),
    .candidate_ticks = 25,
    .flags = flags,
    .defaults = defaults,
    .counters = counters,
    .begin = begin,
    .task_arrived = task_arrived,
    .task_served = task_served,
    .which_next = which_next};
