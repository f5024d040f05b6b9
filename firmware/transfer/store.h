// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drive's own data on its media, which it finds there again when power returns.
///
/// The design gives the store sectors that no block and no spare has (drive_design.h). They form
/// cells. Each cell has two copies, in two halves of the area, and holds up to `payload_bytes` of
/// one user. Copy `c` of cell `i` is sector c * cells + i of the area.
///
///     0-3 "HSST", 4-5 cell, 6-7 bytes of payload, 8-11 sequence, 12-15 CRC, payload, zeros
///
/// All is low byte first. The CRC (IEEE 802.3) covers everything before it, and the payload.
///
/// A cell changes as a whole, whenever the power goes. It is written copy by copy. The first copy
/// written is the older one, or one that is not good. So the other, good copy keeps the old content
/// until the first is done. The first copy is the commit. The second protects the new content from
/// a bad sector. When power returns, the good copy with the higher sequence counts.
///
/// This module has the rules. By them store_load.h reads the sectors, and save.h and relocation.h
/// write them through store_sector.h.
#ifndef FIRMWARE_TRANSFER_STORE_H
#define FIRMWARE_TRANSFER_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STORE_COPIES 2U
#define STORE_CELLS_MAX 32U
/// Bytes of a sector that are used; zeros follow.
#define STORE_IMAGE_BYTES 512U
#define STORE_HEADER_BYTES 16U
/// The largest payload of a cell, in bytes.
#define STORE_PAYLOAD_MAX (STORE_IMAGE_BYTES - STORE_HEADER_BYTES)

/// Cells by their users.
enum store_cell_number {
  STORE_CELL_MODES = 0,  ///< Saved mode pages.
  STORE_CELL_STATE = 1,  ///< defect_log.h
  STORE_CELL_LOG = 2,    ///< Log of defects (defect_log.h): all cells from here on.
  STORE_CELLS_MIN = 1,   ///< Least number for an area.
};

struct store_cell {
  uint32_t sequence;  ///< Sequence of the content; 0: it was never written.
  uint32_t good;      ///< Bit per copy: the copy has the content.
};

struct store {
  uint32_t cells;          ///< 0: the drive has no room for a store.
  uint32_t payload_bytes;  ///< Most bytes of payload in a cell.
  struct store_cell cell[STORE_CELLS_MAX];
  uint8_t image[STORE_IMAGE_BYTES];  ///< Sector on its way to or from the media.
};

/// CRC-32 of IEEE 802.3 over an image: its first 12 bytes, and so many of payload.
uint32_t store_crc(const uint8_t* image, uint32_t payload_bytes);

/// Begins without knowledge of the area's content.
void store_init(struct store* store, const struct drive_design* design);

static inline bool store_is_there(const struct store* store) { return store->cells > 0; }

/// The area's sector that a copy of a cell is on.
static inline uint32_t store_index(const struct store* store, uint32_t cell, uint32_t copy) {
  return copy * store->cells + cell;
}
static inline uint32_t store_sector_count(const struct store* store) {
  return STORE_COPIES * store->cells;
}

// ---- Power returns: each sector of the area is shown once, then each cell's content is taken.

/// Takes the content of sector `index` from `image`. A sector that is torn, belongs to another
/// cell, or was never written is ignored.
void store_show(struct store* store, uint32_t index);

/// Whether the cell has content.
static inline bool store_has(const struct store* store, uint32_t cell) {
  return store->cell[cell].good != 0;
}
/// Number of a good copy of the cell's content.
static inline uint32_t store_good_copy(const struct store* store, uint32_t cell) {
  return (store->cell[cell].good & 1U) != 0 ? 0 : 1;
}
/// Marks a good copy as unreadable.
void store_lose(struct store* store, uint32_t cell, uint32_t copy);

/// `image` was read from a good copy of the cell. Returns its payload and the number of its bytes,
/// or NULL when the image is damaged after all.
const uint8_t* store_payload(const struct store* store, uint32_t cell, uint32_t* bytes);

// ---- A cell changes: compose, then for each copy in turn next, begin, and end once it is written.

/// Makes `image` of new content: `bytes` of payload, payload_bytes at most.
void store_compose(struct store* store, uint32_t cell, const uint8_t* payload, uint32_t bytes);

/// The payload of the last composed content, and the number of its bytes.
const uint8_t* store_composed(const struct store* store, uint32_t* bytes);

/// The copy to be written first.
uint32_t store_first_copy(const struct store* store, uint32_t cell);

/// Marks the copy as being written: its old content is lost. The other copy is good, or neither
/// was.
void store_begin(struct store* store, uint32_t cell, uint32_t copy);

/// Marks the copy as written. `is_first`: the content is stored as of this copy.
void store_end(struct store* store, uint32_t cell, uint32_t copy, bool is_first);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_STORE_H
