// SPDX-License-Identifier: Apache-2.0
/// @file
/// Slides a map along the slots, and mirrors it, to where it costs least.
///
/// Where the busy slots lie changes transfer times, but no distance. Shifts are cyclic. Of
/// a map and its mirror image one shift in 32 is tried, and around the best of these ever finer
/// ones.
#ifndef FIRMWARE_REMAP_ARRANGE_SLIDE_H
#define FIRMWARE_REMAP_ARRANGE_SLIDE_H

#include <stdbool.h>

#include "firmware/remap/arrange_state.h"

#ifdef __cplusplus
extern "C" {
#endif

void arrange_slide_begin(struct arrange* arrange);

/// @return whether `goal_of` is that of least cost; `goal_at` is not, and the energy is `now`.
bool arrange_slide_step(struct arrange* arrange);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_SLIDE_H
