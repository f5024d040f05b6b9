// REASSIGN BLOCKS at the media (maintenance.h).
#define FILE_ID FILE_ID_REASSIGN
#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/maintenance_steps.h"

enum step { STEP_READS, STEP_MOVES };

static uint32_t block(const struct drive* drive) {
  return drive->scsi.maintenance.list[drive->maintenance.index];
}

void reassign_begin(struct drive* drive) { drive->maintenance.step = STEP_READS; }

enum maintenance_next reassign_next(struct drive* drive, struct media_request* request,
                                    struct maintenance_outcome* outcome) {
  const struct maintenance* maintenance = &drive->maintenance;
  *outcome = (struct maintenance_outcome){STATUS_OK, 0};
  if (maintenance->index == drive->scsi.maintenance.count) return MAINTENANCE_IS_OVER;
  if (maintenance->step == STEP_MOVES) {
    *request = maintenance_relocation(drive, block(drive));
    return MAINTENANCE_REQUESTS;
  }
  *request = maintenance_request(drive, block(drive), 1);
  request->operation = FORMATTER_READ;
  request->ring_sectors = 1;
  buffer_mgr_hal_set_segment(SEGMENTS_OWN_RING, maintenance_byte(drive), 1, 0);
  return MAINTENANCE_REQUESTS;
}

/// Tasks behind the barrier have been placed when they came: those that the block is part of are
/// placed anew, as they do not wait at the scheduler yet.
static void place_anew(struct drive* drive, uint32_t lba) {
  struct task_set* set = &drive->tasks;
  for (struct task* task = task_set_oldest(set); task != NULL; task = task_set_younger(set, task)) {
    const bool waits = task->state == TASK_DORMANT && task->blocks > 0;
    if (!waits || lba - task->lba >= task->blocks) continue;
    const bool is_write = task->operation == TASK_WRITE;
    const bool has_place =
        is_write || task->operation == TASK_READ || task->operation == TASK_VERIFY;
    if (!has_place) continue;
    const enum status placed =
        predictor_place(&drive->predictor, task->lba, task->blocks, is_write, &task->candidate);
    ASSERT(placed == STATUS_OK);
  }
}

/// What cannot be read is zeros from now on.
bool reassign_took(struct drive* drive, enum status status) {
  struct maintenance* maintenance = &drive->maintenance;
  if (maintenance->step == STEP_READS) {
    if (status != STATUS_OK && !maintenance_is_defect(status)) return false;
    if (status != STATUS_OK) maintenance_fill(drive, 1, false);
    maintenance->step = STEP_MOVES;
    return true;
  }
  if (status != STATUS_OK) return false;
  cache_drop(drive, block(drive), 1);
  place_anew(drive, block(drive));
  ++maintenance->index;
  maintenance->step = STEP_READS;
  return true;
}
