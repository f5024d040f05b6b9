// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_CHORES
#include "firmware/transfer/remap_chores.h"

#include "firmware/kernel/assert.h"

/// Units of a slice: some 10,000 cycles.
#define SLICE_UNITS 256U

void remap_chore_begin(struct remap* remap, enum remap_chore chore) {
  remap->chore = (uint8_t)chore;
  remap->chore_at = 0;
  if (chore == REMAP_FINDS_SLOTS) {
    for (uint32_t i = 0; i < REMAP_SLOT_WORDS; ++i) remap->occupied[i] = 0;
    remap->scratch_occupied = 0;
  }
  // Until it is counted, no fewer are left than there can be.
  if (chore >= REMAP_MAKES_IDENTITY) {
    remap->counted = 0;
    remap->tally.left = remap->map->units;
  }
}

void remap_drop_goal(struct remap* remap) {
  remap->goal = REMAP_NO_GOAL;
  if (remap->chore >= REMAP_MAKES_IDENTITY) remap->chore = REMAP_NO_CHORE;
}

// ------------------------------------------------------------------------------------------- units

static void occupy(struct remap* remap, uint32_t location) {
  const uint32_t units = remap->map->units;
  if (location >= units) {
    remap->scratch_occupied |= 1U << (location - units);
    return;
  }
  ASSERT((remap->occupied[location / 32U] >> location % 32U & 1U) == 0);
  remap->occupied[location / 32U] |= 1U << location % 32U;
}

/// Sets goal_at by goal_of. An entry of goal_at counts if it names an earlier unit whose slot that
/// is, so that the table need not be cleared before. @return false: two units have one slot, or the
/// slot does not exist.
static bool invert(struct remap* remap, uint32_t unit) {
  const uint32_t slot = remap->goal_of[unit];
  if (slot >= remap->map->units || remap_is_staged(remap, slot, unit)) return false;
  remap->goal_at[slot] = (uint16_t)unit;
  return true;
}

/// @return false: the goal is no permutation.
static bool do_unit(struct remap* remap, uint32_t unit) {
  struct block_map* map = remap->map;
  switch (remap->chore) {
    case REMAP_SENDS_HOME: map->location[unit] = (uint16_t)unit; return true;
    case REMAP_FINDS_SLOTS: occupy(remap, map->location[unit]); return true;
    case REMAP_MAKES_IDENTITY: remap->goal_of[unit] = remap->goal_at[unit] = (uint16_t)unit; break;
    case REMAP_INVERTS:
      if (!invert(remap, unit)) return false;
      break;
    default: ASSERT(remap->chore == REMAP_COUNTS); break;
  }
  if (map->location[unit] != remap->goal_of[unit]) ++remap->counted;
  return true;
}

// --------------------------------------------------------------------------------------------- end

/// The slots that are free: those of no unit.
static void list_free_slots(struct remap* remap) {
  const uint32_t units = remap->map->units;
  uint32_t count = 0;
  for (uint32_t word = 0; word * 32U < units; ++word) {
    if (remap->occupied[word] == UINT32_MAX) continue;
    for (uint32_t slot = word * 32U; slot < word * 32U + 32U && slot < units; ++slot) {
      if ((remap->occupied[word] >> slot % 32U & 1U) != 0) continue;
      ASSERT(count < remap->holes);
      remap->hole[count++] = (uint16_t)slot;
    }
  }
  for (uint32_t i = 0; i < remap->holes; ++i) {
    if ((remap->scratch_occupied >> i & 1U) == 0) remap->hole[count++] = (uint16_t)(units + i);
  }
  ASSERT(count == remap->holes);
}

static void end(struct remap* remap) {
  switch (remap->chore) {
    case REMAP_FINDS_SLOTS: list_free_slots(remap); break;
    case REMAP_MAKES_IDENTITY: remap->goal = 0; break;
    default: break;
  }
  if (remap->chore >= REMAP_MAKES_IDENTITY) remap->tally.left = remap->counted;
  remap->chore = REMAP_NO_CHORE;
}

bool remap_chore_slice(struct remap* remap) {
  const uint32_t units = remap->map->units;
  for (uint32_t i = 0; i < SLICE_UNITS && remap->chore_at < units; ++i) {
    if (!do_unit(remap, remap->chore_at)) {
      remap->chore = REMAP_NO_CHORE;
      return false;
    }
    ++remap->chore_at;
  }
  if (remap->chore_at < units) return true;
  end(remap);
  return false;
}
