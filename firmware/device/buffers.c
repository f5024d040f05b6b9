// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/buffers.h"

#define FILE_ID FILE_ID_BUFFERS
#include "firmware/device/device.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/motion/block_map.h"
#include "firmware/remap/learn.h"
#include "firmware/transfer/remap.h"

uint32_t buffer_bytes(const struct device_parts* parts, uint32_t id) {
  switch (id) {
    case BUFFER_MAP_1:
    case BUFFER_MAP_2:
    case BUFFER_LOCATIONS: return 2U * parts->map->units;
    case BUFFER_VISITS: return 2U * parts->learn->groups;
    case BUFFER_PAIRS: return parts->learn->groups > 0 ? 6U * LEARN_PAIR_PLACES : 0;
    default: return 0;
  }
}

/// The two bytes at an index of a buffer.
static uint32_t value_at(const struct device_parts* parts, uint32_t id, uint32_t index) {
  switch (id) {
    case BUFFER_LOCATIONS: return block_map_location(parts->map, index);
    case BUFFER_VISITS: return parts->learn->visits[index];
    case BUFFER_PAIRS: {
      const struct learn_pair* pair = &parts->learn->pair[index / 3U];
      const uint32_t part = index % 3U;
      return part == 0 ? pair->from : part == 1 ? pair->to : pair->count;
    }
    default: return parts->remap->goal_of[index];
  }
}

void buffer_read(const struct device_parts* parts, uint32_t id, uint32_t offset, uint8_t* bytes,
                 uint32_t count) {
  for (uint32_t i = 0; i < count; i += 2) {
    bytes_put_be16(bytes + i, value_at(parts, id, (offset + i) / 2U));
  }
}

enum buffer_written buffer_write(const struct device_parts* parts, uint32_t id, uint32_t offset,
                                 const uint8_t* bytes, uint32_t count, uint32_t* bad) {
  if (id != BUFFER_MAP_1 && id != BUFFER_MAP_2) return BUFFER_NO_SUCH;
  const uint32_t map = id - BUFFER_MAP_1 + 1U;
  switch (remap_stage(parts->remap, map, offset / 2U, bytes, count / 2U, bad)) {
    case REMAP_STAGED: return BUFFER_TAKEN;
    case REMAP_STAGE_NO_MAP: return BUFFER_NO_SUCH;
    case REMAP_STAGE_BUSY: return BUFFER_BUSY;
    case REMAP_STAGE_BAD_OFFSET: return BUFFER_BAD_OFFSET;
    case REMAP_STAGE_BAD_SLOT: return BUFFER_BAD_BYTES;
  }
  ASSERT_UNREACHABLE();
}
