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

/// Steps, from an empty work space on.
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
  uint32_t others;        ///< Best effort and expired.
  uint32_t urgent_count;  ///< Not expired, by deadline; candidates of V may be among them.
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
  uint32_t breaks;             ///< Breaks of `waiting` at the beginning.
  uint32_t count;              ///< So many have been examined,
  struct candidate* youngest;  ///< up to this one.
  struct candidate* item;      ///< The next to be examined, or priced.
  struct band_walk walk;

  struct path_prices prices;
  struct pricing from_heads;
  struct stfd_survey survey;
  bool changed;           ///< A candidate has entered a list.
  uint32_t oldest_age;    ///< O, 64 ticks.
  uint32_t least_weight;  ///< Least weight: that of the oldest.
  uint32_t priced;
  uint32_t nearest_count;
  uint32_t live_count;
  uint32_t other_count;
  struct stfd_live live[STFD_LIVE_MAX];   ///< V: the nearest by their ends, then the urgent.
  struct stfd_other others[STFD_OTHERS];  ///< X, by key.
};

/// An age of more than 28 minutes counts as 28. A candidate that seems to come from the future has
/// age 0.
static inline uint32_t stfd_age(const struct candidate* candidate, uint32_t now_64ticks) {
  const int32_t age = (int32_t)(now_64ticks - candidate->arrived_64ticks);
  if (age < 0) return 0;
  return (uint32_t)age < CANDIDATE_SLACK_MAX_64TICKS ? (uint32_t)age : CANDIDATE_SLACK_MAX_64TICKS;
}

/// Begins for the moment of `view`. O is `wait_64ticks`, or the age of the oldest if that is more.
void stfd_lists_begin(struct stfd_lists* lists, const struct policy_view* view,
                      uint32_t wait_64ticks);

/// Makes the next step. @return whether there is another.
bool stfd_lists_step(struct stfd_lists* lists);

/// Called after all steps: adds the later arrivals. @return whether the lists are now what they
/// would be if they were begun anew for the same moment.
MUST_USE bool stfd_lists_add_newcomers(struct stfd_lists* lists);

/// Adds the earliest deadlines to V, however far away they are.
void stfd_lists_add_urgent(struct stfd_lists* lists);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_STFD_LISTS_H
