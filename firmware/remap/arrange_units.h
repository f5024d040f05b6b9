// SPDX-License-Identifier: Apache-2.0
/// @file
/// Annealing of units: from an arrangement of whole groups, or from hot units on outer slots, that
/// is in force.
#ifndef FIRMWARE_REMAP_ARRANGE_UNITS_H
#define FIRMWARE_REMAP_ARRANGE_UNITS_H

#include <stdbool.h>

#include "firmware/remap/arrange_state.h"

#ifdef __cplusplus
extern "C" {
#endif

void arrange_units_begin(struct arrange* arrange);

/// @return whether the annealing has ended.
bool arrange_units_step(struct arrange* arrange);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_UNITS_H
