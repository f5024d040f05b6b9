// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions that `ssedo` and `ssedv` share: the window of the earliest deadlines, and the least
/// price in it (Chen, Stankovic, Kurose and Towsley 1991).
#ifndef FIRMWARE_QUEUE_SSED_H
#define FIRMWARE_QUEUE_SSED_H

#include <stddef.h>
#include <stdint.h>

#include "firmware/queue/deadline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SSED_WINDOW_MAX 8U

/// The row of the parameter `m`, the first one of both policies.
#define SSED_PARAMETER_M                                                                  \
  {                                                                                       \
    .name = "m", .unit = POLICY_TEXT("deadlines: how many of the earliest are compared"), \
    .minimum = 1, .maximum = SSED_WINDOW_MAX, .initial = 3                                \
  }

/// The state of both policies.
struct ssed {
  uint32_t m;
  uint32_t weight;  ///< The second parameter, in the unit of its row.
};

static inline void ssed_begin(void* state, const struct policy_setup* setup) {
  *(struct ssed*)state = (struct ssed){.m = setup->parameter[0], .weight = setup->parameter[1]};
}

/// The candidate with the least price so far; it begins as NULL.
struct ssed_best {
  struct candidate* candidate;
  uint64_t price;
};

/// Keeps the cheaper of two, or the older of equals.
static inline void ssed_consider(struct ssed_best* best, struct candidate* item, uint64_t price) {
  if (best->candidate == NULL || price < best->price ||
      (price == best->price && candidate_is_older(item, best->candidate))) {
    *best = (struct ssed_best){item, price};
  }
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_SSED_H
