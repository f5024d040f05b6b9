// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_FORMAT
#include "firmware/transfer/format.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/assert.h"
#include "firmware/transfer/save.h"

enum step {
  STEP_BEGINS,     ///< The store has a "format in progress" mark; nothing else has changed.
  STEP_FILLS,      ///< The pattern is written to the buffer, up to sector `index`.
  STEP_LISTS,      ///< Defects of the order are entered into the grown list.
  STEP_WRITES,     ///< Blocks from `lba` to the end of the track are written.
  STEP_CERTIFIES,  ///< The blocks are read back.
  STEP_MOVES,      ///< Block `lba` proved bad.
  STEP_ENDS,       ///< All is done, and saved in the store.
};

// ------------------------------------------------------------------------------------------ lists

/// Blocks are named by their places in the final list. With the grown list discarded, these are the
/// places of the design. So a list that was read back reproduces itself.
static void find_sectors(struct maintenance* maintenance) {
  struct maintenance_order* order = &maintenance->unit->maintenance;
  if (order->discards_grown) defect_list_clear(maintenance->defects);
  if (!order->names_blocks) return;
  for (uint32_t i = 0; i < order->count; ++i) {
    order->list[i] = defect_list_sector_of(maintenance->defects, order->list[i]);
  }
}

static void note_unspared(struct maintenance* maintenance, uint32_t lba) {
  if (lba < maintenance->unspared) maintenance->unspared = lba;
}

/// Enters some of the order's defects. @return whether that were the last.
static bool enter_defects(struct maintenance* maintenance) {
  const struct maintenance_order* order = &maintenance->unit->maintenance;
  for (uint32_t i = 0; i < MAINTENANCE_SLICE && maintenance->index < order->count; ++i) {
    const uint32_t sector = order->list[maintenance->index++];
    if (defect_list_add(maintenance->defects, sector) == STATUS_OK) continue;
    note_unspared(maintenance, defect_list_block_on(maintenance->defects, sector));
  }
  return maintenance->index == order->count;
}

// ----------------------------------------------------------------------------------------- tracks

/// Finds the blocks that the design puts on the track of the first. Those that have moved are
/// formatted with them.
static void begin_track(struct maintenance* maintenance, uint32_t lba) {
  maintenance->step = STEP_WRITES;
  maintenance->lba = maintenance->track_lba = maintenance->track_end = lba;
  struct place first = {0};
  struct place at;
  while (geometry_locate(maintenance->design, maintenance->track_end, &at) == STATUS_OK) {
    if (maintenance->track_end == lba) first = at;
    if (at.cylinder != first.cylinder || at.head != first.head) break;
    maintenance->track_end += at.contiguous_blocks;
  }
  if (maintenance->track_end > lba) trace_port_hal_event(TRACE_FORMAT_TRACK, lba);
}

/// Continues after all of a track has been written, or read back.
static void end_pass(struct maintenance* maintenance) {
  if (maintenance->step == STEP_WRITES && maintenance->unit->maintenance.certifies) {
    maintenance->step = STEP_CERTIFIES;
    maintenance->lba = maintenance->track_lba;
  } else {
    begin_track(maintenance, maintenance->track_end);
  }
}

static struct defect_log* log_of(const struct maintenance* maintenance) {
  return maintenance->media->log;
}

/// Saves the mode pages and a "format in progress" mark before anything else changes.
static void save_first(struct maintenance* maintenance) {
  const bool saves_modes = maintenance->unit->maintenance.saves_modes;
  const bool keeps_log = defect_log_is_kept(log_of(maintenance));
  if (!store_is_there(maintenance->store)) return;
  if (keeps_log) defect_log_begin_format(log_of(maintenance));
  const uint32_t first = saves_modes ? STORE_CELL_MODES : STORE_CELL_STATE;
  const uint32_t end = keeps_log ? STORE_CELL_STATE + 1U : STORE_CELL_MODES + 1U;
  if (first < end) save_begin(maintenance, first, end);
}

/// Saves the grown list, which is as the order requires.
static void save_list(struct maintenance* maintenance) {
  const struct defect_log* log = log_of(maintenance);
  if (!defect_log_is_kept(log) || maintenance->defects->count == 0) return;
  save_begin(maintenance, STORE_CELL_LOG, defect_log_end_cell(log, maintenance->defects));
}

/// Begins to record in the store that the format has ended well. @return false: there is nothing to
/// record.
static bool save_end(struct maintenance* maintenance) {
  struct defect_log* log = log_of(maintenance);
  if (maintenance->step == STEP_ENDS || !defect_log_is_kept(log)) return false;
  maintenance->step = STEP_ENDS;
  defect_log_end_format(log);
  save_begin(maintenance, STORE_CELL_STATE, STORE_CELL_STATE + 1U);
  return true;
}

void format_begin(struct maintenance* maintenance) {
  host_medium_corrupt(maintenance->target, true);
  maintenance->step = STEP_BEGINS;
  save_first(maintenance);
}

/// Sends every unit home. The mark is saved first: until then, a power cut or an abort leaves all
/// blocks where they are.
static void begin_change(struct maintenance* maintenance) {
  maintenance->saves_map = remap_go_home(maintenance->remap);
  cache_drop(maintenance->cache, 0, maintenance->design->capacity_blocks);
  find_sectors(maintenance);
  maintenance->step = STEP_FILLS;
}

/// Fills some sectors of the buffer with the pattern. Defects are next after the last one.
static void fill(struct maintenance* maintenance) {
  const uint32_t count = MAINTENANCE_SLICE_BYTES / maintenance->design->sector_bytes;
  const uint32_t from = maintenance->index;
  uint32_t end = from + (count > 0 ? count : 1);
  if (end > maintenance->sectors) end = maintenance->sectors;
  maintenance_fill(maintenance, from, end, true);
  maintenance->index = end;
  if (end < maintenance->sectors) return;
  maintenance->index = 0;
  maintenance->step = STEP_LISTS;
}

// ----------------------------------------------------------------------------------------- course

static enum maintenance_next end_well(struct maintenance* maintenance,
                                      struct maintenance_outcome* outcome) {
  const uint32_t unspared = maintenance->unspared;
  host_medium_corrupt(maintenance->target, false);
  host_medium_changed(maintenance->target, (uint8_t)maintenance->task->initiator);
  *outcome = unspared == DEFECT_NO_BLOCK ? (struct maintenance_outcome){STATUS_OK, 0}
                                         : (struct maintenance_outcome){STATUS_NO_SPARE, unspared};
  return MAINTENANCE_IS_OVER;
}

static void make_request(struct maintenance* maintenance, struct media_request* request) {
  if (maintenance->step == STEP_MOVES) {
    *request = maintenance_relocation(maintenance, maintenance->lba);
    return;
  }
  *request =
      maintenance_request(maintenance, maintenance->lba, maintenance->track_end - maintenance->lba);
  request->purpose = MEDIA_TO_CERTIFY;
  if (maintenance->step == STEP_CERTIFIES) return;
  request->operation = FORMATTER_WRITE;
  request->purpose = MEDIA_TO_FORMAT;
  // The move of a block has changed the ring.
  buffer_mgr_hal_set_segment(SEGMENTS_OWN_RING, maintenance_byte(maintenance), maintenance->sectors,
                             maintenance->sectors);
}

static enum maintenance_next save_request(struct maintenance* maintenance,
                                          struct media_request* request) {
  save_next(maintenance, request);
  return MAINTENANCE_REQUESTS;
}

enum maintenance_next format_next(struct maintenance* maintenance, struct media_request* request,
                                  struct maintenance_outcome* outcome) {
  if (maintenance->step == STEP_BEGINS) {
    begin_change(maintenance);
    return MAINTENANCE_YIELDS;
  }
  if (maintenance->step == STEP_FILLS) {
    fill(maintenance);
    return MAINTENANCE_YIELDS;
  }
  if (maintenance->step == STEP_LISTS) {
    if (!enter_defects(maintenance)) return MAINTENANCE_YIELDS;
    begin_track(maintenance, 0);
    save_list(maintenance);
    if (maintenance->saves) return save_request(maintenance, request);
  }
  // The block that moved may have been the last of its track.
  while (maintenance->step != STEP_MOVES && maintenance->lba == maintenance->track_end) {
    if (maintenance->lba == maintenance->design->capacity_blocks &&
        maintenance->track_lba == maintenance->track_end) {
      if (save_end(maintenance)) return save_request(maintenance, request);
      return end_well(maintenance, outcome);
    }
    end_pass(maintenance);
  }
  make_request(maintenance, request);
  return MAINTENANCE_REQUESTS;
}

/// Continues after block `lba`, which has moved, or could not move.
static void resume(struct maintenance* maintenance) {
  ++maintenance->lba;
  maintenance->step = maintenance->step_resumed;
}

bool format_took(struct maintenance* maintenance, enum status status, uint32_t blocks_done) {
  if (maintenance->step == STEP_MOVES) {
    if (status != STATUS_OK && status != STATUS_NO_SPARE) return false;
    if (status == STATUS_NO_SPARE) note_unspared(maintenance, maintenance->lba);
    resume(maintenance);
    return true;
  }
  maintenance->lba += blocks_done;
  if (status == STATUS_OK) return true;
  if (!maintenance_is_defect(status)) return false;
  maintenance->step_resumed = maintenance->step;
  maintenance->step = STEP_MOVES;
  return true;
}

uint32_t format_progress(const struct maintenance* maintenance) {
  if (maintenance->step <= STEP_LISTS) return 0;
  return share_65536(maintenance->track_lba, maintenance->design->capacity_blocks);
}
