/// @file
/// Looks for an arrangement of a drive's blocks that costs little: pipe organ, order by popularity,
/// simulated annealing.
///
/// It works in slices: a step takes at most ARRANGE_STEP_CYCLES cycles of the drive's core, and any
/// number of steps may lie between two others of the drive. The result depends on the plan alone.
///
/// **Whole groups** move if the plan says so: annealing is then that of "Disk Performance
/// Enhancement through Markov-based Cylinder Remapping" (Geist et al., section 4), constant by
/// constant, with temperatures in counts times slots. In energies of time a slot counts as the
/// mean seek per slot of a full stroke. Behind it comes a round at temperature 0. In the energies
/// with a transfer the start is first slid, and mirrored, to where it costs least.
///
/// **Units** are smaller. Annealing begins from the annealed map of whole groups (seek + transfer).
/// A trial exchanges a hot unit with what lies in another slot. 30 % of these slots are nearby, 50
/// % are near a unit that comes before or behind it, and 20 % are the place of another hot unit.
/// Temperatures fall from 3 to 0.02 counts x ms in 40 steps. Hot groups have 99.5 % of the visits.
///
/// **A small table** (`hottest`) is for maps that may name few units. Only the hottest units leave
/// their places, for the outer slots; what lay there takes the places that they left.
///
/// An annealed map costs no more than its start, and no more than no map at all.
#ifndef FIRMWARE_REMAP_ARRANGE_H
#define FIRMWARE_REMAP_ARRANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/assert.h"
#include "firmware/kernel/status.h"
#include "firmware/remap/chance.h"
#include "firmware/remap/counts.h"
#include "firmware/remap/energy.h"
#include "firmware/remap/organ.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The longest step, cycles.
#define ARRANGE_STEP_CYCLES 4000U

/// Groups of a map whose units move apart from each other, at the most.
#define ARRANGE_GROUPS_MAX 3840U

enum arrange_method {
  ARRANGE_KEEP,        ///< Moves nothing: for the energy of the start.
  ARRANGE_ORGAN,       ///< Pipe organ, of whole groups.
  ARRANGE_POPULARITY,  ///< The busiest units on the outermost slots that lie on one track.
  ARRANGE_ANNEAL,
};

enum arrange_start {
  ARRANGE_FROM_ORGAN,
  ARRANGE_FROM_IDENTITY,
  ARRANGE_FROM_GIVEN,  ///< `goal_of` as it is; annealing then takes nothing that costs more.
};

struct arrange_plan {
  const struct drive_design* design;
  const struct remap_counts* counts;
  uint32_t first_block;    ///< Where the map begins: blocks before it stay.
  uint32_t unit_blocks;    ///< 1 or more.
  uint32_t group_blocks;   ///< A multiple: at most ENERGY_UNITS_PER_GROUP_MAX times.
  uint32_t units;          ///< 1 .. REMAP_UNITS_MAX; all their blocks exist.
  uint32_t overhead_tick;  ///< From a command's arrival to the start of the arm.
  uint32_t share_of_gaps;  ///< Of 256: 128 is half and half (lead.h).
  enum arrange_method method;
  enum energy_kind energy;
  enum arrange_start start;
  bool whole_groups;
  bool literal_temperature;  ///< Temperatures of whole groups in mean slots, not in counts.
  uint32_t trials;           ///< Of units.
  uint32_t hottest;          ///< Units that a small table may name; 0: all move.
  uint32_t seed;
  uint16_t* goal_of;  ///< Slot of each unit, `units` entries.
  uint16_t* goal_at;  ///< Unit in each slot, `units` entries.
};

struct arrange_report {
  uint64_t identity;     ///< Energies of no map,
  uint64_t start;        ///< of the start,
  uint64_t energy;       ///< and of the result.
  uint64_t divisor;      ///< An energy over this is a mean (energy_divisor()).
  uint64_t evaluations;  ///< Costs of two slots, in all.
  uint32_t trials;
  uint32_t accepts;
};

struct arrange_trial {
  struct energy_sum sum;
  uint64_t before;
  uint64_t rise;  ///< What is accepted.
  uint16_t unit[2];
  uint8_t phase;
};

struct arrange_slide {
  uint64_t best;
  uint32_t best_shift;
  uint32_t shift;
  uint32_t next_shift;
  uint32_t stride;
  bool best_is_mirrored;
  bool is_mirrored;
  bool next_is_mirrored;
  bool is_second;  ///< Of the two shifts that are `stride` away from the best.
  uint8_t phase;
};

/// The caller's room for an arrangement; nothing in it is for others.
struct arrange {
  struct arrange_plan plan;
  struct arrange_report report;
  struct chance chance;
  uint32_t per_group;  ///< Units of a group.
  uint32_t groups;     ///< Whole groups.
  bool of_units;       ///< The energy is that of units, or of whole groups.
  uint8_t stage;
  uint32_t next;  ///< Where a stage goes on.
  uint32_t place;
  uint64_t now;  ///< Energy.
  uint64_t temperature;
  uint64_t temperature_unit;  ///< That of one slot.
  uint32_t accepts;           ///< At this temperature.
  uint32_t rejects;
  uint32_t round;
  uint32_t hot_groups;
  uint32_t region;  ///< Units are exchanged among slots below this.
  struct arrange_trial trial;
  struct arrange_slide slide;
  struct energy_total total;
  struct organ organ;
  struct energy energy;
  uint16_t hot[ARRANGE_GROUPS_MAX];       ///< Groups, the busiest first.
  uint16_t saved_at[ARRANGE_GROUPS_MAX];  ///< Group in each slot: where units begin.
};

STATIC_ASSERT(sizeof(struct arrange) <= 200 * 1024, "as much as a drive has room for");

/// @return STATUS_OK, or STATUS_BAD_VALUE when a number of the plan is outside its limits; the
///         goals are untouched then. `plan` is copied, what it points to is not.
MUST_USE enum status arrange_begin(struct arrange* arrange, const struct arrange_plan* plan);

/// One slice. The goals are a permutation whenever this returns true, and undefined before.
/// @return whether the arrangement is complete; further calls do nothing.
bool arrange_step(struct arrange* arrange);

/// Of a complete arrangement.
const struct arrange_report* arrange_result(const struct arrange* arrange);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_H
