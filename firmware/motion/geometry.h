/// @file
/// Where a block lies: cylinder, head, sector, and the angle at which it starts.
///
/// The firmware's own integer version of the layout that sim/geometry/extents.hpp and geometry.hpp
/// define: 32-bit words and multiplications, no division. Angles are those of the definition, to
/// the bit. Costs about 16 steps of binary search over a drive with 600 slips.
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
  uint32_t sector;  ///< As headers and the formatter number it.
  uint32_t zone;
  uint32_t mark;               ///< Start on the track's grid, 0 .. sectors per track - 1.
  uint32_t contiguous_blocks;  ///< From here on adjacent sectors of this track, 1 or more.
  uint32_t angle_turn32;       ///< Of the mark.
};

/// Maps a block to its place.
///
/// @param[out] at  Written only on STATUS_OK.
/// @return STATUS_OK, or STATUS_LBA_RANGE when `lba` lies past the last block.
MUST_USE enum status geometry_locate(const struct drive_design* design, uint32_t lba,
                                     struct place* at);

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
