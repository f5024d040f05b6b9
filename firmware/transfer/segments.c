// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_SEGMENTS
#include "firmware/transfer/segments.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/kernel/assert.h"

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
    segments->cell_free[cell / WORD_BITS] ^= 1U << cell % WORD_BITS;
  }
}

/// The first stretch of `count` free cells below `end`, or SEGMENT_NONE.
static uint32_t first_stretch(const struct segments* segments, uint32_t count, uint32_t end) {
  uint32_t length = 0;
  for (uint32_t cell = 0; cell < end; ++cell) {
    if (cell % WORD_BITS == 0 && segments->cell_free[cell / WORD_BITS] == 0) {
      cell += WORD_BITS - 1;  // The word has no free cell.
      length = 0;
      continue;
    }
    length = is_free(segments, cell) ? length + 1 : 0;
    if (length == count) return cell + 1 - count;
  }
  return SEGMENT_NONE;
}

/// The last stretch of `count` free cells of the tasks', or SEGMENT_NONE.
static uint32_t last_stretch(const struct segments* segments, uint32_t count) {
  uint32_t length = 0;
  for (uint32_t cell = segments->task_cells; cell-- > 0;) {
    length = is_free(segments, cell) ? length + 1 : 0;
    if (length == count) return cell;
  }
  return SEGMENT_NONE;
}

/// Gives tasks the first `cells` cells.
static void set_task_cells(struct segments* segments, uint32_t cells) {
  const uint32_t shift = segments->cell_shift;
  uint32_t largest = (cells << shift) / SEGMENT_BUFFER_PARTS;
  if (largest < SEGMENT_SECTORS_MIN) largest = SEGMENT_SECTORS_MIN;
  // Whole cells: then the reserves are, too.
  largest = cells_of(segments, largest) << shift;
  segments->task_cells = cells;
  segments->largest = largest < cells << shift ? largest : cells << shift;
}

/// The fewest cells that tasks keep.
static uint32_t task_cells_min(const struct segments* segments) {
  const uint32_t part = (segments->cell_count + SEGMENT_TASK_PARTS - 1) / SEGMENT_TASK_PARTS;
  const uint32_t least = cells_of(segments, SEGMENT_SECTORS_MIN);
  const uint32_t cells = part > least ? part : least;
  return cells < segments->cell_count ? cells : segments->cell_count;
}

void segments_init(struct segments* segments, const struct drive_design* design) {
  const uint32_t sectors = design->buffer_bytes / design->sector_bytes;
  ASSERT(sectors > 0);
  uint32_t shift = 0;
  while (sectors >> shift > SEGMENT_CELLS_MAX) ++shift;
  const uint32_t cells = sectors >> shift;

  *segments = (struct segments){.sector_bytes = design->sector_bytes,
                                .cell_shift = shift,
                                .cell_count = cells,
                                .free_count = cells,
                                .rings_free = (1U << SEGMENTS_RINGS) - 1};
  set_task_cells(segments, cells);
  for (uint32_t i = 0; i < cells / WORD_BITS; ++i) segments->cell_free[i] = UINT32_MAX;
  if (cells % WORD_BITS != 0) {
    segments->cell_free[cells / WORD_BITS] = (1U << cells % WORD_BITS) - 1;
  }
  for (uint32_t i = 0; i < SEGMENT_CELLS_MAX; ++i) segments->ring[i] = SEGMENT_NO_RING;
  buffer_mgr_hal_configure(design->sector_bytes);
}

/// The first cell of a free stretch, or SEGMENT_NONE.
static uint32_t find_stretch(const struct segments* segments, uint32_t sectors,
                             enum segment_reserve reserve) {
  ASSERT(sectors > 0);
  const uint32_t count = cells_of(segments, sectors);
  if (segments->free_count < count) return SEGMENT_NONE;
  if (reserve == SEGMENT_FOR_MEDIA) return last_stretch(segments, count);
  const uint32_t reserved = (uint32_t)reserve * cells_of(segments, segments->largest);
  if (segments->task_cells <= reserved) return SEGMENT_NONE;
  return first_stretch(segments, count, segments->task_cells - reserved);
}

/// Ends the lingering of segments in these cells.
static void forget_lingering(struct segments* segments, uint32_t first, uint32_t count) {
  for (uint32_t row = 0; row < SEGMENTS_LINGERING; ++row) {
    struct segments_lingering* one = &segments->lingering[row];
    if (one->sectors == 0) continue;
    const uint32_t cells = cells_of(segments, one->sectors);
    if (first < one->segment + cells && one->segment < first + count) one->sectors = 0;
  }
}

/// Whether `segment` begins a free stretch.
static uint32_t take(struct segments* segments, uint32_t segment, uint32_t sectors) {
  const uint32_t count = cells_of(segments, sectors);
  toggle(segments, segment, count);
  forget_lingering(segments, segment, count);
  segments->free_count -= count;
  segments->sectors[segment] = (uint16_t)sectors;
  return segment;
}

/// Whether no task has anything in the buffer.
static bool tasks_have_none(const struct segments* segments) {
  for (uint32_t cell = 0; cell < segments->task_cells; ++cell) {
    if (!is_free(segments, cell)) return false;
  }
  return true;
}

uint32_t segments_sectors_alone(const struct segments* segments, uint32_t blocks) {
  const uint32_t reserved = SEGMENT_FOR_ARRIVAL * segments->largest;
  const uint32_t sectors = segments->task_cells << segments->cell_shift;
  if (blocks <= segments->largest || sectors <= reserved) return 0;
  const uint32_t most = sectors - reserved;
  if (most <= segments->largest || !tasks_have_none(segments)) return 0;
  return blocks < most ? blocks : most;
}

bool segments_may_allocate(const struct segments* segments, uint32_t sectors,
                           enum segment_reserve reserve) {
  return find_stretch(segments, sectors, reserve) != SEGMENT_NONE;
}

uint32_t segments_allocate(struct segments* segments, uint32_t sectors,
                           enum segment_reserve reserve) {
  const uint32_t segment = find_stretch(segments, sectors, reserve);
  return segment == SEGMENT_NONE ? SEGMENT_NONE : take(segments, segment, sectors);
}

void segments_free(struct segments* segments, uint32_t segment) {
  ASSERT(segments->ring[segment] == SEGMENT_NO_RING && !is_free(segments, segment));
  const uint32_t count = cells_of(segments, segments->sectors[segment]);
  toggle(segments, segment, count);
  segments->free_count += count;
}

void segments_linger(struct segments* segments, uint32_t segment, uint32_t row) {
  segments->lingering[row] = (struct segments_lingering){.segment = (uint16_t)segment,
                                                         .sectors = segments->sectors[segment]};
  segments_free(segments, segment);
}

void segments_recall(struct segments* segments, uint32_t row) {
  const struct segments_lingering one = segments->lingering[row];
  ASSERT(one.sectors != 0);
  (void)take(segments, one.segment, one.sectors);
}

// ------------------------------------------------------------------------------ the cache's part

uint32_t segments_slot_limit(const struct segments* segments, uint32_t slots) {
  const uint32_t cells = segments->cell_count - task_cells_min(segments);
  return cells / slots << segments->cell_shift;
}

void segments_divide(struct segments* segments, uint32_t slots, uint32_t sectors) {
  const uint32_t cells = slots * cells_of(segments, sectors);
  ASSERT(cells <= segments->cell_count - task_cells_min(segments) || cells == 0);
  set_task_cells(segments, segments->cell_count - cells);
}

uint32_t segments_claim_slot(struct segments* segments, uint32_t slot, uint32_t sectors) {
  const uint32_t count = cells_of(segments, sectors);
  const uint32_t first = segments->task_cells + slot * count;
  ASSERT(first + count <= segments->cell_count);
  for (uint32_t cell = first; cell < first + count; ++cell) {
    if (!is_free(segments, cell)) return SEGMENT_NONE;
  }
  return take(segments, first, sectors);
}

// ------------------------------------------------------------------------------------------ rings

static uint32_t take_ring(struct segments* segments) {
  ASSERT(segments->rings_free != 0);
  uint32_t ring = 0;
  while ((segments->rings_free >> ring & 1U) == 0) {
    ++ring;
  }
  segments->rings_free &= ~(1U << ring);
  return ring;
}

/// Gives a parked segment a ring.
static uint32_t enter_ring(struct segments* segments, uint32_t segment) {
  ASSERT(segments->ring[segment] == SEGMENT_NO_RING);
  const uint32_t ring = take_ring(segments);
  segments->ring[segment] = (uint8_t)ring;
  return ring;
}

void segments_open_at(struct segments* segments, uint32_t segment, uint32_t first,
                      uint32_t filled) {
  buffer_mgr_hal_set_ring(enter_ring(segments, segment), segments_first_byte(segments, segment),
                          segments->sectors[segment], first, filled);
}

void segments_open(struct segments* segments, uint32_t segment, uint32_t filled) {
  segments_open_at(segments, segment, 0, filled);
}

void segments_discard(const struct segments* segments, uint32_t segment) {
  ASSERT(segments->ring[segment] != SEGMENT_NO_RING);
  buffer_mgr_hal_discard(segments->ring[segment]);
}

uint32_t segments_open_part(struct segments* segments, uint32_t segment, uint32_t first,
                            uint32_t sectors) {
  const uint32_t ring = take_ring(segments);
  const uint32_t byte = segments_first_byte(segments, segment);
  const uint32_t length = segments->sectors[segment];
  if (first + sectors > length) {
    buffer_mgr_hal_set_ring(ring, byte, length, first, sectors);
  } else {
    buffer_mgr_hal_set_segment(ring, byte + first * segments->sector_bytes, sectors, sectors);
  }
  return ring;
}

void segments_close_part(struct segments* segments, uint32_t ring) {
  segments->rings_free |= 1U << ring;
}

bool segments_may_keep(const struct segments* segments) {
  const uint32_t others = ~segments->rings_kept & ((1U << SEGMENTS_RINGS) - 1);
  return (others & (others - 1)) != 0;  // Two or more.
}

void segments_keep(struct segments* segments, uint32_t segment, uint16_t keeper) {
  const uint32_t ring = segments->ring[segment];
  ASSERT(ring != SEGMENT_NO_RING);
  segments->rings_kept |= 1U << ring;
  segments->keeper[ring] = keeper;
}

void segments_stretch(struct segments* segments, uint32_t segment, uint32_t sectors) {
  ASSERT(segments->ring[segment] != SEGMENT_NO_RING);
  buffer_mgr_hal_set_segment(segments->ring[segment], segments_first_byte(segments, segment),
                             sectors, sectors);
}

void segments_close(struct segments* segments, uint32_t segment) {
  if (segments->ring[segment] == SEGMENT_NO_RING) return;
  const uint32_t bit = 1U << segments->ring[segment];
  segments->rings_free |= bit;
  segments->rings_kept &= ~bit;
  segments->ring[segment] = SEGMENT_NO_RING;
}
