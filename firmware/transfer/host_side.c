#define FILE_ID FILE_ID_HOST_SIDE
#include "firmware/transfer/host_side.h"

#include "firmware/drive.h"
#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/scsi/scsi_core.h"

bool host_side_needs_segment(const struct task* task) {
  return task->operation == TASK_READ || task->operation == TASK_WRITE;
}

bool host_side_take_segment(struct drive* drive, struct task* task, enum segment_reserve reserve) {
  if (!host_side_needs_segment(task) || task->segment != SEGMENT_NONE) return true;
  task->segment = (uint8_t)segments_allocate(&drive->segments, reserve);
  return task->segment != SEGMENT_NONE;
}

void host_side_free_segment(struct drive* drive, struct task* task) {
  if (task->segment == SEGMENT_NONE) return;
  segments_free(&drive->segments, task->segment);
  task->segment = SEGMENT_NONE;
}

/// Lets the host move blocks until `total` of the task's have been allowed since its arrival.
static void grant_up_to(struct drive* drive, struct task* task, uint32_t total) {
  const uint32_t allowed = task->blocks - task->host_blocks_left + task->host_blocks_granted;
  if (total <= allowed) return;
  const uint32_t more = total - allowed;
  trace_port_hal_event(TRACE_HOST_GRANT, more << 16 | task_set_index(&drive->scsi.tasks, task));
  scsi_task_grant(&drive->scsi, task, more);
}

void host_side_fetch_early(struct drive* drive, struct task* task, enum segment_reserve reserve) {
  if (task->operation != TASK_WRITE) return;
  if (!host_side_take_segment(drive, task, reserve)) return;
  const uint32_t room = drive->segments.sectors;
  grant_up_to(drive, task, task->blocks < room ? task->blocks : room);
}

void host_side_fetch_all(struct drive* drive, struct task* task) {
  if (task->operation == TASK_WRITE) grant_up_to(drive, task, task->blocks);
}

void host_side_deliver(struct drive* drive, struct task* task) {
  if (task->operation != TASK_READ) return;
  const struct media* media = &drive->media;
  const bool half_is_there = 2 * media->run_done >= media->run_count;
  grant_up_to(
      drive, task,
      half_is_there ? media_blocks_with_run(media) : media_blocks_done(media) - media->run_done);
}

// ------------------------------------------------------------------ what firmware/scsi calls

void core_host_transfer_begin(struct drive* drive, struct task* task, uint32_t blocks) {
  (void)blocks;
  trace_port_hal_event(TRACE_DATA_PHASE_BEGIN, task_set_index(&drive->scsi.tasks, task));
  ASSERT(task->segment != SEGMENT_NONE);
  buffer_mgr_hal_start_host(task->segment, task->operation == TASK_READ);
}

void core_host_transfer_end(struct drive* drive, struct task* task, uint32_t blocks) {
  (void)blocks;
  trace_port_hal_event(TRACE_DATA_PHASE_END, task_set_index(&drive->scsi.tasks, task));
  buffer_mgr_hal_stop_host();
  if (drive->service.current == task) {
    service_on_media(drive, media_on_buffer(&drive->media));
    return;
  }
  // The last of a read that the media is done with: its segment may serve another at once.
  const bool drained = task->operation == TASK_READ && task->host_blocks_left == 0;
  if (!drained) return;
  host_side_free_segment(drive, task);
  service_kick(drive);
}
