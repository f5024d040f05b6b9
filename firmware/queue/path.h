// SPDX-License-Identifier: Apache-2.0
/// @file
/// Paths: accesses that follow each other, with exact prices, and the deadlines that they meet.
///
/// Times are turn24 from the moment of the choice, as in predictor.h. 32 bits hold 256 turns, and
/// anything later counts as 256 turns. Each access pays the margin.
#ifndef FIRMWARE_QUEUE_PATH_H
#define FIRMWARE_QUEUE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/queue/policy.h"
#include "firmware/queue/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Later than any time that is compared.
#define PATH_NEVER_TURN24 UINT32_MAX

/// Two accesses that end at the same angle of the same turn differ by no more than this. The reason
/// is that each wait is rounded down to a turn24.
#define PATH_SAME_TURN24 64U

/// A transfer of at most this many turns is short.
#define PATH_SHORT_TURN24 0x04000000U

/// Position of the arm, and the time from which it is free.
struct path_stop {
  uint32_t at_turn24;
  uint32_t angle_turn32;
  uint16_t cylinder;
  uint8_t head;
  bool at_writer;  ///< at_writer of struct head_state.
};

/// Values common to all prices of one choice.
struct path_prices {
  struct pricing pricing;  ///< Prices from the stop last given.
  uint32_t data_turn24;    ///< data_turn24 of `pricing`, counted from the moment of the choice.
  uint32_t now_64ticks;
  uint32_t into_turn24;         ///< Time from now_64ticks to the moment of the choice.
  uint32_t turn24_per_64ticks;  ///< Turn24 in 64 ticks, times 2^16.
  int32_t never_64ticks;        ///< A deadline at least this far ahead is later than any time.
  int32_t sooner_64ticks;       ///< A short candidate that is due later than this is not expired.
};

/// Prices are from the present position of the heads, until another stop is given.
void path_prices_begin(struct path_prices* prices, const struct policy_view* view);

/// The flags of a policy whose paths have exact or mean prices, and the words for neither.
#define PATH_FLAG_PRICE_EXACT 0x01U
extern const struct policy_flag path_price_flags[];
extern const char* const path_price_defaults[];

/// Prices all further waits at half a turn.
static inline void path_expect_half_turns(struct path_prices* prices) {
  pricing_expect_half_turns(&prices->pricing);
}

static inline void path_from(struct path_prices* prices, const struct path_stop* stop) {
  struct pricing* pricing = &prices->pricing;
  pricing->cylinder = stop->cylinder;
  pricing->head = stop->head;
  pricing_set_element(pricing, stop->at_writer);
  pricing->start_turn32 = stop->angle_turn32 + (pricing->margin_turn24 << 8);
  pricing->data_turn24 =
      prices->data_turn24 > stop->at_turn24 ? prices->data_turn24 - stop->at_turn24 : 0;
}

/// The end of an access that begins at the stop last given, which is free at `from_turn24`.
static inline uint32_t path_end(const struct path_prices* prices, uint32_t from_turn24,
                                const struct candidate* candidate) {
  const uint32_t take_turn24 =
      prices->pricing.margin_turn24 + pricing_access_turn24(&prices->pricing, candidate);
  const uint32_t end_turn24 = from_turn24 + take_turn24;
  return end_turn24 < from_turn24 ? PATH_NEVER_TURN24 - 1 : end_turn24;
}

/// State of the arm after an access that ends at that time.
static inline struct path_stop path_behind(const struct candidate* candidate, uint32_t end_turn24) {
  return (struct path_stop){.at_turn24 = end_turn24,
                            .angle_turn32 = candidate->angle_turn32 + (candidate->span_turn24 << 8),
                            .cylinder = candidate->end_cylinder,
                            .head = candidate->end_head,
                            .at_writer = candidate->kind != CANDIDATE_READ};
}

/// The end of an access from the given stop.
uint32_t path_end_from(struct path_prices* prices, const struct path_stop* stop,
                       const struct candidate* candidate);

/// A path that grows access by access.
struct path_walk {
  struct path_prices prices;
  const struct candidate* last;  ///< Candidate of the last access; NULL: the path has none yet.
  uint32_t end_turn24;           ///< End of the last access.
};

/// An empty path, from where the heads are.
static inline struct path_walk path_walk_begin(const struct path_prices* from_heads) {
  return (struct path_walk){.prices = *from_heads};
}

/// Adds an access of `next`. @return its end.
static inline uint32_t path_walk_on(struct path_walk* walk, const struct candidate* next) {
  if (walk->last == NULL) {
    walk->end_turn24 = path_end(&walk->prices, 0, next);
  } else {
    const struct path_stop stop = path_behind(walk->last, walk->end_turn24);
    walk->end_turn24 = path_end_from(&walk->prices, &stop, next);
  }
  walk->last = next;
  return walk->end_turn24;
}

/// The deadline of a real-time candidate, `slack` from now_64ticks. It is 0 when past, and
/// PATH_NEVER_TURN24 when farther ahead than any access takes.
static inline uint32_t path_due_in(const struct path_prices* prices, int32_t slack) {
  if (slack >= prices->never_64ticks) return PATH_NEVER_TURN24;
  if (slack <= 0) return 0;
  const uint64_t due_turn24 = (uint64_t)(uint32_t)slack * prices->turn24_per_64ticks;
  return (uint32_t)(due_turn24 >> 16) - prices->into_turn24;
}

static inline uint32_t path_due(const struct path_prices* prices,
                                const struct candidate* candidate) {
  return path_due_in(prices, candidate_slack(candidate, prices->now_64ticks));
}

/// Whether a real-time candidate, due `slack` from now_64ticks, is expired: its transfer alone,
/// from now, would end after its deadline.
static inline bool path_is_expired_in(const struct path_prices* prices, int32_t slack,
                                      const struct candidate* candidate) {
  if (slack > prices->sooner_64ticks && candidate->span_turn24 <= PATH_SHORT_TURN24) return false;
  return path_due_in(prices, slack) < prices->pricing.margin_turn24 + candidate->span_turn24;
}

static inline bool path_is_expired(const struct path_prices* prices,
                                   const struct candidate* candidate) {
  const int32_t slack = candidate_slack(candidate, prices->now_64ticks);
  return path_is_expired_in(prices, slack, candidate);
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_PATH_H
