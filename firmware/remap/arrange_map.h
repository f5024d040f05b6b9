// SPDX-License-Identifier: Apache-2.0
/// @file
/// Permutations, a slice at a time: slots by unit, and units by slot.
///
/// `*next` is where a function goes on: 0 at first. Each returns whether it is done, and sets
/// `*next` to 0 then.
#ifndef FIRMWARE_REMAP_ARRANGE_MAP_H
#define FIRMWARE_REMAP_ARRANGE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Puts each number in its own place.
bool arrange_map_fill(uint16_t* map, uint32_t count, uint32_t* next);

bool arrange_map_copy(uint16_t* map, const uint16_t* from, uint32_t count, uint32_t* next);

/// Computes the units by slot from the slots by unit, which must be a permutation (asserted).
bool arrange_map_invert(uint16_t* at, const uint16_t* of, uint32_t count, uint32_t* next);

/// Computes the slots of units from the groups by slot; units after the last whole group stay.
bool arrange_map_expand(uint16_t* of, const uint16_t* group_at, uint32_t groups, uint32_t per_group,
                        uint32_t units, uint32_t* next);

/// The same in place, from the slots of groups.
bool arrange_map_unfold(uint16_t* of, uint32_t groups, uint32_t per_group, uint32_t units,
                        uint32_t* next);

/// Exchanges the slots of two units.
static inline void arrange_map_exchange(uint16_t* of, uint16_t* at, uint32_t a, uint32_t b) {
  const uint16_t slot = of[a];
  of[a] = of[b];
  of[b] = slot;
  at[of[a]] = (uint16_t)a;
  at[slot] = (uint16_t)b;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_MAP_H
