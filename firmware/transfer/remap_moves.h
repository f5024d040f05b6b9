// SPDX-License-Identifier: Apache-2.0
/// @file
/// Batches of moves: units are read and written to free slots, and then a record says so. What the
/// steps are: remap.h.
#ifndef FIRMWARE_TRANSFER_REMAP_MOVES_H
#define FIRMWARE_TRANSFER_REMAP_MOVES_H

#include "firmware/transfer/remap_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Plans the next batch. @return false: no unit can move.
bool remap_moves_plan(struct remap* remap);

/// The request of the step under way, and its end.
void remap_moves_next(struct remap* remap, struct media_request* request);
void remap_moves_took(struct remap* remap, enum status status);

/// Begins with the record of the batch; of no move, if the batch is empty.
void remap_moves_begin_record(struct remap* remap);

/// Applies the record in the image. @return false: no drive can have written it.
MUST_USE bool remap_moves_take_record(struct remap* remap);

/// The media begin to write these blocks for the host.
void remap_note_write(struct remap* remap, uint32_t lba, uint32_t blocks);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_REMAP_MOVES_H
