// SPDX-License-Identifier: Apache-2.0
/// @file
/// The lists with which `stfd` plans: candidates that may gain by a deadline, and other cheap ones.
/// They are made step by step, ahead of the choice, for where and when the heads will be free.
/// Later arrivals are added one by one. The result is that of one examination of all.
///
/// A list is valid as long as no candidate leaves, and each arrival is the youngest.
#ifndef FIRMWARE_QUEUE_STFD_LISTS_H
#define FIRMWARE_QUEUE_STFD_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/path.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STFD_LIVE_NEAREST 5U
#define STFD_LIVE_URGENT 3U
#define STFD_URGENT_TRIES (STFD_LIVE_URGENT + 2U)
#define STFD_LIVE_MAX (STFD_LIVE_NEAREST + STFD_LIVE_URGENT)
#define STFD_OTHERS 4U
#define STFD_PRICES_MAX 96U
#define STFD_URGENT_MAX (STFD_URGENT_TRIES + STFD_LIVE_NEAREST)

/// Steps of the preparation, from an empty work space.
enum stfd_step {
  STFD_STEP_NONE,  ///< 0: nothing has been prepared.
  STFD_STEP_SURVEY,
  STFD_STEP_PRICES,
  STFD_STEP_DONE,
};

/// The work of one step: so many candidates examined, or so many units of a price, at some 40
/// cycles each. A price takes three times as long as an examination.
#define STFD_STEP_SURVEYED 96U
#define STFD_STEP_PRICED 96U
#define STFD_PRICE_LOOKS 3U

/// One examination of all waiting candidates.
struct stfd_survey {
  struct candidate* oldest_best_effort;
  struct candidate* oldest_expired;
  uint32_t others;        ///< Number of best-effort and expired candidates.
  uint32_t urgent_count;  ///< Number of urgent candidates: not expired, by deadline. Candidates of
                          ///< V may be among them.
  bool changed;           ///< A candidate has become urgent, or the oldest.
  struct candidate* urgent[STFD_URGENT_MAX];
  int32_t slack[STFD_URGENT_MAX];  ///< Their slack, 64 ticks.
};

struct stfd_live {
  struct candidate* candidate;
  uint32_t end_turn24;
  uint32_t due_turn24;
};

struct stfd_other {
  struct candidate* candidate;
  uint32_t end_turn24;
  uint64_t key;
};

struct stfd_lists {
  enum stfd_step step;
  uint32_t wait_64ticks;  ///< The least value of O.
  const struct candidate_set* waiting;
  uint32_t breaks;             ///< `breaks` of `waiting` when the survey began.
  uint32_t count;              ///< Number of candidates examined so far.
  struct candidate* youngest;  ///< The last candidate that was examined.
  struct candidate* item;      ///< The next candidate to examine, or to price.
  struct band_walk walk;

  struct path_prices prices;
  struct pricing from_heads;
  struct stfd_survey survey;
  bool changed;           ///< A candidate has entered a list.
  uint32_t oldest_age;    ///< O, in units of 64 ticks.
  uint32_t least_weight;  ///< Weight of the oldest: the least weight.
  uint32_t priced;
  uint32_t nearest_count;
  uint32_t live_count;
  uint32_t other_count;
  struct stfd_live live[STFD_LIVE_MAX];   ///< V: the nearest by end of access, then the urgent
                                          ///< ones.
  struct stfd_other others[STFD_OTHERS];  ///< X, sorted by key.
};

/// Age of a candidate, in units of 64 ticks. An age of more than 28 minutes counts as 28. A
/// candidate that seems to come from the future has age 0.
static inline uint32_t stfd_age(const struct candidate* candidate, uint32_t now_64ticks) {
  const int32_t age = (int32_t)(now_64ticks - candidate->arrived_64ticks);
  if (age < 0) return 0;
  return (uint32_t)age < CANDIDATE_SLACK_MAX_64TICKS ? (uint32_t)age : CANDIDATE_SLACK_MAX_64TICKS;
}

/// Starts the steps for the moment of `view`. O is `wait_64ticks`, or the age of the oldest if that
/// is more.
void stfd_lists_begin(struct stfd_lists* lists, const struct policy_view* view,
                      uint32_t wait_64ticks);

/// Makes the next step. @return whether there is another.
bool stfd_lists_step(struct stfd_lists* lists);

/// Adds the later arrivals, after all steps. @return whether the lists are those that a fresh start
/// at the same moment would give.
MUST_USE bool stfd_lists_add_newcomers(struct stfd_lists* lists);

/// Adds the earliest deadlines to V, however far away they are.
void stfd_lists_add_urgent(struct stfd_lists* lists);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_STFD_LISTS_H
