// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_WORK
#include "firmware/transfer/remap_work.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

STATIC_ASSERT(REMAP_MAPS == MODE_REMAP_MAPS, "page 23h names the maps of the area");

uint32_t remap_mode_fault(const struct remap* remap, const struct mode_remap* wanted) {
  if (wanted->map > REMAP_MAPS) return MODE_REMAP_AT_MAP;
  if (wanted->into > REMAP_MAPS || wanted->method >= MODE_REMAP_METHODS ||
      (wanted->into == 0) != (wanted->method == 0)) {
    return MODE_REMAP_AT_MAKES;
  }
  if (wanted->method != 0 && (wanted->unit_blocks == 0 || wanted->group_blocks == 0 ||
                              wanted->group_blocks % wanted->unit_blocks != 0)) {
    return MODE_REMAP_AT_GROUP;
  }
  if (wanted->unit_blocks == 0) return wanted->map != 0 ? MODE_REMAP_AT_MAP : 0;
  if (!remap_has_room(remap, wanted->unit_blocks)) return MODE_REMAP_AT_UNIT;
  if (wanted->first_block >= remap->design->capacity_blocks) return MODE_REMAP_AT_FIRST;
  return 0;
}

// ---------------------------------------------------------------------------------------- requests

static uint32_t segment_byte(const struct remap* remap, uint32_t number) {
  return segments_first_byte(remap->segments, remap->segment) +
         number * remap->design->sector_bytes;
}

void remap_put_image(const struct remap* remap, uint32_t number) {
  const uint32_t first = segment_byte(remap, number);
  for (uint32_t byte = 0; byte < remap->design->sector_bytes; byte += 4) {
    buffer_mgr_hal_write_word(first + byte,
                              byte < STORE_IMAGE_BYTES ? bytes_get_le32(remap->image + byte) : 0);
  }
}

void remap_get_image(struct remap* remap, uint32_t number) {
  const uint32_t first = segment_byte(remap, number);
  for (uint32_t byte = 0; byte < STORE_IMAGE_BYTES; byte += 4) {
    bytes_put_le32(remap->image + byte, buffer_mgr_hal_read_word(first + byte));
  }
}

struct media_request remap_request(const struct remap* remap, enum formatter_operation operation,
                                   uint32_t lba, uint32_t blocks) {
  const bool is_write = operation == FORMATTER_WRITE;
  buffer_mgr_hal_set_segment(SEGMENTS_OWN_RING, segment_byte(remap, 0), blocks,
                             is_write ? blocks : 0);
  return (struct media_request){.operation = operation,
                                .lba = lba,
                                .block_count = blocks,
                                .ring = SEGMENTS_OWN_RING,
                                .ring_sectors = blocks,
                                .ring_next = 0,
                                .task = MEDIA_NO_TASK,
                                .detour = MEDIA_NO_DETOUR,
                                .purpose = MEDIA_FOR_STORE};
}

bool remap_take_segment(struct remap* remap) {
  if (remap->segment != SEGMENT_NONE) return true;
  const uint32_t unit_blocks = remap->map->unit_blocks;
  const uint32_t copied = unit_blocks < REMAP_COPY_BLOCKS ? unit_blocks : REMAP_COPY_BLOCKS;
  const uint32_t wanted = copied > REMAP_PIECE_SECTORS ? copied : REMAP_PIECE_SECTORS;
  remap->sectors = segments_sectors(remap->segments, wanted);
  remap->segment = segments_allocate(remap->segments, remap->sectors, SEGMENT_FOR_MEDIA);
  return remap->segment != SEGMENT_NONE;
}

void remap_free_segment(struct remap* remap) {
  if (remap->segment == SEGMENT_NONE) return;
  segments_free(remap->segments, remap->segment);
  remap->segment = SEGMENT_NONE;
  remap->made = 0;
  // What it has is read again.
  if (remap->chore == REMAP_TAKES) remap->chore = REMAP_NO_CHORE;
}

void remap_release(struct remap* remap) {
  ASSERT(!remap->busy);
  if (remap->step == REMAP_WRITES) remap->step = REMAP_READS;
  remap_free_segment(remap);
}
