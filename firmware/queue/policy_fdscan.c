// SPDX-License-Identifier: Apache-2.0
/// `fdscan`: the nearest in the direction of the earliest feasible deadline (FD-SCAN, Abbott and
/// Garcia-Molina 1990).
///
/// A deadline is feasible if an access from the arm's position would meet it. The target is chosen
/// anew for each decision. Candidates on the arm's own cylinder are ahead, and a target there does
/// not change the direction. With no feasible deadline the nearest cylinder is served, as by
/// `sstf`.
///
/// An access is by default expected to take a seek, half a turn and its transfer, as in the paper.
/// A scheduler in a host has no better estimate.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/sweep.h"

static const struct policy_flag flags[] = {
    {"price=exact",
     POLICY_TEXT("feasibility by the drive's access-time predictor, not by mean times")},
    {"target=slack", POLICY_TEXT("the target is the feasible deadline with the least slack")},
    {"idle=scan", POLICY_TEXT("SCAN order while no deadline is feasible")},
    {NULL, NULL},
};
static const char* const defaults[] = {POLICY_TEXT("price=mean"), POLICY_TEXT("idle=sstf"), NULL};
#define FLAG_PRICE_EXACT 0x01U
#define FLAG_TARGET_SLACK 0x02U
#define FLAG_IDLE_SCAN 0x04U

struct state {
  struct sweep sweep;
  enum deadline_price price;
  bool by_slack;
  bool idle_scans;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* fdscan = state;
  const bool exact = (setup->flags & FLAG_PRICE_EXACT) != 0;
  fdscan->price = exact ? DEADLINE_PRICE_EXACT : DEADLINE_PRICE_MEAN;
  fdscan->by_slack = (setup->flags & FLAG_TARGET_SLACK) != 0;
  fdscan->idle_scans = (setup->flags & FLAG_IDLE_SCAN) != 0;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* fdscan = state;
  sweep_on_served(&fdscan->sweep, view->head->cylinder, candidate);
}

/// Prices only candidates that are due before the best so far. NULL: no deadline is feasible.
static const struct candidate* earliest_feasible(const struct deadline_prices* prices,
                                                 const struct candidate_set* waiting) {
  const struct candidate* target = NULL;
  for (const struct candidate* item = waiting->first; item != NULL; item = item->next) {
    if (!candidate_is_real_time(item)) continue;
    if (target != NULL && !candidate_is_due_before(item, target)) continue;
    if (deadline_is_feasible(prices, item)) target = item;
  }
  return target;
}

/// Slack: from the end of an access until its deadline, ticks. It is for feasible ones only. A
/// slack too long to compare with any access counts as the longest.
static uint32_t slack_of(const struct deadline_prices* prices, const struct candidate* item) {
  const int32_t slack = candidate_slack(item, prices->now_64ticks);
  if (slack >= DEADLINE_ACCESS_MAX_64TICKS) return UINT32_MAX;
  return (uint32_t)slack * TASK_ARRIVED_TICKS - deadline_access_ticks(prices, item);
}

static const struct candidate* least_slack(const struct deadline_prices* prices,
                                           const struct candidate_set* waiting) {
  const struct candidate* target = NULL;
  uint32_t least = 0;
  for (const struct candidate* item = waiting->first; item != NULL; item = item->next) {
    if (!candidate_is_real_time(item) || !deadline_is_feasible(prices, item)) continue;
    const uint32_t slack = slack_of(prices, item);
    if (target != NULL && slack >= least) continue;
    target = item;
    least = slack;
  }
  return target;
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct state* fdscan = state;
  struct deadline_prices prices;
  deadline_prices_begin(&prices, view, fdscan->price);
  const struct candidate* target = fdscan->by_slack ? least_slack(&prices, view->waiting)
                                                    : earliest_feasible(&prices, view->waiting);
  view->looked_at += view->waiting->count;
  if (target != NULL) return sweep_next_towards(&fdscan->sweep, target, view);
  const struct search_scope everything = search_everything();
  const uint32_t at = view->head->cylinder;
  if (fdscan->idle_scans) return sweep_next(&fdscan->sweep, at, view, &everything);
  return search_nearest(view, &everything, at);
}

const struct policy policy_fdscan = {
    .name = "fdscan",
    .text = POLICY_TEXT("nearest request in the direction of the earliest feasible deadline"),
    .number = POLICY_NUMBER_fdscan,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 25,
    .flags = flags,
    .defaults = defaults,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next};
