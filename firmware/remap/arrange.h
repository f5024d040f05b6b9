// SPDX-License-Identifier: Apache-2.0
/// @file
/// Looks for an arrangement of a drive's blocks that costs little: pipe organ, order by popularity,
/// simulated annealing.
///
/// It works in slices. A step takes at most ARRANGE_STEP_CYCLES cycles of the drive's core, and any
/// amount of other work may lie between two steps. The result depends on the plan alone.
///
/// **Whole groups** move if the plan says so (arrange_groups.h). Annealing is then that of "Disk
/// Performance Enhancement through Markov-based Cylinder Remapping" (Geist et al., section 4),
/// constant by constant. Temperatures are in counts times slots. In energies of time a slot counts
/// as the mean seek per slot of a full stroke. With a transfer the map is first slid, and
/// mirrored, to where it costs least; and once more at the end.
///
/// **Units** are smaller (arrange_units.h). Annealing begins from the annealed map of whole groups
/// (seek + transfer). A trial exchanges a hot unit with what lies in another slot:
/// - one that is nearby, in 30 % of the trials,
/// - one near a unit that comes before or after it, in 50 %,
/// - the place of another hot unit, in 20 %.
///
/// Temperatures fall from 3 to 0.02 counts x ms in 40 steps. Hot groups have 99.5 % of the visits.
///
/// **A small table** (`hottest`) is for maps that may name few units. Only the hottest units leave
/// their places, for the outer slots. What lay there takes the places that they left.
///
/// An annealed map costs no more than its start, and no more than no map at all.
#ifndef FIRMWARE_REMAP_ARRANGE_H
#define FIRMWARE_REMAP_ARRANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"
#include "firmware/remap/arrange_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @return STATUS_OK, or STATUS_BAD_VALUE when a number of the plan is outside its limits; the
///         goals are untouched then. `plan` is copied, what it points to is not.
MUST_USE enum status arrange_begin(struct arrange* arrange, const struct arrange_plan* plan);

/// Works for one slice. The goals are a permutation whenever this returns true, and undefined
/// before.
/// @return whether the arrangement is complete; further calls do nothing.
bool arrange_step(struct arrange* arrange);

/// The report of a complete arrangement.
const struct arrange_report* arrange_result(const struct arrange* arrange);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_H
