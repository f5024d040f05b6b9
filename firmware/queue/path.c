// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/path.h"

const struct policy_flag path_price_flags[] = {
    {"price=exact", POLICY_TEXT("access times from the drive's predictor, not mean times")},
    {NULL, NULL},
};
const char* const path_price_defaults[] = {POLICY_TEXT("price=mean"), NULL};

/// 32 bits of turn24 hold 256 turns; a period is in 1/64 tick. One unit is left for rounding.
static int32_t never_64ticks(const struct rotation* rotation) {
  return (int32_t)(rotation->period_tick64 / (TASK_ARRIVED_TICKS * 64U / 256U)) - 1;
}

void path_prices_begin(struct path_prices* prices, const struct policy_view* view) {
  const struct rotation* rotation = view->predictor->rotation;
  const time_tick now = view->head->at_tick;
  predictor_begin(view->predictor, view->head, &prices->pricing);
  prices->data_turn24 = prices->pricing.data_turn24;
  prices->now_64ticks = (uint32_t)(now / TASK_ARRIVED_TICKS);
  prices->into_turn24 = rotation_turn24(rotation, (uint32_t)(now % TASK_ARRIVED_TICKS));
  // `speed` is turn32 a tick, times 2^32.
  prices->turn24_per_64ticks = (uint32_t)(rotation->speed * TASK_ARRIVED_TICKS >> (8 + 32 - 16));
  prices->never_64ticks = never_64ticks(rotation);
  const uint32_t sooner_turn24 = prices->pricing.margin_turn24 + PATH_SHORT_TURN24;
  prices->sooner_64ticks =
      (int32_t)(rotation_ticks(rotation, sooner_turn24) / TASK_ARRIVED_TICKS) + 2;
}

uint32_t path_end_from(struct path_prices* prices, const struct path_stop* stop,
                       const struct candidate* candidate) {
  path_from(prices, stop);
  return path_end(prices, stop->at_turn24, candidate);
}
