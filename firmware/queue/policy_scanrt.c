// SPDX-License-Identifier: Apache-2.0
/// `scanrt`: a scan that an arrival joins only if no deadline suffers (SCAN-RT, Kamel and Ito
/// 1995).
///
/// An arrival is put into the order in which a sweep from the arm's position would serve the main
/// list. It goes to the tail if some pending deadline is missed with it and met without it. A
/// deadline that even an access at once would miss does not count. The main list is served as a
/// scan; when it is empty, the tail becomes the main list.
///
/// Accesses are expected to wait half a turn each, as in the paper, or priced by the drive's
/// predictor. If the main list is longer than ORDER_MAX, an arrival joins it without this check.
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
  bool is_missed[ORDER_MAX];           ///< The deadline is missed without the arrival, too.
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
  struct state* scanrt = state;
  scanrt->store = setup->store;
  scanrt->unasked = setup->counters;
  scanrt->exact = (setup->flags & FLAG_PRICE_EXACT) != 0;
  scanrt->main = MARK_FIRST;
}

/// A walk along an order.
struct walk {
  struct path_prices prices;
  const struct candidate* last;  ///< NULL: at the heads.
  uint32_t end_turn24;
};

/// Goes on to `next`. @return whether it is real time and then late.
static bool walk_misses(struct walk* walk, const struct candidate* next) {
  if (walk->last == NULL) {
    walk->end_turn24 = path_end(&walk->prices, 0, next);
  } else {
    const struct path_stop stop = path_behind(walk->last, walk->end_turn24);
    walk->end_turn24 = path_end_from(&walk->prices, &stop, next);
  }
  walk->last = next;
  return candidate_is_real_time(next) && walk->end_turn24 > path_due(&walk->prices, next);
}

/// Whether some deadline of the order is missed because of `arrived`.
static bool makes_miss(const struct state* scanrt, const struct policy_view* view, uint32_t count,
                       const struct candidate* arrived) {
  struct store* store = scanrt->store;
  struct walk begin;
  path_prices_begin(&begin.prices, view);
  if (!scanrt->exact) path_expect_half_turns(&begin.prices);
  begin.last = NULL;
  const struct path_prices from_heads = begin.prices;
  struct walk without = begin;
  for (uint32_t i = 0; i < count; ++i) {
    store->is_missed[i] = walk_misses(&without, store->order[i]);
  }
  struct walk with = begin;
  bool has_joined = false;
  for (uint32_t i = 0; i < count; ++i) {
    const struct candidate* item = store->order[i];
    if (!has_joined && sweep_is_better(&scanrt->sweep, view->head->cylinder, arrived, item)) {
      (void)walk_misses(&with, arrived);
      has_joined = true;
    }
    if (!walk_misses(&with, item) || store->is_missed[i]) continue;
    const bool is_hopeless = path_end(&from_heads, 0, item) > path_due(&from_heads, item);
    if (!is_hopeless) return true;
  }
  return false;
}

static void task_arrived(void* state, const struct policy_view* view, struct candidate* candidate) {
  struct state* scanrt = state;
  const uint32_t count = sweep_order(&scanrt->sweep, view->head->cylinder, view, scanrt->main,
                                     scanrt->store->order, ORDER_MAX);
  if (count == ORDER_MAX) ++*scanrt->unasked;
  const bool joins = count == ORDER_MAX || !makes_miss(scanrt, view, count, candidate);
  candidate->mark = (uint8_t)(joins ? scanrt->main : MARK_OTHER(scanrt->main));
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* scanrt = state;
  sweep_on_served(&scanrt->sweep, view->head->cylinder, candidate);
  // A mark of 0: HEAD OF QUEUE was served first, and its arrival was not announced.
  if (candidate->mark != 0) scanrt->main = candidate->mark;
}

/// The tail comes after all of the main list.
static bool goes_before(const struct state* scanrt, uint32_t at, const struct candidate* one,
                        const struct candidate* other) {
  if (one->mark != other->mark) return one->mark == scanrt->main;
  return sweep_is_better(&scanrt->sweep, at, one, other);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* scanrt = state;
  struct candidate* best = view->waiting->first;
  if (best == NULL) return NULL;
  for (struct candidate* item = best->next; item != NULL; item = item->next) {
    if (goes_before(scanrt, view->head->cylinder, item, best)) best = item;
  }
  view->looked_at += view->waiting->count;
  return best;
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  return goes_before(state, view->head->cylinder, one, other);
}

const struct policy policy_scanrt = {
    .name = "scanrt",
    .text = POLICY_TEXT("SCAN; an arrival joins the sweep only if no pending deadline is missed"),
    .number = POLICY_NUMBER_scanrt,
    .state_bytes = sizeof(struct state),
    .store_bytes = sizeof(struct store),
    .candidate_ticks = 25,
    .flags = flags,
    .defaults = defaults,
    .counters = counters,
    .begin = begin,
    .task_arrived = task_arrived,
    .task_served = task_served,
    .which_next = which_next,
    .is_better = is_better};
