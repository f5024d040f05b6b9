// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_DEFECT_DATA
#include "firmware/motion/defect_data.h"

#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/motion/geometry.h"

// ------------------------------------------------------------------------------------- from hosts

/// Fields of a descriptor.
#define CYLINDER_AT 0U
#define HEAD_AT 3U
#define SECTOR_AT 4U

/// The sector of a track that a raw byte lies in; GEOMETRY_NONE past the last.
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
  geometry_place_sector(design, geometry_sector(design, zone, position), &at);
  *defect = (struct defect_place){.lba = geometry_block_at(design, zone, position),
                                  .cylinder = at.cylinder,
                                  .head = at.head,
                                  .sector = at.sector,
                                  .bytes = at.mark * design->raw_sector_bytes};
}

/// Runs of defects as descriptors: whole tracks take one each, what is left one a sector.
struct run_shape {
  uint32_t head;    ///< Sectors before the first whole track,
  uint32_t tracks;  ///< whole tracks,
  uint32_t tail;    ///< and sectors after them.
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

/// Finds the run that descriptor `index` belongs to. @return the descriptors before it, all of them
/// when there is no such run.
static uint32_t find_run(const struct drive_design* design, uint32_t index, uint32_t* zone,
                         uint32_t* run) {
  uint32_t before = 0;
  for (*zone = 0; *zone < design->zone_count; ++*zone) {
    const struct drive_design_zone* here = &design->zones[*zone];
    for (*run = 0; *run < here->defect_run_count; ++*run) {
      const uint32_t* words = &design->pool[here->first_defect + 2 * *run];
      const struct run_shape shape = shape_of(here->sectors_per_track, words[0], words[1]);
      if (index - before < descriptors_of(&shape)) return before;
      before += descriptors_of(&shape);
    }
  }
  return before;
}

uint32_t defect_data_primary_count(const struct drive_design* design) {
  uint32_t zone = 0;
  uint32_t run = 0;
  return find_run(design, UINT32_MAX, &zone, &run);
}

void defect_data_primary(const struct drive_design* design, uint32_t index,
                         struct defect_place* defect) {
  uint32_t zone = 0;
  uint32_t run = 0;
  uint32_t into = index - find_run(design, index, &zone, &run);
  ASSERT(zone < design->zone_count);
  const struct drive_design_zone* here = &design->zones[zone];
  const uint32_t* words = &design->pool[here->first_defect + 2 * run];
  const struct run_shape shape = shape_of(here->sectors_per_track, words[0], words[1]);
  const bool is_track = into >= shape.head && into - shape.head < shape.tracks;
  // Each track before it was one descriptor, and is as many sectors as it has.
  const uint32_t tracks = into < shape.head ? 0 : is_track ? into - shape.head : shape.tracks;
  into += tracks * (here->sectors_per_track - 1);
  describe(design, zone, words[0] + into, defect);
  if (is_track) defect->sector = defect->bytes = DEFECT_TRACK;
}

void defect_data_grown(const struct defect_list* defects, uint32_t index,
                       struct defect_place* defect) {
  uint32_t position = 0;
  const uint32_t sector = defect_list_sector(defects, index);
  const uint32_t zone = geometry_position(defects->design, sector, &position);
  describe(defects->design, zone, position, defect);
}
