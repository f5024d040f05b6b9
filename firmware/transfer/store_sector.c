// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/store_sector.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/kernel/bytes.h"
#include "firmware/transfer/segments.h"

static uint32_t first_byte(const struct drive_design* design) {
  return (BUFFER_MGR_RAM_BYTES / design->sector_bytes - 1U) * design->sector_bytes;
}

void store_sector_refill(const struct drive_design* design) {
  buffer_mgr_hal_set_segment(SEGMENTS_OWN_RING, first_byte(design), 1, 1);
}

void store_sector_fill(const struct store* store, const struct drive_design* design) {
  for (uint32_t byte = 0; byte < design->sector_bytes; byte += 4) {
    const uint32_t word = byte < STORE_IMAGE_BYTES ? bytes_get_le32(&store->image[byte]) : 0;
    buffer_mgr_hal_write_word(first_byte(design) + byte, word);
  }
  store_sector_refill(design);
}
