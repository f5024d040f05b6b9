// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_MOVES
#include "firmware/transfer/remap_moves.h"

#include "firmware/hal/timer_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

/// A unit that the host writes again and again is left where it is, until the next batch.
#define TRIES_MAX 4U

/// Payload of a record: 0-1 moves, 4-35 unit and location of each, 36-53 mode page 23h.
enum record_byte { AT_COUNT = 0, AT_MOVES = 4, AT_MODE = AT_MOVES + 4 * BLOCK_MAP_SCRATCH_MAX };

// ------------------------------------------------------------------------------------------- plan

static bool is_in_batch(const struct remap* remap, uint32_t unit) {
  for (uint32_t i = 0; i < remap->batch; ++i) {
    if (remap->entry[i].unit == unit) return true;
  }
  return false;
}

/// Finds a unit in a slot of another unit: a cycle begins with it. REMAP_NO_UNIT: none.
static uint32_t next_cycle(struct remap* remap) {
  const struct block_map* map = remap->map;
  for (uint32_t i = 0; i < map->units; ++i) {
    const uint32_t unit = remap->cursor;
    remap->cursor = unit + 1 < map->units ? unit + 1 : 0;
    const uint32_t location = map->location[unit];
    if (location < map->units && location != remap->goal_of[unit] && !is_in_batch(remap, unit)) {
      return unit;
    }
  }
  return REMAP_NO_UNIT;
}

static void add(struct remap* remap, uint32_t unit, uint32_t hole) {
  if (unit == REMAP_NO_UNIT || is_in_batch(remap, unit)) return;
  remap->entry[remap->batch++] =
      (struct remap_entry){.unit = (uint16_t)unit, .to = remap->hole[hole], .hole = (uint8_t)hole};
}

static void go_on(struct remap* remap);

bool remap_moves_plan(struct remap* remap) {
  const uint32_t units = remap->map->units;
  remap->batch = 0;
  if (remap->tally.left == 0) return false;
  for (uint32_t i = 0; i < remap->holes; ++i) {
    if (remap->hole[i] < units) add(remap, remap->goal_at[remap->hole[i]], i);
  }
  for (uint32_t i = 0; i < remap->holes; ++i) {
    if (remap->hole[i] >= units) add(remap, next_cycle(remap), i);
  }
  ASSERT(remap->batch > 0);
  go_on(remap);
  return true;
}

// ------------------------------------------------------------------------------------------ steps

static void drop_entry(struct remap* remap, uint32_t index) {
  --remap->batch;
  for (uint32_t i = index; i < remap->batch; ++i) remap->entry[i] = remap->entry[i + 1];
}

/// Goes on to the next unit of the batch, or to the record.
static void go_on(struct remap* remap) {
  for (uint32_t i = 0; i < remap->batch;) {
    if (remap->entry[i].copied) {
      ++i;
    } else if (remap->entry[i].done == 0 && remap->entry[i].tries == TRIES_MAX) {
      drop_entry(remap, i);
    } else {
      remap->index = (uint8_t)i;
      remap->step = REMAP_READS;
      return;
    }
  }
  remap->step = REMAP_RESTS;
  if (remap->batch > 0) remap_moves_begin_record(remap);
}

void remap_moves_begin_record(struct remap* remap) {
  remap->step = REMAP_RECORDS_MOVES;
  remap->copy = remap->copies_done = 0;
  remap->recorded = false;
}

static void compose_record(struct remap* remap) {
  uint8_t* payload = remap_payload(remap->image);
  bytes_fill(payload, 0, REMAP_PAYLOAD_BYTES);
  bytes_put_le16(payload + AT_COUNT, remap->batch);
  for (uint32_t i = 0; i < remap->batch; ++i) {
    bytes_put_le16(payload + AT_MOVES + 4U * i, remap->entry[i].unit);
    bytes_put_le16(payload + AT_MOVES + 4U * i + 2U, remap->entry[i].to);
  }
  mode_remap_pack(&remap->mode, payload + AT_MODE);
  remap->mode_is_new = false;
  remap_image_seal(remap->image, REMAP_RECORD, remap->record_count, remap->base_sequence);
}

bool remap_moves_take_record(struct remap* remap) {
  const uint8_t* payload = remap_payload(remap->image);
  struct block_map* map = remap->map;
  const uint32_t count = bytes_get_le16(payload + AT_COUNT);
  if (count > BLOCK_MAP_SCRATCH_MAX) return false;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t unit = bytes_get_le16(payload + AT_MOVES + 4U * i);
    const uint32_t to = bytes_get_le16(payload + AT_MOVES + 4U * i + 2U);
    if (unit >= map->units || to >= map->units + BLOCK_MAP_SCRATCH_MAX) return false;
    block_map_move(map, unit, to);
  }
  mode_remap_unpack(payload + AT_MODE, &remap->mode);
  return true;
}

static uint32_t first_lba(const struct remap* remap, uint32_t number) {
  return remap->map->first_block + number * remap->map->unit_blocks;
}

static uint32_t piece_of(const struct remap* remap, const struct remap_entry* entry) {
  const uint32_t left = remap->map->unit_blocks - entry->done;
  return left < remap->sectors ? left : remap->sectors;
}

static bool has_begun(const struct remap_entry* entry) { return entry->copied || entry->done != 0; }

/// The unit, among those still to be read, whose first piece can be read the soonest.
static uint8_t soonest(const struct remap* remap) {
  const struct head_state head = media_head_now(remap->media, timer_hal_now());
  struct pricing pricing;
  predictor_begin(remap->predictor, &head, &pricing);
  uint32_t best = remap->index;
  uint32_t least_turn24 = UINT32_MAX;
  for (uint32_t i = 0; i < remap->batch; ++i) {
    const struct remap_entry* entry = &remap->entry[i];
    if (has_begun(entry) || entry->tries == TRIES_MAX) continue;
    struct candidate candidate = {0};
    const enum status placed = predictor_place(remap->predictor, first_lba(remap, entry->unit),
                                               piece_of(remap, entry), false, &candidate);
    ASSERT(placed == STATUS_OK);
    const uint32_t access_turn24 = pricing_access_turn24(&pricing, &candidate);
    if (access_turn24 >= least_turn24) continue;
    least_turn24 = access_turn24;
    best = i;
  }
  return (uint8_t)best;
}

void remap_moves_next(struct remap* remap, struct media_request* request) {
  const struct block_map* map = remap->map;
  if (remap->step == REMAP_READS && !has_begun(&remap->entry[remap->index])) {
    remap->index = soonest(remap);
  }
  struct remap_entry* entry = &remap->entry[remap->index];
  const uint32_t blocks = piece_of(remap, entry);
  switch (remap->step) {
    case REMAP_READS:
      if (entry->done == 0) ++entry->tries;
      *request =
          remap_request(remap, FORMATTER_READ, first_lba(remap, entry->unit) + entry->done, blocks);
      request->purpose = MEDIA_FOR_DRIVE;
      return;
    case REMAP_WRITES:
      if (entry->to >= map->units) {
        const uint32_t first = remap_area_scratch(entry->to - map->units, map->unit_blocks);
        *request = remap_request(remap, FORMATTER_WRITE, first + entry->done, blocks);
      } else {
        *request = remap_request(remap, FORMATTER_WRITE, first_lba(remap, entry->to) + entry->done,
                                 blocks);
        request->purpose = MEDIA_TO_SLOT;
      }
      return;
    default: break;
  }
  ASSERT(remap->step == REMAP_RECORDS_MOVES && remap->base_is_good);
  if (!remap->recorded) compose_record(remap);
  remap_put_image(remap, 0);
  *request =
      remap_request(remap, FORMATTER_WRITE, remap_area_record(remap->copy, remap->record_count), 1);
}

/// Places tasks with moved blocks anew. One that waits at the scheduler leaves it and comes again,
/// at its old place in the order.
static void place_anew(struct remap* remap, struct task* task) {
  struct candidate* candidate = &task->candidate;
  const uint8_t kind = candidate->kind;
  const bool waits = task->state == TASK_ENABLED;
  if (waits) {
    task_set_choose(remap->tasks, task);
    if (task_is_listed(task)) scheduler_task_left(remap->scheduler, candidate);
  }
  const enum status placed = predictor_place(remap->predictor, task->lba, task->blocks,
                                             task->operation == TASK_WRITE, candidate);
  ASSERT(placed == STATUS_OK);
  candidate->kind = kind;
  if (!waits) return;
  task_set_return(remap->tasks, task);
  if (task_is_listed(task) && scheduler_is_planning(remap->scheduler)) {
    scheduler_task_arrived(remap->scheduler, candidate, timer_hal_now());
  }
}

static bool has_moved(const struct remap* remap, const struct task* task) {
  for (uint32_t i = 0; i < remap->batch; ++i) {
    const uint32_t lba = first_lba(remap, remap->entry[i].unit);
    if (task->lba < lba + remap->map->unit_blocks && lba < task->lba + task->blocks) return true;
  }
  return false;
}

static void place_tasks(struct remap* remap) {
  struct task_set* set = remap->tasks;
  struct task* task = task_set_oldest(set);
  for (; task != NULL; task = task_set_younger(set, task)) {
    const bool waits = task->state == TASK_DORMANT || task->state == TASK_ENABLED;
    if (waits && task_needs_media(task->operation) && has_moved(remap, task)) {
      place_anew(remap, task);
    }
  }
}

/// Puts the batch's units where its record says, which has been written.
static void commit(struct remap* remap) {
  struct block_map* map = remap->map;
  for (uint32_t i = 0; i < remap->batch; ++i) {
    const struct remap_entry* entry = &remap->entry[i];
    const uint32_t from = map->location[entry->unit];
    const uint32_t goal =
        remap->goal == REMAP_NO_GOAL ? REMAP_NO_UNIT : remap->goal_of[entry->unit];
    if (from != goal && entry->to == goal) --remap->tally.left;
    if (from == goal && entry->to != goal) ++remap->tally.left;
    block_map_move(map, entry->unit, entry->to);
    remap->hole[entry->hole] = (uint16_t)from;
    ++remap->tally.moves;
  }
  remap->recorded = true;
  ++remap->tally.records;
  trace_port_hal_event(TRACE_UNITS_MOVED, remap->record_count << 16 | remap->batch);
  place_tasks(remap);
}

/// Ends the record: both copies are done, or failed.
static void end_record(struct remap* remap) {
  remap->batch = 0;
  remap->step = REMAP_RESTS;
  if (++remap->record_count == REMAP_RECORDS) remap->base_is_good = false;
}

/// Leaves the unit in its slot; its follower goes where it should have gone.
static void skip(struct remap* remap, uint32_t unit) {
  const uint32_t slot = remap->map->location[unit];
  const uint32_t other = remap->goal_at[slot];
  const uint32_t goal = remap->goal_of[unit];
  remap->goal_of[unit] = (uint16_t)slot;
  remap->goal_at[slot] = (uint16_t)unit;
  remap->goal_of[other] = (uint16_t)goal;
  remap->goal_at[goal] = (uint16_t)other;
  --remap->tally.left;
  if (remap->map->location[other] == goal) --remap->tally.left;
  ++remap->tally.skipped;
}

static void fail(struct remap* remap) {
  remap->tally.failed_lba = remap->media->request.lba + media_blocks_done(remap->media) + 1U;
  remap->batch = 0;
  remap->step = REMAP_RESTS;
}

static void took_record(struct remap* remap, enum status status) {
  if (status == STATUS_OK && !remap->recorded) commit(remap);
  ++remap->copies_done;
  remap->copy = 1;
  if (remap->copies_done < REMAP_COPIES) return;
  if (remap->recorded) {
    end_record(remap);
  } else {
    fail(remap);
  }
}

void remap_moves_took(struct remap* remap, enum status status) {
  if (remap->step == REMAP_RECORDS_MOVES) {
    took_record(remap, status);
    return;
  }
  const uint32_t unit = remap->entry[remap->index].unit;
  const bool has_goal =
      remap->goal != REMAP_NO_GOAL && remap->map->location[unit] < remap->map->units;
  if (status != STATUS_OK && remap->step == REMAP_READS && has_goal) {
    if (remap->goal_of[unit] != remap->map->location[unit]) skip(remap, unit);
    drop_entry(remap, remap->index);
    go_on(remap);
  } else if (status != STATUS_OK) {
    fail(remap);
  } else if (remap->step == REMAP_READS) {
    remap->step = REMAP_WRITES;
  } else {
    struct remap_entry* entry = &remap->entry[remap->index];
    entry->done = (uint16_t)(entry->done + remap->media->request.block_count);
    entry->copied = entry->done == remap->map->unit_blocks;
    go_on(remap);
  }
}

void remap_note_write(struct remap* remap, uint32_t lba, uint32_t blocks) {
  const bool is_open =
      remap->step >= REMAP_READS && !(remap->step == REMAP_RECORDS_MOVES && remap->recorded);
  if (!is_open) return;
  const uint32_t unit_blocks = remap->map->unit_blocks;
  bool again = false;
  for (uint32_t i = 0; i < remap->batch; ++i) {
    struct remap_entry* entry = &remap->entry[i];
    const uint32_t first = first_lba(remap, entry->unit);
    if (lba >= first + unit_blocks || first >= lba + blocks || entry->tries == 0) continue;
    entry->copied = false;
    entry->done = 0;
    ++remap->tally.copied_again;
    again = true;
  }
  if (!again) return;
  if (remap->segment != SEGMENT_NONE) remap_release(remap);
  go_on(remap);
}
