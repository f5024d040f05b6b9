#include "firmware/queue/path.h"

/// 256 turns are what 32 bits of turn24 hold; a period is in 1/64 tick. One unit is left for what
/// rounding took.
static int32_t never_64ticks(const struct rotation* rotation) {
  return (int32_t)(rotation->period_tick64 / (TASK_ARRIVED_TICKS * 64U / 256U)) - 1;
}

void path_prices_begin(struct path_prices* prices, const struct policy_view* view) {
  const time_tick now = view->head->at_tick;
  predictor_begin(view->predictor, view->head, &prices->pricing);
  prices->rotation = view->predictor->rotation;
  prices->data_turn24 = prices->pricing.data_turn24;
  prices->now_64ticks = (uint32_t)(now / TASK_ARRIVED_TICKS);
  prices->into_ticks = (uint32_t)(now % TASK_ARRIVED_TICKS);
  prices->never_64ticks = never_64ticks(prices->rotation);
}

uint32_t path_end_from(struct path_prices* prices, const struct path_stop* stop,
                       const struct candidate* candidate) {
  path_from(prices, stop);
  return path_end(prices, stop->at_turn24, candidate);
}

uint32_t path_due(const struct path_prices* prices, const struct candidate* candidate) {
  const int32_t slack = candidate_slack(candidate, prices->now_64ticks);
  if (slack >= prices->never_64ticks) return PATH_NEVER_TURN24;
  if (slack <= 0) return 0;
  return rotation_turn24(prices->rotation,
                         (uint32_t)slack * TASK_ARRIVED_TICKS - prices->into_ticks);
}

bool path_is_expired(const struct path_prices* prices, const struct candidate* candidate) {
  return path_due(prices, candidate) < prices->pricing.margin_turn24 + candidate->span_turn24;
}
