// SPDX-License-Identifier: Apache-2.0
/// @file
/// Moving a block to a spare: its data are written there and read back, and from then on it lies
/// there.
///
/// The data stay in their place in the buffer. It is the ring of a host's write, or the media's own
/// ring of one sector, which no task uses (segments.h). A spare that cannot be written or does not
/// read back at the first attempt is bad for good. The next nearest is then tried, up to
/// RELOCATION_SPARES in all. An arm that does not reach a spare, or a head without current, says
/// nothing about the spare: the block stays where it is. Until the new place has proved itself the
/// block lies at the old one. So it is whole, whatever interrupts this.
///
/// A host's write that moves is not read back, because no host's write is.
///
/// With a store, the new place is recorded there first (defect_log.h), in both copies. That cannot
/// be aborted, because the drive and its store must agree. If the first copy cannot be written, the
/// block stays where it is.
#ifndef FIRMWARE_TRANSFER_RELOCATION_H
#define FIRMWARE_TRANSFER_RELOCATION_H

#include "firmware/transfer/media_state.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RELOCATION_SPARES 4U
/// Attempts at a spare after the first, where the track was not found or lost.
#define RELOCATION_RETRIES 2U

enum relocation_step {
  RELOCATION_NONE,
  RELOCATION_WANTED,  ///< A block that was just read has to move.
  RELOCATION_WRITES,  ///< The heads are on their way to the spare, or there.
  RELOCATION_VERIFIES,
  RELOCATION_RECORDS,  ///< The new place is recorded in the store.
};

static inline bool relocation_is_active(const struct media* media) {
  return media->relocation.step >= RELOCATION_WRITES;
}

/// The sector to which the move sends the heads next.
uint32_t relocation_sector(const struct media* media);

/// The next work of the media.
enum relocation_next {
  RELOCATION_WAITS,        ///< The run under way ends first.
  RELOCATION_SEEKS,        ///< The heads go to the spare's track.
  RELOCATION_SEEKS_AGAIN,  ///< The heads go there even if they should be there already.
  RELOCATION_OVER,         ///< The request goes on.
  RELOCATION_ENDS,         ///< The request is over, with struct relocation's `status`.
};

/// Moves a block, counted as the request does, whose data lie at a byte of buffer RAM.
enum relocation_next relocation_begin(struct media* media, uint32_t block, uint32_t byte);

/// Moves the next block of a host's write, whose sector cannot be written.
enum relocation_next relocation_begin_write(struct media* media);

/// Drops the move: the request ends. The store's first copy then decides where the block lies.
void relocation_drop(struct media* media);

/// Begins a run: the heads are on the spare's track.
void relocation_begin_run(struct media* media);

/// Acts on enum formatter_event bits.
enum relocation_next relocation_on_formatter(struct media* media, uint32_t events);

/// Acts on a movement that did not come to the spare's track.
enum relocation_next relocation_on_movement_failed(struct media* media);

/// Acts on a run that did not end by itself, and has been stopped.
enum relocation_next relocation_on_timeout(struct media* media);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_RELOCATION_H
