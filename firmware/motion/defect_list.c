// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_DEFECT_LIST
#include "firmware/motion/defect_list.h"

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/assert.h"

void defect_list_init(struct defect_list* list, const struct drive_design* design) {
  list->design = design;
  list->limit = DEFECT_LIST_MAX;
  list->changes = 0;
  defect_list_clear(list);
}

void defect_list_limit(struct defect_list* list, uint32_t entries) {
  if (entries < list->limit) list->limit = entries;
}

void defect_list_clear(struct defect_list* list) {
  list->count = 0;
  list->moved = 0;
  ++list->changes;
  sector_set_clear(&list->used, 0);
}

// ---------------------------------------------------------------------------------------- entries

/// Index of the first entry of this block or a later one.
static uint32_t first_from(const struct defect_list* list, uint32_t lba) {
  uint32_t low = 0;
  uint32_t high = list->moved;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (list->entry[middle].lba < lba) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool is_of_block(const struct defect_list* list, uint32_t index, uint32_t lba) {
  return index < list->moved && list->entry[index].lba == lba;
}

void defect_list_correct(const struct defect_list* list, uint32_t lba, struct place* at) {
  const uint32_t index = first_from(list, lba);
  if (index == list->moved) return;
  const struct grown_defect* entry = &list->entry[index];
  if (entry->lba == lba) {
    geometry_place_sector(list->design, entry->spare, at);
    return;
  }
  const uint32_t before = entry->lba - lba;
  if (before < at->contiguous_blocks) at->contiguous_blocks = before;
}

/// Notes that a spare is about to be used, or bad.
static void note_used(struct defect_list* list, uint32_t spare) {
  if (!sector_set_has_room(&list->used)) {
    sector_set_clear(&list->used, list->count);
    for (uint32_t i = 0; i < list->count; ++i) sector_set_add(&list->used, list->entry[i].spare);
  }
  sector_set_add(&list->used, spare);
}

static void add_bad_spare(struct defect_list* list, uint32_t spare) {
  ASSERT(list->count < list->limit);
  ++list->changes;
  list->entry[list->count++] = (struct grown_defect){DEFECT_NO_BLOCK, spare};
}

void defect_list_reject(struct defect_list* list, uint32_t spare) {
  note_used(list, spare);
  add_bad_spare(list, spare);
}

void defect_list_move(struct defect_list* list, uint32_t lba, uint32_t spare) {
  note_used(list, spare);
  const uint32_t index = first_from(list, lba);
  if (is_of_block(list, index, lba)) {
    add_bad_spare(list, list->entry[index].spare);
    list->entry[index].spare = spare;
    return;
  }
  ASSERT(list->count < list->limit);
  ++list->changes;
  for (uint32_t i = list->count; i > index; --i) {
    list->entry[i] = list->entry[i - 1];
  }
  list->entry[index] = (struct grown_defect){lba, spare};
  ++list->count;
  ++list->moved;
}

// ----------------------------------------------------------------------------------------- spares

/// A search for the nearest free spare of a zone.
struct spare_search {
  const struct defect_list* list;
  uint32_t zone_sector;  ///< Number of the zone's first sector.
  uint32_t target;       ///< Position to which a spare should be near.
  uint32_t distance;     ///< Distance of the best spare so far; GEOMETRY_NONE: none has been found.
  uint32_t best;         ///< Sector of the best spare so far.
};

static void consider(struct spare_search* search, uint32_t position) {
  const uint32_t distance = distance_u32(position, search->target);
  if (distance >= search->distance) return;
  search->distance = distance;
  search->best = search->zone_sector + position;
}

/// Looks through a run of spares from the end that is nearer, as long as it may hold a better one.
static void search_run(struct spare_search* search, uint32_t first, uint32_t count) {
  const bool upward = first >= search->target;
  const uint32_t nearest = upward ? first : first + count - 1U;
  const uint32_t distance = distance_u32(nearest, search->target);
  if (distance >= search->distance) return;
  if (count > search->distance - distance) count = search->distance - distance;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t position = upward ? nearest + i : nearest - i;
    if (sector_set_has(&search->list->used, search->zone_sector + position)) continue;
    consider(search, position);
    return;
  }
}

/// Runs of a group outward from the one at or below the target.
static void search_group(struct spare_search* search, const uint32_t* group) {
  const uint32_t first = group[0];
  const uint32_t count = group[1];
  const uint32_t stride = group[2];
  const uint32_t repeats = group[3];
  const uint32_t above =
      stride == 0 || search->target < first ? 0 : (search->target - first) / stride;
  const uint32_t middle = above < repeats ? above : repeats - 1;
  for (uint32_t out = 0; out < repeats; ++out) {
    if (middle >= out) search_run(search, first + (middle - out) * stride, count);
    if (middle + out + 1 < repeats) search_run(search, first + (middle + out + 1) * stride, count);
    if (search->distance != GEOMETRY_NONE) return;
  }
}

/// The free spare of a zone that is nearest to a position of it.
static bool find_in_zone(const struct defect_list* list, uint32_t zone, uint32_t target,
                         uint32_t* spare) {
  const struct drive_design* design = list->design;
  const struct drive_design_zone* here = &design->zones[zone];
  struct spare_search search = {.list = list,
                                .zone_sector = geometry_sector(design, zone, 0),
                                .target = target,
                                .distance = GEOMETRY_NONE};
  for (uint32_t i = 0; i < here->spare_group_count; ++i) {
    search_group(&search, &design->pool[here->first_spare + DRIVE_DESIGN_SPARE_WORDS * i]);
  }
  *spare = search.best;
  return search.distance != GEOMETRY_NONE;
}

/// Finds a spare in the sector's own zone, then in the next ones inward, then outward.
static enum status find_near(const struct defect_list* list, uint32_t sector, uint32_t* spare) {
  if (list->count == list->limit) return STATUS_NO_SPARE;
  const struct drive_design* design = list->design;
  uint32_t position = 0;
  const uint32_t zone = geometry_position(design, sector, &position);
  if (find_in_zone(list, zone, position, spare)) return STATUS_OK;
  for (uint32_t inner = zone + 1; inner < design->zone_count; ++inner) {
    if (find_in_zone(list, inner, 0, spare)) return STATUS_OK;
  }
  for (uint32_t outer = zone; outer-- > 0;) {
    if (find_in_zone(list, outer, UINT32_MAX / 2, spare)) return STATUS_OK;
  }
  return STATUS_NO_SPARE;
}

/// The sector of a block by design.
static uint32_t home_of(const struct defect_list* list, uint32_t lba) {
  struct place at;
  const enum status located = geometry_locate(list->design, lba, &at);
  ASSERT(located == STATUS_OK);
  const uint32_t track = geometry_track_position(list->design, at.zone, at.cylinder, at.head);
  return geometry_sector(list->design, at.zone, track + at.sector);
}

enum status defect_list_find_spare(const struct defect_list* list, uint32_t lba, uint32_t* spare) {
  return find_near(list, home_of(list, lba), spare);
}

// ---------------------------------------------------------------------------------------- sectors

uint32_t defect_list_sector(const struct defect_list* list, uint32_t index) {
  const struct grown_defect* entry = &list->entry[index];
  return index < list->moved ? home_of(list, entry->lba) : entry->spare;
}

uint32_t defect_list_sector_of(const struct defect_list* list, uint32_t lba) {
  const uint32_t index = first_from(list, lba);
  return is_of_block(list, index, lba) ? list->entry[index].spare : home_of(list, lba);
}

/// Index of the entry whose spare is this sector, or `count`.
static uint32_t entry_of_spare(const struct defect_list* list, uint32_t sector) {
  uint32_t index = 0;
  while (index < list->count && list->entry[index].spare != sector) ++index;
  return index;
}

uint32_t defect_list_block_on(const struct defect_list* list, uint32_t sector) {
  const uint32_t index = entry_of_spare(list, sector);
  if (index < list->count) return list->entry[index].lba;
  uint32_t position = 0;
  const uint32_t zone = geometry_position(list->design, sector, &position);
  const uint32_t lba = geometry_block_at(list->design, zone, position);
  return lba != GEOMETRY_NONE && is_of_block(list, first_from(list, lba), lba) ? DEFECT_NO_BLOCK
                                                                               : lba;
}

/// Whether a sector is one of the design's spares.
static bool is_spare(const struct drive_design* design, uint32_t zone, uint32_t position) {
  const struct drive_design_zone* here = &design->zones[zone];
  for (uint32_t i = 0; i < here->spare_group_count; ++i) {
    const uint32_t* group = &design->pool[here->first_spare + DRIVE_DESIGN_SPARE_WORDS * i];
    const uint32_t into = position - group[0];
    const uint32_t run = group[2] == 0 ? 0 : into / group[2];
    if (position >= group[0] && run < group[3] && into - run * group[2] < group[1]) return true;
  }
  return false;
}

static enum status move_away(struct defect_list* list, uint32_t lba) {
  uint32_t spare = 0;
  const enum status found = defect_list_find_spare(list, lba, &spare);
  if (found == STATUS_OK) defect_list_move(list, lba, spare);
  return found;
}

enum status defect_list_add(struct defect_list* list, uint32_t sector) {
  const uint32_t lba = defect_list_block_on(list, sector);
  if (lba != DEFECT_NO_BLOCK) return move_away(list, lba);
  if (entry_of_spare(list, sector) < list->count) return STATUS_OK;  // It is bad already.
  uint32_t position = 0;
  const uint32_t zone = geometry_position(list->design, sector, &position);
  // The maker marked the sector, or its block has moved.
  if (!is_spare(list->design, zone, position)) return STATUS_OK;
  if (list->count == list->limit) return STATUS_NO_SPARE;
  defect_list_reject(list, sector);
  return STATUS_OK;
}
