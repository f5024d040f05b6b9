/// @file
/// The grown defect list: blocks that lie on a spare sector by now, and spares that proved bad.
///
/// The maker's defects are no part of it: the design's layout passes over them (drive_design.h). A
/// block that moves takes the free spare nearest to where it lay, of its own zone before others;
/// sectors of a spare track are taken one by one. Where a block lies is asked here by whoever is
/// about to go there; with an empty list that is geometry_locate() and one comparison.
///
/// The list is in RAM. Where the drive has a store, it comes back with power
/// (transfer/defect_log.h); without one the blocks are then where they lay before.
///
/// Sectors are numbered as in geometry.h.
#ifndef FIRMWARE_MOTION_DEFECT_LIST_H
#define FIRMWARE_MOTION_DEFECT_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/status.h"
#include "firmware/motion/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Entries that the drive has memory for: 16 KiB.
#define DEFECT_LIST_MAX 2048U

/// Of a spare that proved bad: it holds no block.
#define DEFECT_NO_BLOCK GEOMETRY_NONE

struct grown_defect {
  uint32_t lba;    ///< Block that lies on `spare`, or DEFECT_NO_BLOCK.
  uint32_t spare;  ///< Sector.
};

struct defect_list {
  const struct drive_design* design;
  uint32_t limit;  ///< Of entries, DEFECT_LIST_MAX at most.
  uint32_t count;
  uint32_t moved;  ///< Entries with a block: they come first, in the order of blocks.
  struct grown_defect entry[DEFECT_LIST_MAX];
};

/// Empty.
void defect_list_init(struct defect_list* list, const struct drive_design* design);

/// No more entries than so many: all that the drive can keep.
void defect_list_limit(struct defect_list* list, uint32_t entries);

/// Forgets everything: all blocks are where the design puts them.
void defect_list_clear(struct defect_list* list);

/// For defect_list_locate(): `at` is the design's place of `lba`, and some block has moved.
void defect_list_correct(const struct defect_list* list, uint32_t lba, struct place* at);

/// Where a block lies, as geometry_locate(). A moved block stands alone, and ends the run of
/// adjacent sectors before it.
MUST_USE static inline enum status defect_list_locate(const struct defect_list* list, uint32_t lba,
                                                      struct place* at) {
  const enum status status = geometry_locate(list->design, lba, at);
  if (list->moved != 0 && status == STATUS_OK) defect_list_correct(list, lba, at);
  return status;
}

/// The free spare for a block to move to.
/// @return STATUS_OK, or STATUS_NO_SPARE when none is free or the list is full.
MUST_USE enum status defect_list_find_spare(const struct defect_list* list, uint32_t lba,
                                            uint32_t* spare);

/// The block lies on a spare that defect_list_find_spare() gave. One that it lay on before is bad.
void defect_list_move(struct defect_list* list, uint32_t lba, uint32_t spare);

/// A spare that defect_list_find_spare() gave is bad.
void defect_list_reject(struct defect_list* list, uint32_t spare);

/// A sector is said to be bad: the block on it, if there is one, gets a spare; a spare is not used.
/// Nothing, where it is known to be bad. @return STATUS_OK, or STATUS_NO_SPARE.
MUST_USE enum status defect_list_add(struct defect_list* list, uint32_t sector);

/// The sector that entry `index` says is bad: where the block lay by design, or the spare.
uint32_t defect_list_sector(const struct defect_list* list, uint32_t index);

/// The block on a sector, or DEFECT_NO_BLOCK.
uint32_t defect_list_block_on(const struct defect_list* list, uint32_t sector);

/// The sector on which a block lies.
uint32_t defect_list_sector_of(const struct defect_list* list, uint32_t lba);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_DEFECT_LIST_H
