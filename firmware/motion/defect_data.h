// SPDX-License-Identifier: Apache-2.0
/// @file
/// Defects in the descriptors of SCSI (SCSI-2 9.2.1.1): cylinder, head, and sector or bytes from
/// the index. Bytes are raw bytes, gaps included, from the index mark to a sector's first.
#ifndef FIRMWARE_MOTION_DEFECT_DATA_H
#define FIRMWARE_MOTION_DEFECT_DATA_H

#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/motion/defect_list.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Formats of defect descriptors (SCSI-2 9.2.1.1).
enum defect_format {
  DEFECT_BY_BLOCK = 0,
  DEFECT_BY_BYTES_FROM_INDEX = 4,
  DEFECT_BY_SECTOR = 5,
};
/// DEFECT_TRACK as a sector or as bytes: the whole track.
#define DEFECT_TRACK 0xFFFFFFFFU
#define DEFECT_FINE 0xFFU

/// Where a defect is, or whole sectors of one track.
struct defect_place {
  uint32_t lba;  ///< Block that the design puts there; DEFECT_TRACK: none.
  uint32_t cylinder;
  uint32_t head;
  uint32_t sector;  ///< DEFECT_TRACK: all sectors of the track.
  uint32_t bytes;   ///< Bytes from the index to the sector's first raw byte; DEFECT_TRACK: the
                    ///< whole track.
};

/// Checks a place of 8 bytes as the host names it (bytes from index or physical sector).
///
/// @param[out] first, count  Sectors of the place, as motion/geometry.h numbers them.
/// @return DEFECT_FINE, or the byte of the descriptor at which the wrong field begins.
uint32_t defect_data_sectors(const struct drive_design* design, enum defect_format format,
                             const uint8_t* descriptor, uint32_t* first, uint32_t* count);

/// A run of the manufacturer's list. All zero: the first one. Entries that are asked for in their
/// order cost one step from run to run, however long the list is. Any other order is possible.
struct defect_cursor {
  uint32_t zone;
  uint32_t run;     ///< The zone's run of pieces.
  uint32_t before;  ///< Entries before this run.
};

/// Entry `index` of the manufacturer's list, which has design->defect_descriptors of them. `lba` is
/// not set: none of them has a block.
void defect_data_primary(const struct drive_design* design, struct defect_cursor* cursor,
                         uint32_t index, struct defect_place* defect);

/// Entry `index` of the grown list; `index` is below the list's count.
void defect_data_grown(const struct defect_list* defects, uint32_t index,
                       struct defect_place* defect);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_DEFECT_DATA_H
