// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions that policies with deadlines share: the earliest deadline, the expected time of an
/// access, and whether it ends in time.
///
/// A candidate without a deadline is due after all that have one. Deadlines are those of
/// candidate.h: absolute, in 64 ticks.
#ifndef FIRMWARE_QUEUE_DEADLINE_H
#define FIRMWARE_QUEUE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/policy.h"
#include "firmware/queue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The expected time of an access.
enum deadline_price {
  DEADLINE_PRICE_MEAN,   ///< Mean price: seek, half a turn, transfer, as in the papers.
  DEADLINE_PRICE_EXACT,  ///< The drive's own predictor.
};

/// Values common to all prices of one choice.
struct deadline_prices {
  struct pricing pricing;
  const struct rotation* rotation;
  uint32_t now_64ticks;
  uint32_t lead_ticks;  ///< Ticks from now_64ticks to the start: the margin, and the part of now
                        ///< rounded off.
};

void deadline_prices_begin(struct deadline_prices* prices, const struct policy_view* view,
                           enum deadline_price kind);

/// An access is shorter than this: 256 turns of the slowest spindle, in 64 ticks.
#define DEADLINE_ACCESS_MAX_64TICKS 0x1000000

/// Ticks from `now` to the deadline of a real-time candidate; 0 when it is past.
static inline uint64_t deadline_ticks_ahead(const struct candidate* candidate, time_tick now) {
  const int32_t slack = candidate_slack(candidate, (uint32_t)(now / TASK_ARRIVED_TICKS));
  if (slack <= 0) return 0;
  return (uint64_t)(uint32_t)slack * TASK_ARRIVED_TICKS - (uint32_t)(now % TASK_ARRIVED_TICKS);
}

/// Ticks from now_64ticks until an access ends.
static inline uint32_t deadline_access_ticks(const struct deadline_prices* prices,
                                             const struct candidate* candidate) {
  const uint32_t access_turn24 = pricing_access_turn24(&prices->pricing, candidate);
  return prices->lead_ticks + rotation_ticks(prices->rotation, access_turn24);
}

/// Whether a real-time candidate, served next, ends at its deadline or before.
bool deadline_is_feasible(const struct deadline_prices* prices, const struct candidate* candidate);

/// The earliest deadline, the oldest of equal ones; without deadlines, the oldest. NULL: nothing
/// waits.
struct candidate* deadline_earliest(struct policy_view* view);

/// Finds the `most` earliest deadlines after `behind`, in the order of deadline_is_earlier(). It
/// finds all if fewer wait.
/// @param behind    NULL: the search starts at the earliest of all.
/// @param[out] few  Room for `most`.
/// @return the number found.
uint32_t deadline_next_few(struct policy_view* view, const struct candidate* behind,
                           struct candidate* few[], uint32_t most);
static inline uint32_t deadline_earliest_few(struct policy_view* view, struct candidate* few[],
                                             uint32_t most) {
  return deadline_next_few(view, NULL, few, most);
}

/// Whether deadline_earliest() would choose the first of two.
static inline bool deadline_is_earlier(const struct candidate* one, const struct candidate* other) {
  if (candidate_is_due_before(one, other)) return true;
  return !candidate_is_due_before(other, one) && candidate_is_older(one, other);
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_DEADLINE_H
