// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_RELOCATION
#include "firmware/transfer/relocation.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/transfer/segments.h"
#include "firmware/transfer/store_sector.h"

/// Whether the data are in the ring of a host's write, which has given up on the block's sector.
static bool is_host_write(const struct media* media) {
  return media->request.purpose == MEDIA_FOR_HOST && media->request.operation == FORMATTER_WRITE;
}

// -------------------------------------------------------------------------------------------- end

static enum relocation_next end_request(struct media* media, enum status status) {
  media->relocation.status = (uint8_t)status;
  return RELOCATION_ENDS;
}

/// Counts the next block of a host's write as done.
static void note_written(struct media* media) {
  struct error_counters* counters = &media->counters[FORMATTER_WRITE];
  ++media->blocks_done;
  ++counters->blocks;
  ++counters->recovered;
  media->retry_errors = 0;
  media->retries_left = media->retries[FORMATTER_WRITE];
  if ((media->request.recovery & MEDIA_REPORTS) == 0) return;
  media->recovered = STATUS_WRITE_MOVED;
  media->recovered_lba = media->relocation.block;
}

/// Puts the block on the spare.
static enum relocation_next move(struct media* media) {
  struct relocation* relocation = &media->relocation;
  relocation->step = RELOCATION_NONE;
  defect_list_move(media->defects, relocation->lba, relocation->spare);
  trace_port_hal_event(TRACE_BLOCK_MOVED, relocation->lba);
  if (media->request.purpose == MEDIA_TO_RELOCATE) return end_request(media, STATUS_OK);
  if (is_host_write(media)) note_written(media);
  return RELOCATION_OVER;
}

/// Leaves the block where it is: no spare takes it.
static enum relocation_next give_up(struct media* media) {
  media->relocation.step = RELOCATION_NONE;
  if (media->request.purpose == MEDIA_TO_RELOCATE) return end_request(media, STATUS_NO_SPARE);
  if (is_host_write(media)) {
    ++media->counters[FORMATTER_WRITE].unrecovered;
    return end_request(media, STATUS_WRITE_NOT_MOVED);
  }
  // A failure to reallocate is reported, whatever PER says (SCSI-2 9.3.3.6, ARRE).
  media->recovered = STATUS_READ_STAYS;
  media->recovered_lba = media->relocation.block;
  return RELOCATION_OVER;
}

// ---------------------------------------------------------------------------------------- records

uint32_t relocation_sector(const struct media* media) {
  const struct relocation* relocation = &media->relocation;
  if (relocation->step != RELOCATION_RECORDS) return relocation->spare;
  return media->design->store_sector +
         store_index(media->log->store, relocation->cell, relocation->copy);
}

static enum relocation_next record_copy(struct media* media, uint32_t copy) {
  struct relocation* relocation = &media->relocation;
  relocation->copy = (uint8_t)copy;
  relocation->retries = RELOCATION_RETRIES;
  store_begin(media->log->store, relocation->cell, copy);
  return RELOCATION_SEEKS;
}

/// The spare has the data: the new place is recorded, if there is a store.
static enum relocation_next settle(struct media* media) {
  struct relocation* relocation = &media->relocation;
  struct defect_log* log = media->log;
  if (!defect_log_is_kept(log)) return move(media);
  relocation->step = RELOCATION_RECORDS;
  relocation->is_recorded = false;
  relocation->cell = (uint8_t)defect_log_compose_move(log, relocation->lba, relocation->spare);
  store_sector_fill(log->store, media->design);
  return record_copy(media, store_first_copy(log->store, relocation->cell));
}

void relocation_drop(struct media* media) {
  const struct relocation* relocation = &media->relocation;
  if (relocation->step != RELOCATION_RECORDS || !relocation->is_recorded) return;
  defect_list_move(media->defects, relocation->lba, relocation->spare);
}

static enum relocation_next took_copy(struct media* media) {
  struct relocation* relocation = &media->relocation;
  struct defect_log* log = media->log;
  const bool is_first = !relocation->is_recorded;
  store_end(log->store, relocation->cell, relocation->copy, is_first);
  trace_port_hal_event(TRACE_STORE_WRITTEN, (uint32_t)relocation->copy << 16 | relocation->cell);
  if (!is_first) return move(media);
  defect_log_take_move(log, relocation->cell);
  relocation->is_recorded = true;
  return record_copy(media, STORE_COPIES - 1U - relocation->copy);
}

// ------------------------------------------------------------------------------------------ spare

/// Goes to the next spare.
static enum relocation_next try_spare(struct media* media) {
  struct relocation* relocation = &media->relocation;
  const bool is_full = defect_log_is_kept(media->log) && !defect_log_has_room(media->log);
  if (relocation->spares == 0 || is_full) return give_up(media);
  --relocation->spares;
  const enum status found =
      defect_list_find_spare(media->defects, relocation->lba, &relocation->spare);
  if (found != STATUS_OK) return give_up(media);
  relocation->step = RELOCATION_WRITES;
  relocation->retries = RELOCATION_RETRIES;
  if (relocation->ring == SEGMENTS_OWN_RING) {
    buffer_mgr_hal_set_segment(relocation->ring, relocation->byte, 1, 1);
  }
  return RELOCATION_SEEKS;
}

/// Spares stand in for physical blocks. A block in a scratch slot (block_map.h) has none.
static enum relocation_next begin(struct media* media, uint32_t block, uint32_t ring,
                                  uint32_t byte) {
  const bool is_physical = media->request.purpose >= MEDIA_TO_SLOT;
  const uint32_t physical = is_physical ? block : block_map_physical(media->map, block);
  media->relocation = (struct relocation){
      .block = block, .lba = physical, .ring = ring, .byte = byte, .spares = RELOCATION_SPARES};
  return physical == BLOCK_MAP_NO_BLOCK ? give_up(media) : try_spare(media);
}

enum relocation_next relocation_begin(struct media* media, uint32_t block, uint32_t byte) {
  return begin(media, block, SEGMENTS_OWN_RING, byte);
}

enum relocation_next relocation_begin_write(struct media* media) {
  const uint32_t block = media->request.lba + media->blocks_done;
  return begin(media, block, media->request.ring, 0);
}

// ------------------------------------------------------------------------------------------- runs

void relocation_begin_run(struct media* media) {
  const struct relocation* relocation = &media->relocation;
  const bool writes = relocation->step != RELOCATION_VERIFIES;
  const bool records = relocation->step == RELOCATION_RECORDS;
  media->state = MEDIA_TRANSFERRING;
  ++media->step;
  if (records) store_sector_refill(media->design);
  if (writes) {
    buffer_mgr_hal_start_disk(records ? SEGMENTS_OWN_RING : relocation->ring, true,
                              BUFFER_MGR_NO_NOTICE);
  }
  const struct formatter_run run = {media->run_place.cylinder, media->run_place.head,
                                    media->run_place.sector, 1};
  trace_port_hal_event(TRACE_RUN_START, run.sector << 16 | run.count);
  formatter_hal_start(writes ? FORMATTER_WRITE : FORMATTER_VERIFY, &run);
}

/// Handles a copy of the store that cannot be written. The second one is no loss.
static enum relocation_next fail_copy(struct media* media) {
  return media->relocation.is_recorded ? move(media) : give_up(media);
}

/// Errors of the arm, the head and the spindle, which the next spare would meet as well.
#define NOT_THE_SPARES \
  (FORMATTER_ERROR_OTHER_TRACK | FORMATTER_ERROR_WRITE_FAULT | MEDIA_ERROR_NO_END)

/// Tries the spare again if the error may not be the sector's; otherwise the next spare.
static enum relocation_next fail(struct media* media, uint32_t errors) {
  struct relocation* relocation = &media->relocation;
  if (media_was_slow(errors)) return RELOCATION_SEEKS;
  if ((errors & FORMATTER_ERROR_CHECK) == 0 && relocation->retries > 0) {
    --relocation->retries;
    return RELOCATION_SEEKS_AGAIN;
  }
  if (relocation->step == RELOCATION_RECORDS) return fail_copy(media);
  if ((errors & NOT_THE_SPARES) != 0) return give_up(media);
  defect_list_reject(media->defects, relocation->spare);
  defect_log_reject(media->log, relocation->spare);
  return try_spare(media);
}

enum relocation_next relocation_on_formatter(struct media* media, uint32_t events) {
  struct relocation* relocation = &media->relocation;
  const bool failed = (events & FORMATTER_EVENT_ERROR) != 0;
  if (!failed && (events & FORMATTER_EVENT_DONE) == 0) return RELOCATION_WAITS;
  trace_port_hal_event(TRACE_RUN_DONE, failed ? 0 : 1);
  buffer_mgr_hal_stop_disk();
  if (failed) return fail(media, formatter_hal_errors());
  if (relocation->step == RELOCATION_RECORDS) return took_copy(media);
  if (relocation->step == RELOCATION_VERIFIES || is_host_write(media)) return settle(media);
  relocation->step = RELOCATION_VERIFIES;
  relocation->retries = RELOCATION_RETRIES;
  return RELOCATION_SEEKS;
}

enum relocation_next relocation_on_movement_failed(struct media* media) {
  struct relocation* relocation = &media->relocation;
  if (relocation->retries == 0) {
    return relocation->step == RELOCATION_RECORDS ? fail_copy(media) : give_up(media);
  }
  --relocation->retries;
  return RELOCATION_SEEKS_AGAIN;
}

enum relocation_next relocation_on_timeout(struct media* media) {
  trace_port_hal_event(TRACE_RUN_DONE, 0);
  buffer_mgr_hal_stop_disk();
  return fail(media, formatter_hal_errors() | MEDIA_ERROR_NO_END);
}
