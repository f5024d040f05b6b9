// SPDX-License-Identifier: Apache-2.0
/// @file
/// The parameters of an arrangement, and its memory. arrange.h describes the computation.
#ifndef FIRMWARE_REMAP_ARRANGE_STATE_H
#define FIRMWARE_REMAP_ARRANGE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/assert.h"
#include "firmware/remap/chance.h"
#include "firmware/remap/counts.h"
#include "firmware/remap/energy.h"
#include "firmware/remap/energy_sum.h"
#include "firmware/remap/organ.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The longest step, cycles.
#define ARRANGE_STEP_CYCLES 4000U

/// Most groups whose units are exchanged: the busiest ones.
#define ARRANGE_HOT_MAX 16384U

enum arrange_method {
  ARRANGE_KEEP,        ///< Moves nothing: only the energy of the start is computed.
  ARRANGE_ORGAN,       ///< Pipe organ, of whole groups.
  ARRANGE_POPULARITY,  ///< The busiest units on the outermost slots that lie on one track.
  ARRANGE_ANNEAL,
};

enum arrange_start {
  ARRANGE_FROM_ORGAN,
  ARRANGE_FROM_IDENTITY,
  ARRANGE_FROM_GIVEN,  ///< Starts with `goal_of` as it is; annealing then accepts no rise.
};

struct arrange_plan {
  const struct drive_design* design;
  const struct remap_counts* counts;
  uint32_t first_block;     ///< First block of the map: blocks before it stay.
  uint32_t unit_blocks;     ///< 1 or more.
  uint32_t group_blocks;    ///< A multiple of unit_blocks: at most ENERGY_UNITS_PER_GROUP_MAX
                            ///< times.
  uint32_t units;           ///< 1 .. REMAP_UNITS_MAX; all their blocks exist.
  uint32_t request_blocks;  ///< Blocks of a mean request; 0: as long as what is arranged.
  uint32_t overhead_tick;   ///< Time between a command's arrival and the start of the arm.
  uint32_t share_of_gaps;   ///< Share of gaps, of 256: 128 is half and half (lead.h).
  enum arrange_method method;
  enum energy_kind energy;
  enum arrange_start start;
  bool whole_groups;
  bool literal_temperature;  ///< Temperatures of whole groups in mean slots, not in counts.
  uint32_t trials;           ///< Number of trials with units.
  uint32_t hottest;          ///< Units that a small table may name; 0: all move.
  uint32_t seed;
  uint16_t* goal_of;  ///< Slot of each unit, `units` entries.
  uint16_t* goal_at;  ///< Unit in each slot, `units` entries.
};

struct arrange_report {
  uint64_t identity;     ///< Energy of no map.
  uint64_t start;        ///< Energy of the start.
  uint64_t energy;       ///< Energy of the result.
  uint64_t divisor;      ///< Divisor that makes a mean of an energy (energy_divisor()).
  uint64_t evaluations;  ///< Number of costs of two slots.
  uint32_t trials;
  uint32_t accepts;
};

struct arrange_trial {
  struct energy_sum sum;
  uint64_t before;
  uint64_t rise;  ///< Rise that is accepted.
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
  uint32_t center;  ///< Shift around which fine shifts are tried, `stride` away.
  bool is_coarse;
  bool is_second;  ///< The shift after `center` is being tried, not the one before.
  uint8_t phase;
};

/// An order of groups: by visits, or those that go to outer slots.
struct arrange_order {
  uint64_t visits;       ///< Visits of all groups.
  uint64_t passed;       ///< Visits of the hot groups so far.
  uint32_t most_groups;  ///< Most groups that can be hot.
  uint32_t groups;       ///< Number of groups on the map.
  uint32_t turn;         ///< Index of the group under way.
  uint32_t in_group;     ///< Index of the unit under way in its group.
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
  bool is_settled;     ///< The start, or no map, is the result.
  bool is_without_map;
  uint8_t stage;
  uint32_t next;  ///< Index at which a stage resumes.
  uint64_t now;   ///< Present energy.
  uint64_t temperature;
  uint64_t temperature_unit;  ///< Temperature that corresponds to one slot.
  uint32_t accepts;           ///< Number of trials accepted at this temperature.
  uint32_t rejects;
  uint32_t round;
  uint32_t hot_groups;
  uint32_t region;  ///< Units are exchanged among slots below this.
  struct arrange_trial trial;
  struct arrange_slide slide;
  struct arrange_order order;
  struct energy_total total;
  struct organ organ;
  struct energy energy;
  uint16_t hot[ARRANGE_HOT_MAX];       ///< Groups, the busiest first.
  uint16_t saved_at[REMAP_UNITS_MAX];  ///< Group in each slot, from which units begin.
};

STATIC_ASSERT(sizeof(struct arrange) <= 450 * 1024, "as much as a drive has room for");

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_STATE_H
