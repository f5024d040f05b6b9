// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the drive keeps about its map on the media: where it lies, and what a sector of it looks
/// like.
///
/// The area is that part of the store's sectors (drive_design.h) that follows the cells of
/// store.h. Its sectors, counted from the store's first one:
///
///     64    the map's base: two copies of REMAP_IMAGE_SECTORS
///     398   stored maps 1 and 2: two copies each
///     1,066 records: two copies of REMAP_RECORDS sectors
///     1,194 scratch slots of one unit each, up to BLOCK_MAP_SCRATCH_MAX
///
/// Every sector but those of the scratch slots is an image of 512 bytes, low byte first:
///
///     0-3 "HSMP", 4-5 kind, 6-7 index, 8-11 sequence, 12-15 CRC, 16-511 payload
///
/// The CRC is the store's. A base or a stored map is a header (index 0) and sectors of
/// REMAP_ENTRIES locations. It counts only when all its sectors are good and have one sequence. A
/// record says what changed since the base that has its sequence; index says which record it is.
///
/// This module only makes and checks images. remap.h says which modules read and write them.
#ifndef FIRMWARE_TRANSFER_REMAP_AREA_H
#define FIRMWARE_TRANSFER_REMAP_AREA_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/assert.h"
#include "firmware/motion/block_map.h"
#include "firmware/transfer/store.h"

#ifdef __cplusplus
extern "C" {
#endif

#define REMAP_COPIES 2U
#define REMAP_PAYLOAD_BYTES (STORE_IMAGE_BYTES - STORE_HEADER_BYTES)
/// Locations of two bytes in a sector.
#define REMAP_ENTRIES (REMAP_PAYLOAD_BYTES / 2U)
#define REMAP_IMAGE_SECTORS (1U + (BLOCK_MAP_UNITS_MAX + REMAP_ENTRIES - 1U) / REMAP_ENTRIES)
#define REMAP_RECORDS 64U
/// Maps that the host or the drive can store: 1 .. REMAP_MAPS. Map 0 is the identity.
#define REMAP_MAPS 2U

enum remap_kind {
  REMAP_BASE = 0,  ///< Present places of the units. 1 .. REMAP_MAPS: a stored map.
  REMAP_RECORD = REMAP_MAPS + 1,
};

#define REMAP_AREA_FIRST (STORE_COPIES * STORE_CELLS_MAX)
#define REMAP_RECORDS_FIRST \
  (REMAP_AREA_FIRST + (1U + REMAP_MAPS) * REMAP_COPIES * REMAP_IMAGE_SECTORS)
#define REMAP_SCRATCH_FIRST (REMAP_RECORDS_FIRST + REMAP_COPIES * REMAP_RECORDS)

STATIC_ASSERT(REMAP_SCRATCH_FIRST == 1194, "as the picture says");

/// Scratch slots for units of so many blocks: 0 when the drive has no room for a map.
uint32_t remap_area_scratch_slots(const struct drive_design* design, uint32_t unit_blocks);

/// The store's sector of a base or stored map, sector `index` of copy `copy`.
static inline uint32_t remap_area_image(uint32_t kind, uint32_t copy, uint32_t index) {
  return REMAP_AREA_FIRST + (kind * REMAP_COPIES + copy) * REMAP_IMAGE_SECTORS + index;
}
static inline uint32_t remap_area_record(uint32_t copy, uint32_t index) {
  return REMAP_RECORDS_FIRST + copy * REMAP_RECORDS + index;
}
static inline uint32_t remap_area_scratch(uint32_t slot, uint32_t unit_blocks) {
  return REMAP_SCRATCH_FIRST + slot * unit_blocks;
}

/// Sectors of a base or stored map of so many units.
static inline uint32_t remap_area_sectors(uint32_t units) {
  return 1U + (units + REMAP_ENTRIES - 1U) / REMAP_ENTRIES;
}

/// Where an image's payload begins.
static inline uint8_t* remap_payload(uint8_t* image) { return image + STORE_HEADER_BYTES; }

/// Completes an image whose payload is filled in.
void remap_image_seal(uint8_t* image, uint32_t kind, uint32_t index, uint32_t sequence);

/// Whether it is a good image of this kind and index; then what its sequence is.
MUST_USE bool remap_image_check(const uint8_t* image, uint32_t kind, uint32_t index,
                                uint32_t* sequence);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_AREA_H
