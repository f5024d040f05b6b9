// SPDX-License-Identifier: Apache-2.0
/// @file
/// The groups that are visited most, and their places on the outermost slots.
///
/// Hot groups are the busiest ones that have 99.5 % of the visits together; or fewer, as many as a
/// small table may name.
///
/// Outer slots are those with the lowest numbers. Slots that cross the end of a track are left out,
/// because their transfers take longer. A unit that moves to an outer slot changes places with the
/// unit there.
#ifndef FIRMWARE_REMAP_ARRANGE_HOT_H
#define FIRMWARE_REMAP_ARRANGE_HOT_H

#include <stdbool.h>

#include "firmware/remap/arrange_state.h"

#ifdef __cplusplus
extern "C" {
#endif

void arrange_hot_begin(struct arrange* arrange);

/// @return whether `hot` and `hot_groups` are complete.
bool arrange_hot_step(struct arrange* arrange);

/// Places the units of hot groups: by popularity, or in the order in which `saved_at` has their
/// groups. The goals are without a map at first.
void arrange_outer_begin(struct arrange* arrange);

/// @return whether all are placed; `region` is where they end.
bool arrange_outer_step(struct arrange* arrange);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_HOT_H
