// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sorts 16-bit numbers in place, a step at a time: groups by their visits, pairs by one of their
/// ends.
///
/// A heap sort: a step moves one number through the heap, 16 levels of 40,960 numbers. All keys
/// differ, so that the order does not depend on the one before.
#ifndef FIRMWARE_REMAP_SORT_H
#define FIRMWARE_REMAP_SORT_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/remap/counts.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sort_key {
  SORT_BY_VISITS,  ///< Groups: the busiest first, of equals the lowest number.
  SORT_BY_FROM,    ///< Numbers of pairs: by `from`, then by `to`.
  SORT_BY_TO,      ///< Numbers of pairs: by `to`, then by `from`.
};

struct sort {
  const struct remap_counts* counts;
  uint16_t* items;
  uint32_t count;
  uint32_t filled;    ///< Items that have been put in.
  uint32_t heap;      ///< Index from which no item is smaller than those below it in the heap.
  uint32_t unsorted;  ///< Items from here on have their final places.
  enum sort_key key;
};

/// Sorts 0 .. count - 1 into `items`. `count` is 1 or more.
void sort_begin(struct sort* sort, const struct remap_counts* counts, enum sort_key key,
                uint16_t* items, uint32_t count);

/// At most 1,500 cycles. @return whether all are sorted.
bool sort_step(struct sort* sort);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_SORT_H
