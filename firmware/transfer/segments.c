#define FILE_ID FILE_ID_SEGMENTS
#include "firmware/transfer/segments.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/mmio.h"
#include "firmware/kernel/assert.h"

void segments_init(struct segments* segments, const struct drive_design* design) {
  const uint32_t bytes =
      design->buffer_bytes < HAL_BUFFER_RAM_BYTES ? design->buffer_bytes : HAL_BUFFER_RAM_BYTES;
  const uint32_t sectors = bytes / design->sector_bytes;
  ASSERT(sectors > 0);
  uint32_t count = BUFFER_MGR_SEGMENTS;
  while (count > 1 && sectors / count < SEGMENT_SECTORS_MIN) --count;

  *segments = (struct segments){.count = count,
                                .sectors = sectors / count,
                                .free_mask = (1U << count) - 1,
                                .free_count = count};
  buffer_mgr_hal_configure(design->sector_bytes);
  for (uint32_t i = 0; i < count; ++i) {
    buffer_mgr_hal_set_segment(i, i * segments->sectors * design->sector_bytes, segments->sectors);
  }
}

uint32_t segments_allocate(struct segments* segments, enum segment_reserve reserve) {
  if (segments->free_count <= (uint32_t)reserve) return SEGMENT_NONE;
  uint32_t segment = 0;
  while ((segments->free_mask >> segment & 1U) == 0) ++segment;
  segments->free_mask &= ~(1U << segment);
  --segments->free_count;
  buffer_mgr_hal_reset_segment(segment);
  return segment;
}

void segments_free(struct segments* segments, uint32_t segment) {
  ASSERT(segment < segments->count && (segments->free_mask >> segment & 1U) == 0);
  segments->free_mask |= 1U << segment;
  ++segments->free_count;
}
