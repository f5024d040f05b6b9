// SPDX-License-Identifier: Apache-2.0
/// @file
/// Annealing of whole groups: section 4 of "Disk Performance Enhancement through Markov-based
/// Cylinder Remapping" (Geist et al.), with its constants.
///
/// A trial exchanges two groups that are drawn from all; one drawn twice counts as accepted. At
/// each temperature trials go on until 2,000 are accepted and 5,000 rejected, or 50,000 are done.
/// Then the temperature falls to 0.8 of its value. Annealing ends below 0.5, or below 1 if no trial
/// was accepted.
///
/// A temperature of the paper would be in cylinders of the mean distance; it would end far above
/// the energy that the paper reports. In counts times cylinders it gets there. So temperatures are
/// in counts times slots, unless the plan has the literal ones. The first is 100,000 from no map,
/// and 1,000 from a pipe organ. A round at temperature 0 ends the annealing.
#ifndef FIRMWARE_REMAP_ARRANGE_GROUPS_H
#define FIRMWARE_REMAP_ARRANGE_GROUPS_H

#include <stdbool.h>

#include "firmware/remap/arrange_state.h"

#ifdef __cplusplus
extern "C" {
#endif

void arrange_groups_begin(struct arrange* arrange);

/// @return whether the annealing has ended.
bool arrange_groups_step(struct arrange* arrange);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_GROUPS_H
