// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drive chooses between its two maps: map 1 made with angles, map 2 without.
///
/// A map with angles gains while the host's gaps between commands vary by little of a turn, and
/// while the queue is short. With gaps that are spread over a turn, or with many commands in the
/// queue, angles mean nothing, and the map without them gains more.
///
/// The drive looks at windows of LEARN_WINDOW arrivals (remap/learn.h). It takes the map with
/// angles when two things hold. On the mean fewer than REMAP_CHOICE_DEPTH commands are outstanding.
/// And REMAP_CHOICE_STEADY of 256 gaps end in the same half of a turn. A command that comes while
/// others are outstanding has no gap. The other map is taken after REMAP_CHOICE_PATIENCE windows in
/// a row that want it: a change of maps moves most units.
///
/// Mode page 23h turns it on. Log page 33h has the last window's figures, and the map.
#ifndef FIRMWARE_TRANSFER_REMAP_CHOICE_H
#define FIRMWARE_TRANSFER_REMAP_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/remap/learn.h"
#include "firmware/transfer/remap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define REMAP_CHOICE_DEPTH 16U
#define REMAP_CHOICE_STEADY 192U
#define REMAP_CHOICE_PATIENCE 4U

#define REMAP_CHOICE_ANGLES 1U
#define REMAP_CHOICE_NO_ANGLES 2U

/// Whether a window is full, and the drive is to choose.
static inline bool remap_choice_is_due(const struct remap* remap, const struct learn* learn) {
  return learn->window.arrivals >= LEARN_WINDOW && (remap->mode.flags & MODE_REMAP_CHOOSES) != 0;
}

/// Evaluates the window, and begins a new one.
void remap_choice_look(struct remap* remap, struct learn* learn);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_CHOICE_H
