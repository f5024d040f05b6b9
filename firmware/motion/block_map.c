// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_BLOCK_MAP
#include "firmware/motion/block_map.h"

#include "firmware/kernel/assert.h"

/// Invalidates the places that the map keeps: they are no longer those of their blocks.
static void forget_known(struct block_map* map) {
  map->last.changes = map->planned.changes = map->defects->changes - 1U;
}

void block_map_init(struct block_map* map, const struct defect_list* defects) {
  map->defects = defects;
  forget_known(map);
  map->units = 0;
  map->away = 0;
  map->first_block = map->end_block = 0;
  map->unit_blocks = 1;
  map->unit_reciprocal = UINT32_MAX;
  map->scratch_sector = 0;
}

void block_map_begin(struct block_map* map, uint32_t first_block, uint32_t unit_blocks,
                     uint32_t units) {
  ASSERT(units <= BLOCK_MAP_UNITS_MAX && unit_blocks > 0);
  forget_known(map);
  map->units = units;
  map->away = 0;
  map->first_block = first_block;
  map->unit_blocks = unit_blocks;
  map->unit_reciprocal = UINT32_MAX / unit_blocks;
  map->end_block = first_block + units * unit_blocks;
}

void block_map_set(struct block_map* map, uint32_t unit, uint32_t location) {
  ASSERT(unit < map->units && location < map->units + BLOCK_MAP_SCRATCH_MAX);
  forget_known(map);
  if (location != unit) ++map->away;
  map->location[unit] = (uint16_t)location;
}

void block_map_move(struct block_map* map, uint32_t unit, uint32_t location) {
  if (map->location[unit] != unit) --map->away;
  block_map_set(map, unit, location);
}

/// A block of a scratch slot. Its neighbours in the unit follow it on the same track, up to the
/// end of one of the two.
static void place_in_scratch(const struct block_map* map, uint32_t scratch, uint32_t within,
                             struct place* at) {
  const struct drive_design* design = map->defects->design;
  geometry_place_sector(design, map->scratch_sector + scratch * map->unit_blocks + within, at);
  const uint32_t on_track = design->zones[at->zone].sectors_per_track - at->sector;
  const uint32_t in_unit = map->unit_blocks - within;
  at->contiguous_blocks = on_track < in_unit ? on_track : in_unit;
}

/// How many blocks from `within` of `unit` on lie next to each other, up to `most`. The units after
/// it may be in the slots after its own.
static uint32_t adjacent_blocks(const struct block_map* map, uint32_t unit, uint32_t within,
                                uint32_t most) {
  uint32_t blocks = map->unit_blocks - within;
  while (blocks < most && unit + 1 < map->units &&
         map->location[unit + 1] == map->location[unit] + 1U &&
         map->location[unit + 1] < map->units) {
    blocks += map->unit_blocks;
    ++unit;
  }
  return blocks < most ? blocks : most;
}

enum status block_map_find(const struct block_map* map, uint32_t lba, struct place* at) {
  const uint32_t unit = block_map_unit(map, lba);
  if (unit == GEOMETRY_NONE) {
    const enum status status = defect_list_locate(map->defects, lba, at);
    const uint32_t before = map->first_block - lba;
    if (status == STATUS_OK && lba < map->first_block && at->contiguous_blocks > before) {
      at->contiguous_blocks = before;
    }
    return status;
  }
  const uint32_t within = lba - map->first_block - unit * map->unit_blocks;
  const uint32_t location = map->location[unit];
  if (location >= map->units) {
    place_in_scratch(map, location - map->units, within, at);
    return STATUS_OK;
  }
  const uint32_t physical = map->first_block + location * map->unit_blocks + within;
  const enum status status = defect_list_locate(map->defects, physical, at);
  if (status == STATUS_OK) {
    at->contiguous_blocks = adjacent_blocks(map, unit, within, at->contiguous_blocks);
  }
  return status;
}

static void keep(const struct block_map* map, uint32_t lba, struct block_map_known* known) {
  known->lba = lba;
  known->changes = map->defects->changes;
  const enum status located = block_map_locate(map, lba, &known->place);
  ASSERT(located == STATUS_OK);
}

const struct place* block_map_look_up(struct block_map* map, uint32_t lba) {
  keep(map, lba, &map->last);
  return &map->last.place;
}

void block_map_expect(struct block_map* map, uint32_t lba) {
  if (block_map_knows(map, &map->planned, lba)) return;
  if (block_map_knows(map, &map->last, lba)) {
    map->planned = map->last;
  } else {
    keep(map, lba, &map->planned);
  }
}

uint32_t block_map_physical(const struct block_map* map, uint32_t lba) {
  const uint32_t unit = map->away == 0 ? GEOMETRY_NONE : block_map_unit(map, lba);
  if (unit == GEOMETRY_NONE) return lba;
  const uint32_t location = map->location[unit];
  if (location >= map->units) return BLOCK_MAP_NO_BLOCK;
  return lba - unit * map->unit_blocks + location * map->unit_blocks;
}
