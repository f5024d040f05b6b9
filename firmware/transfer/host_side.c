#define FILE_ID FILE_ID_HOST_SIDE
#include "firmware/transfer/host_side.h"

#include "firmware/drive.h"
#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/maintenance.h"

// --------------------------------------------------------------------------------------- segments

/// Whether a task has data that pass through the buffer.
static bool needs_segment(const struct task* task) {
  return task->operation == TASK_READ || task->operation == TASK_WRITE;
}

/// A segment of the task's own. @return whether it has one now.
static bool take_segment(struct drive* drive, struct task* task, enum segment_reserve reserve) {
  if (task->segment != SEGMENT_NONE) return true;
  // A task that holds the bus, and has not begun, needs what room there is: others would keep it
  // until they have the bus.
  if (bus_holder_decides(drive) && !bus_holder_needs(drive, task)) return false;
  if (bus_holder_keeps_room(drive, task)) reserve = SEGMENT_FOR_PLAN;
  const uint32_t sectors = segments_sectors(&drive->segments, task->blocks);
  task->segment = (uint16_t)segments_allocate(&drive->segments, sectors, reserve);
  return task->segment != SEGMENT_NONE;
}

/// Puts a task's segment into a ring. As long as it is parked, that of a write is filled from its
/// first sector on, and that of a read is empty.
static void open_ring(struct drive* drive, struct task* task) {
  if (host_side_ring(drive, task) != SEGMENT_NO_RING) return;
  const uint32_t filled = task->operation == TASK_WRITE ? task->blocks - task->host_blocks_left : 0;
  segments_open(&drive->segments, task->segment, filled);
}

uint32_t host_side_ring(const struct drive* drive, const struct task* task) {
  if (task->segment == SEGMENT_NONE) return SEGMENT_NO_RING;
  return segments_ring(&drive->segments, task->segment);
}

/// The ring that is left for the host's data phases may be kept for a task that holds the bus, and
/// for what it waits for: no other task has a data phase before that one is done.
static bool may_keep_ring(const struct drive* drive, const struct task* task) {
  if (segments_may_keep(&drive->segments)) return true;
  return bus_holder_needs(drive, task) && drive->service.on_bus == NULL &&
         segments_have_ring(&drive->segments);
}

bool host_side_may_prepare(const struct drive* drive, const struct task* task) {
  if (!needs_segment(task) || task->segment != SEGMENT_NONE) return true;
  const uint32_t sectors = segments_sectors(&drive->segments, task->blocks);
  return segments_may_allocate(&drive->segments, sectors, SEGMENT_FOR_MEDIA);
}

bool host_side_prepare(struct drive* drive, struct task* task) {
  if (task->operation == TASK_MAINTENANCE) return maintenance_prepare(drive);
  if (!needs_segment(task)) return true;
  // The ring first: a task that has to wait for one must not keep others from room meanwhile.
  if (host_side_ring(drive, task) == SEGMENT_NO_RING && !may_keep_ring(drive, task)) return false;
  if (!cache_take(drive, task) && !take_segment(drive, task, SEGMENT_FOR_MEDIA)) return false;
  open_ring(drive, task);
  segments_keep(&drive->segments, task->segment);
  return true;
}

void host_side_free_segment(struct drive* drive, struct task* task) {
  ASSERT(drive->service.on_bus != task);
  if (task->segment == SEGMENT_NONE) return;
  struct cache_segment* cached = cache_of(drive, task);
  if (cached != NULL) {
    cache_release(drive, cached, task);
  } else {
    segments_close(&drive->segments, task->segment);
    segments_free(&drive->segments, task->segment);
  }
  task->segment = SEGMENT_NONE;
}

// ----------------------------------------------------------------------------------------- grants

/// Lets the host move blocks until `total` of the task's have been allowed since its arrival.
static void grant_up_to(struct drive* drive, struct task* task, uint32_t total) {
  const uint32_t allowed = task->blocks - task->host_blocks_left + task->host_blocks_granted;
  if (total <= allowed) return;
  const uint32_t more = total - allowed;
  trace_port_hal_event(TRACE_HOST_GRANT, more << 16 | task_set_index(&drive->tasks, task));
  scsi_task_grant(&drive->scsi, task, more);
}

void host_side_fetch_early(struct drive* drive, struct task* task, enum segment_reserve reserve) {
  if (task->operation != TASK_WRITE || !take_segment(drive, task, reserve)) return;
  grant_up_to(drive, task, segments_length(&drive->segments, task->segment));
  if (reserve == SEGMENT_FOR_PLAN) scsi_task_hurry(&drive->scsi, task);
}

void host_side_fetch_all(struct drive* drive, struct task* task) {
  if (task->operation != TASK_WRITE) return;
  grant_up_to(drive, task, task->blocks);
  scsi_task_hurry(&drive->scsi, task);
}

void host_side_deliver(struct drive* drive, struct task* task) {
  if (task->operation != TASK_READ) return;
  const struct cache_segment* cached = cache_of(drive, task);
  if (cached != NULL && cache_is_hit(cached, task_set_index(&drive->tasks, task))) return;
  struct media* media = &drive->media;
  const bool half_is_there =
      media->run_done >= media_half_of_run(media) && !media_may_stop_short(media);
  if (half_is_there) media_ignore_sectors(media);
  const uint32_t there =
      half_is_there ? media_blocks_with_run(media) : media_blocks_done(media) - media->run_done;
  grant_up_to(drive, task, drive->service.resumed_blocks + there);
}

void host_side_deliver_all(struct drive* drive, struct task* task) {
  if (task->operation != TASK_READ) return;
  grant_up_to(drive, task, task->blocks);
}

void host_side_deliver_up_to(struct drive* drive, struct task* task, uint32_t lba) {
  if (task->operation != TASK_READ) return;
  const uint32_t here = lba - task->lba;
  grant_up_to(drive, task, here < task->blocks ? here : task->blocks);
}

// ------------------------------------------------------------------ what firmware/scsi calls

/// The data of a hit: a ring for those that this data phase moves.
static uint32_t open_part(struct drive* drive, const struct cache_segment* cached,
                          const struct task* task, uint32_t blocks) {
  const uint32_t first = task->lba - cached->lba + task->blocks - task->host_blocks_left;
  const uint32_t ring = segments_open_part(&drive->segments, cached->segment, first, blocks);
  drive->service.part_ring = (uint8_t)ring;
  return ring;
}

void core_host_transfer_begin(struct drive* drive, struct task* task, uint32_t blocks) {
  trace_port_hal_event(TRACE_DATA_PHASE_BEGIN, task_set_index(&drive->tasks, task));
  ASSERT(task->segment != SEGMENT_NONE && drive->service.on_bus == NULL);
  drive->service.on_bus = task;
  const struct cache_segment* cached = cache_of(drive, task);
  if (cached != NULL && cache_is_hit(cached, task_set_index(&drive->tasks, task))) {
    buffer_mgr_hal_start_host(open_part(drive, cached, task, blocks), true);
    return;
  }
  open_ring(drive, task);
  buffer_mgr_hal_start_host(host_side_ring(drive, task), task->operation == TASK_READ);
}

bool core_may_report(const struct drive* drive, const struct task* task) {
  return cache_reports(&drive->cache, task);
}

/// A data phase of a write that waits for the media is over.
static void park(struct drive* drive, struct task* task) {
  segments_close(&drive->segments, task->segment);
  const uint32_t here = task->blocks - task->host_blocks_left;
  if (here < segments_length(&drive->segments, task->segment)) return;
  task->candidate.kind = CANDIDATE_WRITE;
  if (task->state == TASK_ENABLED) service_data_arrived(drive, task);
}

void core_host_transfer_end(struct drive* drive, struct task* task, uint32_t blocks) {
  (void)blocks;
  trace_port_hal_event(TRACE_DATA_PHASE_END, task_set_index(&drive->tasks, task));
  ASSERT(drive->service.on_bus == task);
  drive->service.on_bus = NULL;
  buffer_mgr_hal_stop_host();
  if (drive->service.part_ring != SEGMENT_NO_RING) {
    segments_close_part(&drive->segments, drive->service.part_ring);
    drive->service.part_ring = SEGMENT_NO_RING;
  }
  if (drive->service.current == task) {
    service_on_media(drive, media_on_buffer(&drive->media));
    return;
  }
  if (drive->service.suspended == task) return;
  const bool waits = task->operation == TASK_WRITE && task->state < TASK_ACTIVE;
  if (waits) {
    park(drive, task);
    return;
  }
  // A write that the media is done with, or the last of such a read: its segment may serve another
  // at once.
  const bool over = task->operation == TASK_WRITE || task->host_blocks_left == 0;
  if (!over) return;
  host_side_free_segment(drive, task);
  service_kick(drive);
}
