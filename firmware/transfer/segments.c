#define FILE_ID FILE_ID_SEGMENTS
#include "firmware/transfer/segments.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/mmio.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/waypoint.h"

#define WORD_BITS 32U

// ------------------------------------------------------------------------------------------ cells

static uint32_t cells_of(const struct segments* segments, uint32_t sectors) {
  return (sectors + (1U << segments->cell_shift) - 1) >> segments->cell_shift;
}

static bool is_free(const struct segments* segments, uint32_t cell) {
  return (segments->cell_free[cell / WORD_BITS] >> cell % WORD_BITS & 1U) != 0;
}

/// Turns taken cells into free ones, or the other way round.
static void toggle(struct segments* segments, uint32_t first, uint32_t count) {
  for (uint32_t cell = first; cell < first + count; ++cell) {
    WAYPOINT(CELL_TOGGLED);
    segments->cell_free[cell / WORD_BITS] ^= 1U << cell % WORD_BITS;
  }
}

/// The first stretch of `count` free cells below `end`, or SEGMENT_NONE.
static uint32_t first_stretch(const struct segments* segments, uint32_t count, uint32_t end) {
  uint32_t length = 0;
  for (uint32_t cell = 0; cell < end; ++cell) {
    if (cell % WORD_BITS == 0 && segments->cell_free[cell / WORD_BITS] == 0) {
      WAYPOINT(CELLS_PASSED);
      cell += WORD_BITS - 1;  // None of this word.
      length = 0;
      continue;
    }
    WAYPOINT(CELL_PASSED);
    length = is_free(segments, cell) ? length + 1 : 0;
    if (length == count) return cell + 1 - count;
  }
  return SEGMENT_NONE;
}

/// The last stretch of `count` free cells of all, or SEGMENT_NONE.
static uint32_t last_stretch(const struct segments* segments, uint32_t count) {
  uint32_t length = 0;
  for (uint32_t cell = segments->cell_count; cell-- > 0;) {
    WAYPOINT(LAST_CELL_PASSED);
    length = is_free(segments, cell) ? length + 1 : 0;
    if (length == count) return cell;
  }
  return SEGMENT_NONE;
}

uint32_t segments_buffer_bytes(const struct drive_design* design) {
  return design->buffer_bytes < HAL_BUFFER_RAM_BYTES ? design->buffer_bytes : HAL_BUFFER_RAM_BYTES;
}

void segments_init(struct segments* segments, const struct drive_design* design) {
  const uint32_t sectors = segments_buffer_bytes(design) / design->sector_bytes;
  ASSERT(sectors > 0);
  uint32_t shift = 0;
  while (sectors >> shift > SEGMENT_CELLS_MAX + 1) ++shift;
  uint32_t cells = sectors >> shift;
  if (cells > SEGMENT_CELLS_MAX) cells = SEGMENT_CELLS_MAX;

  *segments = (struct segments){.sector_bytes = design->sector_bytes,
                                .cell_shift = shift,
                                .cell_count = cells,
                                .free_count = cells,
                                .rings_free = (1U << SEGMENTS_RINGS) - 1};
  uint32_t largest = (cells << shift) / SEGMENT_BUFFER_PARTS;
  if (largest < SEGMENT_SECTORS_MIN) largest = SEGMENT_SECTORS_MIN;
  // Whole cells: then the reserves are, too.
  largest = cells_of(segments, largest) << shift;
  segments->largest = largest < cells << shift ? largest : cells << shift;
  for (uint32_t i = 0; i < cells / WORD_BITS; ++i) segments->cell_free[i] = UINT32_MAX;
  if (cells % WORD_BITS != 0) {
    segments->cell_free[cells / WORD_BITS] = (1U << cells % WORD_BITS) - 1;
  }
  for (uint32_t i = 0; i < SEGMENT_CELLS_MAX; ++i) segments->ring[i] = SEGMENT_NO_RING;
  buffer_mgr_hal_configure(design->sector_bytes);
}

uint32_t segments_allocate(struct segments* segments, uint32_t sectors,
                           enum segment_reserve reserve) {
  ASSERT(sectors > 0);
  const uint32_t count = cells_of(segments, sectors);
  const uint32_t reserved = (uint32_t)reserve * cells_of(segments, segments->largest);
  if (segments->free_count < count || segments->cell_count <= reserved) return SEGMENT_NONE;
  const uint32_t segment = reserve == SEGMENT_FOR_MEDIA
                               ? last_stretch(segments, count)
                               : first_stretch(segments, count, segments->cell_count - reserved);
  if (segment == SEGMENT_NONE) return SEGMENT_NONE;
  toggle(segments, segment, count);
  segments->free_count -= count;
  return segment;
}

void segments_free(struct segments* segments, uint32_t segment, uint32_t sectors) {
  ASSERT(segments->ring[segment] == SEGMENT_NO_RING && !is_free(segments, segment));
  const uint32_t count = cells_of(segments, sectors);
  toggle(segments, segment, count);
  segments->free_count += count;
}

// ------------------------------------------------------------------------------------------ rings

static uint32_t take_ring(struct segments* segments) {
  ASSERT(segments->rings_free != 0);
  uint32_t ring = 0;
  while ((segments->rings_free >> ring & 1U) == 0) {
    WAYPOINT(RING_PASSED);
    ++ring;
  }
  segments->rings_free &= ~(1U << ring);
  return ring;
}

void segments_open(struct segments* segments, uint32_t segment, uint32_t sectors, uint32_t filled) {
  ASSERT(segments->ring[segment] == SEGMENT_NO_RING);
  const uint32_t ring = take_ring(segments);
  segments->ring[segment] = (uint8_t)ring;
  buffer_mgr_hal_set_segment(ring, segments_first_byte(segments, segment), sectors, filled);
}

uint32_t segments_open_part(struct segments* segments, uint32_t segment, uint32_t first,
                            uint32_t sectors) {
  const uint32_t ring = take_ring(segments);
  buffer_mgr_hal_set_segment(
      ring, ((segment << segments->cell_shift) + first) * segments->sector_bytes, sectors, sectors);
  return ring;
}

void segments_close_part(struct segments* segments, uint32_t ring) {
  segments->rings_free |= 1U << ring;
}

bool segments_may_keep(const struct segments* segments) {
  const uint32_t others = ~segments->rings_kept & ((1U << SEGMENTS_RINGS) - 1);
  return (others & (others - 1)) != 0;  // Two or more.
}

void segments_keep(struct segments* segments, uint32_t segment) {
  ASSERT(segments_may_keep(segments) && segments->ring[segment] != SEGMENT_NO_RING);
  segments->rings_kept |= 1U << segments->ring[segment];
}

void segments_close(struct segments* segments, uint32_t segment) {
  if (segments->ring[segment] == SEGMENT_NO_RING) return;
  const uint32_t bit = 1U << segments->ring[segment];
  segments->rings_free |= bit;
  segments->rings_kept &= ~bit;
  segments->ring[segment] = SEGMENT_NO_RING;
}
