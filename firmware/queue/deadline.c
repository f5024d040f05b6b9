// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/deadline.h"

#include <stddef.h>

void deadline_prices_begin(struct deadline_prices* prices, const struct policy_view* view,
                           enum deadline_price kind) {
  const time_tick now = view->head->at_tick;
  predictor_begin(view->predictor, view->head, &prices->pricing);
  prices->rotation = view->predictor->rotation;
  prices->now_64ticks = (uint32_t)(now / TASK_ARRIVED_TICKS);
  prices->lead_ticks = (uint32_t)(now % TASK_ARRIVED_TICKS) + view->predictor->margin_tick;
  if (kind == DEADLINE_PRICE_MEAN) pricing_expect_half_turns(&prices->pricing);
}

bool deadline_is_feasible(const struct deadline_prices* prices, const struct candidate* candidate) {
  const int32_t slack = candidate_slack(candidate, prices->now_64ticks);
  if (slack < 0) return false;
  if (slack >= DEADLINE_ACCESS_MAX_64TICKS) return true;
  return deadline_access_ticks(prices, candidate) <= (uint32_t)slack * TASK_ARRIVED_TICKS;
}

struct candidate* deadline_earliest(struct policy_view* view) {
  struct candidate* earliest = view->waiting->first;
  if (earliest == NULL) return NULL;
  for (struct candidate* item = earliest->next; item != NULL; item = item->next) {
    if (candidate_is_due_before(item, earliest)) earliest = item;
  }
  view->looked_at += view->waiting->count;
  return earliest;
}

uint32_t deadline_next_few(struct policy_view* view, const struct candidate* behind,
                           struct candidate* few[], uint32_t most) {
  uint32_t count = 0;
  for (struct candidate* item = view->waiting->first; item != NULL; item = item->next) {
    if (behind != NULL && !deadline_is_earlier(behind, item)) continue;
    uint32_t at = count;
    if (count < most) {
      ++count;
    } else if (!candidate_is_due_before(item, few[--at])) {
      continue;
    }
    for (; at > 0 && candidate_is_due_before(item, few[at - 1]); --at) few[at] = few[at - 1];
    few[at] = item;
  }
  view->looked_at += view->waiting->count;
  return count;
}
