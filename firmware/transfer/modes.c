// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_MODES
#include "firmware/transfer/modes.h"

#include "firmware/kernel/assert.h"
#include "firmware/queue/policy_table.h"
#include "firmware/transfer/write_frames.h"

// ------------------------------------------------------------------------------ page 20h: schedule

STATIC_ASSERT(MODE_SCHEDULER_PARAMETERS == POLICY_PARAMETERS_MAX, "the page has room for all");

static struct policy_selection selection_of(const struct mode_scheduler* wanted) {
  struct policy_selection selection = {.number = wanted->policy, .flags = wanted->flags};
  for (uint32_t i = 0; i < POLICY_PARAMETERS_MAX; ++i) {
    selection.parameter[i] = wanted->parameter[i];
  }
  return selection;
}

static bool is_same_selection(const struct policy_selection* a, const struct policy_selection* b) {
  bool same = a->number == b->number && a->flags == b->flags;
  for (uint32_t i = 0; i < POLICY_PARAMETERS_MAX; ++i) {
    same = same && a->parameter[i] == b->parameter[i];
  }
  return same;
}

uint32_t modes_scheduler_fault(const struct mode_scheduler* wanted) {
  const struct policy_selection selection = selection_of(wanted);
  const uint32_t fault = policy_find_fault(&selection);
  switch (fault) {
    case POLICY_FAULT_NONE: return 0;
    case POLICY_FAULT_NUMBER: return MODE_SCHEDULER_AT_POLICY;
    case POLICY_FAULT_FLAGS: return MODE_SCHEDULER_AT_FLAGS;
    default: return MODE_SCHEDULER_AT_PARAMETERS + 4 * (fault - POLICY_FAULT_PARAMETER);
  }
}

// ------------------------------------------------------------ pages 01h and 07h: error recovery

/// Translates bits of page 01h or 07h into those of the media.
static uint32_t recovery_of(uint8_t bits, uint8_t reallocation) {
  return ((bits & reallocation) != 0 ? MEDIA_REALLOCATES : 0U) |
         ((bits & MODE_RECOVERY_PER) != 0 ? MEDIA_REPORTS : 0U) |
         ((bits & MODE_RECOVERY_DTE) != 0 ? MEDIA_STOPS : 0U) |
         ((bits & MODE_RECOVERY_TB) != 0 ? MEDIA_TRANSFERS_BAD : 0U);
}

static void set_recovery(struct media* media, const struct mode_pages* modes) {
  media_set_retries(media, FORMATTER_READ, mode_read_retry_count(modes));
  media_set_retries(media, FORMATTER_WRITE, mode_write_retry_count(modes));
  media_set_retries(media, FORMATTER_VERIFY, mode_verify_retry_count(modes));
  const uint8_t bits = mode_recovery(modes, MODE_PAGE_ERROR_RECOVERY);
  media_set_recovery(media, FORMATTER_READ, recovery_of(bits, MODE_RECOVERY_ARRE));
  media_set_recovery(media, FORMATTER_WRITE, recovery_of(bits, MODE_RECOVERY_AWRE));
  media_set_recovery(media, FORMATTER_VERIFY,
                     recovery_of(mode_recovery(modes, MODE_PAGE_VERIFY_RECOVERY), 0));
}

// -------------------------------------------------------------------------------------------- all

static void set_scheduler(const struct mode_pages* pages, const struct modes_users* users) {
  struct mode_scheduler wanted;
  mode_pages_scheduler(pages, &wanted);
  struct policy_stream streams[POLICY_STREAMS];
  mode_pages_streams(pages, streams);
  scheduler_set_streams(users->scheduler, streams);
  const struct policy_selection selection = selection_of(&wanted);
  if (is_same_selection(&users->scheduler->selection, &selection)) return;
  const enum status selected = scheduler_select(users->scheduler, &selection);
  ASSERT(selected == STATUS_OK);  // modes_scheduler_fault() has accepted it.
  if (users->scheduler->park_cylinder != POLICY_STAYS) {
    arm_want(users->arm, ARM_PARK);
  } else {
    arm_do_without(users->arm, ARM_PARK);
  }
}

/// Waiting tasks keep the margin with which their spans were computed.
static void set_margin(const struct mode_pages* pages, const struct modes_users* users) {
  struct mode_scheduler wanted;
  mode_pages_scheduler(pages, &wanted);
  struct predictor* predictor = users->predictor;
  predictor->access_tick = users->controller->access_ticks;
  predictor->margin_tick = wanted.margin_us * TIME_TICKS_PER_MICROSECOND + predictor->access_tick;
}

static void set_remap(const struct mode_pages* pages, const struct modes_users* users) {
  struct mode_remap wanted;
  mode_pages_remap(pages, &wanted);
  const bool is_new = !mode_remap_is_same(&users->remap->mode, &wanted);
  if (is_new) remap_set_mode(users->remap, &wanted);
  learn_set(users->learn, (wanted.flags & MODE_REMAP_LEARNS) != 0, wanted.first_block,
            wanted.group_blocks, users->remap->design->capacity_blocks);
  if (is_new) arranger_on_mode(users->arranger);
}

void modes_apply(const struct mode_pages* pages, const struct modes_users* users) {
  set_scheduler(pages, users);
  struct mode_caching caching;
  mode_pages_caching(pages, &caching);
  cache_set_mode(users->cache, &caching);
  struct mode_write_buffer write_buffer;
  mode_pages_write_buffer(pages, &write_buffer);
  write_frames_set_mode(users->tasks, users->cache, &write_buffer);
  mode_pages_controller(pages, users->controller);
  set_margin(pages, users);
  mode_pages_disconnect(pages, users->disconnect);
  set_recovery(users->media, pages);
  set_remap(pages, users);
  struct mode_background background;
  mode_pages_background(pages, &background);
  scan_set_mode(users->scan, &background);
}
