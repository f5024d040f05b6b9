// SPDX-License-Identifier: Apache-2.0
/// `wstf`: the least access * (M - E) / M, E being the time since a candidate arrived (weighted
/// STF). The longer it has waited, the cheaper it seems.
///
/// M is the same for all candidates of one choice, so access * (M - E) is compared: whole numbers,
/// nothing rounded. Times are in units of 64 ticks (1.6 us).
///
/// Past M the weight turns negative, and the rule as printed (`floor=none`) prefers the costliest
/// of the overdue. Under a load that keeps many overdue, the arm then does little else than its
/// longest seeks. So by default the weight never falls below `floor`: the overdue go before the
/// others, the cheapest of them first. `floor=0`: the oldest of them first. (Eagle, 5,000 blocks of
/// 4 KB waiting, M 30 s: 5.3 % utilization with `floor=none`, 7.5 % with 0, 26.8 % with 0.01. Up to
/// 1,000 waiting nothing is overdue, and it makes no difference.)
///
/// `m_per_request`: M is one and a half times a mean access of fcfs, for each candidate that waited
/// at the last choice. The chosen one counts, too. A mean access is a mean seek, half a turn and a
/// mean transfer. The lengths of later transfers are unknown: the mean of those served is taken,
/// where the last 64 or so count most. Before the first service a transfer takes no time.
///
/// `age=choice`: E counts from the first choice after a candidate's arrival. The papers replace a
/// request the instant it is done, and the next choice finds its successor with no age. A host can
/// do that only with one more outstanding command. That command arrives when the choice is already
/// made, and would be one access older. So a choice stamps what has arrived since the last one. No
/// candidate counts as older than the one that arrived before all others, because it may have been
/// held back, and come late.
#include <stddef.h>

#include "firmware/queue/search.h"

#define TICKS_PER_UNIT 64U
#define UNITS_PER_MILLISECOND (TIME_TICKS_PER_MILLISECOND / TICKS_PER_UNIT)
/// M and E are at most this, 57 minutes: an access is below 2^32, so a product fits 64 bits.
#define UNITS_MAX ((uint32_t)INT32_MAX)
/// A candidate may seem to come from the future by less than 1.7 s, because it arrived after the
/// moment that a plan is for.
#define UNITS_AHEAD_MAX 0x100000U
#define THOUSANDTHS 1000U

enum { PARAMETER_M, PARAMETER_FLOOR };

static const struct policy_flag flags[] = {
    {"floor=none", POLICY_TEXT("weights may be negative: past M the longest access wins")},
    {"m_per_request", POLICY_TEXT("M is 1.5 mean FCFS access times per waiting request")},
    {"age=choice", POLICY_TEXT("E counts from the first choice after the arrival")},
    {NULL, NULL},
};
#define FLAG_FLOOR_NONE 0x01U
#define FLAG_M_PER_REQUEST 0x02U
#define FLAG_AGE_FROM_CHOICE 0x04U

/// A transfer counts for 1/64 of the mean, the earlier ones for the rest.
#define MEAN_SHIFT 6U

static const struct policy_parameter parameters[] = {
    [PARAMETER_M] = {.name = "m",
                     .unit = POLICY_TEXT("s: age M at which the weight (M - E) / M reaches 0"),
                     .minimum = 1,
                     .maximum = 3000000,
                     .decimals = 3,
                     .initial = 30000,
                     .not_with = FLAG_M_PER_REQUEST},
    [PARAMETER_FLOOR] = {.name = "floor",
                         .unit = POLICY_TEXT(": lower bound of the weight (M - E) / M"),
                         .minimum = 0,
                         .maximum = THOUSANDTHS,
                         .decimals = 3,
                         .initial = 10,
                         .not_with = FLAG_FLOOR_NONE},
    {.name = NULL},
};

STATIC_ASSERT(UNITS_MAX / UNITS_PER_MILLISECOND >= 3000000, "the longest M fits");

struct state {
  int32_t m;               ///< 64 ticks
  int32_t least;           ///< Least value of M - E.
  uint32_t access_part;    ///< A mean seek and half a turn, 1/512 tick; 0: M does not change.
  uint32_t floor;          ///< 1/1000
  uint64_t spans_turn24;   ///< 64 times the mean transfer; 0: none was served.
  uint32_t last_sequence;  ///< Number of the youngest at the last choice.
  bool floored;
  bool age_from_choice;
  bool has_chosen;
};

/// m * floor / 1000, in 32 bits.
static uint32_t floor_of(uint32_t m, uint32_t floor) {
  return m / THOUSANDTHS * floor + m % THOUSANDTHS * floor / THOUSANDTHS;
}

static void set_m(struct state* wstf, uint64_t m) {
  const uint32_t units = m < UNITS_MAX ? (uint32_t)m : UNITS_MAX;
  wstf->m = (int32_t)units;
  wstf->least = wstf->floored ? (int32_t)floor_of(units, wstf->floor) : INT32_MIN;
}

/// 1.5 mean accesses, 64 ticks.
static uint32_t m_for_each(const struct state* wstf, const struct rotation* rotation) {
  const uint32_t span_turn24 = (uint32_t)(wstf->spans_turn24 >> MEAN_SHIFT);
  const uint64_t part =
      wstf->access_part + (uint64_t)rotation_ticks(rotation, span_turn24) * DRIVE_DESIGN_TICK_PARTS;
  return (uint32_t)(part * 3 / (2 * DRIVE_DESIGN_TICK_PARTS * TICKS_PER_UNIT));
}

static void begin(void* state, const struct policy_setup* setup) {
  struct state* wstf = state;
  wstf->floored = (setup->flags & FLAG_FLOOR_NONE) == 0;
  wstf->floor = setup->parameter[PARAMETER_FLOOR];
  wstf->age_from_choice = (setup->flags & FLAG_AGE_FROM_CHOICE) != 0;
  if ((setup->flags & FLAG_M_PER_REQUEST) == 0) {
    set_m(wstf, (uint64_t)setup->parameter[PARAMETER_M] * UNITS_PER_MILLISECOND);
    return;
  }
  wstf->access_part = predictor_mean_access_part(setup->design);
  set_m(wstf, wstf->access_part * 3ULL / (2 * DRIVE_DESIGN_TICK_PARTS * TICKS_PER_UNIT));
}

static void note_transfer(struct state* wstf, uint32_t span_turn24) {
  if (wstf->spans_turn24 == 0) {
    wstf->spans_turn24 = (uint64_t)span_turn24 << MEAN_SHIFT;
  } else {
    wstf->spans_turn24 += span_turn24 - (wstf->spans_turn24 >> MEAN_SHIFT);
  }
}

/// Whether no choice has found the candidate yet.
static bool is_new(const struct state* wstf, const struct candidate* item) {
  if (!wstf->age_from_choice) return false;
  return !wstf->has_chosen || !search_had_arrived(item, wstf->last_sequence);
}

/// The ages of candidates that no choice has found yet count from `now`. Until a choice has been
/// made, an earlier comparison does not matter to them.
static void stamp_new(const struct state* wstf, const struct policy_view* view, uint32_t now) {
  struct candidate* item = view->waiting->last;
  for (; item != NULL && is_new(wstf, item); item = item->previous) item->arrived_64ticks = now;
}

static uint32_t now_64ticks(const struct policy_view* view) {
  return (uint32_t)(view->head->at_tick / TICKS_PER_UNIT);
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* wstf = state;
  if (wstf->age_from_choice) {
    stamp_new(wstf, view, now_64ticks(view));
    const uint32_t youngest = search_youngest(view, candidate);
    if (!wstf->has_chosen || (int32_t)(youngest - wstf->last_sequence) > 0) {
      wstf->last_sequence = youngest;
    }
    wstf->has_chosen = true;
  }
  if (wstf->access_part == 0) return;
  note_transfer(wstf, candidate->span_turn24);
  set_m(wstf, (uint64_t)m_for_each(wstf, view->predictor->rotation) * (view->waiting->count + 1));
}

/// Values common to all prices of one choice.
struct weighing {
  int32_t m;
  int32_t least;  ///< The least weight of all.
  uint32_t now;   ///< 64 ticks
  struct pricing pricing;
};

/// M - E, floored.
static inline int32_t weight_of(const struct weighing* weighing, const struct candidate* item) {
  uint32_t elapsed = weighing->now - item->arrived_64ticks;
  if (elapsed > UNITS_MAX) elapsed = elapsed >= 0U - UNITS_AHEAD_MAX ? 0 : UNITS_MAX;
  const int32_t left = weighing->m - (int32_t)elapsed;
  return left > weighing->least ? left : weighing->least;
}

static void weighing_begin(struct weighing* weighing, const struct state* wstf,
                           const struct policy_view* view) {
  weighing->m = wstf->m;
  weighing->least = wstf->least;
  weighing->now = now_64ticks(view);
  const struct candidate* oldest = view->waiting->first;
  if (wstf->age_from_choice && oldest != NULL) {
    weighing->least = is_new(wstf, oldest) ? wstf->m : weight_of(weighing, oldest);
  }
  predictor_begin(view->predictor, view->head, &weighing->pricing);
}

/// The margin is a part of the time from now. Here it does not count the same for all candidates.
static inline int64_t weighted_price(const struct weighing* weighing, int32_t weight,
                                     const struct candidate* item) {
  const uint32_t access_turn24 =
      weighing->pricing.margin_turn24 + pricing_access_turn24(&weighing->pricing, item);
  return (int64_t)weight * access_turn24;
}

static inline int64_t price_of(const struct weighing* weighing, const struct candidate* item) {
  return weighted_price(weighing, weight_of(weighing, item), item);
}

struct best {
  struct candidate* candidate;
  int64_t price;
};

static inline void consider(struct best* best, struct candidate* item, int64_t price) {
  if (price > best->price) return;
  if (price == best->price && !candidate_is_older(item, best->candidate)) return;
  *best = (struct best){item, price};
}

static void compare_all(struct best* best, const struct weighing* weighing,
                        struct policy_view* view) {
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    consider(best, item, price_of(weighing, item));
  }
  view->looked_at += view->waiting->count;
}

/// The search goes from near to far, until the seek alone, with the least weight of all, costs
/// more.
static void compare_near(struct best* best, const struct weighing* weighing, int32_t least_weight,
                         struct policy_view* view) {
  const struct pricing* pricing = &weighing->pricing;
  struct band_walk walk;
  band_walk_begin(&walk, view->waiting, pricing->cylinder);
  for (struct candidate* item = band_walk_next(&walk); item != NULL; item = band_walk_next(&walk)) {
    const uint32_t floor_turn24 =
        pricing->margin_turn24 + pricing_floor_turn24(pricing, walk.distance);
    if ((int64_t)least_weight * floor_turn24 > best->price) return;
    for (; item != NULL; item = item->band_next) {
      ++view->looked_at;
      consider(best, item, price_of(weighing, item));
    }
  }
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* wstf = state;
  if (wstf->age_from_choice) stamp_new(wstf, view, now_64ticks(view));
  struct weighing weighing;
  weighing_begin(&weighing, wstf, view);
  struct best best = {NULL, INT64_MAX};  // more than any price
  if (view->waiting->count <= POLICY_FEW) {
    compare_all(&best, &weighing, view);
    return best.candidate;
  }
  // The oldest has the least weight. A weight that is not positive prefers far candidates.
  const int32_t least_weight = weight_of(&weighing, view->waiting->first);
  if (least_weight > 0) {
    compare_near(&best, &weighing, least_weight, view);
  } else {
    compare_all(&best, &weighing, view);
  }
  return best.candidate;
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  const struct state* wstf = state;
  struct weighing weighing;
  weighing_begin(&weighing, wstf, view);
  // New candidates that come in a burst are not stamped anew one by one.
  const int64_t one_price =
      weighted_price(&weighing, is_new(wstf, one) ? wstf->m : weight_of(&weighing, one), one);
  const int64_t other_price =
      weighted_price(&weighing, is_new(wstf, other) ? wstf->m : weight_of(&weighing, other), other);
  return one_price != other_price ? one_price < other_price : candidate_is_older(one, other);
}

const struct policy policy_wstf = {
    .name = "wstf",
    .text = POLICY_TEXT("least access time * (M - E) / M, where E is the time since arrival"),
    .number = POLICY_NUMBER_wstf,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 80,
    .parameters = parameters,
    .flags = flags,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next,
    .is_better = is_better};
