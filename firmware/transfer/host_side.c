// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_HOST_SIDE
#include "firmware/transfer/host_side.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"

void host_side_init(struct host_side* host, const struct task_set* tasks, struct target* target,
                    struct media* media, struct segments* segments, struct cache* cache,
                    const struct bus_holder* bus) {
  *host = (struct host_side){.tasks = tasks,
                             .target = target,
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

/// Takes a segment for the task alone. @return whether it has one.
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

/// Whether the task, which keeps a ring, does so only for data that have not left yet.
static bool is_done_read(const struct host_side* host, const struct task* task) {
  return task->operation == TASK_READ && task->state >= TASK_TRANSFERRING && task != host->on_bus;
}

/// Takes the ring of a read that the media have done. Its data stay in its segment, and each data
/// phase puts those that it moves into a ring. So no task waits for a ring until the data of
/// another have left, which may wait for the bus that the first one holds.
static RARE bool take_ring_of_done_read(struct host_side* host) {
  for (uint32_t ring = 0; ring < SEGMENTS_RINGS; ++ring) {
    const uint16_t keeper = segments_keeper(host->segments, ring);
    if (keeper == SEGMENT_NO_KEEPER) continue;
    const struct task* task = &host->tasks->task[keeper];
    if (!is_done_read(host, task)) continue;
    struct cache_segment* cached = cache_of(host->cache, task);
    if (cached != NULL) {
      cache_disown(host->cache, cached);
    } else {
      segments_close(host->segments, task->segment);
    }
    return true;
  }
  return false;
}

/// Makes sure that the task may keep its ring, or a new one, with another ring left for the host's
/// data phases. @return false: it must wait until a ring is free.
static bool reserve_ring(struct host_side* host, const struct task* task) {
  const uint32_t ring = host_side_ring(host, task);
  if (ring != SEGMENT_NO_RING && segments_is_kept(host->segments, ring)) return true;
  return segments_may_keep(host->segments) || take_ring_of_done_read(host);
}

bool host_side_may_prepare(const struct host_side* host, const struct task* task) {
  if (!needs_segment(task) || task->segment != SEGMENT_NONE) return true;
  const uint32_t sectors = segments_sectors(host->segments, task->blocks);
  return segments_may_allocate(host->segments, sectors, SEGMENT_FOR_MEDIA);
}

bool host_side_prepare(struct host_side* host, struct task* task) {
  if (!needs_segment(task)) return true;
  // The ring comes first. A task that waits for a ring must not keep room from others meanwhile.
  if (!reserve_ring(host, task)) return false;
  if (!cache_take(host->cache, task) && !take_segment(host, task, SEGMENT_FOR_MEDIA)) return false;
  open_ring(host, task);
  segments_keep(host->segments, task->segment, task_set_index(host->tasks, task));
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

/// Grants the host blocks until `total` of the task's have been granted since its arrival.
static void grant_up_to(struct host_side* host, struct task* task, uint32_t total) {
  const uint32_t allowed = task->blocks - task->host_blocks_left + task->host_blocks_granted;
  if (total <= allowed) return;
  const uint32_t more = total - allowed;
  trace_port_hal_event(TRACE_HOST_GRANT, more << 16 | task_set_index(host->tasks, task));
  host_task_granted(host->target, task, more);
}

/// Whether the bus need not be held for a write whose data come early, with DTDC.
static RARE bool may_fetch_whole(const struct host_side* host, const struct task* task) {
  if (segments_sectors(host->segments, task->blocks) < task->blocks) return false;
  return host->dtdc == MODE_DTDC_DATA || cache_reports(host->cache, task);
}

bool host_side_brings_all(const struct host_side* host, const struct task* task) {
  return task->operation == TASK_WRITE && task->state == TASK_ENABLED &&
         may_fetch_whole(host, task);
}

void host_side_fetch_early(struct host_side* host, struct task* task,
                           enum segment_reserve reserve) {
  if (task->operation != TASK_WRITE) return;
  if (host->dtdc != MODE_DTDC_NONE && !may_fetch_whole(host, task)) return;
  if (!take_segment(host, task, reserve)) return;
  grant_up_to(host, task, segments_length(host->segments, task->segment));
  if (reserve == SEGMENT_FOR_PLAN) host_task_prioritized(host->target, task);
}

void host_side_take_room(struct host_side* host, struct task* task) {
  if (task->operation == TASK_WRITE) (void)take_segment(host, task, SEGMENT_FOR_PLAN);
}

void host_side_fetch_all(struct host_side* host, struct task* task) {
  if (task->operation != TASK_WRITE) return;
  grant_up_to(host, task, task->blocks);
  host_task_prioritized(host->target, task);
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

/// Opens a ring for sectors of a parked segment that this data phase moves.
static uint32_t open_part(struct host_side* host, uint32_t segment, uint32_t first,
                          uint32_t sectors) {
  const uint32_t ring = segments_open_part(host->segments, segment, first, sectors);
  host->part_ring = (uint8_t)ring;
  return ring;
}

/// Opens a ring for the data of a hit that this data phase moves.
static uint32_t open_hit(struct host_side* host, const struct cache_segment* cached,
                         const struct task* task, uint32_t blocks) {
  const uint32_t first =
      cache_place_of(host->cache, cached, task->lba + task->blocks - task->host_blocks_left);
  return open_part(host, cached->segment, first, blocks);
}

/// Opens a ring for the data of a read whose ring another task has taken.
static RARE uint32_t open_ringless(struct host_side* host, const struct task* task,
                                   uint32_t blocks) {
  const uint32_t length = segments_length(host->segments, task->segment);
  const uint32_t first = (task->blocks - task->host_blocks_left) % length;
  return open_part(host, task->segment, first, blocks);
}

/// Whether the read's data lie in its segment, and no ring has them.
static bool is_ringless(const struct host_side* host, const struct task* task) {
  return host_side_ring(host, task) == SEGMENT_NO_RING && task->operation == TASK_READ;
}

void host_side_begin_transfer(struct host_side* host, struct task* task, uint32_t blocks) {
  trace_port_hal_event(TRACE_DATA_PHASE_BEGIN, task_set_index(host->tasks, task));
  ASSERT(task->segment != SEGMENT_NONE && host->on_bus == NULL);
  host->on_bus = task;
  const struct cache_segment* cached = cache_of(host->cache, task);
  if (cached != NULL && cache_is_hit(cached, task_set_index(host->tasks, task))) {
    buffer_mgr_hal_start_host(open_hit(host, cached, task, blocks), true);
    return;
  }
  if (is_ringless(host, task)) {
    buffer_mgr_hal_start_host(open_ringless(host, task, blocks), true);
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
  if (media_waits(host->media)) return true;
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
