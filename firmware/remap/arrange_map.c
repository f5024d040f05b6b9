// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_ARRANGE_MAP
#include "firmware/remap/arrange_map.h"

#include "firmware/kernel/assert.h"

#define ENTRIES_PER_STEP 64U

/// End of the slice that begins at `next`.
static uint32_t slice_end(uint32_t next, uint32_t count) {
  return count - next < ENTRIES_PER_STEP ? count : next + ENTRIES_PER_STEP;
}

static bool go_on(uint32_t* next, uint32_t end, uint32_t count) {
  *next = end < count ? end : 0;
  return end == count;
}

bool arrange_map_fill(uint16_t* map, uint32_t count, uint32_t* next) {
  const uint32_t end = slice_end(*next, count);
  for (uint32_t i = *next; i < end; ++i) map[i] = (uint16_t)i;
  return go_on(next, end, count);
}

bool arrange_map_copy(uint16_t* map, const uint16_t* from, uint32_t count, uint32_t* next) {
  const uint32_t end = slice_end(*next, count);
  for (uint32_t i = *next; i < end; ++i) map[i] = from[i];
  return go_on(next, end, count);
}

/// Two passes: slots that no unit has would keep what they had.
bool arrange_map_invert(uint16_t* at, const uint16_t* of, uint32_t count, uint32_t* next) {
  const uint32_t end = slice_end(*next, 2 * count);
  for (uint32_t i = *next; i < end; ++i) {
    if (i < count) {
      ASSERT(of[i] < count);
      at[of[i]] = (uint16_t)i;
    } else {
      ASSERT(at[of[i - count]] == i - count);
    }
  }
  return go_on(next, end, 2 * count);
}

bool arrange_map_expand(uint16_t* of, const uint16_t* group_at, uint32_t groups, uint32_t per_group,
                        uint32_t units, uint32_t* next) {
  const uint32_t end = slice_end(*next, units);
  uint32_t slot = *next / per_group;
  uint32_t in_group = *next - slot * per_group;
  for (uint32_t i = *next; i < end; ++i) {
    if (slot < groups) {
      of[group_at[slot] * per_group + in_group] = (uint16_t)i;
    } else {
      of[i] = (uint16_t)i;
    }
    if (++in_group == per_group) {
      in_group = 0;
      ++slot;
    }
  }
  return go_on(next, end, units);
}

/// The order is from the last unit down: no entry is overwritten before it is read.
bool arrange_map_unfold(uint16_t* of, uint32_t groups, uint32_t per_group, uint32_t units,
                        uint32_t* next) {
  const uint32_t end = slice_end(*next, units);
  for (uint32_t i = *next; i < end; ++i) {
    const uint32_t unit = units - 1 - i;
    const uint32_t group = unit / per_group;
    const uint32_t first = group < groups ? of[group] : group;
    of[unit] = (uint16_t)(first * per_group + (unit - group * per_group));
  }
  return go_on(next, end, units);
}
