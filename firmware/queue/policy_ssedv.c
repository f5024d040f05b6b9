// SPDX-License-Identifier: Apache-2.0
/// `ssedv`: of the earliest deadlines the least sum of seek and time left, weighted (SSEDV, Chen,
/// Stankovic, Kurose and Towsley 1991).
///
/// The window has the `m` earliest deadlines. Best effort is due after all real time, the oldest
/// first. The least alpha * seek + (1 - alpha) * (time to the deadline, 0 when it is past) is
/// served. A best-effort candidate counts as due in 500 ms, whatever its age.
#include "firmware/kernel/arithmetic.h"
#include "firmware/queue/ssed.h"

#define ALPHA_ONE 100U
#define BEST_EFFORT_TICKS (500U * TIME_TICKS_PER_MILLISECOND)

static const struct policy_parameter parameters[] = {
    SSED_PARAMETER_M,
    {.name = "alpha",
     .unit = POLICY_TEXT(": weight of the seek time; the time left has 1 - alpha"),
     .minimum = 0,
     .maximum = ALPHA_ONE,
     .initial = 80,
     .decimals = 2},
    {.name = NULL},
};

/// Time to the deadline in parts of a tick, the unit of seeks.
static uint64_t part_left(const struct candidate* candidate, time_tick now) {
  if (!candidate_is_real_time(candidate)) {
    return (uint64_t)BEST_EFFORT_TICKS * DRIVE_DESIGN_TICK_PARTS;
  }
  return deadline_ticks_ahead(candidate, now) * DRIVE_DESIGN_TICK_PARTS;
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct ssed* ssedv = state;
  const uint32_t alpha = ssedv->weight;
  struct candidate* window[SSED_WINDOW_MAX];
  const uint32_t count = deadline_earliest_few(view, window, ssedv->m);
  struct pricing pricing;
  predictor_begin(view->predictor, view->head, &pricing);
  struct ssed_best best = {NULL, 0};
  for (uint32_t i = 0; i < count; ++i) {
    const struct candidate* item = window[i];
    const uint32_t seek_part = pricing.seek_part[distance_u32(item->cylinder, pricing.cylinder)];
    ssed_consider(
        &best, window[i],
        (uint64_t)alpha * seek_part + (ALPHA_ONE - alpha) * part_left(item, view->head->at_tick));
  }
  return best.candidate;
}

const struct policy policy_ssedv = {
    .name = "ssedv",
    .text = POLICY_TEXT("least weighted sum of seek and time left among the earliest deadlines"),
    .number = POLICY_NUMBER_ssedv,
    .state_bytes = sizeof(struct ssed),
    .candidate_ticks = 20,
    .parameters = parameters,
    .begin = ssed_begin,
    .which_next = which_next};
