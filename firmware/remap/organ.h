// SPDX-License-Identifier: Apache-2.0
/// @file
/// The pipe organ arrangement: the busiest group in the middle, the next two beside it, and so on.
///
/// It is the best one for accesses that do not depend on each other. Sources: formula 2 of "Disk
/// Performance Enhancement through Markov-based Cylinder Remapping" (Geist et al.); Knuth, "Sorting
/// and Searching", 1973, 404-405.
///
/// The busiest of N slots has N / 2 in this reading. The next ones are right of it, left of it,
/// right, and so on. Where one side is full, the rest goes to the other. Of groups with equal
/// visits the lowest number comes first. With an even N the best one is a slot lower, by a trifle.
#ifndef FIRMWARE_REMAP_ORGAN_H
#define FIRMWARE_REMAP_ORGAN_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/remap/counts.h"
#include "firmware/remap/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

struct organ {
  struct sort sort;
  uint16_t* slot_of;
  uint32_t rank;  ///< Rank of the next group to be placed.
  bool is_sorted;
};

/// @param slot_of  Receives the slot of each group.
/// @param order    Receives the groups, the busiest first.
/// @param count    Groups 0 .. count - 1, and as many slots; 1 or more.
void organ_begin(struct organ* organ, const struct remap_counts* counts, uint32_t count,
                 uint16_t* slot_of, uint16_t* order);

/// At most 1,500 cycles. @return whether both arrays are complete.
bool organ_step(struct organ* organ);

/// The slot of the group of rank 0 .. count - 1.
uint32_t organ_slot(uint32_t rank, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ORGAN_H
