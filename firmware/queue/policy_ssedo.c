// SPDX-License-Identifier: Apache-2.0
/// `ssedo`: of the earliest deadlines the nearest cylinder. Distance weighs more for later
/// deadlines (SSEDO, Chen, Stankovic, Kurose and Towsley 1991).
///
/// The window has the `m` earliest deadlines. Best effort is due after all real time, the oldest
/// first. The i-th of the window weighs beta^(i-1) * (distance in cylinders + 1); the least weight
/// is served.
#include "firmware/kernel/arithmetic.h"
#include "firmware/queue/ssed.h"

/// Prices fit into 64 bits: 100 tenths to the seventh power times a drive's cylinders.
#define BETA_ONE 10U

static const struct policy_parameter parameters[] = {
    SSED_PARAMETER_M,
    {.name = "beta",
     .unit = POLICY_TEXT(": growth of the distance's weight from each deadline to the next"),
     .minimum = BETA_ONE,
     .maximum = 10 * BETA_ONE,
     .initial = 2 * BETA_ONE,
     .decimals = 1},
    {.name = NULL},
};

/// 10^(SSED_WINDOW_MAX - 1 - i): with it, tenths to the i-th power are of the same unit for each
/// place.
static const uint32_t unit_of_place[SSED_WINDOW_MAX] = {10000000, 1000000, 100000, 10000,
                                                        1000,     100,     10,     1};

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct ssed* ssedo = state;
  const uint32_t beta_tenths = ssedo->weight;
  struct candidate* window[SSED_WINDOW_MAX];
  const uint32_t count = deadline_earliest_few(view, window, ssedo->m);
  struct ssed_best best = {NULL, 0};
  uint64_t weight = 1;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t distance = distance_u32(window[i]->cylinder, view->head->cylinder);
    ssed_consider(&best, window[i], weight * unit_of_place[i] * (distance + 1));
    weight *= beta_tenths;
  }
  return best.candidate;
}

const struct policy policy_ssedo = {
    .name = "ssedo",
    .text = POLICY_TEXT("shortest seek distance among the earliest deadlines, weighted by rank"),
    .number = POLICY_NUMBER_ssedo,
    .state_bytes = sizeof(struct ssed),
    .candidate_ticks = 20,
    .parameters = parameters,
    .begin = ssed_begin,
    .which_next = which_next};
