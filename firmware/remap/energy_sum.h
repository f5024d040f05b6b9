// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sums of costs: an energy, or the part of it in which two units take part.
///
/// They are computed in steps. An exchange of two units changes an energy by what it changes their
/// part: exactly, since all are whole numbers.
#ifndef FIRMWARE_REMAP_ENERGY_SUM_H
#define FIRMWARE_REMAP_ENERGY_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/remap/energy.h"

#ifdef __cplusplus
extern "C" {
#endif

/// cost() of two slots.
uint32_t energy_cost(const struct energy* energy, uint32_t from, uint32_t to);

/// Part of an energy, computed in steps: of one unit or two.
struct energy_sum {
  uint64_t sum;          ///< Sum so far.
  uint64_t limit;        ///< The sum ends once it is above this.
  uint32_t evaluations;  ///< Costs of two slots that were added, since the caller cleared it.
  uint16_t slot[2];      ///< Slot of each unit.
  uint16_t group[2];     ///< Group of each unit.
  uint32_t transfer_turn16[2];
  uint8_t units;  ///< 1 or 2.
  uint8_t walks;  ///< Slots whose transfer is known.
  bool walk_has_begun;
  uint8_t row;  ///< Row under way, as bits: unit 1, pairs to it.
  bool row_has_begun;
  bool rows_are_known;  ///< `first` has been looked up.
  bool pair_has_begun;
  uint16_t first[4];  ///< Pair of each row: index into by_from or by_to.
  uint16_t pair;      ///< Pair under way.
  uint32_t next;      ///< Unit of the pair's other group.
  uint32_t end;
  uint32_t cost;  ///< Cost of the pair over that group's units so far.
  struct energy_walk walk;
};

/// All terms in which unit `a` or `b` takes part; they differ. `slot_of` is the arrangement, here
/// and below. An energy's change is that of this sum.
void energy_touch_begin(const struct energy* energy, struct energy_sum* sum,
                        const uint16_t* slot_of, uint32_t a, uint32_t b);

/// The same sum, once it was complete and the two have exchanged their slots. It ends once it is
/// above `limit`.
void energy_touch_exchanged(const struct energy* energy, struct energy_sum* sum, uint64_t limit);

/// @return whether the sum is complete, or above its limit. A step is at most 3,000 cycles.
bool energy_touch_step(const struct energy* energy, struct energy_sum* sum,
                       const uint16_t* slot_of);

/// Begins the sum of the whole energy, row by row.
struct energy_total {
  struct energy_sum row;
  uint64_t sum;
  uint64_t evaluations;
  uint32_t unit;
};

void energy_total_begin(const struct energy* energy, struct energy_total* total,
                        const uint16_t* slot_of);

/// @return whether the sum is complete.
bool energy_total_step(const struct energy* energy, struct energy_total* total,
                       const uint16_t* slot_of);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ENERGY_SUM_H
