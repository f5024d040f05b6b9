// SPDX-License-Identifier: Apache-2.0
/// @file
/// Work on the tables of a map that needs no media.
///
/// The tables have an entry for each unit, and the main loop must not wait for all of them. So the
/// client of the arm does this work in slices. It yields after each one.
#ifndef FIRMWARE_TRANSFER_REMAP_CHORES_H
#define FIRMWARE_TRANSFER_REMAP_CHORES_H

#include "firmware/transfer/remap_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins a chore. One that is under way is dropped.
void remap_chore_begin(struct remap* remap, enum remap_chore chore);

static inline bool remap_has_chore(const struct remap* remap) {
  return remap->chore != REMAP_NO_CHORE;
}

/// The tables of the goal get another content: work on them is dropped.
void remap_drop_goal(struct remap* remap);

/// Makes a slice of a chore that goes through the units. @return whether more is left.
bool remap_chore_slice(struct remap* remap);

/// Whether the goal that REMAP_INVERTS has gone through is a permutation.
static inline bool remap_is_permutation(const struct remap* remap) {
  return remap->chore_at == remap->map->units;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_CHORES_H
