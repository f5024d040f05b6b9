// SPDX-License-Identifier: Apache-2.0
/// @file
/// The host's side of a task's data: a segment of the buffer, and how much of it may move at which
/// time.
///
/// A write's data are fetched early, as many as its segment holds, while the buffer has room. That
/// is when the write arrives, or when it is planned to be next. At the media it gets the rest.
/// Between a data phase and the media the segment is parked (segments.h). A read's data may leave
/// run by run: once half of a run is in the buffer, or half of what its segment holds. So a bus
/// that is not much faster than the media does not wait for them. Page 02h may ask for another
/// share, of the whole read. Then no data leave before that share is there, and all later data
/// leave as they come.
///
/// The media never wait for a ring. If only one is not kept, they take that of a read that they
/// have done. Its data then leave from its parked segment, as those of a hit do.
///
/// DTDC (page 02h) requires a write to stay connected from its first data on. It then fetches its
/// data early only if that brings all of them, and if it need not hold the bus until it is written.
#ifndef FIRMWARE_TRANSFER_HOST_SIDE_H
#define FIRMWARE_TRANSFER_HOST_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/time.h"
#include "firmware/queue/task_set.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/host_events.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The assumed time from the begin of a fetch until its first sectors are in the buffer. On a busy
/// bus it waits for the status of one task, and for the command and the 4 KB of another.
#define HOST_SIDE_FETCH_TICKS (500U * TIME_TICKS_PER_MICROSECOND)

struct host_side {
  const struct task_set* tasks;
  struct target* target;
  struct media* media;
  struct segments* segments;
  struct cache* cache;
  const struct bus_holder* bus;
  struct task* on_bus;  ///< Task whose data phase is under way; NULL: none.
  uint8_t part_ring;    ///< The ring of a data phase from a parked segment, or SEGMENT_NO_RING.
  uint8_t dtdc;         ///< enum mode_dtdc, of page 02h.
};

void host_side_init(struct host_side* host, const struct task_set* tasks, struct target* target,
                    struct media* media, struct segments* segments, struct cache* cache,
                    const struct bus_holder* bus);

/// Gives a task that begins at the media its segment, in a ring, unless it needs none. @return
/// false, and nothing has changed, when there is no room or no ring.
bool host_side_prepare(struct host_side* host, struct task* task);

/// Whether there is room for a segment of the task's own, or it has one, or it needs none.
bool host_side_may_prepare(const struct host_side* host, const struct task* task);

/// The ring that a task's data are in, or SEGMENT_NO_RING.
uint32_t host_side_ring(const struct host_side* host, const struct task* task);

/// Frees a task's segment, if it has one. None of its data phases may be under way.
void host_side_free_segment(struct host_side* host, struct task* task);

/// Frees the segment of a write that the media have done: the cache may keep its data.
void host_side_end_write(struct host_side* host, struct task* task);

/// Fetches a write's data early, as far as the buffer allows.
void host_side_fetch_early(struct host_side* host, struct task* task, enum segment_reserve reserve);

/// Whether one data phase brings all of a write's data before its turn, and the write need not hold
/// the bus after it. DTDC then allows it to leave the bus, or it is reported.
bool host_side_brings_all(const struct host_side* host, const struct task* task);

/// Takes the room for the data of a write that will be next, if there is any. They are not fetched.
void host_side_take_room(struct host_side* host, struct task* task);

/// Fetches all data of a write that is at the media.
void host_side_fetch_all(struct host_side* host, struct task* task);

/// Allows all of a read's data to leave: they are in the buffer.
void host_side_deliver_all(struct host_side* host, struct task* task);

/// Allows the read's data before block `lba` to leave: they are in the buffer.
void host_side_deliver_up_to(struct host_side* host, struct task* task, uint32_t lba);

/// Allows a read's data to leave, up to the block that the media have reached. The media's present
/// work began after `before` blocks of the task. The data of a hit wait until all of them are
/// there.
void host_side_deliver(struct host_side* host, struct task* task, uint32_t before);

/// Begins a data phase for `blocks` of the task's host_blocks_left, in its segment.
void host_side_begin_transfer(struct host_side* host, struct task* task, uint32_t blocks);

/// Ends the data phase.
void host_side_end_transfer(struct host_side* host, struct task* task);

/// How many of the granted blocks a data phase can move at once without waiting for the media.
uint32_t host_side_ready(const struct host_side* host, const struct task* task);

/// Whether a task that left the bus because nothing was ready may take it again. The page's ratio
/// says how much must be ready: a share of the granted blocks that the segment can hold. While the
/// media wait for the buffer, one block is enough.
bool host_side_may_return(const struct host_side* host, const struct task* task,
                          const struct mode_disconnect* mode);

/// Parks the segment of a write that waits for the media, after a data phase. @return whether it is
/// as full as it can be.
bool host_side_park(struct host_side* host, struct task* task);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_HOST_SIDE_H
