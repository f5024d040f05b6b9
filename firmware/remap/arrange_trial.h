// SPDX-License-Identifier: Apache-2.0
/// @file
/// One trial of annealing: two units exchange their slots, and exchange them again if that costs
/// more than chance accepts.
#ifndef FIRMWARE_REMAP_ARRANGE_TRIAL_H
#define FIRMWARE_REMAP_ARRANGE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/remap/arrange_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether no trial is under way.
static inline bool arrange_trial_is_idle(const struct arrange* arrange) {
  return arrange->trial.phase == 0;
}

/// Begins a trial with two units, at the temperature in force. Two that are one are accepted at
/// once.
void arrange_trial_begin(struct arrange* arrange, uint32_t a, uint32_t b);

void arrange_trial_step(struct arrange* arrange);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_TRIAL_H
