// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where a block lies: cylinder, head, sector, and the angle at which it starts.
///
/// The firmware's own integer version of the layout that sim/geometry/extents.hpp and geometry.hpp
/// define: 32-bit words and multiplications, no division. Its angles equal those of the definition
/// to the bit. A look-up costs about 16 steps of binary search on a drive with 600 slips.
///
/// This is the layout as designed. defect_list.h also has the blocks that have moved to a spare
/// since; most callers use it instead. A sector number counts the sectors of all zones in order,
/// spares included, like the sector index of sim/geometry.
#ifndef FIRMWARE_MOTION_GEOMETRY_H
#define FIRMWARE_MOTION_GEOMETRY_H

#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The place of a block, and of the blocks that follow it on adjacent sectors.
struct place {
  uint32_t cylinder;
  uint32_t head;
  uint32_t sector;  ///< Number in the sector's header, and for the formatter.
  uint32_t zone;
  uint32_t mark;               ///< Start on the track's grid, 0 .. sectors per track - 1.
  uint32_t contiguous_blocks;  ///< Blocks from here on that lie on adjacent sectors of this track,
                               ///< 1 or more.
  uint32_t angle_turn32;       ///< Angle of the mark.
};

/// Maps a block to its place.
///
/// @param[out] at  Written only on STATUS_OK.
/// @return STATUS_OK, or STATUS_LBA_RANGE when `lba` lies past the last block.
MUST_USE enum status geometry_locate(const struct drive_design* design, uint32_t lba,
                                     struct place* at);

/// The place of any sector, spare or not; contiguous_blocks is 1. The sector exists.
void geometry_place_sector(const struct drive_design* design, uint32_t sector, struct place* at);

/// The same of the sector at a position of a zone.
void geometry_place_position(const struct drive_design* design, uint32_t zone, uint32_t position,
                             struct place* at);

/// The number of the sector at a place by zone and position.
uint32_t geometry_sector(const struct drive_design* design, uint32_t zone, uint32_t position);

/// Turns a sector number into its zone and position. @return the zone.
uint32_t geometry_position(const struct drive_design* design, uint32_t sector, uint32_t* position);

/// GEOMETRY_NONE: there is no such zone or block.
#define GEOMETRY_NONE 0xFFFFFFFFU

/// The zone that holds a cylinder, or GEOMETRY_NONE.
uint32_t geometry_zone_of(const struct drive_design* design, uint32_t cylinder);

/// The position of the first sector of a track of a zone; the head exists.
uint32_t geometry_track_position(const struct drive_design* design, uint32_t zone,
                                 uint32_t cylinder, uint32_t head);

/// The last of the blocks from `lba` on that lie on its cylinder, one after the other. The block
/// exists.
uint32_t geometry_last_of_cylinder(const struct drive_design* design, uint32_t lba);

/// The block that the design puts on a position, or GEOMETRY_NONE.
uint32_t geometry_block_at(const struct drive_design* design, uint32_t zone, uint32_t position);

/// Whether `block_count` blocks from `lba` on exist. A count of 0 exists up to the last block.
MUST_USE enum status geometry_check_range(const struct drive_design* design, uint32_t lba,
                                          uint32_t block_count);

/// Angle of mark 0 .. sectors per track; the last is a whole turn, 0.
uint32_t geometry_mark_angle(const struct drive_design_zone* zone, uint32_t mark);

/// Angle swept by `count` sectors from `mark` on, at most one turn; a whole turn is 2^32.
uint64_t geometry_swept_turn32(const struct drive_design_zone* zone, uint32_t mark, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_GEOMETRY_H
