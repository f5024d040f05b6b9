/// @file
/// Inside the media: what its source files call of each other.
///
/// media.c: requests, run by run. relocation.c: the moving of one block to a spare.
#ifndef FIRMWARE_TRANSFER_MEDIA_STEPS_H
#define FIRMWARE_TRANSFER_MEDIA_STEPS_H

#include "firmware/transfer/media.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Beside enum formatter_error: it did not stop by itself.
#define MEDIA_ERROR_NO_END (1U << 15)

/// Whether an attempt failed because the spindle had lost its speed.
bool media_was_slow(uint32_t errors);

/// Goes to the track of what comes next: a block of the request's, or one's spare. `again`: even if
/// the heads should be there already.
enum media_outcome media_position(struct media* media, bool again);

/// Behind a run, or behind the moving of a block of its: the next run, or the end.
enum media_outcome media_go_on(struct media* media);

/// The request is over.
enum media_outcome media_end(struct media* media, enum status status);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MEDIA_STEPS_H
