#define FILE_ID FILE_ID_MAINTENANCE
#include "firmware/transfer/maintenance.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/scsi/task_management.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/maintenance_steps.h"

void maintenance_init(struct maintenance* maintenance) {
  *maintenance = (struct maintenance){.segment = SEGMENT_NONE};
}

static enum maintenance_kind kind_of(const struct drive* drive) {
  return (enum maintenance_kind)drive->scsi.maintenance.kind;
}

// ----------------------------------------------------------------------------------------- buffer

bool maintenance_prepare(struct drive* drive) {
  struct maintenance* maintenance = &drive->maintenance;
  if (maintenance->segment != SEGMENT_NONE) return true;
  maintenance->sectors = segments_sectors(&drive->segments, MAINTENANCE_SECTORS);
  maintenance->segment =
      segments_allocate(&drive->segments, maintenance->sectors, SEGMENT_FOR_MEDIA);
  return maintenance->segment != SEGMENT_NONE;
}

uint32_t maintenance_byte(const struct drive* drive) {
  return segments_first_byte(&drive->segments, drive->maintenance.segment);
}

/// Four bytes of a pattern that begins anew with each sector, byte 0 the lowest.
static uint32_t pattern_word(const struct maintenance_order* order, uint32_t byte) {
  uint32_t word = 0;
  uint32_t place = byte % order->pattern_bytes;
  for (uint32_t i = 0; i < 4; ++i) {
    word |= (uint32_t)order->pattern[place] << 8 * i;
    place = place + 1 < order->pattern_bytes ? place + 1 : 0;
  }
  return word;
}

void maintenance_fill(struct drive* drive, uint32_t sectors, bool with_pattern) {
  const struct maintenance_order* order = &drive->scsi.maintenance;
  const uint32_t sector_bytes = drive->design->sector_bytes;
  const uint32_t first = maintenance_byte(drive);
  for (uint32_t byte = 0; byte < sector_bytes; byte += 4) {
    const uint32_t word = with_pattern && order->pattern_bytes > 0 ? pattern_word(order, byte) : 0;
    for (uint32_t sector = 0; sector < sectors; ++sector) {
      buffer_mgr_hal_write_word(first + sector * sector_bytes + byte, word);
    }
  }
}

// --------------------------------------------------------------------------------------- requests

struct media_request maintenance_request(const struct drive* drive, uint32_t lba, uint32_t blocks) {
  return (struct media_request){.lba = lba,
                                .block_count = blocks,
                                .ring = SEGMENTS_OWN_RING,
                                .ring_sectors = drive->maintenance.sectors,
                                .task = task_set_index(&drive->tasks, drive->service.current),
                                .detour = MEDIA_NO_DETOUR,
                                .operation = FORMATTER_VERIFY,
                                .purpose = MEDIA_FOR_DRIVE};
}

struct media_request maintenance_relocation(const struct drive* drive, uint32_t lba) {
  struct media_request request = maintenance_request(drive, lba, 1);
  request.operation = FORMATTER_WRITE;
  request.purpose = MEDIA_TO_RELOCATE;
  request.byte = maintenance_byte(drive);
  return request;
}

// -------------------------------------------------------------------------------------- self-test

static enum maintenance_next self_test_next(struct drive* drive, struct media_request* request,
                                            struct maintenance_outcome* outcome) {
  struct maintenance* maintenance = &drive->maintenance;
  const uint32_t last = drive->design->capacity_blocks - 1;
  *outcome = (struct maintenance_outcome){STATUS_OK, 0};
  if (maintenance->index == 2) return MAINTENANCE_IS_OVER;
  *request = maintenance_request(drive, maintenance->index == 0 ? 0 : last, 1);
  ++maintenance->index;
  return MAINTENANCE_REQUESTS;
}

// ------------------------------------------------------------------------------------------- life

static enum maintenance_next next(struct drive* drive, struct media_request* request,
                                  struct maintenance_outcome* outcome) {
  switch (kind_of(drive)) {
    case MAINTENANCE_FORMAT: return format_next(drive, request, outcome);
    case MAINTENANCE_REASSIGN: return reassign_next(drive, request, outcome);
    case MAINTENANCE_SELF_TEST: return self_test_next(drive, request, outcome);
  }
  ASSERT_UNREACHABLE();
}

/// How the request ended. @return false when there is no going on.
static bool took(struct drive* drive, enum status status, uint32_t blocks_done) {
  switch (kind_of(drive)) {
    case MAINTENANCE_FORMAT: return format_took(drive, status, blocks_done);
    case MAINTENANCE_REASSIGN: return reassign_took(drive, status);
    case MAINTENANCE_SELF_TEST: return status == STATUS_OK || maintenance_is_defect(status);
  }
  ASSERT_UNREACHABLE();
}

static void finish(struct drive* drive, enum status status, uint32_t lba) {
  if (kind_of(drive) == MAINTENANCE_SELF_TEST && status != STATUS_OK && status != STATUS_ABORTED) {
    status = STATUS_SELF_TEST_FAILED;
  }
  service_finish_current(drive, status, lba);
}

/// Until the media work on a request, others are to be served first, or it is over.
static void go_on(struct drive* drive) {
  while (true) {
    struct media_request request;
    struct maintenance_outcome outcome;
    switch (next(drive, &request, &outcome)) {
      case MAINTENANCE_IS_OVER: finish(drive, outcome.status, outcome.lba); return;
      case MAINTENANCE_YIELDS: drive->maintenance.yields = true; return;
      case MAINTENANCE_REQUESTS: break;
      default: ASSERT_UNREACHABLE();
    }
    if (media_start(&drive->media, &request) != MEDIA_ENDED) return;
    const enum status status = media_status(&drive->media);
    const uint32_t done = media_blocks_done(&drive->media);
    if (took(drive, status, done)) continue;
    finish(drive, status, drive->media.request.lba + done);
    return;
  }
}

void maintenance_begin(struct drive* drive) {
  drive->maintenance.index = 0;
  drive->maintenance.step = 0;
  drive->maintenance.unspared = DEFECT_NO_BLOCK;
  if (kind_of(drive) == MAINTENANCE_FORMAT) format_begin(drive);
  if (kind_of(drive) == MAINTENANCE_REASSIGN) reassign_begin(drive);
  go_on(drive);
}

void maintenance_on_media(struct drive* drive, enum status status, uint32_t blocks_done) {
  if (took(drive, status, blocks_done)) {
    go_on(drive);
  } else {
    finish(drive, status, drive->media.request.lba + blocks_done);
  }
}

void maintenance_resume(struct drive* drive) {
  drive->maintenance.yields = false;
  const struct task* task = drive->service.current;
  const bool waits = task != NULL && task->operation == TASK_MAINTENANCE;
  // It may have been aborted meanwhile, and another have begun.
  if (waits && media_is_idle(&drive->media)) go_on(drive);
  service_kick(drive);
}

void maintenance_on_ended(struct drive* drive, const struct task* task) {
  if (drive->scsi.maintenance.task != task) return;
  drive->scsi.maintenance.task = NULL;
  if (drive->maintenance.segment == SEGMENT_NONE) return;
  segments_free(&drive->segments, drive->maintenance.segment);
  drive->maintenance.segment = SEGMENT_NONE;
}

// ------------------------------------------------------------------ what firmware/scsi calls

uint32_t core_maintenance_progress(const struct drive* drive) {
  const bool has_begun = drive->service.current == drive->scsi.maintenance.task;
  return has_begun && kind_of(drive) == MAINTENANCE_FORMAT ? format_progress(drive) : 0;
}

/// What was ordered with IMMED owes no status any more; a reset ends it all the same.
void core_hard_reset(struct drive* drive) {
  const struct task* order = drive->scsi.maintenance.task;
  if (order == NULL) return;
  task_abort(&drive->scsi, &drive->tasks.task[task_set_index(&drive->tasks, order)]);
}

static enum formatter_operation operation_of(enum core_counters which) {
  switch (which) {
    case CORE_COUNTERS_WRITE: return FORMATTER_WRITE;
    case CORE_COUNTERS_READ: return FORMATTER_READ;
    case CORE_COUNTERS_VERIFY: return FORMATTER_VERIFY;
  }
  ASSERT_UNREACHABLE();
}

const struct error_counters* core_error_counters(const struct drive* drive,
                                                 enum core_counters which) {
  return &drive->media.counters[operation_of(which)];
}

void core_clear_error_counters(struct drive* drive) {
  for (uint32_t i = 0; i < sizeof drive->media.counters / sizeof drive->media.counters[0]; ++i) {
    drive->media.counters[i] = (struct error_counters){.blocks = 0};
  }
}
