// SPDX-License-Identifier: Apache-2.0
/// `scanedf`: the earliest deadline, and of those with the same, the next of a sweep (SCAN-EDF,
/// Reddy and Wyllie 1993). Those without a deadline come last, in the order of a sweep.
///
/// `quantum`: deadlines in the same quantum are the same. Quanta count from power-on.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/sweep.h"

#define UNITS_PER_MILLISECOND (TIME_TICKS_PER_MILLISECOND / TASK_ARRIVED_TICKS)
#define TENTHS 10U

static const struct policy_parameter parameters[] = {
    {.name = "quantum",
     .unit = POLICY_TEXT("ms: deadlines in the same quantum count as equal; 0: exact deadlines"),
     .minimum = 0,
     .maximum = 600000,
     .initial = 0,
     .decimals = 1},
    {.name = NULL},
};

struct state {
  struct sweep sweep;
  uint32_t quantum_64ticks;  ///< 1: deadlines as they are.
};

static void begin(void* state, const struct policy_setup* setup) {
  struct state* scanedf = state;
  const uint32_t quantum = setup->parameter[0] * UNITS_PER_MILLISECOND / TENTHS;
  scanedf->quantum_64ticks = quantum == 0 ? 1 : quantum;
}

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* scanedf = state;
  sweep_on_served(&scanedf->sweep, view->head->cylinder, candidate);
}

/// Values for the comparison of all candidates of one choice.
struct order {
  const struct sweep* sweep;
  uint32_t at;        ///< Cylinder.
  uint32_t quantum;   ///< 64 ticks
  uint32_t begun_at;  ///< Begin of the present quantum, 64 ticks, as deadlines wrap.
};

/// now % quantum. The core divides 32 bits, and a quantum has 26 at most. So six bits of `now` are
/// taken at a time.
#define CHUNK_BITS 6U
static uint32_t remainder_of(time_tick now_64ticks, uint32_t quantum) {
  uint32_t remainder = 0;
  for (uint32_t shift = 60; shift <= 60; shift -= CHUNK_BITS) {
    const uint32_t chunk = (uint32_t)(now_64ticks >> shift) & ((1U << CHUNK_BITS) - 1);
    remainder = (remainder << CHUNK_BITS | chunk) % quantum;
  }
  return remainder;
}

static struct order order_now(const struct state* scanedf, const struct policy_view* view) {
  const time_tick now_64ticks = view->head->at_tick / TASK_ARRIVED_TICKS;
  const uint32_t quantum = scanedf->quantum_64ticks;
  const uint32_t into = quantum == 1 ? 0 : remainder_of(now_64ticks, quantum);
  return (struct order){.sweep = &scanedf->sweep,
                        .at = view->head->cylinder,
                        .quantum = quantum,
                        .begun_at = (uint32_t)now_64ticks - into};
}

/// Quanta from now until the one of the deadline; INT32_MAX without one.
static int32_t quantum_of(const struct order* order, const struct candidate* candidate) {
  if (!candidate_is_real_time(candidate)) return INT32_MAX;
  const int32_t ahead = candidate_slack(candidate, order->begun_at);
  if (order->quantum == 1) return ahead;
  if (ahead >= 0) return (int32_t)((uint32_t)ahead / order->quantum);
  return -1 - (int32_t)((uint32_t)(-1 - ahead) / order->quantum);
}

static bool goes_before(const struct order* order, const struct candidate* one,
                        const struct candidate* other) {
  const int32_t one_quantum = quantum_of(order, one);
  const int32_t other_quantum = quantum_of(order, other);
  if (one_quantum != other_quantum) return one_quantum < other_quantum;
  return sweep_is_better(order->sweep, order->at, one, other);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  const struct order order = order_now(state, view);
  struct candidate* best = view->waiting->first;
  if (best == NULL) return NULL;
  for (struct candidate* item = best->next; item != NULL; item = item->next) {
    if (goes_before(&order, item, best)) best = item;
  }
  view->looked_at += view->waiting->count;
  return best;
}

static bool is_better(const void* state, const struct policy_view* view,
                      const struct candidate* one, const struct candidate* other) {
  const struct order order = order_now(state, view);
  return goes_before(&order, one, other);
}

const struct policy policy_scanedf = {
    .name = "scanedf",
    .text = POLICY_TEXT("earliest deadline first; equal deadlines in SCAN order"),
    .number = POLICY_NUMBER_scanedf,
    .state_bytes = sizeof(struct state),
    .candidate_ticks = 20,
    .parameters = parameters,
    .begin = begin,
    .task_served = task_served,
    .which_next = which_next,
    .is_better = is_better};
