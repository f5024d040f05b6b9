// SPDX-License-Identifier: Apache-2.0
/// @file
/// The grown defect list: blocks that lie on a spare sector by now, and spares that proved bad.
///
/// The manufacturer's defects are not in it: the design's layout skips them (drive_design.h). A
/// block that moves takes the free spare nearest to its old place. Spares of its own zone come
/// before others; a spare track is used sector by sector. Code that is about to access a block gets
/// its place from this list. With an empty list, that costs geometry_locate() and one comparison.
///
/// The list is in RAM. If the drive has a store, the list comes back when power returns
/// (transfer/defect_log.h). Without a store its blocks are then back at their old places.
///
/// Sectors are numbered as in geometry.h.
#ifndef FIRMWARE_MOTION_DEFECT_LIST_H
#define FIRMWARE_MOTION_DEFECT_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/status.h"
#include "firmware/motion/geometry.h"
#include "firmware/motion/sector_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Entries for which the drive has memory: 16 KiB.
#define DEFECT_LIST_MAX 2048U

/// The `lba` of a spare that proved bad: it holds no block.
#define DEFECT_NO_BLOCK GEOMETRY_NONE

struct grown_defect {
  uint32_t lba;    ///< Block that lies on `spare`, or DEFECT_NO_BLOCK.
  uint32_t spare;  ///< Sector number of the spare.
};

struct defect_list {
  const struct drive_design* design;
  uint32_t limit;  ///< Most entries allowed: at most DEFECT_LIST_MAX.
  uint32_t count;
  uint32_t moved;    ///< Entries with a block. They come first, in the order of blocks.
  uint32_t changes;  ///< How often the entries have changed.
  struct grown_defect entry[DEFECT_LIST_MAX];
  struct sector_set used;  ///< The spares of all entries.
};

/// Starts with an empty list.
void defect_list_init(struct defect_list* list, const struct drive_design* design);

/// Limits the number of entries to all that the drive can keep.
void defect_list_limit(struct defect_list* list, uint32_t entries);

/// Clears the list: all blocks are where the design puts them.
void defect_list_clear(struct defect_list* list);

/// Corrects `at`, the design's place of `lba`, for defect_list_locate() when some block has moved.
void defect_list_correct(const struct defect_list* list, uint32_t lba, struct place* at);

/// The place of a block, in the form of geometry_locate(). A moved block ends the run of adjacent
/// sectors before it, and is a run of its own.
MUST_USE static inline enum status defect_list_locate(const struct defect_list* list, uint32_t lba,
                                                      struct place* at) {
  const enum status status = geometry_locate(list->design, lba, at);
  if (list->moved != 0 && status == STATUS_OK) defect_list_correct(list, lba, at);
  return status;
}

/// Finds the free spare to which a block would move.
/// @return STATUS_OK, or STATUS_NO_SPARE when none is free or the list is full.
MUST_USE enum status defect_list_find_spare(const struct defect_list* list, uint32_t lba,
                                            uint32_t* spare);

/// Moves a block to a spare that defect_list_find_spare() returned. A spare that held the block
/// before becomes bad.
void defect_list_move(struct defect_list* list, uint32_t lba, uint32_t spare);

/// Marks a spare that defect_list_find_spare() returned as bad.
void defect_list_reject(struct defect_list* list, uint32_t spare);

/// Marks a sector as bad: a block on it moves to a spare; a spare is not used any more. A sector
/// that is known to be bad changes nothing. @return STATUS_OK, or STATUS_NO_SPARE.
MUST_USE enum status defect_list_add(struct defect_list* list, uint32_t sector);

/// The sector that entry `index` marks as bad: the design's place of the block, or the spare.
uint32_t defect_list_sector(const struct defect_list* list, uint32_t index);

/// The block on a sector, or DEFECT_NO_BLOCK.
uint32_t defect_list_block_on(const struct defect_list* list, uint32_t sector);

/// The sector on which a block lies.
uint32_t defect_list_sector_of(const struct defect_list* list, uint32_t lba);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_DEFECT_LIST_H
