// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drive makes a map itself, of what it has learned, when mode page 23h requests it.
///
/// The counts are copied, and the arrangement works on the copy, step by step, when the firmware
/// has nothing else to do. A step takes at most ARRANGER_STEP_CYCLES cycles. The map is then saved
/// as one that a host has sent, and the page's byte 5 is 0 again.
///
/// Another map from the host, or another page 23h, ends the arrangement.
#ifndef FIRMWARE_TRANSFER_REMAP_ARRANGER_H
#define FIRMWARE_TRANSFER_REMAP_ARRANGER_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/remap/arrange.h"
#include "firmware/remap/learn.h"
#include "firmware/transfer/remap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARRANGER_STEP_CYCLES ARRANGE_STEP_CYCLES

enum arranger_stage {
  ARRANGER_RESTS,
  ARRANGER_COPIES_VISITS,
  ARRANGER_COPIES_PAIRS,
  ARRANGER_ARRANGES,
  ARRANGER_SIGNS,  ///< The sequence of the new map is being computed.
};

struct arranger {
  struct remap* remap;
  const struct learn* learn;
  uint8_t stage;  ///< enum arranger_stage
  uint32_t next;  ///< Index at which the stage resumes.
  struct remap_counts counts;
  struct remap_gap gaps[LEARN_GAP_BINS];
  struct arrange work;
  uint16_t visits[LEARN_GROUPS_MAX];
  struct remap_pair pairs[REMAP_PAIRS_MAX];
};

void arranger_init(struct arranger* arranger, struct remap* remap, const struct learn* learn);

/// Follows a change of mode page 23h, which may request a map.
void arranger_on_mode(struct arranger* arranger);

static inline bool arranger_has_step(const struct arranger* arranger) {
  return arranger->stage != ARRANGER_RESTS;
}
void arranger_step(struct arranger* arranger);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_ARRANGER_H
