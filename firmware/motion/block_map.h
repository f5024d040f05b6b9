// SPDX-License-Identifier: Apache-2.0
/// @file
/// The map: where the drive keeps each block, once it has rearranged itself.
///
/// A unit is a stretch of `unit_blocks` consecutive logical blocks; the first unit begins at
/// `first_block`. A slot is the stretch of physical blocks that a unit of the same number has by
/// the design. The map says for each unit where it lies: in a slot, or in one of a few scratch
/// slots outside of all blocks (transfer/remap.h). Blocks before the first unit and after the last
/// one never move.
///
/// A physical block is what the design calls a block: geometry.h and defect_list.h count these. The
/// host, the queue and the cache count logical ones. With all units at home they are the same, and
/// a look-up costs one comparison.
#ifndef FIRMWARE_MOTION_BLOCK_MAP_H
#define FIRMWARE_MOTION_BLOCK_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/status.h"
#include "firmware/motion/defect_list.h"
#include "firmware/motion/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Units for which there is memory: 80 KiB.
#define BLOCK_MAP_UNITS_MAX 40960U
/// Scratch slots, at most.
#define BLOCK_MAP_SCRATCH_MAX 8U
/// BLOCK_MAP_NO_BLOCK: the place is in a scratch slot, which no physical block has.
#define BLOCK_MAP_NO_BLOCK GEOMETRY_NONE

/// A block's place, kept because the media may be about to go there.
struct block_map_known {
  uint32_t lba;
  uint32_t changes;  ///< The defect list's `changes` then. If they differ, the place is stale.
  struct place place;
};

struct block_map {
  const struct defect_list* defects;
  struct block_map_known last;     ///< block_map_look_up()
  struct block_map_known planned;  ///< block_map_expect()
  uint32_t units;                  ///< 0: there is no map.
  uint32_t away;                   ///< Units that are not in their own slot.
  uint32_t first_block;            ///< First block of unit 0.
  uint32_t unit_blocks;            ///< 1 or more.
  uint32_t unit_reciprocal;        ///< Reciprocal of unit_blocks, for divide_by_reciprocal().
  uint32_t end_block;              ///< The block after the last unit.
  uint32_t scratch_sector;         ///< First sector of scratch slot 0; the next slot follows it.
  /// Slot of each unit; `units` + k is scratch slot k.
  uint16_t location[BLOCK_MAP_UNITS_MAX];
};

/// Starts without a map.
void block_map_init(struct block_map* map, const struct defect_list* defects);

/// Begins a map with every unit at home. Units are `unit_blocks` blocks, and there are `units` of
/// them from `first_block` on; all exist. The caller sets `location` of all of them before any unit
/// moves, or calls block_map_set() for each.
void block_map_begin(struct block_map* map, uint32_t first_block, uint32_t unit_blocks,
                     uint32_t units);

/// Sets the slot of a unit for the first time.
void block_map_set(struct block_map* map, uint32_t unit, uint32_t location);

/// The unit of a block, or GEOMETRY_NONE for a block that never moves.
static inline uint32_t block_map_unit(const struct block_map* map, uint32_t lba) {
  if (lba < map->first_block || lba >= map->end_block) return GEOMETRY_NONE;
  return divide_by_reciprocal(lba - map->first_block, map->unit_blocks, map->unit_reciprocal);
}

/// The slot of a unit.
static inline uint32_t block_map_location(const struct block_map* map, uint32_t unit) {
  return map->away == 0 ? unit : map->location[unit];
}

/// Sets the slot of a unit that has one.
void block_map_move(struct block_map* map, uint32_t unit, uint32_t location);

/// The slow path of block_map_locate(): the place while some unit is away.
MUST_USE enum status block_map_find(const struct block_map* map, uint32_t lba, struct place* at);

/// The place of a logical block, in the form of geometry_locate(): adjacent blocks are logical ones
/// that lie on adjacent sectors.
MUST_USE static inline enum status block_map_locate(const struct block_map* map, uint32_t lba,
                                                    struct place* at) {
  if (map->away != 0) return block_map_find(map, lba, at);
  return defect_list_locate(map->defects, lba, at);
}

/// block_map_locate() of a block that exists. The map keeps its place for block_map_recall().
const struct place* block_map_look_up(struct block_map* map, uint32_t lba);

/// Keeps the place of a block, which exists, because the media are planned to go to it. The map
/// keeps it until another block is planned, whatever is looked up meanwhile.
void block_map_expect(struct block_map* map, uint32_t lba);

static inline bool block_map_knows(const struct block_map* map, const struct block_map_known* known,
                                   uint32_t lba) {
  return known->lba == lba && known->changes == map->defects->changes;
}

/// block_map_locate(), which takes some 400 cycles. A block that was planned, or looked up last,
/// takes some 30.
MUST_USE static inline enum status block_map_recall(const struct block_map* map, uint32_t lba,
                                                    struct place* at) {
  if (block_map_knows(map, &map->planned, lba)) {
    *at = map->planned.place;
    return STATUS_OK;
  }
  if (block_map_knows(map, &map->last, lba)) {
    *at = map->last.place;
    return STATUS_OK;
  }
  return block_map_locate(map, lba, at);
}

/// The physical block on which a logical one lies, or BLOCK_MAP_NO_BLOCK.
uint32_t block_map_physical(const struct block_map* map, uint32_t lba);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_BLOCK_MAP_H
