// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_DEFECT_DATA
#include "firmware/motion/defect_data.h"

#include <stdbool.h>

#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/motion/geometry.h"

// ------------------------------------------------------------------------------------- from hosts

/// Fields of a descriptor.
#define CYLINDER_AT 0U
#define HEAD_AT 3U
#define SECTOR_AT 4U

/// The sector of a track that contains a raw byte; GEOMETRY_NONE past the last.
static uint32_t sector_of_byte(const struct drive_design* design, uint32_t zone,
                               uint32_t track_position, uint32_t byte) {
  const uint32_t sectors = design->zones[zone].sectors_per_track;
  const uint32_t mark = byte / design->raw_sector_bytes;
  if (mark >= sectors) return GEOMETRY_NONE;
  struct place first;
  geometry_place_sector(design, geometry_sector(design, zone, track_position), &first);
  return mark >= first.mark ? mark - first.mark : mark + sectors - first.mark;
}

uint32_t defect_data_sectors(const struct drive_design* design, enum defect_format format,
                             const uint8_t* descriptor, uint32_t* first, uint32_t* count) {
  const uint32_t cylinder = bytes_get_be24(descriptor + CYLINDER_AT);
  const uint32_t zone = geometry_zone_of(design, cylinder);
  if (zone == GEOMETRY_NONE) return CYLINDER_AT;
  const uint32_t head = descriptor[HEAD_AT];
  if (head >= design->heads) return HEAD_AT;
  const uint32_t track = geometry_track_position(design, zone, cylinder, head);
  const uint32_t sectors = design->zones[zone].sectors_per_track;
  uint32_t sector = bytes_get_be32(descriptor + SECTOR_AT);
  *count = 1;
  if (sector == DEFECT_TRACK) {
    *count = sectors;
    sector = 0;
  } else if (format == DEFECT_BY_BYTES_FROM_INDEX) {
    sector = sector_of_byte(design, zone, track, sector);
  }
  if (sector >= sectors) return SECTOR_AT;
  *first = geometry_sector(design, zone, track + sector);
  return DEFECT_FINE;
}

// --------------------------------------------------------------------------------------- to hosts

static void describe(const struct drive_design* design, uint32_t zone, uint32_t position,
                     struct defect_place* defect) {
  struct place at;
  geometry_place_position(design, zone, position, &at);
  *defect = (struct defect_place){.lba = DEFECT_TRACK,
                                  .cylinder = at.cylinder,
                                  .head = at.head,
                                  .sector = at.sector,
                                  .bytes = at.mark * design->raw_sector_bytes};
}

/// Runs of defects as descriptors: whole tracks take one each, what is left one a sector.
struct run_shape {
  uint32_t head;    ///< Sectors before the first whole track.
  uint32_t tracks;  ///< Whole tracks.
  uint32_t tail;    ///< Sectors after the whole tracks.
};

static struct run_shape shape_of(uint32_t sectors_per_track, uint32_t first, uint32_t count) {
  const uint32_t into = first % sectors_per_track;
  uint32_t head = into == 0 ? 0 : sectors_per_track - into;
  if (head > count) head = count;
  const uint32_t tracks = (count - head) / sectors_per_track;
  return (struct run_shape){head, tracks, count - head - tracks * sectors_per_track};
}

static uint32_t descriptors_of(const struct run_shape* shape) {
  return shape->head + shape->tracks + shape->tail;
}

static const uint32_t* words_of(const struct drive_design* design,
                                const struct drive_design_zone* zone, uint32_t run) {
  return &design->pool[zone->first_defect + 2 * run];
}

/// Moves the cursor to the run that descriptor `index` belongs to, which exists.
static struct run_shape find_run(const struct drive_design* design, struct defect_cursor* cursor,
                                 uint32_t index) {
  if (index < cursor->before) *cursor = (struct defect_cursor){0, 0, 0};
  while (true) {
    ASSERT(cursor->zone < design->zone_count);
    const struct drive_design_zone* zone = &design->zones[cursor->zone];
    if (cursor->run == zone->defect_run_count) {
      ++cursor->zone;
      cursor->run = 0;
      continue;
    }
    const uint32_t* words = words_of(design, zone, cursor->run);
    const struct run_shape shape = shape_of(zone->sectors_per_track, words[0], words[1]);
    const uint32_t count = descriptors_of(&shape);
    if (index - cursor->before < count) return shape;
    cursor->before += count;
    ++cursor->run;
  }
}

void defect_data_primary(const struct drive_design* design, struct defect_cursor* cursor,
                         uint32_t index, struct defect_place* defect) {
  const struct run_shape shape = find_run(design, cursor, index);
  const struct drive_design_zone* zone = &design->zones[cursor->zone];
  uint32_t into = index - cursor->before;
  const bool is_track = into >= shape.head && into - shape.head < shape.tracks;
  // Each earlier track was one descriptor, and is as many sectors as it has.
  const uint32_t tracks = into < shape.head ? 0 : is_track ? into - shape.head : shape.tracks;
  into += tracks * (zone->sectors_per_track - 1);
  const uint32_t position = words_of(design, zone, cursor->run)[0] + into;
  describe(design, cursor->zone, position, defect);
  if (is_track) defect->sector = defect->bytes = DEFECT_TRACK;
}

void defect_data_grown(const struct defect_list* defects, uint32_t index,
                       struct defect_place* defect) {
  uint32_t position = 0;
  const uint32_t sector = defect_list_sector(defects, index);
  const uint32_t zone = geometry_position(defects->design, sector, &position);
  describe(defects->design, zone, position, defect);
  defect->lba = geometry_block_at(defects->design, zone, position);
}
