// SPDX-License-Identifier: Apache-2.0
/// @file
/// Free blocks: blocks that pass under the heads while a read waits for its first block.
///
/// With MODE_CONTROLLER_READS_FREE, the run begins with the first of them. They go into the segment
/// before the read's own, where later reads find them. They cost no time: the run comes to the
/// read's first sector when it would have come there anyway.
///
/// Only blocks that are adjacent to the read's on the track count. The segment must have room for
/// them besides the read and its read-ahead. The first of them must be some way off, because a run
/// that misses its first sector waits a revolution. The ring skips them when the last has come: the
/// host's data begin after them.
///
/// An error in a free block is no error of the read. The read then starts again without free
/// blocks. Their places in the segment stay reserved, without valid content.
#ifndef FIRMWARE_TRANSFER_FREE_BLOCKS_H
#define FIRMWARE_TRANSFER_FREE_BLOCKS_H

#include "firmware/transfer/media_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Time between the look at the platter's angle and the search for the first sector: two look-ups
/// of a block, and the formatter's start. In 8,000 reads of the Atlas 10K they took at most 29 us.
/// The rest allows for the spindle's speed.
#define FREE_BLOCKS_MARGIN_TICKS (50U * TIME_TICKS_PER_MICROSECOND)

/// Adds free blocks to the request's first run, before it begins. @return how many sectors, which
/// pass before the request's own, the run begins with.
uint32_t free_blocks_take(struct media* media);

/// Counts `done` sectors of a run that began with free blocks. At the last free block the ring
/// skips them: no data of the request have left it yet. @return whether all free blocks are done.
bool free_blocks_count(struct media* media, uint32_t done);

/// Drops the free blocks: the run has stopped in one of them.
void free_blocks_drop(struct media* media);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_FREE_BLOCKS_H
