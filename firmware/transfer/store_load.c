// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_STORE_LOAD
#include "firmware/transfer/store_load.h"

#include <stddef.h>

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"

/// Sectors that are read at a time, where the buffer has so many.
#define PIECE_SECTORS 16U

void store_load_init(struct store_load* load, struct store* store, struct media* media,
                     struct segments* segments, struct target* target, struct unit* unit) {
  *load = (struct store_load){.store = store,
                              .media = media,
                              .segments = segments,
                              .target = target,
                              .unit = unit,
                              .log = media->log,
                              .segment = SEGMENT_NONE,
                              .step = STORE_LOAD_OVER};
}

/// Sector `number` of the segment, as far as the store needs it.
static void take_image(struct store_load* load, uint32_t number) {
  const uint32_t sector_bytes = load->segments->sector_bytes;
  const uint32_t from = segments_first_byte(load->segments, load->segment) + number * sector_bytes;
  const uint32_t bytes = sector_bytes < STORE_IMAGE_BYTES ? sector_bytes : STORE_IMAGE_BYTES;
  uint8_t* image = load->store->image;
  for (uint32_t byte = 0; byte < bytes; byte += 4) {
    const uint32_t word = buffer_mgr_hal_read_word(from + byte);
    for (uint32_t i = 0; i < 4; ++i) image[byte + i] = (uint8_t)(word >> 8 * i);
  }
}

/// A request that reads sectors of the area into the segment.
static struct media_request read(const struct store_load* load, uint32_t index, uint32_t sectors) {
  buffer_mgr_hal_set_segment(SEGMENTS_OWN_RING, segments_first_byte(load->segments, load->segment),
                             load->sectors, 0);
  return (struct media_request){.operation = FORMATTER_READ,
                                .lba = index,
                                .block_count = sectors,
                                .ring = SEGMENTS_OWN_RING,
                                .ring_sectors = load->sectors,
                                .task = MEDIA_NO_TASK,
                                .detour = MEDIA_NO_DETOUR,
                                .purpose = MEDIA_FOR_STORE};
}

/// Takes what the request brought of the area; goes on after it, and after an unreadable sector.
static void scan(struct store_load* load) {
  const uint32_t done = media_blocks_done(load->media);
  for (uint32_t i = 0; i < done; ++i) {
    take_image(load, i);
    store_show(load->store, load->index + i);
  }
  load->index += done;
  if (media_status(load->media) != STATUS_OK) ++load->index;
}

static void give(struct store_load* load, uint32_t cell) {
  uint32_t bytes = 0;
  const uint8_t* payload = store_payload(load->store, cell, &bytes);
  if (payload == NULL) return;
  if (cell == STORE_CELL_MODES) {
    if (mode_pages_load(&load->unit->modes, payload, bytes)) host_modes_changed(load->target);
  } else {
    defect_log_load(load->log, load->media->defects, cell, payload, bytes);
  }
}

/// Takes the content of a cell, which has come or cannot be read from this copy.
static void take(struct store_load* load) {
  const uint32_t cell = load->index;
  if (media_status(load->media) != STATUS_OK) {
    store_lose(load->store, cell, store_good_copy(load->store, cell));
    if (store_has(load->store, cell)) return;  // The other copy is read next.
  } else {
    take_image(load, 0);
    give(load, cell);
  }
  ++load->index;
}

void store_load_took(struct store_load* load) {
  if (load->step == STORE_LOAD_TAKES) {
    take(load);
    return;
  }
  scan(load);
  if (load->index < store_sector_count(load->store)) return;
  load->step = STORE_LOAD_TAKES;
  load->index = 0;
}

static void end(struct store_load* load) {
  segments_free(load->segments, load->segment);
  load->step = STORE_LOAD_OVER;
  if (defect_log_is_formatting(load->log)) host_medium_corrupt(load->target, true);
  trace_port_hal_event(TRACE_STORE_LOADED, load->store->cell[STORE_CELL_MODES].sequence);
}

/// The cell to be taken next, or the number of cells.
static uint32_t next_cell(const struct store_load* load) {
  uint32_t cell = load->index;
  while (cell < load->store->cells && !store_has(load->store, cell)) ++cell;
  return cell;
}

bool store_load_next(struct store_load* load, struct media_request* request) {
  const struct store* store = load->store;
  if (load->step == STORE_LOAD_SCANS) {
    const uint32_t left = store_sector_count(store) - load->index;
    *request = read(load, load->index, left < load->sectors ? left : load->sectors);
    return true;
  }
  load->index = next_cell(load);
  if (load->index == store->cells) {
    end(load);
    return false;
  }
  *request = read(load, store_index(store, load->index, store_good_copy(store, load->index)), 1);
  return true;
}

bool store_load_begin(struct store_load* load) {
  load->step = STORE_LOAD_OVER;
  const bool is_new = load->media->design->store_is_new != 0;
  if (!store_is_there(load->store) || is_new || !media_is_idle(load->media)) return false;
  load->sectors = segments_sectors(load->segments, PIECE_SECTORS);
  load->segment = segments_allocate(load->segments, load->sectors, SEGMENT_FOR_MEDIA);
  if (load->segment == SEGMENT_NONE) return false;
  load->step = STORE_LOAD_SCANS;
  load->index = 0;
  return true;
}
