// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REASSIGN
#include "firmware/transfer/reassign.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/transfer/scan.h"

enum step { STEP_READS, STEP_MOVES };

uint32_t reassign_block(const struct maintenance* maintenance) {
  return maintenance->unit->maintenance.list[maintenance->index];
}

void reassign_begin(struct maintenance* maintenance) { maintenance->step = STEP_READS; }

enum maintenance_next reassign_next(struct maintenance* maintenance, struct media_request* request,
                                    struct maintenance_outcome* outcome) {
  *outcome = (struct maintenance_outcome){STATUS_OK, 0};
  if (maintenance->index == maintenance->unit->maintenance.count) return MAINTENANCE_IS_OVER;
  if (maintenance->step == STEP_MOVES) {
    const struct block_map* map = maintenance->media->map;
    const uint32_t physical = block_map_physical(map, reassign_block(maintenance));
    if (physical == BLOCK_MAP_NO_BLOCK) {
      *outcome = (struct maintenance_outcome){STATUS_NO_SPARE, reassign_block(maintenance)};
      return MAINTENANCE_IS_OVER;
    }
    *request = maintenance_relocation(maintenance, physical);
    return MAINTENANCE_REQUESTS;
  }
  *request = maintenance_request(maintenance, reassign_block(maintenance), 1);
  request->operation = FORMATTER_READ;
  request->ring_sectors = 1;
  buffer_mgr_hal_set_segment(SEGMENTS_OWN_RING, maintenance_byte(maintenance), 1, 0);
  return MAINTENANCE_REQUESTS;
}

/// Tasks that arrived after the barrier have been placed already. Those that the block is part of
/// are placed anew. They are not in the scheduler yet.
static void place_anew(struct maintenance* maintenance, uint32_t lba) {
  struct task_set* set = maintenance->tasks;
  for (struct task* task = task_set_oldest(set); task != NULL; task = task_set_younger(set, task)) {
    const bool waits = task->state == TASK_DORMANT && task->blocks > 0;
    if (!waits || lba - task->lba >= task->blocks) continue;
    const bool is_write = task->operation == TASK_WRITE;
    if (!task_needs_media(task->operation)) continue;
    const enum status placed = predictor_place(maintenance->predictor, task->lba, task->blocks,
                                               is_write, &task->candidate);
    ASSERT(placed == STATUS_OK);
  }
}

/// The block's data cannot be read, and become zeros.
bool reassign_took(struct maintenance* maintenance, enum status status) {
  if (maintenance->step == STEP_READS) {
    if (status != STATUS_OK && !maintenance_is_defect(status)) return false;
    maintenance->lacks_data = status != STATUS_OK;
    if (maintenance->lacks_data) maintenance_fill(maintenance, 0, 1, false);
    maintenance->step = STEP_MOVES;
    return true;
  }
  if (status != STATUS_OK) return false;
  cache_drop(maintenance->cache, reassign_block(maintenance), 1);
  place_anew(maintenance, reassign_block(maintenance));
  scan_note_reassigned(maintenance->scan, reassign_block(maintenance), !maintenance->lacks_data);
  ++maintenance->index;
  maintenance->step = STEP_READS;
  return true;
}
