#define FILE_ID FILE_ID_SAVE
#include "firmware/transfer/save.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/trace_port_hal.h"

#define CELL STORE_CELL_MODES

void save_begin(struct maintenance* maintenance) {
  struct store* store = maintenance->store;
  uint8_t packed[MODE_PAGES_SAVED_BYTES];
  mode_pages_pack(&maintenance->scsi->modes, packed);
  store_compose(store, CELL, packed, sizeof(packed));
  maintenance->saves = true;
  maintenance->saved_copies = 0;
  maintenance->copy = (uint8_t)store_first_copy(store, CELL);
}

/// The image becomes the first sector of the segment.
static void put_image(const struct maintenance* maintenance) {
  const uint8_t* image = maintenance->store->image;
  const uint32_t to = maintenance_byte(maintenance);
  for (uint32_t byte = 0; byte < maintenance->design->sector_bytes; byte += 4) {
    uint32_t word = 0;
    for (uint32_t i = 0; byte < STORE_IMAGE_BYTES && i < 4; ++i) {
      word |= (uint32_t)image[byte + i] << 8 * i;
    }
    buffer_mgr_hal_write_word(to + byte, word);
  }
}

void save_next(struct maintenance* maintenance, struct media_request* request) {
  struct store* store = maintenance->store;
  put_image(maintenance);
  buffer_mgr_hal_set_segment(SEGMENTS_OWN_RING, maintenance_byte(maintenance), 1, 1);
  *request = maintenance_request(maintenance, store_index(store, CELL, maintenance->copy), 1);
  request->operation = FORMATTER_WRITE;
  request->ring_sectors = 1;
  request->in_store = true;
  store_begin(store, CELL, maintenance->copy);
}

bool save_took(struct maintenance* maintenance, enum status status) {
  const bool is_first = maintenance->saved_copies == 0;
  if (status == STATUS_ABORTED || (status != STATUS_OK && is_first)) return false;
  if (status == STATUS_OK) {
    store_end(maintenance->store, CELL, maintenance->copy, is_first);
    trace_port_hal_event(TRACE_STORE_WRITTEN, (uint32_t)maintenance->copy << 16 | CELL);
  }
  // What was composed: a MODE SELECT may have come since.
  if (is_first) {
    mode_pages_set_saved(&maintenance->scsi->modes, maintenance->store->image + STORE_HEADER_BYTES);
  }
  maintenance->copy = (uint8_t)(STORE_COPIES - 1 - maintenance->copy);
  maintenance->saves = ++maintenance->saved_copies < STORE_COPIES;
  return true;
}
