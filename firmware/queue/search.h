// SPDX-License-Identifier: Apache-2.0
/// @file
/// Searches that several policies share: the nearest candidate, and the cheapest, within some
/// cylinders and some age.
///
/// Every search gives what a comparison of all candidates would, ties to the oldest. It stops as
/// soon as nothing farther away can be better. It counts the compared candidates in
/// view->looked_at. sstf and stf, which restrict neither cylinders nor age, have leaner loops of
/// their own.
#ifndef FIRMWARE_QUEUE_SEARCH_H
#define FIRMWARE_QUEUE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/queue/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Exclusive upper limit of the cylinders of every drive.
#define SEARCH_CYLINDER_MAX DRIVE_DESIGN_CYLINDERS_MAX

/// The candidates that a search considers.
struct search_scope {
  uint32_t low;  ///< Lowest cylinder, included; above `high`: the scope is empty.
  uint32_t high;
  bool frozen;             ///< Only candidates up to number `last_sequence` are considered.
  uint32_t last_sequence;  ///< Number of the last arrival considered, if `frozen`.
};

static inline struct search_scope search_everything(void) {
  return (struct search_scope){.low = 0, .high = SEARCH_CYLINDER_MAX};
}

static inline struct search_scope search_cylinders(uint32_t low, uint32_t high) {
  return (struct search_scope){.low = low, .high = high};
}

/// Whether a candidate had arrived when the one of number `last_sequence` had.
static inline bool search_had_arrived(const struct candidate* candidate, uint32_t last_sequence) {
  return (int32_t)(candidate->sequence - last_sequence) <= 0;
}

/// Number of the youngest arrival among the waiting candidates and `candidate`, which has just left
/// them.
static inline uint32_t search_youngest(const struct policy_view* view,
                                       const struct candidate* candidate) {
  const struct candidate* last = view->waiting->last;
  return last == NULL || candidate_is_older(last, candidate) ? candidate->sequence : last->sequence;
}

/// The rule of every comparison: the lower price, or the older of equals.
static inline bool search_is_less(uint32_t one_price, const struct candidate* one,
                                  uint32_t other_price, const struct candidate* other) {
  return one_price != other_price ? one_price < other_price : candidate_is_older(one, other);
}

/// The best one so far. It begins without a candidate, at SEARCH_PRICE_MAX.
struct search_best {
  struct candidate* candidate;
  uint32_t price;
};

/// Greater than every distance and every access time.
#define SEARCH_PRICE_MAX UINT32_MAX

/// The better one of two, by the rule above.
static inline void search_consider(struct search_best* best, struct candidate* item,
                                   uint32_t price) {
  if (price > best->price) return;
  if (price == best->price && !candidate_is_older(item, best->candidate)) return;
  *best = (struct search_best){item, price};
}

/// The one nearest to `cylinder`, which may lie outside the scope; NULL when none is in it.
struct candidate* search_nearest(struct policy_view* view, const struct search_scope* scope,
                                 uint32_t cylinder);

/// What a candidate costs.
enum search_price {
  SEARCH_ACCESS,   ///< The time until its transfer has ended.
  SEARCH_LATENCY,  ///< The time until its first sector comes under the heads.
};

/// The cheapest one; NULL when none is in the scope.
struct candidate* search_cheapest(struct policy_view* view, const struct search_scope* scope,
                                  enum search_price price);

/// Whether search_cheapest() would choose the first of two.
bool search_is_cheaper(const struct policy_view* view, enum search_price price,
                       const struct candidate* one, const struct candidate* other);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_SEARCH_H
