// SPDX-License-Identifier: Apache-2.0
/// @file
/// The grown defect list (motion/defect_list.h) as the store keeps it (store.h).
///
/// Two users of cells, all words low byte first:
///
///     STORE_CELL_STATE           0-3 age of the log, 4-7 enum defect_log_flag
///     STORE_CELL_LOG and later   0-3 age, then 8 bytes for each entry: block, sector
///
/// An entry with a block says that the block lies on the sector from then on. One with
/// DEFECT_NO_BLOCK says that the sector, a spare, is bad. Entries are in the order in which they
/// came. A cell of the log counts when its age is the state's, and all cells before it count.
///
/// The move of a block is one change of one cell, the last or a new one after it. So it has moved,
/// or it has not, whenever power goes. FORMAT UNIT begins a new log: with the next age all cells of
/// the old one are void. From then to its good end the state is DEFECT_LOG_FORMATTING. If power
/// goes in between, no block can be read (3/31/00) until a format ends well.
///
/// This module has the rules; relocation.h and save.h write by them.
#ifndef FIRMWARE_TRANSFER_DEFECT_LOG_H
#define FIRMWARE_TRANSFER_DEFECT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/motion/defect_list.h"
#include "firmware/transfer/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes before the entries in a cell of the log, and bytes of an entry.
#define DEFECT_LOG_HEADER_BYTES 4U
#define DEFECT_LOG_ENTRY_BYTES 8U

/// Bad spares that are kept until a block moves. If there are more, the next move that tries one
/// finds it bad again.
#define DEFECT_LOG_PENDING_MAX 4U

enum defect_log_flag {
  DEFECT_LOG_FORMATTING = 1U << 0,  ///< A FORMAT UNIT has begun, and has not ended well.
};

struct defect_log {
  struct store* store;
  uint32_t age;
  uint32_t flags;
  uint32_t cell;   ///< Cell of the store that the next entry goes to.
  uint32_t bytes;  ///< Number of bytes in `payload`.
  uint8_t payload[STORE_PAYLOAD_MAX];
  uint32_t pending_count;
  uint32_t pending[DEFECT_LOG_PENDING_MAX];  ///< Spares that proved bad since a block moved.
};

/// Makes the log empty. The store must be initialised.
void defect_log_init(struct defect_log* log, struct store* store);

/// Whether the store has cells for it. If not, the list is lost with power.
static inline bool defect_log_is_kept(const struct defect_log* log) {
  return log->store->cells > STORE_CELL_LOG;
}

/// How many entries the log's cells hold.
uint32_t defect_log_capacity(const struct defect_log* log);

// ---- Power returns: the cells from STORE_CELL_STATE on that have content, in ascending order.

/// Enters the cell's content into the list.
void defect_log_load(struct defect_log* log, struct defect_list* list, uint32_t cell,
                     const uint8_t* payload, uint32_t bytes);

static inline bool defect_log_is_formatting(const struct defect_log* log) {
  return (log->flags & DEFECT_LOG_FORMATTING) != 0;
}

// ---- A block moves.

/// A spare has proved bad. The log records it together with the next block that moves.
void defect_log_reject(struct defect_log* log, uint32_t spare);

/// Whether there is room for one block more.
bool defect_log_has_room(const struct defect_log* log);

/// Makes the store's image for a block that lies on `spare`. The log must have room for it.
/// @return the cell of the image.
uint32_t defect_log_compose_move(struct defect_log* log, uint32_t lba, uint32_t spare);

/// Accepts the move: one copy of the cell has the image.
void defect_log_take_move(struct defect_log* log, uint32_t cell);

// ---- A format: the state is written, then the log's cells, then the state again.

/// Begins a new log, and marks the state as formatting.
void defect_log_begin_format(struct defect_log* log);

/// Ends the format: it has ended well.
void defect_log_end_format(struct defect_log* log);

/// The cell after the last that the list needs.
uint32_t defect_log_end_cell(const struct defect_log* log, const struct defect_list* list);

/// Makes the store's image of a cell (of the state, or of the log) from the list.
void defect_log_compose(struct defect_log* log, const struct defect_list* list, uint32_t cell);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_DEFECT_LOG_H
