// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_GEOMETRY
#include "firmware/motion/geometry.h"

#include <stdbool.h>

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/assert.h"

/// The first words of a row of extents in the pool.
struct extent {
  uint32_t first_lba;
  uint32_t position;
};

/// The rest of a row of like extents.
struct regular {
  uint32_t blocks;  ///< Blocks of each extent.
  uint32_t blocks_reciprocal;
  uint32_t stride;  ///< Positions between the starts of two extents.
  uint32_t stride_reciprocal;
};

static const uint32_t* row_at(const struct drive_design* design,
                              const struct drive_design_zone* zone, uint32_t number) {
  return &design->pool[zone->first_extent + zone->extent_words * number];
}

static struct extent extent_at(const struct drive_design* design,
                               const struct drive_design_zone* zone, uint32_t number) {
  const uint32_t* row = row_at(design, zone, number);
  return (struct extent){row[0], row[1]};
}

static bool is_regular(const struct drive_design_zone* zone) {
  return zone->extent_words == DRIVE_DESIGN_REGULAR_WORDS;
}

static struct regular regular_at(const struct drive_design* design,
                                 const struct drive_design_zone* zone, uint32_t number) {
  const uint32_t* row = row_at(design, zone, number);
  return (struct regular){row[2], row[3], row[4], row[5]};
}

/// First block after zone `zone`: that of the next, or the drive's capacity.
static uint32_t zone_end_lba(const struct drive_design* design, uint32_t zone) {
  return zone + 1 < design->zone_count ? design->zones[zone + 1].first_lba
                                       : design->capacity_blocks;
}

/// The last zone that starts at or before `lba`; one that holds no block starts where the next
/// does, so it is never the answer.
static uint32_t zone_holding(const struct drive_design* design, uint32_t lba) {
  uint32_t low = 0;
  uint32_t high = design->zone_count;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (design->zones[middle].first_lba <= lba) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Number, within the zone, of the row of extents that holds `lba`.
static uint32_t extent_holding(const struct drive_design* design,
                               const struct drive_design_zone* zone, uint32_t lba) {
  uint32_t low = 0;
  uint32_t high = zone->extent_count;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (extent_at(design, zone, middle).first_lba <= lba) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// First block after a row of extents of a zone.
static uint32_t extent_end_lba(const struct drive_design* design, uint32_t zone_index,
                               uint32_t number) {
  const struct drive_design_zone* zone = &design->zones[zone_index];
  return number + 1 < zone->extent_count ? extent_at(design, zone, number + 1).first_lba
                                         : zone_end_lba(design, zone_index);
}

static bool descending(const struct drive_design* design, const struct drive_design_zone* zone,
                       uint32_t cylinder) {
  switch ((enum drive_design_mapping)design->mapping) {
    case DRIVE_DESIGN_MAPPING_PLAIN: return false;
    case DRIVE_DESIGN_MAPPING_SERPENTINE: return ((cylinder - zone->first_cylinder) & 1) != 0;
    case DRIVE_DESIGN_MAPPING_SERPENTINE_ABSOLUTE: return (cylinder & 1) != 0;
  }
  ASSERT_UNREACHABLE();
}

/// Slipped sectors in the zone before the unit (track or cylinder) that track `track` lies in.
static uint32_t slips_before(const struct drive_design* design,
                             const struct drive_design_zone* zone, uint32_t track, uint32_t turn) {
  const uint32_t unit_track = zone->slip_unit_tracks == 1 ? track : track - turn;
  const uint32_t unit_position = unit_track * zone->sectors_per_track;
  uint32_t low = 0;
  uint32_t high = zone->slip_count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (design->pool[zone->first_slip + middle] < unit_position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The skew formula of sim/geometry/geometry.hpp. Every product fits: the generator checks that.
static uint32_t mark_of(const struct drive_design* design, const struct drive_design_zone* zone,
                        uint32_t cylinder_in_zone, uint32_t turn, uint32_t sector) {
  uint32_t sum = zone->mark_offset + cylinder_in_zone * zone->cylinder_skew_marks +
                 turn * zone->track_skew_marks + sector;
  if (zone->slip_unit_tracks != 0) {
    sum += slips_before(design, zone, cylinder_in_zone * design->heads + turn, turn);
  }
  const uint32_t turns =
      divide_by_reciprocal(sum, zone->sectors_per_track, zone->sectors_reciprocal);
  return sum - turns * zone->sectors_per_track;
}

/// The place of position `position` of a zone, but for contiguous_blocks.
static void place_position(const struct drive_design* design, uint32_t zone_index,
                           uint32_t position, struct place* at) {
  const struct drive_design_zone* zone = &design->zones[zone_index];
  const uint32_t track =
      divide_by_reciprocal(position, zone->sectors_per_track, zone->sectors_reciprocal);
  const uint32_t cylinder_in_zone =
      divide_by_reciprocal(track, design->heads, design->heads_reciprocal);
  const uint32_t turn = track - cylinder_in_zone * design->heads;

  at->zone = zone_index;
  at->sector = position - track * zone->sectors_per_track;
  at->cylinder = zone->first_cylinder + cylinder_in_zone;
  at->head = descending(design, zone, at->cylinder) ? design->heads - 1 - turn : turn;
  at->mark = mark_of(design, zone, cylinder_in_zone, turn, at->sector);
  at->angle_turn32 = geometry_mark_angle(zone, at->mark);
}

enum status geometry_locate(const struct drive_design* design, uint32_t lba, struct place* at) {
  if (lba >= design->capacity_blocks) return STATUS_LBA_RANGE;
  const uint32_t zone_index = zone_holding(design, lba);
  const struct drive_design_zone* zone = &design->zones[zone_index];
  ASSERT(zone->extent_count > 0);

  const uint32_t number = extent_holding(design, zone, lba);
  const struct extent extent = extent_at(design, zone, number);
  uint32_t position = extent.position + (lba - extent.first_lba);
  uint32_t left_of_extent = extent_end_lba(design, zone_index, number) - lba;
  if (is_regular(zone)) {
    const struct regular like = regular_at(design, zone, number);
    const uint32_t offset = lba - extent.first_lba;
    const uint32_t before = divide_by_reciprocal(offset, like.blocks, like.blocks_reciprocal);
    position += before * (like.stride - like.blocks);
    left_of_extent = (before + 1) * like.blocks - offset;
  }

  place_position(design, zone_index, position, at);
  const uint32_t left_of_track = zone->sectors_per_track - at->sector;
  at->contiguous_blocks = left_of_extent < left_of_track ? left_of_extent : left_of_track;
  return STATUS_OK;
}

// ---------------------------------------------------------------------------------------- sectors

static uint32_t zone_tracks(const struct drive_design* design,
                            const struct drive_design_zone* zone) {
  return (zone->last_cylinder - zone->first_cylinder + 1) * design->heads;
}

uint32_t geometry_sector(const struct drive_design* design, uint32_t zone, uint32_t position) {
  uint32_t sector = position;
  for (uint32_t before = 0; before < zone; ++before) {
    const struct drive_design_zone* other = &design->zones[before];
    sector += zone_tracks(design, other) * other->sectors_per_track;
  }
  return sector;
}

uint32_t geometry_position(const struct drive_design* design, uint32_t sector, uint32_t* position) {
  uint32_t left = sector;
  for (uint32_t zone = 0; zone < design->zone_count; ++zone) {
    const struct drive_design_zone* here = &design->zones[zone];
    const uint32_t sectors = zone_tracks(design, here) * here->sectors_per_track;
    if (left < sectors) {
      *position = left;
      return zone;
    }
    left -= sectors;
  }
  ASSERT_UNREACHABLE();
}

void geometry_place_sector(const struct drive_design* design, uint32_t sector, struct place* at) {
  uint32_t position = 0;
  const uint32_t zone = geometry_position(design, sector, &position);
  geometry_place_position(design, zone, position, at);
}

void geometry_place_position(const struct drive_design* design, uint32_t zone, uint32_t position,
                             struct place* at) {
  place_position(design, zone, position, at);
  at->contiguous_blocks = 1;
}

uint32_t geometry_zone_of(const struct drive_design* design, uint32_t cylinder) {
  for (uint32_t zone = 0; zone < design->zone_count; ++zone) {
    const struct drive_design_zone* here = &design->zones[zone];
    if (cylinder >= here->first_cylinder && cylinder <= here->last_cylinder) return zone;
  }
  return GEOMETRY_NONE;
}

uint32_t geometry_track_position(const struct drive_design* design, uint32_t zone,
                                 uint32_t cylinder, uint32_t head) {
  const struct drive_design_zone* here = &design->zones[zone];
  const uint32_t turn = descending(design, here, cylinder) ? design->heads - 1 - head : head;
  const uint32_t track = (cylinder - here->first_cylinder) * design->heads + turn;
  return track * here->sectors_per_track;
}

/// The block of a row of extents that lies on a position, or GEOMETRY_NONE.
static uint32_t block_of_extent(const struct drive_design* design, uint32_t zone, uint32_t number,
                                uint32_t position) {
  const struct drive_design_zone* here = &design->zones[zone];
  const struct extent extent = extent_at(design, here, number);
  uint32_t offset = position - extent.position;
  const uint32_t blocks = extent_end_lba(design, zone, number) - extent.first_lba;
  if (is_regular(here)) {
    // A position before the row wraps to one past its end, since a zone is smaller than 2^32.
    const struct regular like = regular_at(design, here, number);
    const uint32_t before = divide_by_reciprocal(offset, like.stride, like.stride_reciprocal);
    if (offset - before * like.stride >= like.blocks) return GEOMETRY_NONE;
    offset -= before * (like.stride - like.blocks);
  }
  return offset < blocks ? extent.first_lba + offset : GEOMETRY_NONE;
}

uint32_t geometry_block_at(const struct drive_design* design, uint32_t zone, uint32_t position) {
  const struct drive_design_zone* here = &design->zones[zone];
  if (here->extent_count == 0) return GEOMETRY_NONE;
  uint32_t low = 0;
  uint32_t high = here->extent_count;
  // Searches the rows one after the other: a remap has mixed their positions.
  while (here->extents_ascend != 0 && high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (extent_at(design, here, middle).position <= position) {
      low = middle;
    } else {
      high = middle;
    }
  }
  uint32_t lba = GEOMETRY_NONE;
  while (low < high && lba == GEOMETRY_NONE) lba = block_of_extent(design, zone, low++, position);
  return lba;
}

// ------------------------------------------------------------------------------------------ range

uint32_t geometry_last_of_cylinder(const struct drive_design* design, uint32_t lba) {
  struct place at;
  enum status status = geometry_locate(design, lba, &at);
  ASSERT(status == STATUS_OK);
  const uint32_t cylinder = at.cylinder;
  while (status == STATUS_OK && at.cylinder == cylinder) {
    lba += at.contiguous_blocks;
    status = geometry_locate(design, lba, &at);
  }
  return lba - 1U;
}

enum status geometry_check_range(const struct drive_design* design, uint32_t lba,
                                 uint32_t block_count) {
  const bool inside =
      lba <= design->capacity_blocks && block_count <= design->capacity_blocks - lba;
  return inside ? STATUS_OK : STATUS_LBA_RANGE;
}

uint32_t geometry_mark_angle(const struct drive_design_zone* zone, uint32_t mark) {
  // (turn_per_mark * mark) >> 32; the product with the high word stays below one turn, or is one.
  return zone->turn_per_mark_high * mark + multiply_high(zone->turn_per_mark_low, mark);
}

uint64_t geometry_swept_turn32(const struct drive_design_zone* zone, uint32_t mark,
                               uint32_t count) {
  const uint32_t end = mark + count;
  const uint32_t start_turn32 = geometry_mark_angle(zone, mark);
  if (end < zone->sectors_per_track) return geometry_mark_angle(zone, end) - start_turn32;
  return (UINT64_C(1) << 32) + geometry_mark_angle(zone, end - zone->sectors_per_track) -
         start_turn32;
}
