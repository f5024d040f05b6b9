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

/// Groups that units are exchanged of, at the most: the busiest.
#define ARRANGE_HOT_MAX 16384U

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
  uint32_t first_block;     ///< Where the map begins: blocks before it stay.
  uint32_t unit_blocks;     ///< 1 or more.
  uint32_t group_blocks;    ///< A multiple: at most ENERGY_UNITS_PER_GROUP_MAX times.
  uint32_t units;           ///< 1 .. REMAP_UNITS_MAX; all their blocks exist.
  uint32_t request_blocks;  ///< Of a mean request; 0: as long as what is arranged.
  uint32_t overhead_tick;   ///< From a command's arrival to the start of the arm.
  uint32_t share_of_gaps;   ///< Of 256: 128 is half and half (lead.h).
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
  uint32_t center;  ///< Fine shifts are `stride` away from this one:
  bool is_coarse;
  bool is_second;  ///< before it, and after it.
  uint8_t phase;
};

/// Groups in an order: by visits, or those that go to outer slots.
struct arrange_order {
  uint64_t visits;       ///< Of all groups,
  uint64_t passed;       ///< and of the hot ones so far.
  uint32_t most_groups;  ///< Hot, at the most.
  uint32_t groups;       ///< On the map.
  uint32_t turn;         ///< Of these, under way,
  uint32_t in_group;     ///< and its unit.
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
  uint32_t next;  ///< Where a stage goes on.
  uint64_t now;   ///< Energy.
  uint64_t temperature;
  uint64_t temperature_unit;  ///< That of one slot.
  uint32_t accepts;           ///< At this temperature.
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
  uint16_t saved_at[REMAP_UNITS_MAX];  ///< Group in each slot: where units begin.
};

STATIC_ASSERT(sizeof(struct arrange) <= 450 * 1024, "as much as a drive has room for");

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ARRANGE_STATE_H
