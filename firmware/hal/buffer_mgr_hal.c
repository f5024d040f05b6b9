// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_HAL_BUFFER_MGR
#include "firmware/hal/buffer_mgr_hal.h"

#include "buffer_mgr_regs.h"
#include "firmware/hal/mmio.h"
#include "firmware/kernel/assert.h"

STATIC_ASSERT(BUFFER_EVENT_HOST_SECTOR == BUFFER_MGR__INTR_STATE__HOST_SECTOR_bm, "block's bits");
STATIC_ASSERT(BUFFER_EVENT_DISK_SECTOR == BUFFER_MGR__INTR_STATE__DISK_SECTOR_bm, "block's bits");
STATIC_ASSERT(BUFFER_MGR_SEGMENTS * sizeof(buffer_mgr__segment_rf_t) ==
                  sizeof(((buffer_mgr_t*)0)->SEGMENT),
              "segments of the block");

static uint32_t segment_register(uint32_t segment, uint32_t offset) {
  ASSERT(segment < BUFFER_MGR_SEGMENTS);
  return REGISTER(BUFFER_MGR, buffer_mgr, SEGMENT) +
         segment * (uint32_t)sizeof(buffer_mgr__segment_rf_t) + offset;
}

void buffer_mgr_hal_configure(uint32_t sector_bytes) {
  hal_write32(REGISTER(BUFFER_MGR, buffer_mgr, SECTOR),
              FIELD_PUT(BUFFER_MGR__SECTOR__BYTES, sector_bytes));
}

void buffer_mgr_hal_enable(uint32_t events) {
  hal_write32(REGISTER(BUFFER_MGR, buffer_mgr, INTR_ENABLE),
              FIELD_PUT(BUFFER_MGR__INTR_ENABLE__MASK, events));
}

uint32_t buffer_mgr_hal_take_events(void) {
  const uint32_t events = hal_read32(REGISTER(BUFFER_MGR, buffer_mgr, INTR_STATE));
  hal_write32(REGISTER(BUFFER_MGR, buffer_mgr, INTR_STATE), events);
  return events;
}

void buffer_mgr_hal_set_segment(uint32_t segment, uint32_t first_byte, uint32_t sectors,
                                uint32_t filled) {
  ASSERT(first_byte % 4 == 0 && sectors > 0 && filled <= sectors);
  hal_write32(segment_register(segment, offsetof(buffer_mgr__segment_rf_t, BASE)), first_byte);
  hal_write32(segment_register(segment, offsetof(buffer_mgr__segment_rf_t, SIZE)), sectors);
  // The ring is emptied before `produce` of the same write counts.
  hal_write32(segment_register(segment, offsetof(buffer_mgr__segment_rf_t, CONTROL)),
              BUFFER_MGR__SEGMENT_RF__CONTROL__RESET_bm |
                  FIELD_PUT(BUFFER_MGR__SEGMENT_RF__CONTROL__PRODUCE, filled));
}

void buffer_mgr_hal_set_ring(uint32_t segment, uint32_t first_byte, uint32_t sectors,
                             uint32_t first, uint32_t filled) {
  ASSERT(first < sectors && filled <= sectors);
  if (first == 0) {
    buffer_mgr_hal_set_segment(segment, first_byte, sectors, filled);
    return;
  }
  buffer_mgr_hal_set_segment(segment, first_byte, sectors, first);
  buffer_mgr_hal_discard(segment);
  buffer_mgr_hal_produce(segment, filled);
}

uint32_t buffer_mgr_hal_level(uint32_t segment) {
  return FIELD_GET(
      BUFFER_MGR__SEGMENT_RF__LEVEL__SECTORS,
      hal_read32(segment_register(segment, offsetof(buffer_mgr__segment_rf_t, LEVEL))));
}

void buffer_mgr_hal_produce(uint32_t segment, uint32_t sectors) {
  hal_write32(segment_register(segment, offsetof(buffer_mgr__segment_rf_t, CONTROL)),
              FIELD_PUT(BUFFER_MGR__SEGMENT_RF__CONTROL__PRODUCE, sectors));
}

void buffer_mgr_hal_discard(uint32_t segment) {
  hal_write32(segment_register(segment, offsetof(buffer_mgr__segment_rf_t, CONTROL)),
              BUFFER_MGR__SEGMENT_RF__CONTROL__DISCARD_bm);
}

void buffer_mgr_hal_skip(uint32_t segment, uint32_t sectors) {
  hal_write32(segment_register(segment, offsetof(buffer_mgr__segment_rf_t, CONTROL)),
              BUFFER_MGR__SEGMENT_RF__CONTROL__SKIP_bm |
                  FIELD_PUT(BUFFER_MGR__SEGMENT_RF__CONTROL__PRODUCE, sectors));
}

uint32_t buffer_mgr_hal_first_byte(uint32_t segment) {
  return hal_read32(segment_register(segment, offsetof(buffer_mgr__segment_rf_t, BASE)));
}

STATIC_ASSERT(BUFFER_MGR_RAM_BYTES == HAL_BUFFER_RAM_BYTES, "one window");

void buffer_mgr_hal_write_word(uint32_t byte, uint32_t word) {
  ASSERT(byte % 4 == 0 && byte < HAL_BUFFER_RAM_BYTES);
  hal_write32(HAL_BASE_BUFFER_RAM + byte, word);
}

uint32_t buffer_mgr_hal_read_word(uint32_t byte) {
  ASSERT(byte % 4 == 0 && byte < HAL_BUFFER_RAM_BYTES);
  return hal_read32(HAL_BASE_BUFFER_RAM + byte);
}

void buffer_mgr_hal_start_host(uint32_t segment, bool to_host) {
  // Off first: enabling is what makes the channel begin at the segment's own pointer.
  buffer_mgr_hal_stop_host();
  hal_write32(REGISTER(BUFFER_MGR, buffer_mgr, HOST),
              FIELD_PUT(BUFFER_MGR__HOST__SEGMENT, segment) |
                  FIELD_PUT(BUFFER_MGR__HOST__TO_HOST, to_host ? 1U : 0U) |
                  BUFFER_MGR__HOST__ENABLE_bm);
}

void buffer_mgr_hal_stop_host(void) { hal_write32(REGISTER(BUFFER_MGR, buffer_mgr, HOST), 0); }

void buffer_mgr_hal_start_disk(uint32_t segment, bool to_disk, uint32_t notice) {
  ASSERT(notice <= BUFFER_MGR_NO_NOTICE);
  buffer_mgr_hal_stop_disk();
  hal_write32(REGISTER(BUFFER_MGR, buffer_mgr, DISK),
              FIELD_PUT(BUFFER_MGR__DISK__SEGMENT, segment) |
                  FIELD_PUT(BUFFER_MGR__DISK__TO_DISK, to_disk ? 1U : 0U) |
                  FIELD_PUT(BUFFER_MGR__DISK__NOTICE, notice) | BUFFER_MGR__DISK__ENABLE_bm);
}

void buffer_mgr_hal_stop_disk(void) { hal_write32(REGISTER(BUFFER_MGR, buffer_mgr, DISK), 0); }
