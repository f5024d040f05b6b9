// SPDX-License-Identifier: Apache-2.0
#include "firmware/drive_design.h"

#include <stdbool.h>

#include "firmware/hal/mmio.h"

/// True when `count` words from `first` lie inside the used part of the pool.
static bool in_pool(const struct drive_design* design, uint32_t first, uint32_t count) {
  return first <= design->pool_words && count <= design->pool_words - first;
}

static bool bands_are_sound(const struct drive_design* design) {
  if (design->band_shift > 16) return false;
  const uint32_t last = (design->cylinders - 1) >> design->band_shift;
  return last < DRIVE_DESIGN_BANDS_MAX && in_pool(design, design->seek_floor_table, last + 1);
}

static bool extents_are_sound(const struct drive_design* design,
                              const struct drive_design_zone* zone) {
  const bool row_is_known = zone->extent_words == DRIVE_DESIGN_EXTENT_WORDS ||
                            zone->extent_words == DRIVE_DESIGN_REGULAR_WORDS;
  return row_is_known && zone->extent_count <= DRIVE_DESIGN_POOL_WORDS / zone->extent_words &&
         in_pool(design, zone->first_extent, zone->extent_words * zone->extent_count);
}

static bool zone_is_sound(const struct drive_design* design, const struct drive_design_zone* zone) {
  return zone->sectors_per_track > 0 && zone->sectors_per_track <= UINT16_MAX &&
         zone->first_cylinder <= zone->last_cylinder && zone->last_cylinder < design->cylinders &&
         extents_are_sound(design, zone) && in_pool(design, zone->first_slip, zone->slip_count) &&
         zone->spare_group_count <= DRIVE_DESIGN_POOL_WORDS / DRIVE_DESIGN_SPARE_WORDS &&
         in_pool(design, zone->first_spare, DRIVE_DESIGN_SPARE_WORDS * zone->spare_group_count) &&
         zone->defect_run_count <= DRIVE_DESIGN_POOL_WORDS / 2 &&
         in_pool(design, zone->first_defect, 2 * zone->defect_run_count);
}

static bool version_is_known(const struct drive_design* design) {
  return design->scsi_version == DRIVE_DESIGN_SCSI_2 || design->scsi_version == DRIVE_DESIGN_SPC_5;
}

enum status drive_design_check(const struct drive_design* design) {
  const bool counts_fit =
      design->magic == DRIVE_DESIGN_MAGIC && design->pool_words <= DRIVE_DESIGN_POOL_WORDS &&
      design->zone_count > 0 && design->zone_count <= DRIVE_DESIGN_ZONES_MAX &&
      design->cylinders > 0 && design->cylinders <= DRIVE_DESIGN_CYLINDERS_MAX &&
      design->heads > 0 && design->heads <= UINT8_MAX && design->capacity_blocks > 0 &&
      design->buffer_bytes >= design->sector_bytes &&
      design->buffer_bytes <= HAL_BUFFER_RAM_BYTES && version_is_known(design) &&
      in_pool(design, design->seek_table, design->cylinders) && bands_are_sound(design);
  if (!counts_fit) return STATUS_BAD_VALUE;
  for (uint32_t i = 0; i < design->zone_count; ++i) {
    if (!zone_is_sound(design, &design->zones[i])) return STATUS_BAD_VALUE;
  }
  return STATUS_OK;
}
