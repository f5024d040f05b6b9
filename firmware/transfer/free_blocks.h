// SPDX-License-Identifier: Apache-2.0
/// @file
/// Free blocks: those that pass under the heads while a read waits for its first one.
///
/// With MODE_READS_FREE the run begins with the first of them. They go into the segment before the
/// read's own, where later reads find them. They cost no time: the run comes to the read's first
/// sector when it would have come there anyway.
///
/// Only blocks that are adjacent to the read's on the track count, and only as many as the segment
/// holds besides the read and its read-ahead. The first of them must be some way off, because a run
/// that misses its first sector waits a revolution. The ring skips them when the last has come: the
/// host's data begin behind them.
///
/// An error in one of them is no error of the read. The read then begins anew without them. Their
/// places in the segment stay theirs, with nothing in them.
#ifndef FIRMWARE_TRANSFER_FREE_BLOCKS_H
#define FIRMWARE_TRANSFER_FREE_BLOCKS_H

#include "firmware/transfer/media_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// From the look at the platter's angle to the search for the first sector: two look-ups of a
/// block, and the formatter's start. On the Atlas 10K they took up to 29 us of 8,000 reads. The
/// rest is for the spindle.
#define FREE_BLOCKS_MARGIN_TICKS (50U * TIME_TICKS_PER_MICROSECOND)

/// On the track of the request's first run, before it begins: the request and the run get what
/// passes before its first sector. struct media's `free_blocks` says how much that is.
void free_blocks_take(struct media* media);

/// Whether the next block of the request is a free one.
static inline bool free_blocks_are_left(const struct media* media) {
  return media->blocks_done < media->free_blocks;
}

/// All of them have come: the ring skips them. No data of the request have left it yet.
void free_blocks_skip(const struct media* media);

/// The run has stopped in one of them: the request begins with the read's own blocks.
void free_blocks_drop(struct media* media);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_FREE_BLOCKS_H
