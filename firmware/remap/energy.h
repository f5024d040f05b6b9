// SPDX-License-Identifier: Apache-2.0
/// @file
/// The energy of an arrangement: what it costs to serve the counted accesses, as a whole number.
///
/// A map puts each unit of blocks into a slot of equally many blocks. Counts are by group; a group
/// is 1 .. ENERGY_UNITS_PER_GROUP_MAX units, over which its counts are spread evenly. N(A, B) is
/// the count of a pair of groups, n(A) the visits of one, k the units of a group:
///
///     energy = sum over (A, B), a in A, b in B of N(A, B) cost(slot of a, slot of b)
///            + k sum over A, a in A of n(A) transfer(slot of a)
///
/// which is k^2 times the counted cost. a and b may be the same unit. By kind:
///
///     kind       cost(s, t)                                                 transfer
///     DISTANCE   abs(s - t), slots                                          none
///     SEEK       seek(end cylinder of s, cylinder of t), 2^-16 turns        none
///     TRANSFER   the same                                                   2^-16 turns
///     ACCESS     move + wait[start of t - end of s - overhead - move]       2^-16 turns
///
/// DISTANCE is formula (3) of "Disk Performance Enhancement through Markov-based Cylinder
/// Remapping" (Geist et al.), times the accesses. A move is the seek, or the head switch if that
/// takes longer and the head is another one. `wait` is lead.h's table.
///
/// A transfer takes the whole slot, with the movements and waits at the ends of tracks. A shorter
/// request takes as much of that as it has of the slot's blocks.
///
/// Times are rounded down to 2^-16 turns, 250 ns at 3,600 rpm, at the design's speed. In ACCESS a
/// slot's start is known to 2^-12 turns, rounded down. Its end is known to 2^-11, rounded up. So a
/// place that is only just reached may count as missed. Of heads the lowest four bits are compared.
///
/// A slot counts as ending at most 255 cylinders after its start, in ACCESS at most one. Its
/// transfer counts as taking less than 256 turns.
///
/// The last group may have fewer units; each of them weighs like one of another group.
#ifndef FIRMWARE_REMAP_ENERGY_H
#define FIRMWARE_REMAP_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/motion/geometry.h"
#include "firmware/motion/predictor.h"
#include "firmware/motion/rotation.h"
#include "firmware/remap/counts.h"
#include "firmware/remap/lead.h"
#include "firmware/remap/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ENERGY_UNITS_PER_GROUP_MAX 64U

/// The longest transfer: 256 turns.
#define ENERGY_TRANSFER_MAX_TURN16 0x00FFFFFFU

/// Bits of `start` and `end` below the angle, in ACCESS.
#define ENERGY_HEAD_MASK 0x0FU
#define ENERGY_NEXT_CYLINDER 0x10U

enum energy_kind {
  ENERGY_DISTANCE,
  ENERGY_SEEK,
  ENERGY_TRANSFER,
  ENERGY_ACCESS,
};

/// The kinds of energy.
struct energy_plan {
  const struct drive_design* design;
  const struct remap_counts* counts;
  uint32_t first_block;      ///< First block of slot 0.
  uint32_t unit_blocks;      ///< Blocks of a unit, and of a slot.
  uint32_t units;            ///< 1 .. REMAP_UNITS_MAX; all their blocks exist.
  uint32_t units_per_group;  ///< 1 .. ENERGY_UNITS_PER_GROUP_MAX
  uint32_t request_blocks;   ///< Blocks of a mean request; 0: a whole unit.
  uint32_t overhead_tick;    ///< ACCESS: time between a command's arrival and the start of the arm.
  uint32_t share_of_gaps;    ///< ACCESS: share of gaps for lead_begin().
  enum energy_kind kind;
};

/// A walk over the blocks of one slot, run by run.
struct energy_walk {
  struct place at;       ///< The run under way.
  uint32_t lba;          ///< First block of the run.
  uint32_t left;         ///< Blocks from the run to the slot's end; 0: the walk has ended.
  uint64_t span_turn32;  ///< Span from the slot's start to the end of the runs before.
  uint32_t end_turn32;   ///< Angle of that end.
};

struct energy {
  struct energy_plan plan;
  struct rotation rotation;    ///< Rotation at the design's speed.
  struct predictor predictor;  ///< Predictor with that rotation.
  const uint32_t* seek_part;
  uint32_t turn16_per_part;  ///< Turn16 in 1/512 tick, times 2^32.
  uint32_t request_share;    ///< Share of a slot that a request has, times 2^32; 0: all of it.
  uint32_t overhead_turn16;
  uint32_t head_switch_turn16;
  struct sort sort;
  struct energy_walk walk;
  uint32_t next;      ///< Index of the slot or pair that is looked up next.
  uint32_t accesses;  ///< Sum of the counts of all pairs.
  uint8_t phase;
  bool slot_has_begun;

  struct lead_table lead;
  /// Tables by slot. In ACCESS `start` and `end` are angles; their lowest bits are head (4 bits)
  /// and cylinders to the end (1 bit). In the other kinds they are transfer time and cylinders to
  /// the end.
  uint16_t cylinder[REMAP_UNITS_MAX];
  uint16_t start[REMAP_UNITS_MAX];
  uint16_t end[REMAP_UNITS_MAX];
  /// Numbers of pairs.
  uint16_t by_from[REMAP_PAIRS_MAX];
  uint16_t by_to[REMAP_PAIRS_MAX];
};

/// Starts without any table; `plan` is copied.
void energy_begin(struct energy* energy, const struct energy_plan* plan);

/// Looks up slots, sorts pairs, makes the table of waits: a step is at most 2,500 cycles.
/// @return whether the energy can be computed.
bool energy_prepare(struct energy* energy);

/// First index into by_from, or into by_to, whose pair comes from, or leads to, this group or a
/// later one.
uint32_t energy_first_pair(const struct energy* energy, bool to_group, uint32_t group);

/// A walk over a slot; a step takes a run. @return whether it was the last.
void energy_walk_begin(const struct energy* energy, struct energy_walk* walk, uint32_t slot);
bool energy_walk_step(const struct energy* energy, struct energy_walk* walk);

/// The transfer of a request to a slot whose walk has ended.
uint32_t energy_walk_turn16(const struct energy* energy, const struct energy_walk* walk);

/// Divisor that makes a mean of an energy over the counted pairs, in slots or 2^-16 turns.
uint64_t energy_divisor(const struct energy* energy);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_REMAP_ENERGY_H
