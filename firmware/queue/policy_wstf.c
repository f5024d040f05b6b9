/// `wstf`: the least access * (M - E) / M, E being the time since a candidate arrived (weighted
/// STF): the longer it has waited, the cheaper it seems.
///
/// M is the same for all candidates of one choice, so access * (M - E) is compared: whole numbers,
/// nothing rounded. Times count in 64 ticks (1.6 us).
///
/// Past M the weight turns negative, and the rule as printed (`floor=none`) prefers the costliest
/// of the overdue: under a load that keeps many overdue, the arm then does little else than its
/// longest seeks. So by default the weight never falls below `floor`: the overdue go before the
/// others, the cheapest of them first. `floor=0`: the oldest of them first. (Eagle, 5,000 blocks of
/// 4 KB waiting, M 30 s: 5.3 % utilization with `floor=none`, 7.5 % with 0, 26.8 % with 0.01; up to
/// 1,000 waiting nothing is overdue, and it makes no difference.)
///
/// `m_per_request`: M is one and a half times a mean access of fcfs, for each candidate that waited
/// when the last one was chosen, it included. A mean access is a mean seek and half a turn: how
/// long transfers will be, the drive cannot know.
#include <stddef.h>

#include "firmware/queue/search.h"

#define TICKS_PER_UNIT 64U
#define UNITS_PER_MILLISECOND (TIME_TICKS_PER_MILLISECOND / TICKS_PER_UNIT)
/// M and E are at most this, 57 minutes: an access is below 2^32, a product fits 64 bits.
#define UNITS_MAX ((uint32_t)INT32_MAX)
/// A candidate that seems to come from the future by less than 1.7 s does: it arrived after the
/// moment that a plan is for.
#define UNITS_AHEAD_MAX 0x100000U
#define THOUSANDTHS 1000U

enum { PARAMETER_M, PARAMETER_FLOOR };

static const struct policy_flag flags[] = {
    {"floor=none", POLICY_TEXT("the weight may be negative: then the longest access")},
    {"m_per_request", POLICY_TEXT("M is 1.5 mean accesses of fcfs for each that waits")},
    {NULL, NULL},
};
#define FLAG_FLOOR_NONE 0x01U
#define FLAG_M_PER_REQUEST 0x02U

static const struct policy_parameter parameters[] = {
    [PARAMETER_M] = {.name = "m",
                     .unit = POLICY_TEXT("s"),
                     .minimum = 1,
                     .maximum = 3000000,
                     .decimals = 3,
                     .initial = 30000,
                     .not_with = FLAG_M_PER_REQUEST},
    [PARAMETER_FLOOR] = {.name = "floor",
                         .unit = POLICY_TEXT("as least weight"),
                         .minimum = 0,
                         .maximum = THOUSANDTHS,
                         .decimals = 3,
                         .initial = 10,
                         .not_with = FLAG_FLOOR_NONE},
    {.name = NULL},
};

STATIC_ASSERT(UNITS_MAX / UNITS_PER_MILLISECOND >= 3000000, "the longest M fits");

struct state {
  int32_t m;        ///< 64 ticks
  int32_t least;    ///< M - E counts as no less than this.
  uint32_t m_each;  ///< For each that waits; 0: M does not change.
  uint32_t floor;   ///< 1/1000
  bool floored;
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

/// 1.5 mean accesses.
static uint32_t m_for_each(const struct drive_design* design) {
  const uint64_t turn32_per_tick =
      (uint64_t)design->turn32_per_tick_high << 32 | design->turn32_per_tick_low;
  const uint64_t half_turn_part = (1ULL << 63) / turn32_per_tick * DRIVE_DESIGN_TICK_PARTS;
  return (uint32_t)((design->mean_seek_part + half_turn_part) * 3 / 2 /
                    (DRIVE_DESIGN_TICK_PARTS * TICKS_PER_UNIT));
}

static void begin(void* state, const struct policy_setup* setup) {
  struct state* wstf = state;
  wstf->floored = (setup->flags & FLAG_FLOOR_NONE) == 0;
  wstf->floor = setup->parameter[PARAMETER_FLOOR];
  if ((setup->flags & FLAG_M_PER_REQUEST) != 0) wstf->m_each = m_for_each(setup->design);
  set_m(wstf, wstf->m_each != 0 ? wstf->m_each
                                : (uint64_t)setup->parameter[PARAMETER_M] * UNITS_PER_MILLISECOND);
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* wstf = state;
  (void)candidate;
  if (wstf->m_each == 0) return;
  set_m(wstf, (uint64_t)wstf->m_each * (view->waiting->count + 1));
}

/// M - E, floored.
static int32_t weight_of(const struct state* wstf, uint32_t now, const struct candidate* item) {
  uint32_t elapsed = now - item->arrived_64ticks;
  if (elapsed > UNITS_MAX) elapsed = elapsed >= 0U - UNITS_AHEAD_MAX ? 0 : UNITS_MAX;
  const int32_t left = wstf->m - (int32_t)elapsed;
  return left > wstf->least ? left : wstf->least;
}

/// What all prices of one choice have in common.
struct weighing {
  const struct state* wstf;
  struct pricing pricing;
  uint32_t now;  ///< 64 ticks
};

static void weighing_begin(struct weighing* weighing, const struct state* wstf,
                           const struct policy_view* view) {
  weighing->wstf = wstf;
  weighing->now = (uint32_t)(view->head->at_tick / TICKS_PER_UNIT);
  predictor_begin(view->predictor, view->head, &weighing->pricing);
}

/// The margin is a part of the time from now, and here it does not count the same for all.
static inline int64_t price_of(const struct weighing* weighing, const struct candidate* item) {
  const uint32_t access_turn24 =
      weighing->pricing.margin_turn24 + pricing_access_turn24(&weighing->pricing, item);
  return (int64_t)weight_of(weighing->wstf, weighing->now, item) * access_turn24;
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

/// From near to far, until the seek alone, with the least weight of all, costs more.
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
  struct weighing weighing;
  weighing_begin(&weighing, state, view);
  struct best best = {NULL, INT64_MAX};  // more than any price
  if (view->waiting->count <= POLICY_FEW) {
    compare_all(&best, &weighing, view);
    return best.candidate;
  }
  // The oldest has the least weight. A weight that is not positive prefers what is far.
  const int32_t least_weight = weight_of(weighing.wstf, weighing.now, view->waiting->first);
  if (least_weight > 0) {
    compare_near(&best, &weighing, least_weight, view);
  } else {
    compare_all(&best, &weighing, view);
  }
  return best.candidate;
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  struct weighing weighing;
  weighing_begin(&weighing, state, view);
  const int64_t one_price = price_of(&weighing, one);
  const int64_t other_price = price_of(&weighing, other);
  return one_price != other_price ? one_price < other_price : candidate_is_older(one, other);
}

const struct policy policy_wstf = {
    .name = "wstf",
    .text = POLICY_TEXT("the least access * (M - E) / M, E being the time since arrival"),
    .number = 10,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 80,
    .parameters = parameters,
    .flags = flags,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next,
    .is_better = is_better};
