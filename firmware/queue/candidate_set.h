// SPDX-License-Identifier: Apache-2.0
/// @file
/// The waiting candidates, from which a scheduling policy chooses.
///
/// They are kept in two orders. One is a list by arrival, oldest first. The other is by cylinder,
/// in bands: a band is a run of 2^band_shift neighbouring cylinders, and a bitmap marks the bands
/// that have candidates. So a search can go outward from the heads, or sweep, and stop as soon as
/// nothing farther can be better. The number of candidates that it examines hardly grows with the
/// queue.
#ifndef FIRMWARE_QUEUE_CANDIDATE_SET_H
#define FIRMWARE_QUEUE_CANDIDATE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/bits.h"
#include "firmware/motion/candidate.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CANDIDATE_BANDS DRIVE_DESIGN_BANDS_MAX
#define CANDIDATE_BAND_WORDS (CANDIDATE_BANDS / 32U)

/// CANDIDATE_BAND_NONE: there is no such band.
#define CANDIDATE_BAND_NONE UINT32_MAX

struct candidate_set {
  struct candidate* first;  ///< The oldest candidate.
  struct candidate* last;   ///< The youngest candidate.
  uint32_t count;
  uint32_t breaks;  ///< Counts departures, and arrivals that were not the youngest; wraps.
  uint32_t band_shift;
  uint32_t occupied[CANDIDATE_BAND_WORDS];  ///< One bit for each band that has candidates.
  struct candidate* band[CANDIDATE_BANDS];  ///< List of each band, newest first.
};

/// Makes the set empty. `band_shift` belongs to the drive's design.
void candidate_set_init(struct candidate_set* set, uint32_t band_shift);

/// Adds `item` after `before`, which is in `set`; NULL: as the oldest. Fills in its place, and its
/// number between those of its neighbours. Both stay while it is in the set.
void candidate_set_insert(struct candidate_set* set, struct candidate* before,
                          struct candidate* item);

/// Adds `item` as the youngest.
void candidate_set_append(struct candidate_set* set, struct candidate* item);

/// Removes `item`, which must be in `set`.
void candidate_set_remove(struct candidate_set* set, struct candidate* item);

static inline uint32_t candidate_set_band(const struct candidate_set* set, uint32_t cylinder) {
  return cylinder >> set->band_shift;
}

/// A walk through the bands that have candidates, from near to far. Of two bands at the same
/// distance, the upper one comes first. All of it stays in the core's registers.
struct band_walk {
  const struct candidate_set* set;
  uint32_t start;
  uint32_t up;         ///< The next band above, or CANDIDATE_BAND_NONE.
  uint32_t down;       ///< The next band below, or CANDIDATE_BAND_NONE.
  uint32_t up_bits;    ///< Bits of the word of `up` that lie above it.
  uint32_t down_bits;  ///< Bits of the word of `down` that lie below it.
  uint32_t distance;   ///< Bands from the start to the band last returned.
};

static inline void band_walk_seek_up(struct band_walk* walk, uint32_t word) {
  while (walk->up_bits == 0) {
    if (++word == CANDIDATE_BAND_WORDS) {
      walk->up = CANDIDATE_BAND_NONE;
      return;
    }
    walk->up_bits = walk->set->occupied[word];
  }
  walk->up = word * 32 + bits_lowest(walk->up_bits);
  walk->up_bits &= walk->up_bits - 1;
}

static inline void band_walk_seek_down(struct band_walk* walk, uint32_t word) {
  while (walk->down_bits == 0) {
    if (word == 0) {
      walk->down = CANDIDATE_BAND_NONE;
      return;
    }
    walk->down_bits = walk->set->occupied[--word];
  }
  const uint32_t bit = bits_highest(walk->down_bits);
  walk->down = word * 32 + bit;
  walk->down_bits ^= 1U << bit;
}

/// Starts a walk at the band of `cylinder`.
static inline void band_walk_begin(struct band_walk* walk, const struct candidate_set* set,
                                   uint32_t cylinder) {
  const uint32_t start = candidate_set_band(set, cylinder);
  const uint32_t word = start / 32;
  const uint32_t below = (1U << start % 32) - 1U;
  walk->set = set;
  walk->start = start;
  walk->up_bits = set->occupied[word] & ~below;
  walk->down_bits = set->occupied[word] & below;
  walk->distance = 0;
  band_walk_seek_up(walk, word);
  band_walk_seek_down(walk, word);
}

/// The next band's candidates; NULL when all have been returned. Sets `distance`.
static inline struct candidate* band_walk_next(struct band_walk* walk) {
  const uint32_t up_distance =
      walk->up == CANDIDATE_BAND_NONE ? CANDIDATE_BAND_NONE : walk->up - walk->start;
  const uint32_t down_distance =
      walk->down == CANDIDATE_BAND_NONE ? CANDIDATE_BAND_NONE : walk->start - walk->down;
  if (up_distance <= down_distance) {
    const uint32_t band = walk->up;
    if (up_distance == CANDIDATE_BAND_NONE) return NULL;
    walk->distance = up_distance;
    band_walk_seek_up(walk, band / 32);
    return walk->set->band[band];
  }
  const uint32_t band = walk->down;
  walk->distance = down_distance;
  band_walk_seek_down(walk, band / 32);
  return walk->set->band[band];
}

/// The least distance, in cylinders, between a cylinder and one in a band that is so many bands
/// away.
static inline uint32_t candidate_set_gap(const struct candidate_set* set, uint32_t band_distance) {
  return band_distance == 0 ? 0 : ((band_distance - 1) << set->band_shift) + 1;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_CANDIDATE_SET_H
