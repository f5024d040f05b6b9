/// @file
/// The host's side of a task's data: a segment of the buffer, and how much of it may move when.
///
/// A write's data is fetched before its turn comes, as much as its segment holds: at once when it
/// arrives, or when it is planned to be next, while the buffer has room; at the media it gets the
/// rest. Between a data phase and the media the segment is parked (segments.h). A read's data may
/// leave run by run: once half of a run is in the buffer, or half of what its segment holds, so
/// that the bus, if it is not much faster than the media, does not wait for it. Page 02h may want
/// another share, of all that the read asks for: then nothing leaves before, and all behind it as
/// it comes.
#ifndef FIRMWARE_TRANSFER_HOST_SIDE_H
#define FIRMWARE_TRANSFER_HOST_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/time.h"
#include "firmware/queue/task_set.h"
#include "firmware/scsi/scsi.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a fetch begun now is taken to need until its first sectors are in the buffer: on a busy bus
/// it waits for the status of one task and for the command and the 4 KB of another.
#define HOST_SIDE_FETCH_TICKS (500U * TIME_TICKS_PER_MICROSECOND)

struct host_side {
  const struct task_set* tasks;
  struct scsi* scsi;
  struct media* media;
  struct segments* segments;
  struct cache* cache;
  const struct bus_holder* bus;
  struct task* on_bus;  ///< Its data phase is under way; NULL: none.
  uint8_t part_ring;    ///< Of a hit's data phase under way, or SEGMENT_NO_RING.
};

void host_side_init(struct host_side* host, const struct task_set* tasks, struct scsi* scsi,
                    struct media* media, struct segments* segments, struct cache* cache,
                    const struct bus_holder* bus);

/// Gives a task that begins at the media its segment, in a ring, unless it needs none. @return
/// false when there is no room or no ring: then nothing has changed.
bool host_side_prepare(struct host_side* host, struct task* task);

/// Whether there is room for a segment of the task's own, or it has one, or it needs none.
bool host_side_may_prepare(const struct host_side* host, const struct task* task);

/// The ring that a task's data are in, or SEGMENT_NO_RING.
uint32_t host_side_ring(const struct host_side* host, const struct task* task);

/// Takes a task's segment back, if it has one. No data phase of its is under way.
void host_side_free_segment(struct host_side* host, struct task* task);

/// Fetches a write's data early, as far as the buffer allows.
void host_side_fetch_early(struct host_side* host, struct task* task, enum segment_reserve reserve);

/// The task is at the media: all of a write's data may come.
void host_side_fetch_all(struct host_side* host, struct task* task);

/// All of a read's data are in the buffer and may leave.
void host_side_deliver_all(struct host_side* host, struct task* task);

/// Those before block `lba` are in the buffer and may leave.
void host_side_deliver_up_to(struct host_side* host, struct task* task, uint32_t lba);

/// A read's data may leave, as far as the media has come; what they do now began behind `before`
/// blocks of the task. Those of a hit wait until all are there.
void host_side_deliver(struct host_side* host, struct task* task, uint32_t before);

/// A data phase for `blocks` of the task's host_blocks_left is about to start, in its segment.
void host_side_begin_transfer(struct host_side* host, struct task* task, uint32_t blocks);

/// It is over.
void host_side_end_transfer(struct host_side* host, struct task* task);

/// A data phase of a write that waits for the media is over. @return whether all that its segment
/// has room for has come.
bool host_side_park(struct host_side* host, struct task* task);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_HOST_SIDE_H
