// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/scan.h"

#include "firmware/hal/timer_hal.h"
#include "firmware/kernel/arithmetic.h"
#include "firmware/transfer/maintenance_work.h"

#define TICKS_PER_HOUR (UINT64_C(3600) * 1000U * TIME_TICKS_PER_MILLISECOND)

void scan_init(struct scan* scan, struct alarms* alarms) {
  scan->mode = (struct mode_background){0};
  scan->begun = scan->quiet_from = 0;
  scan->next_lba = 0;
  scan->completed = 0;
  scan->status = SCAN_OFF;
  scan_clear_results(scan);
  alarm_add(alarms, &scan->alarm);
}

/// Begins with block 0 when the drive is idle.
static void begin(struct scan* scan) {
  scan->status = SCAN_ACTIVE;
  scan->begun = timer_hal_now();
  scan->next_lba = 0;
  arm_want(scan->arm, ARM_SCAN);
}

void scan_restart(struct scan* scan) {
  scan_clear_results(scan);
  if (scan->status != SCAN_OFF) begin(scan);
}

void scan_set_mode(struct scan* scan, const struct mode_background* mode) {
  const bool was_on = scan->mode.scans != 0;
  scan->mode = *mode;
  if (mode->scans == 0) {
    scan->status = SCAN_OFF;
    arm_do_without(scan->arm, ARM_SCAN);
    alarm_set(&scan->alarm, TIME_TICK_NEVER);
    return;
  }
  if (!was_on) begin(scan);
  if (scan->status == SCAN_HALTED) return;
  scan->quiet_from = timer_hal_now();
  alarm_set(&scan->alarm, scan->quiet_from + mode->idle_ms * TIME_TICKS_PER_MILLISECOND);
}

// --------------------------------------------------------------------------------------------- log

/// 2^19 ticks are 256/1,171,875 of a minute. 32 bits of them are 1.8 years.
uint32_t scan_minutes(void) {
  const uint32_t minute_parts = 1171875U;
  const uint32_t reciprocal = (uint32_t)((UINT64_C(1) << 40) / minute_parts);
  return multiply_high((uint32_t)(timer_hal_now() >> 19), reciprocal);
}

uint32_t scan_progress(const struct scan* scan) {
  if (scan->status != SCAN_ACTIVE) return 0;
  const bool is_reading = scan->arm->owner == ARM_SCAN;
  const uint32_t done = scan->next_lba + (is_reading ? media_blocks_done(scan->media) : 0);
  return share_65536(done, scan->design->capacity_blocks);
}

void scan_clear_results(struct scan* scan) {
  scan->result_count = 0;
  scan->oldest = 0;
  if (arm_is_wanted_by(scan->arm, ARM_SCAN)) alarm_set(&scan->alarm, timer_hal_now());
}

static struct scan_result* find_result(struct scan* scan, uint32_t lba) {
  for (uint32_t i = 0; i < scan->result_count; ++i) {
    if (scan->results[i].lba == lba) return &scan->results[i];
  }
  return NULL;
}

/// The place for another result: that of the oldest one when there is no other.
static struct scan_result* take_place(struct scan* scan) {
  if (scan->result_count < SCAN_RESULTS_MAX) return &scan->results[scan->result_count++];
  struct scan_result* place = &scan->results[scan->oldest];
  scan->oldest = (uint8_t)((scan->oldest + 1U) % SCAN_RESULTS_MAX);
  return place;
}

/// Logs a block, in the place of an earlier result for the same one.
static void log_block(struct scan* scan, uint32_t lba, enum status status) {
  if (status == STATUS_READ_RECOVERED && scan->mode.only_failures != 0) return;
  struct scan_result* place = find_result(scan, lba);
  if (place == NULL) place = take_place(scan);
  *place = (struct scan_result){.minutes = scan_minutes(),
                                .lba = lba,
                                .status = (uint8_t)status,
                                .reassign = SCAN_REASSIGN_REQUIRED};
}

void scan_note_reassigned(struct scan* scan, uint32_t lba, bool has_data) {
  struct scan_result* result = find_result(scan, lba);
  if (result == NULL) return;
  result->reassign = (uint8_t)(has_data ? SCAN_REASSIGNED : SCAN_REASSIGNED_EMPTY);
}

// -------------------------------------------------------------------------------------- the arm

/// When the scan may go on, if no host uses the drive until then.
static time_tick due(const struct scan* scan) {
  const time_tick idle = scan->quiet_from + scan->mode.idle_ms * TIME_TICKS_PER_MILLISECOND;
  if (scan->status == SCAN_ACTIVE) return idle;
  const time_tick next = scan->begun + scan->mode.interval_h * TICKS_PER_HOUR;
  return next > idle ? next : idle;
}

static bool is_suspended(const struct scan* scan) {
  if (scan->media->seek->spindle != SPINDLE_AT_SPEED) return true;
  if (scan->unit->not_ready != SENSE_NONE || scan->unit->is_corrupt) return true;
  return scan->mode.waits_when_full != 0 && scan->result_count == SCAN_RESULTS_MAX;
}

enum arm_answer scan_plan(struct scan* scan, struct media_request* request) {
  if (is_suspended(scan)) return ARM_PASSES;
  const time_tick now = timer_hal_now();
  const time_tick from = due(scan);
  if (now < from) {
    alarm_set(&scan->alarm, from);
    return ARM_PASSES;
  }
  if (scan->status == SCAN_WAITS) begin(scan);
  const uint32_t left = scan->design->capacity_blocks - scan->next_lba;
  *request =
      (struct media_request){.operation = FORMATTER_VERIFY,
                             .lba = scan->next_lba,
                             .block_count = left < SCAN_REQUEST_BLOCKS ? left : SCAN_REQUEST_BLOCKS,
                             .recovery = MEDIA_REPORTS | MEDIA_STOPS,
                             .task = MEDIA_NO_TASK,
                             .detour = MEDIA_NO_DETOUR,
                             .purpose = MEDIA_FOR_SCAN};
  return ARM_REQUEST;
}

static void halt(struct scan* scan) {
  scan->status = SCAN_HALTED;
  arm_do_without(scan->arm, ARM_SCAN);
}

/// Goes on to block `lba`, or to the next scan.
static void go_to(struct scan* scan, uint32_t lba) {
  scan->next_lba = lba;
  if (lba < scan->design->capacity_blocks) return;
  scan->status = SCAN_WAITS;
  if (scan->completed < UINT16_MAX) ++scan->completed;
}

/// Whether the request has ended without an error of a block, or of the drive. The scan then waits
/// until a spindle that lost its speed has it again.
static bool is_harmless(enum status status) {
  switch (status) {
    case STATUS_OK:
    case STATUS_ABORTED:
    case STATUS_NOT_READY:
    case STATUS_BECOMING_READY:
    case STATUS_SPINDLE_FAILED: return true;
    default: return false;
  }
}

/// Takes the result of a request, unless the scan was turned off, and perhaps on again, meanwhile.
static void took(struct scan* scan) {
  const struct media* media = scan->media;
  const uint32_t first = media->request.lba;
  if (scan->status != SCAN_ACTIVE || scan->next_lba != first) return;
  uint32_t lba = 0;
  const enum status recovered = media_recovered(media, &lba);
  if (recovered != STATUS_OK) log_block(scan, lba, recovered);
  const enum status status = media_status(media);
  const uint32_t next = first + media_blocks_done(media);
  if (is_harmless(status)) {
    go_to(scan, next);
  } else if (maintenance_is_defect(status)) {
    log_block(scan, next, status);
    go_to(scan, next + 1U);
  } else {
    halt(scan);
  }
}

enum arm_answer scan_outcome(struct scan* scan, enum media_outcome outcome,
                             struct media_request* request) {
  (void)request;
  if (outcome == MEDIA_ENDED) took(scan);
  return ARM_PASSES;
}

void scan_yield(struct scan* scan, bool may_begin) {
  if (!may_begin || scan->media->aborted) return;
  if (media_abort(scan->media) != MEDIA_ENDED) return;  // The end follows.
  arm_release(scan->arm);
  took(scan);
}
