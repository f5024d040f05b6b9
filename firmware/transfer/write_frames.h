// SPDX-License-Identifier: Apache-2.0
/// @file
/// Frames for writes: which writes are buffered, and when a write's data may be fetched.
///
/// The drive's write buffer (queue/write_buffer.h) has a threshold when the vendor's page 22h says
/// so and writes may be reported (page 08h: WCE). It then has as many frames as the cache has
/// segments, each of as many blocks. They are a count, not a place: a write's data lie in a segment
/// of their own, as always. Without a threshold no write is buffered, and none needs a frame.
#ifndef FIRMWARE_TRANSFER_WRITE_FRAMES_H
#define FIRMWARE_TRANSFER_WRITE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/queue/task_set.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/host_side.h"
#include "firmware/unit/mode_page.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Follows a change of modes. With another threshold or other frames, writes are buffered anew.
/// Writes that have a part of the buffer keep it.
void write_frames_set_mode(struct task_set* tasks, const struct cache* cache,
                           const struct mode_write_buffer* mode);

/// Buffers a task that has arrived, if it is such a write.
void write_frames_arrived(struct task_set* tasks, const struct cache* cache, struct task* task);

/// Whether the data of an enabled task wait for frames.
bool write_frames_keep_out(struct task_set* tasks, struct host_side* host, struct task* task);

/// Frees the frames of a task that the media have finished, or that has ended without them.
void write_frames_release(struct task_set* tasks, struct task* task);

/// Gives frames to writes that wait for them, the oldest first, as far as there are frames and
/// room.
void write_frames_admit(struct task_set* tasks, struct host_side* host);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_WRITE_FRAMES_H
