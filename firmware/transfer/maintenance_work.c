// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/maintenance_work.h"

#include "firmware/hal/buffer_mgr_hal.h"

uint32_t maintenance_byte(const struct maintenance* maintenance) {
  return segments_first_byte(maintenance->segments, maintenance->segment);
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

void maintenance_fill(struct maintenance* maintenance, uint32_t from, uint32_t end,
                      bool with_pattern) {
  const struct maintenance_order* order = &maintenance->unit->maintenance;
  const uint32_t sector_bytes = maintenance->design->sector_bytes;
  const uint32_t first = maintenance_byte(maintenance);
  for (uint32_t byte = 0; byte < sector_bytes; byte += 4) {
    const uint32_t word = with_pattern && order->pattern_bytes > 0 ? pattern_word(order, byte) : 0;
    for (uint32_t sector = from; sector < end; ++sector) {
      buffer_mgr_hal_write_word(first + sector * sector_bytes + byte, word);
    }
  }
}

struct media_request maintenance_request(const struct maintenance* maintenance, uint32_t lba,
                                         uint32_t blocks) {
  return (struct media_request){.lba = lba,
                                .block_count = blocks,
                                .ring = SEGMENTS_OWN_RING,
                                .ring_sectors = maintenance->sectors,
                                .task = task_set_index(maintenance->tasks, maintenance->task),
                                .detour = MEDIA_NO_DETOUR,
                                .operation = FORMATTER_VERIFY,
                                .purpose = MEDIA_FOR_DRIVE};
}

struct media_request maintenance_relocation(const struct maintenance* maintenance, uint32_t lba) {
  struct media_request request = maintenance_request(maintenance, lba, 1);
  request.operation = FORMATTER_WRITE;
  request.purpose = MEDIA_TO_RELOCATE;
  request.byte = maintenance_byte(maintenance);
  return request;
}
