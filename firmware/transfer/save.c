// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_SAVE
#include "firmware/transfer/save.h"

#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/transfer/store_sector.h"

STATIC_ASSERT(MODE_PAGES_SAVED_BYTES <= STORE_PAYLOAD_MAX, "the mode pages fit a cell");

static void compose_modes(const struct maintenance* maintenance) {
  uint8_t packed[MODE_PAGES_SAVED_BYTES];
  mode_pages_pack(&maintenance->unit->modes, packed);
  store_compose(maintenance->store, STORE_CELL_MODES, packed, sizeof(packed));
}

static void begin_cell(struct maintenance* maintenance, uint32_t cell) {
  if (cell == STORE_CELL_MODES) {
    compose_modes(maintenance);
  } else {
    defect_log_compose(maintenance->media->log, maintenance->defects, cell);
  }
  maintenance->cell = (uint8_t)cell;
  maintenance->saved_copies = 0;
  maintenance->copy = (uint8_t)store_first_copy(maintenance->store, cell);
}

void save_begin(struct maintenance* maintenance, uint32_t first, uint32_t end) {
  ASSERT(first < end);
  maintenance->saves = true;
  maintenance->cells_end = (uint8_t)end;
  begin_cell(maintenance, first);
}

void save_next(struct maintenance* maintenance, struct media_request* request) {
  struct store* store = maintenance->store;
  store_sector_fill(store, maintenance->design);
  *request =
      maintenance_request(maintenance, store_index(store, maintenance->cell, maintenance->copy), 1);
  request->operation = FORMATTER_WRITE;
  request->ring_sectors = 1;
  request->purpose = MEDIA_FOR_STORE;
  store_begin(store, maintenance->cell, maintenance->copy);
}

/// Counts the cell as saved. The saved pages are those that were composed, because a MODE SELECT
/// may have come since.
static void take_cell(struct maintenance* maintenance) {
  uint32_t bytes = 0;
  if (maintenance->cell != STORE_CELL_MODES) return;
  mode_pages_set_saved(&maintenance->unit->modes, store_composed(maintenance->store, &bytes));
}

bool save_took(struct maintenance* maintenance, enum status status) {
  const bool is_first = maintenance->saved_copies == 0;
  if (status == STATUS_ABORTED || (status != STATUS_OK && is_first)) return false;
  if (status == STATUS_OK) {
    store_end(maintenance->store, maintenance->cell, maintenance->copy, is_first);
    trace_port_hal_event(TRACE_STORE_WRITTEN,
                         (uint32_t)maintenance->copy << 16 | maintenance->cell);
  }
  if (is_first) take_cell(maintenance);
  maintenance->copy = (uint8_t)(STORE_COPIES - 1 - maintenance->copy);
  if (++maintenance->saved_copies < STORE_COPIES) return true;
  const uint32_t next = maintenance->cell + 1U;
  maintenance->saves = next < maintenance->cells_end;
  if (maintenance->saves) begin_cell(maintenance, next);
  return true;
}
