// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_WORK
#include "firmware/transfer/remap_work.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

STATIC_ASSERT(REMAP_MAPS == MODE_REMAP_MAPS, "page 23h names the maps of the area");

void remap_set_identity_goal(struct remap* remap) {
  for (uint32_t i = 0; i < remap->map->units; ++i) {
    remap->goal_of[i] = (uint16_t)i;
    remap->goal_at[i] = (uint16_t)i;
  }
}

bool remap_invert_goal(struct remap* remap) {
  const uint32_t units = remap->map->units;
  for (uint32_t slot = 0; slot < units; ++slot) remap->goal_at[slot] = REMAP_NO_UNIT;
  for (uint32_t unit = 0; unit < units; ++unit) {
    const uint32_t slot = remap->goal_of[unit];
    if (slot >= units || remap->goal_at[slot] != REMAP_NO_UNIT) return false;
    remap->goal_at[slot] = (uint16_t)unit;
  }
  return true;
}

void remap_count_left(struct remap* remap) {
  const struct block_map* map = remap->map;
  uint32_t left = 0;
  for (uint32_t unit = 0; unit < map->units; ++unit) {
    if (map->location[unit] != remap->goal_of[unit]) ++left;
  }
  remap->tally.left = left;
}

void remap_find_holes(struct remap* remap) {
  const struct block_map* map = remap->map;
  remap->holes = (uint8_t)remap_area_scratch_slots(remap->design, map->unit_blocks);
  uint32_t in_scratch = 0;  // Bit per scratch slot.
  for (uint32_t slot = 0; slot < map->units; ++slot) remap->goal_at[slot] = REMAP_NO_UNIT;
  for (uint32_t unit = 0; unit < map->units; ++unit) {
    const uint32_t location = map->location[unit];
    if (location >= map->units) {
      in_scratch |= 1U << (location - map->units);
    } else {
      ASSERT(remap->goal_at[location] == REMAP_NO_UNIT);
      remap->goal_at[location] = (uint16_t)unit;
    }
  }
  uint32_t count = 0;
  for (uint32_t slot = 0; slot < map->units; ++slot) {
    if (remap->goal_at[slot] != REMAP_NO_UNIT) continue;
    ASSERT(count < remap->holes);
    remap->hole[count++] = (uint16_t)slot;
  }
  for (uint32_t i = 0; i < remap->holes; ++i) {
    if ((in_scratch >> i & 1U) == 0) remap->hole[count++] = (uint16_t)(map->units + i);
  }
  ASSERT(count == remap->holes);
  remap->goal = REMAP_NO_GOAL;
}

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
}

void remap_release(struct remap* remap) {
  ASSERT(!remap->busy);
  if (remap->step == REMAP_WRITES) remap->step = REMAP_READS;
  remap_free_segment(remap);
}
