// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_IMAGES
#include "firmware/transfer/remap_images.h"

#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/transfer/remap_chores.h"
#include "firmware/transfer/remap_moves.h"

/// Payload of a header: 0-3 units, 4-21 mode page 23h.
enum header_byte { AT_UNITS = 0, AT_MODE = 4 };

static bool saves(const struct remap* remap) {
  return remap->step == REMAP_SAVES_BASE || remap->step == REMAP_SAVES_GOAL;
}

/// The kind of image that is saved or loaded.
static uint32_t kind_of(const struct remap* remap) {
  switch (remap->step) {
    case REMAP_SAVES_GOAL: return remap->staging;
    case REMAP_LOADS_GOAL: return remap->mode.map;
    default: return REMAP_BASE;
  }
}

static uint32_t sequence_of(const struct remap* remap) {
  return remap->step == REMAP_SAVES_GOAL ? remap->goal_hash : remap->next_sequence;
}

void remap_images_begin(struct remap* remap, enum remap_step step) {
  remap->step = (uint8_t)step;
  remap->copy = step == REMAP_SAVES_BASE ? remap->base_copy ^ 1U : 0;
  remap->copies_done = remap->copies_tried = 0;
  remap->index = remap->made = 0;
  if (step == REMAP_SAVES_BASE) remap->mode_is_new = false;
  if (step != REMAP_LOADS_BASE) return;
  // The heads of both copies have not been read yet.
  remap->head_sequence[0] = remap->head_sequence[1] = 0;
  remap->looks_at_heads = true;
}

// ------------------------------------------------------------------------------------------- save

static void compose(struct remap* remap, uint32_t index) {
  uint8_t* payload = remap_payload(remap->image);
  bytes_fill(payload, 0, REMAP_PAYLOAD_BYTES);
  const struct block_map* map = remap->map;
  if (index == 0) {
    bytes_put_le32(payload + AT_UNITS, map->units);
    mode_remap_pack(&remap->mode, payload + AT_MODE);
  } else {
    const uint16_t* from = remap->step == REMAP_SAVES_GOAL ? remap->goal_of : map->location;
    const uint32_t first = (index - 1U) * REMAP_ENTRIES;
    for (uint32_t i = 0; i < REMAP_ENTRIES && first + i < map->units; ++i) {
      bytes_put_le16(payload + 2U * i, from[first + i]);
    }
  }
  remap_image_seal(remap->image, kind_of(remap), index, sequence_of(remap));
}

static uint32_t piece(const struct remap* remap, uint32_t total) {
  const uint32_t left = total - remap->index;
  uint32_t most = remap->sectors < REMAP_PIECE_SECTORS ? remap->sectors : REMAP_PIECE_SECTORS;
  if (remap->looks_at_heads) most = 1;
  return left < most ? left : most;
}

static void end_save(struct remap* remap) {
  if (remap->copies_done == 0) {
    remap->tally.failed_lba = remap->media->request.lba + 1U;
  } else if (remap->step == REMAP_SAVES_BASE) {
    remap->base_sequence = remap->next_sequence++;
    ++remap->tally.bases;
    remap->record_count = 0;
    remap->base_is_good = true;
    trace_port_hal_event(TRACE_MAP_SAVED, remap->base_sequence);
  } else {
    remap->goal = remap->staging;
    remap->missing &= (uint8_t) ~(1U << remap->staging);
    remap_chore_begin(remap, REMAP_COUNTS);
  }
  if (remap->step == REMAP_SAVES_GOAL) remap->staging = 0;
  remap->step = REMAP_RESTS;
}

/// Counts a copy of the image as done, or failed.
static void end_copy(struct remap* remap, bool failed) {
  const bool is_base = remap->step == REMAP_SAVES_BASE;
  ++remap->copies_tried;
  if (!failed) ++remap->copies_done;
  if (!failed && is_base) remap->base_copy = remap->copy;
  // The other copy is the only good one.
  const bool gives_up = failed && is_base && remap->base_sequence != 0 && remap->copies_done == 0;
  remap->index = 0;
  remap->copy ^= 1U;
  if (gives_up || remap->copies_tried == REMAP_COPIES) end_save(remap);
}

static void took_save(struct remap* remap, enum status status, uint32_t total) {
  remap->index = (uint8_t)(remap->index + remap->media->request.block_count);
  const bool failed = status != STATUS_OK;
  if (!failed && remap->index < total) return;
  end_copy(remap, failed);
}

// ------------------------------------------------------------------------------------------- load

/// Continues once the copy with the newest head is read, or there is none: the drive has no map.
static void choose_base(struct remap* remap) {
  const uint32_t* head = remap->head_sequence;
  for (uint32_t copy = 0; copy < REMAP_COPIES; ++copy) {
    if (head[copy] >= remap->next_sequence) remap->next_sequence = head[copy] + 1U;
  }
  remap->looks_at_heads = false;
  remap->index = 0;
  remap->copy = head[1] > head[0] ? 1 : 0;
  remap->base_sequence = head[remap->copy];
  if (remap->base_sequence == 0) remap->step = REMAP_RESTS;
}

static void took_head(struct remap* remap, enum status status) {
  uint32_t sequence = 0;
  remap_get_image(remap, 0);
  if (status == STATUS_OK && remap_image_check(remap->image, REMAP_BASE, 0, &sequence)) {
    remap->head_sequence[remap->copy] = sequence;
  }
  if (++remap->copy == REMAP_COPIES) choose_base(remap);
}

/// Whether a header fits the drive and, of a stored map, the map.
static bool take_header(struct remap* remap) {
  const uint8_t* payload = remap_payload(remap->image);
  struct block_map* map = remap->map;
  const uint32_t units = bytes_get_le32(payload + AT_UNITS);
  struct mode_remap mode;
  mode_remap_unpack(payload + AT_MODE, &mode);
  if (remap->step == REMAP_LOADS_GOAL) {
    return units == map->units && mode.unit_blocks == map->unit_blocks &&
           mode.first_block == map->first_block;
  }
  if (remap_mode_fault(remap, &mode) != 0 || units > BLOCK_MAP_UNITS_MAX) return false;
  const uint32_t unit_blocks = mode.unit_blocks == 0 ? 1 : mode.unit_blocks;
  if (units > (remap->design->capacity_blocks - mode.first_block) / unit_blocks) return false;
  block_map_begin(map, mode.first_block, unit_blocks, units);
  map->scratch_sector = remap->design->store_sector + REMAP_SCRATCH_FIRST;
  remap->mode = mode;
  return true;
}

static void take_locations(struct remap* remap, uint32_t index) {
  const uint8_t* payload = remap_payload(remap->image);
  struct block_map* map = remap->map;
  const uint32_t first = (index - 1U) * REMAP_ENTRIES;
  for (uint32_t i = 0; i < REMAP_ENTRIES && first + i < map->units; ++i) {
    const uint32_t location = bytes_get_le16(payload + 2U * i);
    if (remap->step == REMAP_LOADS_GOAL) {
      remap->goal_of[first + i] = (uint16_t)location;
    } else {
      block_map_set(map, first + i, location);
    }
  }
}

/// Takes sector `index` of the copy from the image. @return false: the copy is not good.
static bool take_image(struct remap* remap, uint32_t index) {
  uint32_t sequence = 0;
  if (!remap_image_check(remap->image, kind_of(remap), index, &sequence)) return false;
  if (remap->step == REMAP_LOADS_GOAL) {
    if (index == 0) remap->goal_hash = sequence;
    if (sequence != remap->goal_hash) return false;
  } else if (sequence != remap->base_sequence) {
    return false;
  }
  if (index == 0) return take_header(remap);
  take_locations(remap, index);
  return true;
}

static void lose_copy(struct remap* remap) {
  remap->index = 0;
  if (remap->step == REMAP_LOADS_BASE) {
    remap->head_sequence[remap->copy] = 0;
    choose_base(remap);
    return;
  }
  if (++remap->copy < REMAP_COPIES) return;
  remap->missing |= (uint8_t)(1U << remap->mode.map);
  remap->step = REMAP_RESTS;
}

static void end_load(struct remap* remap) {
  if (remap->step == REMAP_LOADS_BASE) {
    remap->base_copy = remap->copy;
    remap->step = REMAP_LOADS_RECORDS;
    remap->record_count = 0;
    remap->copy = 0;
    return;
  }
  remap_chore_begin(remap, REMAP_INVERTS);
}

void remap_images_inverted(struct remap* remap) {
  if (!remap_is_permutation(remap)) {
    lose_copy(remap);
    return;
  }
  remap->goal = remap->mode.map;
  remap->step = REMAP_RESTS;
}

/// The request has brought so many sectors.
static void begin_taking(struct remap* remap, uint32_t sectors) {
  remap->arrived = (uint8_t)sectors;
  remap->taken = 0;
  remap->chore = REMAP_TAKES;
}

static void took_load(struct remap* remap, enum status status) {
  if (remap->looks_at_heads) {
    took_head(remap, status);
    return;
  }
  if (status == STATUS_OK) {
    begin_taking(remap, remap->media->request.block_count);
  } else {
    lose_copy(remap);
  }
}

/// Takes the next sector of a copy. @return whether it is good, and not the last one.
static bool take_sector(struct remap* remap) {
  remap_get_image(remap, remap->taken);
  if (!take_image(remap, remap->index)) {
    lose_copy(remap);
    return false;
  }
  if (++remap->index < remap_area_sectors(remap->map->units)) return true;
  remap->chore = REMAP_NO_CHORE;
  end_load(remap);
  return false;
}

// ---------------------------------------------------------------------------------------- records

/// Records that a request reads, from this one on.
static uint32_t records_from(uint32_t first) {
  const uint32_t left = REMAP_RECORDS - first;
  return left < REMAP_PIECE_SECTORS ? left : REMAP_PIECE_SECTORS;
}

/// Takes the next record. @return whether it is good.
static bool take_record(struct remap* remap) {
  uint32_t sequence = 0;
  remap_get_image(remap, remap->taken);
  const bool good = remap_image_check(remap->image, REMAP_RECORD, remap->record_count, &sequence) &&
                    sequence == remap->base_sequence && remap_moves_take_record(remap);
  if (good) ++remap->record_count;
  return good;
}

/// The records of one copy are taken in their order. Where one is missing the other copy may have
/// it.
static void end_records(struct remap* remap) {
  const bool goes_on = remap->taken > 0 || remap->copy == 0;
  if (remap->taken < records_from(remap->record_count - remap->taken)) remap->copy ^= 1U;
  if (!goes_on || remap->record_count == REMAP_RECORDS) remap->step = REMAP_RESTS;
}

// ------------------------------------------------------------------------------------------ slices

void remap_images_take(struct remap* remap) {
  const bool is_of_records = remap->step == REMAP_LOADS_RECORDS;
  bool goes_on = remap->taken < remap->arrived;
  if (goes_on) goes_on = is_of_records ? take_record(remap) : take_sector(remap);
  if (goes_on && ++remap->taken < remap->arrived) return;
  if (is_of_records) end_records(remap);
  if (remap->chore == REMAP_TAKES) remap->chore = REMAP_NO_CHORE;
}

// ---------------------------------------------------------------------------------------- request

static uint32_t total_of(const struct remap* remap) {
  if (remap->looks_at_heads) return 1;
  if (remap->step == REMAP_LOADS_BASE && remap->index == 0) return 1;  // Then it is known.
  return remap_area_sectors(remap->map->units);
}

bool remap_images_next(struct remap* remap, struct media_request* request) {
  if (remap->step == REMAP_LOADS_RECORDS) {
    const uint32_t count = records_from(remap->record_count);
    *request = remap_request(remap, FORMATTER_READ,
                             remap_area_record(remap->copy, remap->record_count), count);
    return true;
  }
  const uint32_t count = piece(remap, total_of(remap));
  if (saves(remap)) {
    compose(remap, remap->index + remap->made);
    remap_put_image(remap, remap->made);
    if (++remap->made < count) return false;
    remap->made = 0;
  }
  *request = remap_request(remap, saves(remap) ? FORMATTER_WRITE : FORMATTER_READ,
                           remap_area_image(kind_of(remap), remap->copy, remap->index), count);
  return true;
}

void remap_images_took(struct remap* remap, enum status status) {
  if (remap->step == REMAP_LOADS_RECORDS) {
    begin_taking(remap, media_blocks_done(remap->media));
  } else if (saves(remap)) {
    took_save(remap, status, remap_area_sectors(remap->map->units));
  } else {
    took_load(remap, status);
  }
}
