// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_HOST_SIDE
#include "firmware/transfer/host_side.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"

void host_side_init(struct host_side* host, const struct task_set* tasks, struct scsi* scsi,
                    struct media* media, struct segments* segments, struct cache* cache,
                    const struct bus_holder* bus) {
  *host = (struct host_side){.tasks = tasks,
                             .scsi = scsi,
                             .media = media,
                             .segments = segments,
                             .cache = cache,
                             .bus = bus,
                             .part_ring = SEGMENT_NO_RING};
}

// --------------------------------------------------------------------------------------- segments

/// Whether a task has data that pass through the buffer.
static bool needs_segment(const struct task* task) {
  return task->operation == TASK_READ || task->operation == TASK_WRITE;
}

/// A segment of the task's own. @return whether it has one now.
static bool take_segment(struct host_side* host, struct task* task, enum segment_reserve reserve) {
  if (task->segment != SEGMENT_NONE) return true;
  // A task that holds the bus and has not begun needs all the room. Others would keep theirs until
  // they get the bus.
  if (bus_holder_decides(host->bus) && !bus_holder_needs(host->bus, task)) return false;
  if (bus_holder_keeps_room(host->bus, task)) reserve = SEGMENT_FOR_PLAN;
  const uint32_t alone = segments_sectors_alone(host->segments, task->blocks);
  if (alone > 0) {
    task->segment = (uint16_t)segments_allocate(host->segments, alone, SEGMENT_FOR_ARRIVAL);
    return true;
  }
  const uint32_t sectors = segments_sectors(host->segments, task->blocks);
  task->segment = (uint16_t)segments_allocate(host->segments, sectors, reserve);
  return task->segment != SEGMENT_NONE;
}

/// Puts a task's segment into a ring. As long as it is parked, that of a write is filled from its
/// first sector on. That of a read has the blocks of a partial hit, or none.
static void open_ring(struct host_side* host, struct task* task) {
  if (host_side_ring(host, task) != SEGMENT_NO_RING) return;
  if (task->operation == TASK_WRITE) {
    segments_open(host->segments, task->segment, task->blocks - task->host_blocks_left);
  } else {
    segments_open_at(host->segments, task->segment, cache_place(host->cache, task, 0),
                     cache_had(host->cache, task));
  }
}

uint32_t host_side_ring(const struct host_side* host, const struct task* task) {
  if (task->segment == SEGMENT_NONE) return SEGMENT_NO_RING;
  return segments_ring(host->segments, task->segment);
}

/// One ring is left for the host's data phases. It may be kept for a task that holds the bus, and
/// for the tasks that it waits for. No other task has a data phase before that one is done. A write
/// whose data phase is under way has that ring, and keeps it no sooner than another is left.
static bool may_keep_ring(const struct host_side* host, const struct task* task) {
  const uint32_t ring = host_side_ring(host, task);
  if (ring != SEGMENT_NO_RING && segments_is_kept(host->segments, ring)) return true;
  if (segments_may_keep(host->segments)) return true;
  if (!bus_holder_needs(host->bus, task)) return false;
  return host->on_bus == task || (host->on_bus == NULL && segments_have_ring(host->segments));
}

bool host_side_may_prepare(const struct host_side* host, const struct task* task) {
  if (!needs_segment(task) || task->segment != SEGMENT_NONE) return true;
  const uint32_t sectors = segments_sectors(host->segments, task->blocks);
  return segments_may_allocate(host->segments, sectors, SEGMENT_FOR_MEDIA);
}

bool host_side_prepare(struct host_side* host, struct task* task) {
  if (!needs_segment(task)) return true;
  // The ring comes first. A task that waits for a ring must not keep room from others meanwhile.
  if (!may_keep_ring(host, task)) return false;
  if (!cache_take(host->cache, task) && !take_segment(host, task, SEGMENT_FOR_MEDIA)) return false;
  open_ring(host, task);
  segments_keep(host->segments, task->segment);
  return true;
}

void host_side_free_segment(struct host_side* host, struct task* task) {
  ASSERT(host->on_bus != task);
  if (task->segment == SEGMENT_NONE) return;
  struct cache_segment* cached = cache_of(host->cache, task);
  if (cached != NULL) {
    cache_release(host->cache, cached, task);
  } else {
    segments_close(host->segments, task->segment);
    segments_free(host->segments, task->segment);
  }
  task->segment = SEGMENT_NONE;
}

void host_side_end_write(struct host_side* host, struct task* task) {
  ASSERT(host->on_bus != task);
  if (cache_keep_written(host->cache, task)) task->segment = SEGMENT_NONE;
  host_side_free_segment(host, task);
}

// ----------------------------------------------------------------------------------------- grants

/// Lets the host move blocks until `total` of the task's have been allowed since its arrival.
static void grant_up_to(struct host_side* host, struct task* task, uint32_t total) {
  const uint32_t allowed = task->blocks - task->host_blocks_left + task->host_blocks_granted;
  if (total <= allowed) return;
  const uint32_t more = total - allowed;
  trace_port_hal_event(TRACE_HOST_GRANT, more << 16 | task_set_index(host->tasks, task));
  scsi_task_grant(host->scsi, task, more);
}

/// Whether the bus need not be held for a write whose data come early, with DTDC.
static RARE bool may_fetch_whole(const struct host_side* host, const struct task* task) {
  if (segments_sectors(host->segments, task->blocks) < task->blocks) return false;
  return host->dtdc == MODE_DTDC_DATA || cache_reports(host->cache, task);
}

void host_side_fetch_early(struct host_side* host, struct task* task,
                           enum segment_reserve reserve) {
  if (task->operation != TASK_WRITE) return;
  if (host->dtdc != MODE_DTDC_NONE && !may_fetch_whole(host, task)) return;
  if (!take_segment(host, task, reserve)) return;
  grant_up_to(host, task, segments_length(host->segments, task->segment));
  if (reserve == SEGMENT_FOR_PLAN) scsi_task_hurry(host->scsi, task);
}

void host_side_take_room(struct host_side* host, struct task* task) {
  if (task->operation == TASK_WRITE) (void)take_segment(host, task, SEGMENT_FOR_PLAN);
}

void host_side_fetch_all(struct host_side* host, struct task* task) {
  if (task->operation != TASK_WRITE) return;
  grant_up_to(host, task, task->blocks);
  scsi_task_hurry(host->scsi, task);
}

void host_side_deliver(struct host_side* host, struct task* task, uint32_t before) {
  if (task->operation != TASK_READ) return;
  const struct cache_segment* cached = cache_of(host->cache, task);
  if (cached != NULL && cache_is_hit(cached, task_set_index(host->tasks, task))) return;
  struct media* media = host->media;
  const uint32_t ahead_of_run = media_blocks_before_run(media);
  const bool share_is_there =
      media->run_done >= media_share_of_run(media) && !media_may_stop_short(media);
  if (share_is_there) media_ignore_sectors(media);
  if (!share_is_there && ahead_of_run < media->request.share_blocks) return;
  const uint32_t there = share_is_there ? media_blocks_with_run(media) : ahead_of_run;
  if (there > 0) task->flags |= TASK_FLAG_BY_SHARE;
  grant_up_to(host, task, before + there);
}

void host_side_deliver_all(struct host_side* host, struct task* task) {
  if (task->operation != TASK_READ) return;
  grant_up_to(host, task, task->blocks);
}

void host_side_deliver_up_to(struct host_side* host, struct task* task, uint32_t lba) {
  if (task->operation != TASK_READ) return;
  const uint32_t here = lba - task->lba;
  grant_up_to(host, task, here < task->blocks ? here : task->blocks);
}

// ------------------------------------------------------------------------------------- data phases

/// The data of a hit: a ring for those that this data phase moves.
static uint32_t open_part(struct host_side* host, const struct cache_segment* cached,
                          const struct task* task, uint32_t blocks) {
  const uint32_t first =
      cache_place_of(host->cache, cached, task->lba + task->blocks - task->host_blocks_left);
  const uint32_t ring = segments_open_part(host->segments, cached->segment, first, blocks);
  host->part_ring = (uint8_t)ring;
  return ring;
}

void host_side_begin_transfer(struct host_side* host, struct task* task, uint32_t blocks) {
  trace_port_hal_event(TRACE_DATA_PHASE_BEGIN, task_set_index(host->tasks, task));
  ASSERT(task->segment != SEGMENT_NONE && host->on_bus == NULL);
  host->on_bus = task;
  const struct cache_segment* cached = cache_of(host->cache, task);
  if (cached != NULL && cache_is_hit(cached, task_set_index(host->tasks, task))) {
    buffer_mgr_hal_start_host(open_part(host, cached, task, blocks), true);
    return;
  }
  open_ring(host, task);
  buffer_mgr_hal_start_host(host_side_ring(host, task), task->operation == TASK_READ);
}

void host_side_end_transfer(struct host_side* host, struct task* task) {
  trace_port_hal_event(TRACE_DATA_PHASE_END, task_set_index(host->tasks, task));
  ASSERT(host->on_bus == task);
  host->on_bus = NULL;
  buffer_mgr_hal_stop_host();
  if (host->part_ring == SEGMENT_NO_RING) return;
  segments_close_part(host->segments, host->part_ring);
  host->part_ring = SEGMENT_NO_RING;
}

uint32_t host_side_ready(const struct host_side* host, const struct task* task) {
  const uint32_t granted = task->host_blocks_granted;
  const struct cache_segment* cached = cache_of(host->cache, task);
  if (cached != NULL && cache_is_hit(cached, task_set_index(host->tasks, task))) return granted;
  const uint32_t ring = host_side_ring(host, task);
  const bool is_read = task->operation == TASK_READ;
  if (ring == SEGMENT_NO_RING && is_read) return granted;
  // A parked segment is filled from its first sector on.
  const uint32_t level =
      ring == SEGMENT_NO_RING ? task->blocks - task->host_blocks_left : buffer_mgr_hal_level(ring);
  const uint32_t length = segments_length(host->segments, task->segment);
  const uint32_t ready = is_read ? level : length - level;
  return ready < granted ? ready : granted;
}

bool host_side_may_return(const struct host_side* host, const struct task* task,
                          const struct mode_disconnect* mode) {
  const uint32_t ready = host_side_ready(host, task);
  if (ready == 0) return false;
  if (host->media->state == MEDIA_WAITING) return true;
  const bool is_read = task->operation == TASK_READ;
  const uint32_t length = segments_length(host->segments, task->segment);
  const uint32_t whole = task->host_blocks_granted < length ? task->host_blocks_granted : length;
  const uint8_t empty_ratio = mode->empty_ratio != 0 ? mode->empty_ratio : MODE_RATIO_HALF_RUN;
  return ready >= mode_ratio_blocks(is_read ? mode->full_ratio : empty_ratio, whole);
}

bool host_side_park(struct host_side* host, struct task* task) {
  segments_close(host->segments, task->segment);
  const uint32_t here = task->blocks - task->host_blocks_left;
  return here >= segments_length(host->segments, task->segment);
}
