/// @file
/// The candidates that wait: what a scheduling policy chooses from.
///
/// They are in two orders. By arrival, oldest first, in one list; and by cylinder, in bands: a band
/// is a run of 2^band_shift neighbouring cylinders, and a bitmap tells which have candidates. So a
/// search can go outward from the heads, or sweep, and stop as soon as nothing farther can be
/// better: what it looks at hardly grows with the queue.
#ifndef FIRMWARE_QUEUE_CANDIDATE_SET_H
#define FIRMWARE_QUEUE_CANDIDATE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/queue/candidate.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CANDIDATE_BANDS DRIVE_DESIGN_BANDS_MAX
#define CANDIDATE_BAND_WORDS (CANDIDATE_BANDS / 32U)

/// No band.
#define CANDIDATE_BAND_NONE UINT32_MAX

struct candidate_set {
  struct candidate* first;  ///< The oldest.
  struct candidate* last;   ///< The youngest.
  uint32_t count;
  uint32_t band_shift;
  uint32_t occupied_words;                  ///< Bit w: a bit of occupied[w] is set.
  uint32_t occupied[CANDIDATE_BAND_WORDS];  ///< A bit for each band.
  struct candidate* band[CANDIDATE_BANDS];  ///< Newest first.
};

/// Empty. `band_shift` is the drive design's.
void candidate_set_init(struct candidate_set* set, uint32_t band_shift);

/// Adds `item` behind `before`, which is in `set`; NULL: as the oldest. Its place, and its number
/// between those of its neighbours, are filled in, and do not change while it is in the set.
void candidate_set_insert(struct candidate_set* set, struct candidate* before,
                          struct candidate* item);

/// Adds the youngest.
void candidate_set_append(struct candidate_set* set, struct candidate* item);

/// Takes out `item`, which must be in `set`.
void candidate_set_remove(struct candidate_set* set, struct candidate* item);

static inline uint32_t candidate_set_band(const struct candidate_set* set, uint32_t cylinder) {
  return cylinder >> set->band_shift;
}

/// The lowest band that has a candidate, of `band` and those above it, or CANDIDATE_BAND_NONE.
/// `band` may be CANDIDATE_BANDS: behind the last.
uint32_t candidate_set_band_from(const struct candidate_set* set, uint32_t band);

/// The highest band that has a candidate, of those below `band`, or CANDIDATE_BAND_NONE.
uint32_t candidate_set_band_below(const struct candidate_set* set, uint32_t band);

/// A walk through the bands that have candidates, from near to far: of two that are as far, the
/// upper one first.
struct band_walk {
  const struct candidate_set* set;
  uint32_t start;
  uint32_t up;  ///< Bands from there to the next on either side, or CANDIDATE_BAND_NONE.
  uint32_t down;
  uint32_t distance;  ///< To the one last given.
};

/// Begins at the band of `cylinder`.
void band_walk_begin(struct band_walk* walk, const struct candidate_set* set, uint32_t cylinder);

/// The next band's candidates; NULL when all have been given. `distance` is set.
struct candidate* band_walk_next(struct band_walk* walk);

/// What lies between a cylinder and any in a band that is so far: cylinders, at the least.
static inline uint32_t candidate_set_gap(const struct candidate_set* set, uint32_t band_distance) {
  return band_distance == 0 ? 0 : ((band_distance - 1) << set->band_shift) + 1;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_CANDIDATE_SET_H
