/// `cello`: two classes share the arm's time, and best effort goes first where no deadline suffers
/// (Cello, Shenoy and Vin 1998).
///
/// Real time and best effort each count the time that their accesses were expected to take, divided
/// by their share; the class with less goes next, real time when both have the same. A class of
/// which nobody waits catches up with the other. Real time goes by deadline, best effort as a scan.
/// Where real time is next, the best effort goes first if all deadlines, served in their order
/// behind it, are met.
///
/// Accesses are expected to wait half a turn each, as in the paper, or priced by the drive's
/// predictor.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/path.h"
#include "firmware/queue/sweep.h"

#define SHARE_ONE 100U
/// Deadlines that are put in order at a time.
#define FEW 32U

static const struct policy_parameter parameters[] = {
    {.name = "share",
     .unit = POLICY_TEXT("of the time, for real time"),
     .minimum = 1,
     .maximum = SHARE_ONE - 1,
     .initial = SHARE_ONE / 2,
     .decimals = 2},
    {.name = NULL},
};

static const struct policy_flag flags[] = {
    {"price=exact", POLICY_TEXT("priced by the drive's own predictor")},
    {NULL, NULL},
};
static const char* const defaults[] = {POLICY_TEXT("price=mean"), NULL};
#define FLAG_PRICE_EXACT 0x01U

struct state {
  struct sweep sweep;
  bool exact;
  uint32_t share[2];  ///< By enum candidate_class, hundredths.
  uint64_t used[2];   ///< Ticks, times the other class's share.
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* cello = state;
  cello->exact = (setup->flags & FLAG_PRICE_EXACT) != 0;
  cello->share[CANDIDATE_REAL_TIME] = setup->parameter[0];
  cello->share[CANDIDATE_BEST_EFFORT] = SHARE_ONE - setup->parameter[0];
}

static bool waits(const struct candidate_set* waiting, uint32_t service_class) {
  for (const struct candidate* item = waiting->first; item != NULL; item = item->next) {
    if (item->service_class == service_class) return true;
  }
  return false;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* cello = state;
  const uint32_t own = candidate->service_class;
  const uint32_t other = 1U - own;
  const uint64_t before = cello->used[own];
  if (cello->used[other] < before && !waits(view->waiting, other)) cello->used[other] = before;
  struct pricing pricing;
  predictor_begin(view->predictor, view->head, &pricing);
  if (!cello->exact) pricing_expect_half_turns(&pricing);
  const uint32_t access_ticks =
      view->predictor->margin_tick +
      rotation_ticks(view->predictor->rotation, pricing_access_turn24(&pricing, candidate));
  cello->used[own] += (uint64_t)access_ticks * cello->share[other];
  if (own == CANDIDATE_BEST_EFFORT) {
    sweep_on_served(&cello->sweep, view->head->cylinder, candidate);
  }
}

/// The next best effort of a sweep; NULL: none waits.
static struct candidate* next_best_effort(const struct state* cello,
                                          const struct policy_view* view) {
  struct candidate* best = NULL;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (candidate_is_real_time(item)) continue;
    const uint32_t at = view->head->cylinder;
    if (best == NULL || sweep_is_better(&cello->sweep, at, item, best)) best = item;
  }
  return best;
}

/// Whether all deadlines, in their order, are met behind `first`.
static bool all_are_met_behind(const struct state* cello, struct policy_view* view,
                               const struct candidate* first) {
  struct path_prices prices;
  path_prices_begin(&prices, view);
  if (!cello->exact) path_expect_half_turns(&prices);
  uint32_t end_turn24 = path_end(&prices, 0, first);
  const struct candidate* last = first;
  struct candidate* few[FEW];
  const struct candidate* behind = NULL;
  for (;;) {
    const uint32_t count = deadline_next_few(view, behind, few, FEW);
    for (uint32_t i = 0; i < count; ++i) {
      if (!candidate_is_real_time(few[i])) return true;
      const struct path_stop stop = path_behind(last, end_turn24);
      end_turn24 = path_end_from(&prices, &stop, few[i]);
      if (end_turn24 > path_due(&prices, few[i])) return false;
      last = few[i];
    }
    if (count < FEW) return true;
    behind = few[FEW - 1];
  }
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* cello = state;
  struct candidate* real_time = deadline_earliest(view);
  if (real_time == NULL) return NULL;
  struct candidate* best_effort = next_best_effort(cello, view);
  if (best_effort == NULL) return real_time;
  if (!candidate_is_real_time(real_time)) return best_effort;
  if (cello->used[CANDIDATE_BEST_EFFORT] < cello->used[CANDIDATE_REAL_TIME]) return best_effort;
  return all_are_met_behind(cello, view, best_effort) ? best_effort : real_time;
}

const struct policy policy_cello = {
    .name = "cello",
    .text = POLICY_TEXT("two classes share the time; best effort first where no deadline suffers"),
    .number = POLICY_NUMBER_cello,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 80,
    .parameters = parameters,
    .flags = flags,
    .defaults = defaults,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next};
