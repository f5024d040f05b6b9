// SPDX-License-Identifier: Apache-2.0
/// @file
/// What became of commands that named a descriptor of page T2A or T2B: log pages 19h/21h and 30h.
///
/// Each initiator has counts of its own, as it has limits of its own: a number means another
/// descriptor for another initiator. A hard reset ends its limits and clears its counts. An expired
/// limit is counted for the descriptor in force: after DURATION_NEXT_LIMIT, for the next one.
/// Limits with DURATION_COMPLETE_EARLIEST count when their time is over: inactive time when
/// processing begins, the others when the command ends.
#ifndef FIRMWARE_UNIT_DURATION_COUNTS_H
#define FIRMWARE_UNIT_DURATION_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/bytes.h"
#include "firmware/unit/duration_page.h"

#ifdef __cplusplus
extern "C" {
#endif

enum duration_tally {
  // Expired limits, as in enum duration.
  TALLY_INACTIVE_PASSED = DURATION_INACTIVE,
  TALLY_ACTIVE_PASSED = DURATION_ACTIVE,
  TALLY_TOTAL_PASSED = DURATION_TOTAL,
  TALLY_TOTAL_PASSED_RECOVERED,  ///< Expired total limits of commands with errors of the media to
                                 ///< recover.
  // Actions, and numbers of commands.
  TALLY_COMMANDS,            ///< Commands that named the descriptor.
  TALLY_UNWATCHED,           ///< Commands without a policy that acts, when there was no room to
                             ///< count (below).
  TALLY_ABORTED_WAITING,     ///< B/2E/01
  TALLY_ABORTED,             ///< B/2E/02
  TALLY_ABORTED_RECOVERING,  ///< B/2E/03
  TALLY_UNAVAILABLE,         ///< Commands with GOOD and F/55/0A.
  TALLY_NEXT_LIMIT,
  TALLY_NO_LIMIT,
  TALLY_COUNT,
};

struct duration_counts {
  bool is_set;  ///< Some count is set. Otherwise all are 0, and `count` may have any content.
  uint32_t count[2][DURATION_DESCRIPTORS][TALLY_COUNT];  ///< Counts of reads, then of writes.
};

static inline void duration_counts_clear(struct duration_counts* counts) { counts->is_set = false; }

/// @param number  Number of the descriptor, from 1.
static inline void duration_counts_add(struct duration_counts* counts, bool writes, uint32_t number,
                                       enum duration_tally tally) {
  if (!counts->is_set) {
    bytes_fill((uint8_t*)counts->count, 0, sizeof counts->count);
    counts->is_set = true;
  }
  uint32_t* count = &counts->count[writes ? 1 : 0][number - 1U][tally];
  if (*count != UINT32_MAX) ++*count;
}

static inline uint32_t duration_counts_get(const struct duration_counts* counts, bool writes,
                                           uint32_t number, enum duration_tally tally) {
  return counts->is_set ? counts->count[writes ? 1 : 0][number - 1U][tally] : 0;
}

/// Clears the listed tallies of all descriptors; TALLY_COUNT in the list stands for none.
static inline void duration_counts_reset(struct duration_counts* counts, const uint8_t* tallies,
                                         uint32_t tally_count) {
  if (!counts->is_set) return;
  for (uint32_t i = 0; i < 2U * DURATION_DESCRIPTORS; ++i) {
    uint32_t* count = counts->count[i / DURATION_DESCRIPTORS][i % DURATION_DESCRIPTORS];
    for (uint32_t k = 0; k < tally_count; ++k) {
      if (tallies[k] < TALLY_COUNT) count[tallies[k]] = 0;
    }
  }
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_UNIT_DURATION_COUNTS_H
