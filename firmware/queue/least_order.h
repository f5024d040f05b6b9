// SPDX-License-Identifier: Apache-2.0
/// @file
/// The order in which stops are visited with the least movements, each before it is due.
///
/// A stop costs the movement from the one before, and a time that does not depend on the one before
/// (`fixed`). It ends in time when movements and fixed times up to its own end are no more than
/// `due`. Of equal orders the search finds the one with the higher number where they differ, seen
/// from the end. So stops of high numbers come late.
///
/// Up to ORDER_EXACT_MAX stops it finds the least order, by subsets (Held and Karp 1962). The sum
/// of the fixed times is the same for every order of a subset. So among orders that end with the
/// same stop, the least is the best to extend. For more stops the search keeps the ORDER_BEAM least
/// beginnings, and extends them stop by stop. The order that it then finds is good, perhaps not the
/// least.
///
/// The search can be made in parts. Times are in turn24, as in path.h. The owner provides struct
/// order_search, which need not be cleared.
#ifndef FIRMWARE_QUEUE_LEAST_ORDER_H
#define FIRMWARE_QUEUE_LEAST_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORDER_STOPS_MAX 22U
#define ORDER_EXACT_MAX 11U
#define ORDER_BEAM 32U

/// The beginning, as `from` of move_turn24.
#define ORDER_BEGIN ORDER_STOPS_MAX

/// No limit; later than any end.
#define ORDER_NEVER_TURN24 UINT32_MAX

/// Any stop may be the first.
#define ORDER_ANY UINT32_MAX

struct order_question {
  uint32_t count;  ///< 1 .. ORDER_STOPS_MAX
  uint32_t first;  ///< The stop to begin with, or ORDER_ANY.
  uint32_t due_turn24[ORDER_STOPS_MAX];
  uint32_t fixed_turn24[ORDER_STOPS_MAX];
  uint32_t move_turn24[ORDER_STOPS_MAX][ORDER_STOPS_MAX + 1];  ///< Time of the movement, by the
                                                               ///< stop it goes to and the stop it
                                                               ///< comes from. An order's sum fits.
};

enum order_result {
  ORDER_NONE,   ///< No order in time was found. Beyond ORDER_EXACT_MAX stops there may be one.
  ORDER_LEAST,  ///< The least.
  ORDER_GOOD,   ///< An order in time.
};

/// A beginning of an order.
struct order_path {
  uint32_t moves_turn24;
  uint32_t fixed_turn24;
  uint32_t members;  ///< Bit i: stop i is in it.
  uint8_t stops[ORDER_STOPS_MAX];
};

/// Number of subsets of the other stops. They index the beginnings that end with a given stop.
#define ORDER_OTHERS (1U << (ORDER_EXACT_MAX - 1))
struct order_subsets {
  uint32_t moves_turn24[ORDER_EXACT_MAX][ORDER_OTHERS];  ///< Least movement time;
                                                         ///< ORDER_NEVER_TURN24: none.
  uint8_t before[ORDER_EXACT_MAX][ORDER_OTHERS];         ///< The stop before the last.
};

/// Fixed time of the members of a subset: one table for each half of the stops. One entry of each
/// table makes up any subset.
#define ORDER_HALF_STOPS 6U
#define ORDER_HALF_SUBSETS (1U << ORDER_HALF_STOPS)
struct order_fixed_sums {
  uint32_t sum_turn24[2][ORDER_HALF_SUBSETS];
};

struct order_search {
  struct order_question question;
  uint8_t stops[ORDER_STOPS_MAX];  ///< Out: the order; valid unless result is ORDER_NONE.
  enum order_result result;        ///< Out: what was found.
  uint32_t steps;                  ///< Out: extensions that were tried.
  uint32_t spent;                  ///< Part of the effort that is spent; in use during a call.
  uint32_t next;          ///< Subset, or beginning in the beam, at which the search resumes.
  uint32_t stop;          ///< Stop at which the search resumes.
  uint32_t length;        ///< Number of stops in each beginning of the beam.
  uint32_t path_count;    ///< Number of beginnings in the beam.
  uint32_t longer_count;  ///< Number of beginnings that were extended.
  struct order_fixed_sums sums;
  union {
    struct order_subsets subsets;
    struct order_path beam[2][ORDER_BEAM];
  } room;
};

/// Begins to answer `search->question`.
void order_begin(struct order_search* search);

/// Continues for about `effort` extensions. @return whether there is more to do.
bool order_go_on(struct order_search* search, uint32_t effort);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_LEAST_ORDER_H
