#define FILE_ID FILE_ID_GEOMETRY
#include "firmware/motion/geometry.h"

#include <stdbool.h>

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/waypoint.h"

/// Two words of the pool.
struct extent {
  uint32_t first_lba;
  uint32_t position;
};

static struct extent extent_at(const struct drive_design* design, uint32_t index) {
  return (struct extent){design->pool[index], design->pool[index + 1]};
}

/// First block behind zone `zone`: that of the next, or the drive's capacity.
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
    WAYPOINT(ZONE_HALVED);
    const uint32_t middle = (low + high) / 2;
    if (design->zones[middle].first_lba <= lba) {
      WAYPOINT(ZONE_ABOVE);
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Number, within the zone, of the extent that holds `lba`.
static uint32_t extent_holding(const struct drive_design* design,
                               const struct drive_design_zone* zone, uint32_t lba) {
  uint32_t low = 0;
  uint32_t high = zone->extent_count;
  while (high - low > 1) {
    WAYPOINT(EXTENT_HALVED);
    const uint32_t middle = (low + high) / 2;
    if (extent_at(design, zone->first_extent + 2 * middle).first_lba <= lba) {
      WAYPOINT(EXTENT_ABOVE);
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
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
    WAYPOINT(SLIPS_HALVED);
    const uint32_t middle = (low + high) / 2;
    if (design->pool[zone->first_slip + middle] < unit_position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The skew formula of sim/geometry/geometry.hpp. Every product fits: the generator sees to it.
static uint32_t mark_of(const struct drive_design* design, const struct drive_design_zone* zone,
                        uint32_t cylinder_in_zone, uint32_t turn, uint32_t sector) {
  uint32_t sum = zone->mark_offset + cylinder_in_zone * zone->cylinder_skew_marks +
                 turn * zone->track_skew_marks + sector;
  if (zone->slip_unit_tracks != 0) {
    WAYPOINT(SLIPS_SOUGHT);
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
  const struct extent extent = extent_at(design, zone->first_extent + 2 * number);
  const uint32_t end_lba = number + 1 < zone->extent_count
                               ? extent_at(design, zone->first_extent + 2 * (number + 1)).first_lba
                               : zone_end_lba(design, zone_index);

  place_position(design, zone_index, extent.position + (lba - extent.first_lba), at);
  const uint32_t left_of_extent = end_lba - lba;
  const uint32_t left_of_track = zone->sectors_per_track - at->sector;
  at->contiguous_blocks = left_of_extent < left_of_track ? left_of_extent : left_of_track;
  return STATUS_OK;
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
