// SPDX-License-Identifier: Apache-2.0
#include "firmware/remap/sort.h"

/// Larger keys come after smaller ones.
static uint32_t key_of(const struct sort* sort, uint16_t item) {
  const struct remap_counts* counts = sort->counts;
  if (sort->key == SORT_BY_VISITS)
    return (uint32_t)(UINT16_MAX - counts->visits[item]) << 16 | item;
  const struct remap_pair* pair = &counts->pairs[item];
  if (sort->key == SORT_BY_FROM) return (uint32_t)pair->from << 16 | pair->to;
  return (uint32_t)pair->to << 16 | pair->from;
}

void sort_begin(struct sort* sort, const struct remap_counts* counts, enum sort_key key,
                uint16_t* items, uint32_t count) {
  *sort = (struct sort){.counts = counts, .items = items, .count = count, .key = key};
}

/// Moves an item down to where both below it are smaller. Those are in order already.
static void sift(const struct sort* sort, uint32_t hole, uint32_t end, uint16_t item) {
  const uint32_t key = key_of(sort, item);
  while (2 * hole + 1 < end) {
    uint32_t child = 2 * hole + 1;
    uint32_t child_key = key_of(sort, sort->items[child]);
    if (child + 1 < end) {
      const uint32_t right_key = key_of(sort, sort->items[child + 1]);
      if (right_key > child_key) {
        child_key = right_key;
        ++child;
      }
    }
    if (child_key < key) break;
    sort->items[hole] = sort->items[child];
    hole = child;
  }
  sort->items[hole] = item;
}

#define ITEMS_PER_STEP 128U

/// Puts in the numbers.
static void fill(struct sort* sort) {
  for (uint32_t i = 0; i < ITEMS_PER_STEP && sort->filled < sort->count; ++i) {
    sort->items[sort->filled] = (uint16_t)sort->filled;
    ++sort->filled;
  }
  sort->heap = sort->count / 2;
  sort->unsorted = sort->count;
}

bool sort_step(struct sort* sort) {
  if (sort->filled < sort->count) {
    fill(sort);
  } else if (sort->heap > 0) {
    --sort->heap;
    sift(sort, sort->heap, sort->count, sort->items[sort->heap]);
  } else if (sort->unsorted > 1) {
    --sort->unsorted;
    const uint16_t item = sort->items[sort->unsorted];
    sort->items[sort->unsorted] = sort->items[0];
    sift(sort, 0, sort->unsorted, item);
  }
  return sort->filled == sort->count && sort->heap == 0 && sort->unsorted <= 1;
}
