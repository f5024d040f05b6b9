// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_MAINTENANCE
#include "firmware/transfer/maintenance.h"

#include "firmware/kernel/assert.h"
#include "firmware/transfer/format.h"
#include "firmware/transfer/reassign.h"
#include "firmware/transfer/save.h"
#include "firmware/transfer/scan.h"

void maintenance_init(struct maintenance* maintenance, const struct predictor* predictor,
                      struct defect_list* defects, struct task_set* tasks, struct target* target,
                      struct unit* unit, struct cache* cache, struct media* media,
                      struct store* store, struct remap* remap, struct scan* scan) {
  *maintenance = (struct maintenance){.design = defects->design,
                                      .predictor = predictor,
                                      .defects = defects,
                                      .tasks = tasks,
                                      .target = target,
                                      .unit = unit,
                                      .segments = cache->segments,
                                      .cache = cache,
                                      .media = media,
                                      .store = store,
                                      .remap = remap,
                                      .scan = scan,
                                      .segment = SEGMENT_NONE};
}

static enum maintenance_kind kind_of(const struct maintenance* maintenance) {
  return (enum maintenance_kind)maintenance->unit->maintenance.kind;
}

// ----------------------------------------------------------------------------------------- buffer

bool maintenance_prepare(struct maintenance* maintenance) {
  if (maintenance->segment != SEGMENT_NONE) return true;
  maintenance->sectors = segments_sectors(maintenance->segments, MAINTENANCE_SECTORS);
  maintenance->segment =
      segments_allocate(maintenance->segments, maintenance->sectors, SEGMENT_FOR_MEDIA);
  return maintenance->segment != SEGMENT_NONE;
}

// -------------------------------------------------------------------------------------- self-test

static enum maintenance_next self_test_next(struct maintenance* maintenance,
                                            struct media_request* request,
                                            struct maintenance_outcome* outcome) {
  const uint32_t last = maintenance->design->capacity_blocks - 1;
  *outcome = (struct maintenance_outcome){STATUS_OK, 0};
  if (maintenance->index == 2) return MAINTENANCE_IS_OVER;
  *request = maintenance_request(maintenance, maintenance->index == 0 ? 0 : last, 1);
  ++maintenance->index;
  return MAINTENANCE_REQUESTS;
}

// ------------------------------------------------------------------------------------------- life

static enum maintenance_next save_alone_next(const struct maintenance* maintenance,
                                             struct maintenance_outcome* outcome) {
  const bool rounded = maintenance->unit->maintenance.rounded;
  *outcome = (struct maintenance_outcome){rounded ? STATUS_ROUNDED : STATUS_OK, 0};
  return MAINTENANCE_IS_OVER;
}

/// Saves the base in which FORMAT UNIT has put every unit at home, before it writes any block.
static enum maintenance_next save_map_next(struct maintenance* maintenance,
                                           struct media_request* request,
                                           struct maintenance_outcome* outcome) {
  switch (remap_next(maintenance->remap, request)) {
    case REMAP_REQUESTS: return MAINTENANCE_REQUESTS;
    case REMAP_YIELDS: return MAINTENANCE_YIELDS;
    case REMAP_HAS_NOTHING: break;
  }
  *outcome = (struct maintenance_outcome){STATUS_WRITE_FAULT, 0};
  return MAINTENANCE_IS_OVER;
}

static bool save_map_took(struct maintenance* maintenance, enum status status) {
  remap_took(maintenance->remap, status);
  maintenance->saves_map = remap_saves_base(maintenance->remap);
  return maintenance->remap->tally.failed_lba == 0;
}

static enum maintenance_next next_action(struct maintenance* maintenance,
                                         struct media_request* request,
                                         struct maintenance_outcome* outcome) {
  if (maintenance->saves) {
    save_next(maintenance, request);
    return MAINTENANCE_REQUESTS;
  }
  if (maintenance->saves_map) return save_map_next(maintenance, request, outcome);
  switch (kind_of(maintenance)) {
    case MAINTENANCE_SAVE: return save_alone_next(maintenance, outcome);
    case MAINTENANCE_FORMAT: return format_next(maintenance, request, outcome);
    case MAINTENANCE_REASSIGN: return reassign_next(maintenance, request, outcome);
    case MAINTENANCE_SELF_TEST: return self_test_next(maintenance, request, outcome);
  }
  ASSERT_UNREACHABLE();
}

/// Takes the result of the request. @return false when the work cannot go on.
static bool took(struct maintenance* maintenance, enum status status, uint32_t blocks_done) {
  if (maintenance->saves) return save_took(maintenance, status);
  if (maintenance->saves_map) return save_map_took(maintenance, status);
  switch (kind_of(maintenance)) {
    case MAINTENANCE_SAVE: ASSERT_UNREACHABLE();
    case MAINTENANCE_FORMAT: return format_took(maintenance, status, blocks_done);
    case MAINTENANCE_REASSIGN: return reassign_took(maintenance, status);
    case MAINTENANCE_SELF_TEST: return status == STATUS_OK || maintenance_is_defect(status);
  }
  ASSERT_UNREACHABLE();
}

/// Notes the result: the work is over.
static void end(struct maintenance* maintenance, enum status status, uint32_t lba) {
  if (kind_of(maintenance) == MAINTENANCE_SELF_TEST && status != STATUS_OK &&
      status != STATUS_ABORTED) {
    status = STATUS_SELF_TEST_FAILED;
  }
  if (kind_of(maintenance) == MAINTENANCE_REASSIGN && status != STATUS_OK) {
    lba = reassign_block(maintenance);  // The media may have counted physical blocks.
  }
  if (maintenance->saves) lba = 0;  // The failure was not that of a block.
  maintenance->saves = false;
  maintenance->outcome = (struct maintenance_outcome){status, lba};
}

enum maintenance_next maintenance_next(struct maintenance* maintenance,
                                       struct media_request* request) {
  struct maintenance_outcome outcome;
  const enum maintenance_next next = next_action(maintenance, request, &outcome);
  if (next == MAINTENANCE_IS_OVER) end(maintenance, outcome.status, outcome.lba);
  return next;
}

bool maintenance_took(struct maintenance* maintenance) {
  const enum status status = media_status(maintenance->media);
  const uint32_t blocks_done = media_blocks_done(maintenance->media);
  if (took(maintenance, status, blocks_done)) return true;
  end(maintenance, status, maintenance->media->request.lba + blocks_done);
  return false;
}

void maintenance_begin(struct maintenance* maintenance, const struct task* task) {
  maintenance->task = task;
  maintenance->index = 0;
  maintenance->step = 0;
  maintenance->unspared = DEFECT_NO_BLOCK;
  maintenance->saves = maintenance->saves_map = false;
  if (kind_of(maintenance) == MAINTENANCE_FORMAT) {
    scan_restart(maintenance->scan);
    format_begin(maintenance);
  }
  if (kind_of(maintenance) == MAINTENANCE_REASSIGN) reassign_begin(maintenance);
  if (kind_of(maintenance) == MAINTENANCE_SAVE) {
    save_begin(maintenance, STORE_CELL_MODES, STORE_CELL_MODES + 1);
  }
}

void maintenance_on_ended(struct maintenance* maintenance, const struct task* task) {
  struct maintenance_order* order = &maintenance->unit->maintenance;
  if (order->task != task) return;
  order->task = NULL;
  if (maintenance->segment == SEGMENT_NONE) return;
  segments_free(maintenance->segments, maintenance->segment);
  maintenance->segment = SEGMENT_NONE;
}

uint32_t maintenance_progress(const struct maintenance* maintenance) {
  return kind_of(maintenance) == MAINTENANCE_FORMAT ? format_progress(maintenance) : 0;
}
