// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_FREE_BLOCKS
#include "firmware/transfer/free_blocks.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/kernel/assert.h"

/// Whole sectors that pass before the run's first. 0 also for a first sector that has just begun:
/// the formatter may still catch that.
static uint32_t passing(const struct media* media) {
  const struct place* at = &media->run_place;
  const uint32_t now_turn32 = rotation_angle_turn32(media->rotation, timer_hal_now());
  const uint32_t wait_turn32 = at->angle_turn32 - now_turn32;
  const uint32_t margin_turn32 = rotation_turn24(media->rotation, FREE_BLOCKS_MARGIN_TICKS) << 8;
  if (wait_turn32 < margin_turn32 || wait_turn32 > UINT32_MAX - margin_turn32) return 0;
  const uint64_t sectors = media->design->zones[at->zone].sectors_per_track;
  return (uint32_t)((wait_turn32 - margin_turn32) * sectors >> 32);
}

/// Blocks that the request reads ahead, no farther than this track if one_track ends it there.
static uint32_t ahead_of(const struct media* media) {
  const struct media_request* request = &media->request;
  const uint32_t on_track = media->run_place.contiguous_blocks;
  if (!request->one_track || request->block_count >= on_track) return request->ahead;
  const uint32_t behind = on_track - request->block_count;
  return request->ahead < behind ? request->ahead : behind;
}

/// How many blocks, up to `count`, end right before the run's first block on its track.
static uint32_t find_adjacent(const struct media* media, uint32_t count) {
  // The blocks may begin on the track before, or before a gap: then only those after it count.
  for (uint32_t looks = 0; looks < 2 && count > 0; ++looks) {
    struct place at;
    const enum status located = block_map_locate(media->map, media->request.lba - count, &at);
    ASSERT(located == STATUS_OK);
    if (at.contiguous_blocks > count) {
      ASSERT(at.sector + count == media->run_place.sector);
      return count;
    }
    count -= at.contiguous_blocks;
  }
  return 0;
}

uint32_t free_blocks_take(struct media* media) {
  struct media_request* request = &media->request;
  request->takes_free = false;
  const uint32_t ahead = ahead_of(media);
  const uint32_t room = request->ring_sectors - request->block_count - ahead;
  uint32_t count = passing(media);
  if (count > room) count = room;
  if (count > request->lba) count = request->lba;
  count = find_adjacent(media, count);
  if (count == 0) return 0;
  media->free_blocks = media->free_left = (uint16_t)count;
  media->start_moved = true;
  request->ring_next = (request->ring_next + count) % request->ring_sectors;
  request->ahead = ahead;
  return count;
}

bool free_blocks_count(struct media* media, uint32_t done) {
  media->free_left = (uint16_t)(done < media->free_blocks ? media->free_blocks - done : 0);
  if (media->free_left != 0) return false;
  buffer_mgr_hal_skip(media->request.ring, media->free_blocks);
  return true;
}

void free_blocks_drop(struct media* media) {
  buffer_mgr_hal_produce(media->request.ring, media->free_left);
  buffer_mgr_hal_skip(media->request.ring, media->free_blocks);
  media->free_blocks = media->free_left = 0;
  media->start_moved = true;
}
