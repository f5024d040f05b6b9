// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP
#include "firmware/transfer/remap.h"

#include "firmware/hal/timer_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/transfer/remap_chores.h"
#include "firmware/transfer/remap_images.h"

/// Limit of the media time that is saved up under load.
#define CREDIT_MAX_TICKS (TIME_TICKS_PER_MILLISECOND * 1000U)
/// Value of `share` that is all of the media's time.
#define SHARE_ALL 256

void remap_init(struct remap* remap, struct alarms* alarms) {
  remap->mode = (struct mode_remap){0};
  remap->quiet_from = 0;
  remap->waited_from = TIME_TICK_NEVER;
  remap->media_ticks = 0;
  remap->credit = 0;
  remap->base_sequence = 0;
  remap->next_sequence = 1;
  remap->base_copy = REMAP_COPIES - 1;
  remap->restarts = false;
  remap->record_count = 0;
  remap->segment = SEGMENT_NONE;
  remap->staged = 0;
  remap->cursor = 0;
  remap->step = REMAP_RESTS;
  remap->goal = REMAP_NO_GOAL;
  remap->staging = 0;
  remap->arranges = false;
  remap->missing = 0;
  remap->holes = 0;
  remap->batch = 0;
  remap->impatience = 0;
  remap->is_loaded = false;
  arm_do_without(remap->arm, ARM_MOVES);
  remap->busy = false;
  remap->chore = REMAP_NO_CHORE;
  remap->made = 0;
  remap->base_is_good = false;
  remap->mode_is_new = false;
  remap->looks_at_heads = false;
  remap->recorded = false;
  remap->tally = (struct remap_tally){0};
  for (uint32_t i = 0; i < REMAP_WAIT_BINS; ++i) remap->wait_bin[i] = 0;
  alarm_add(alarms, &remap->alarm);
}

// ------------------------------------------------------------------------------------------- mode

static bool is_of_images(const struct remap* remap) {
  return remap->step != REMAP_RESTS && remap->step < REMAP_READS;
}

/// The image under way is of another map. A sequence names one base only: what has been written of
/// it must not go together with the next one.
static void abandon_image(struct remap* remap) {
  remap->restarts = false;
  ++remap->next_sequence;
  remap->step = REMAP_RESTS;
  if (remap->chore == REMAP_TAKES || remap->chore == REMAP_INVERTS) remap->chore = REMAP_NO_CHORE;
}

static uint32_t units_of(const struct remap* remap, const struct mode_remap* mode) {
  if (mode->unit_blocks == 0) return 0;
  const uint32_t units = (remap->design->capacity_blocks - mode->first_block) / mode->unit_blocks;
  return units < BLOCK_MAP_UNITS_MAX ? units : BLOCK_MAP_UNITS_MAX;
}

static bool has_other_units(const struct mode_remap* a, const struct mode_remap* b) {
  return a->unit_blocks != b->unit_blocks || a->first_block != b->first_block;
}

/// Whether all units are at home, and no move is under way.
static bool is_home(const struct remap* remap) {
  return remap->map->away == 0 && remap->batch == 0;
}

uint32_t remap_units_fault(const struct remap* remap, const struct mode_remap* wanted) {
  const bool is_saving = remap->staging != 0 && remap->staged == remap->map->units;
  if (wanted->method != 0 && (is_saving || remap->step == REMAP_LOADS_GOAL)) {
    return MODE_REMAP_AT_MAKES;
  }
  if (!has_other_units(&remap->mode, wanted) || is_home(remap)) return 0;
  return remap->mode.unit_blocks != wanted->unit_blocks ? MODE_REMAP_AT_UNIT : MODE_REMAP_AT_FIRST;
}

/// Notes that there is work for when the drive has been idle long enough.
static void want(struct remap* remap) {
  arm_want(remap->arm, ARM_MOVES);
  remap->quiet_from = timer_hal_now();
  alarm_set(&remap->alarm, remap->quiet_from + remap->mode.idle_ms * TIME_TICKS_PER_MILLISECOND);
}

/// Resets the map to units of the mode's size. All units are at home.
static void begin_map(struct remap* remap) {
  const struct mode_remap* mode = &remap->mode;
  // The work under way is an image, or a record of the mode alone.
  remap->restarts = remap->step != REMAP_RESTS;
  const uint32_t unit_blocks = mode->unit_blocks == 0 ? 1 : mode->unit_blocks;
  const uint32_t units = units_of(remap, mode);
  block_map_begin(remap->map, mode->first_block, unit_blocks, units);
  remap->map->scratch_sector = remap->design->store_sector + REMAP_SCRATCH_FIRST;
  remap->holes = (uint8_t)remap_area_scratch_slots(remap->design, unit_blocks);
  for (uint32_t i = 0; i < remap->holes; ++i) remap->hole[i] = (uint16_t)(units + i);
  remap->goal = REMAP_NO_GOAL;
  remap_chore_begin(remap, REMAP_SENDS_HOME);
  remap->base_is_good = false;
  remap->missing = 0;
}

void remap_set_mode(struct remap* remap, const struct mode_remap* mode) {
  const bool new_units = has_other_units(&remap->mode, mode);
  remap->mode = *mode;
  if (!remap->is_loaded) return;
  want(remap);
  remap->mode_is_new = true;
  remap->tally.failed_lba = 0;
  if (remap->staging != 0 && (new_units || remap->staged < remap->map->units)) {
    remap->staging = 0;
    remap->arranges = false;
    remap->goal = REMAP_NO_GOAL;
  }
  if (new_units) begin_map(remap);
}

bool remap_go_home(struct remap* remap) {
  if (remap->map->away == 0) return remap_saves_base(remap);
  if (is_of_images(remap)) abandon_image(remap);
  remap->step = REMAP_RESTS;
  remap->batch = 0;
  begin_map(remap);
  remap->mode.map = 0;
  remap->tally.failed_lba = 0;
  mode_pages_set_remap(&remap->unit->modes, &remap->mode);
  want(remap);
  return remap_saves_base(remap);
}

// ------------------------------------------------------------------------------------------- time

/// Whether a request of the media is due: the drive has been idle for long enough, or its share has
/// come. If it is not, the alarm is set. `others_wait`: tasks wait for the media.
static bool is_due(struct remap* remap, time_tick now, bool others_wait) {
  if (remap->mode.share > 0 && remap->credit > 0) return true;
  if (others_wait) return false;
  const time_tick due = remap->quiet_from + remap->mode.idle_ms * TIME_TICKS_PER_MILLISECOND;
  if (now >= due) return true;
  alarm_set(&remap->alarm, due);
  return false;
}

void remap_note_host(struct remap* remap, time_tick now, uint32_t media_ticks) {
  remap->quiet_from = now;
  const int64_t most = (int64_t)CREDIT_MAX_TICKS * remap->mode.share;
  remap->credit += (int64_t)media_ticks * remap->mode.share;
  if (remap->credit > most) remap->credit = most;
}

void moves_yield(struct remap* remap, bool may_begin) {
  (void)may_begin;  // The wait counts in any case.
  if (task_set_waiting_count(remap->tasks) == 0) return;
  if (remap->waited_from == TIME_TICK_NEVER) remap->waited_from = timer_hal_now();
}

static void count_wait(struct remap* remap, time_tick now) {
  if (remap->waited_from == TIME_TICK_NEVER) return;
  const uint32_t waited_us = (uint32_t)(now - remap->waited_from) / TIME_TICKS_PER_MICROSECOND;
  const uint32_t bin = waited_us / 4096U;
  ++remap->wait_bin[bin < REMAP_WAIT_BINS ? bin : REMAP_WAIT_BINS - 1U];
  ++remap->tally.waits;
  if (waited_us > remap->tally.longest_wait_us) remap->tally.longest_wait_us = waited_us;
  remap->waited_from = TIME_TICK_NEVER;
}

static void count_request(struct remap* remap, time_tick now) {
  const time_tick ticks = now - remap->began;
  const int64_t price = (int64_t)ticks * (SHARE_ALL - remap->mode.share);
  remap->media_ticks += ticks;
  remap->credit -= price;
  if (remap->credit < -price) remap->credit = -price;
  ++remap->tally.requests;
  count_wait(remap, now);
}

const struct remap_tally* remap_tally_now(struct remap* remap) {
  remap->tally.units = remap->map->units;
  remap->tally.away = remap->map->away;
  remap->tally.map = remap->goal == REMAP_NO_GOAL ? 0 : remap->goal;
  remap->tally.media_ms = (uint32_t)(remap->media_ticks / TIME_TICKS_PER_MILLISECOND);
  return &remap->tally;
}

void remap_clear_tally(struct remap* remap) {
  const uint32_t left = remap->tally.left;
  const uint32_t failed_lba = remap->tally.failed_lba;
  remap->tally = (struct remap_tally){.left = left, .failed_lba = failed_lba};
  remap->media_ticks = 0;
}

// --------------------------------------------------------------------------------------- requests

void remap_drop(struct remap* remap) {
  remap_release(remap);
  const bool is_recorded = remap->step == REMAP_RECORDS_MOVES && remap->recorded;
  if (remap->step < REMAP_READS || is_recorded) return;
  remap->batch = 0;
  remap->step = REMAP_RESTS;
}

/// Brings the goal that mode page 23h names into RAM. @return whether it is there.
static bool has_goal(struct remap* remap) {
  if (remap->goal == remap->mode.map) return true;
  if (remap->mode.map == 0) {
    remap->goal = REMAP_NO_GOAL;
    remap_chore_begin(remap, REMAP_MAKES_IDENTITY);
  } else if ((remap->missing >> remap->mode.map & 1U) == 0) {
    remap_images_begin(remap, REMAP_LOADS_GOAL);
  }
  return false;
}

/// Chooses the next step. @return false: there is none.
static bool decide(struct remap* remap) {
  if (remap->tally.failed_lba != 0) return false;
  if (remap_saves_base(remap)) {
    remap_images_begin(remap, REMAP_SAVES_BASE);
    return true;
  }
  if (remap->map->units == 0) return false;
  if (remap->mode_is_new) {
    remap->batch = 0;
    remap_moves_begin_record(remap);
    return true;
  }
  if (remap->staging != 0) {
    if (remap->staged < remap->map->units) return false;
    remap_images_begin(remap, REMAP_SAVES_GOAL);
    return true;
  }
  if ((remap->mode.flags & MODE_REMAP_MOVES) == 0) return false;
  if (!has_goal(remap)) return remap->step != REMAP_RESTS || remap_has_chore(remap);
  return remap_moves_plan(remap);
}

/// Makes a slice of the chore, and goes on with what waits for its end.
static void work_on(struct remap* remap) {
  const enum remap_chore chore = (enum remap_chore)remap->chore;
  if (chore == REMAP_TAKES) {
    remap_images_take(remap);
    if (remap->chore != REMAP_TAKES) remap_free_segment(remap);
  } else if (!remap_chore_slice(remap) && chore == REMAP_INVERTS) {
    remap_images_inverted(remap);
  }
}

enum remap_answer remap_next(struct remap* remap, struct media_request* request) {
  ASSERT(!remap->busy);
  if (remap->restarts) abandon_image(remap);
  if (remap_has_chore(remap)) {
    work_on(remap);
    return REMAP_YIELDS;
  }
  if (remap->step == REMAP_RESTS && !decide(remap)) {
    arm_do_without(remap->arm, ARM_MOVES);
    return REMAP_HAS_NOTHING;
  }
  if (remap_has_chore(remap)) return REMAP_YIELDS;
  if (!remap_take_segment(remap)) return REMAP_HAS_NOTHING;
  if (!is_of_images(remap)) {
    remap_moves_next(remap, request);
  } else if (!remap_images_next(remap, request)) {
    return REMAP_YIELDS;
  }
  remap->busy = true;
  remap->began = timer_hal_now();
  return REMAP_REQUESTS;
}

void remap_took(struct remap* remap, enum status status) {
  ASSERT(remap->busy);
  remap->busy = false;
  count_request(remap, timer_hal_now());
  if (remap->restarts) {
    abandon_image(remap);
  } else if (is_of_images(remap)) {
    remap_images_took(remap, status);
  } else {
    remap_moves_took(remap, status);
  }
  if (remap->step != REMAP_WRITES && remap->chore != REMAP_TAKES) remap_free_segment(remap);
}

enum arm_answer moves_plan(struct remap* remap, struct media_request* request) {
  const bool others_wait = remap->arm->others_wait;
  const bool is_chore = remap_has_chore(remap) && !others_wait;  // It needs no media.
  if (!is_chore && !is_due(remap, timer_hal_now(), others_wait)) return ARM_PASSES;
  switch (remap_next(remap, request)) {
    case REMAP_HAS_NOTHING: return ARM_PASSES;
    case REMAP_REQUESTS: return ARM_REQUEST;
    case REMAP_YIELDS: remap->arm->blocked |= ARM_YIELDED; return ARM_WAITS;
  }
  ASSERT_UNREACHABLE();
}

enum arm_answer moves_outcome(struct remap* remap, enum media_outcome outcome,
                              struct media_request* request) {
  (void)request;
  if (outcome == MEDIA_ENDED) remap_took(remap, media_status(remap->media));
  return ARM_PASSES;
}

// --------------------------------------------------------------------------------------- power-on

static void end_load(struct remap* remap) {
  remap->is_loaded = true;
  struct mode_remap selected;
  mode_pages_remap(&remap->unit->modes, &selected);
  const bool is_selected = remap->unit->modes.selected_remap;
  if (remap->base_sequence == 0) {
    remap->mode = selected;
    begin_map(remap);
  } else {
    remap->holes = (uint8_t)remap_area_scratch_slots(remap->design, remap->map->unit_blocks);
    remap_chore_begin(remap, REMAP_FINDS_SLOTS);
    remap->base_is_good = true;
    remap->mode.into = remap->mode.method = 0;  // The source of the map has changed.
    if (is_selected && remap_units_fault(remap, &selected) == 0) remap_set_mode(remap, &selected);
    mode_pages_set_remap(&remap->unit->modes, &remap->mode);
  }
  if (remap->map->units > 0) want(remap);
}

bool remap_load_begin(struct remap* remap) {
  const bool is_new = remap->design->store_is_new != 0;
  if (is_new || !remap_has_room(remap, 1) || !media_is_idle(remap->media)) {
    end_load(remap);
    return false;
  }
  remap_images_begin(remap, REMAP_LOADS_BASE);
  return true;
}

enum remap_answer remap_load_next(struct remap* remap, struct media_request* request) {
  if (remap->step != REMAP_RESTS || remap_has_chore(remap)) {
    const enum remap_answer answer = remap_next(remap, request);
    if (answer != REMAP_HAS_NOTHING) return answer;
  }
  end_load(remap);
  return REMAP_HAS_NOTHING;
}

void remap_load_took(struct remap* remap) { remap_took(remap, media_status(remap->media)); }

// ---------------------------------------------------------------------------------------- staging

static void begin_staging(struct remap* remap, uint32_t map) {
  remap->staging = (uint8_t)map;
  remap->staged = 0;
  remap_drop_goal(remap);
}

void remap_choose(struct remap* remap, uint32_t map) {
  remap->mode.map = (uint8_t)map;
  remap->mode_is_new = true;
  mode_pages_set_remap(&remap->unit->modes, &remap->mode);
  want(remap);
}

/// FNV-1a, 32 bits.
#define HASH_BEGIN 2166136261U
static uint32_t hash_slot(uint32_t hash, uint32_t slot) { return (hash ^ slot) * 16777619U; }

void remap_hash_units(struct remap* remap, uint32_t first, uint32_t count) {
  uint32_t hash = first == 0 ? HASH_BEGIN : remap->goal_hash;
  for (uint32_t i = 0; i < count; ++i) hash = hash_slot(hash, remap->goal_of[first + i]);
  remap->goal_hash = hash;
}

bool remap_begin_arrangement(struct remap* remap, uint32_t map) {
  if (!remap->is_loaded || remap->map->units == 0 || remap->staging != 0) return false;
  if (remap->step == REMAP_LOADS_GOAL) return false;
  remap->staging = (uint8_t)map;
  remap->staged = 0;
  remap_drop_goal(remap);
  remap->arranges = true;
  return true;
}

void remap_end_arrangement(struct remap* remap, bool is_made) {
  remap->arranges = false;
  remap->staged = is_made ? remap->map->units : 0;
  if (!is_made) remap->staging = 0;
  remap->mode.into = remap->mode.method = 0;
  remap->mode_is_new = true;
  mode_pages_set_remap(&remap->unit->modes, &remap->mode);
  want(remap);
}

enum remap_stage_result remap_stage(struct remap* remap, uint32_t map, uint32_t first,
                                    const uint8_t* bytes, uint32_t count, uint32_t* bad) {
  const uint32_t units = remap->map->units;
  if (map == 0 || map > REMAP_MAPS || units == 0) return REMAP_STAGE_NO_MAP;
  const bool is_whole = remap->staging != 0 && remap->staged == units;
  if (is_whole || remap->arranges || remap->step == REMAP_LOADS_GOAL) return REMAP_STAGE_BUSY;
  if (first != 0 && (remap->staging != map || remap->staged != first)) {
    return REMAP_STAGE_BAD_OFFSET;
  }
  if (count > units - first) return REMAP_STAGE_BAD_OFFSET;
  if (first == 0) begin_staging(remap, map);
  uint32_t hash = first == 0 ? HASH_BEGIN : remap->goal_hash;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t slot = bytes_get_be16(bytes + 2U * i);
    if (slot >= units || remap_is_staged(remap, slot, first + i)) {
      remap->staging = 0;
      *bad = 2U * i;
      return REMAP_STAGE_BAD_SLOT;
    }
    remap->goal_at[slot] = (uint16_t)(first + i);
    remap->goal_of[first + i] = (uint16_t)slot;
    hash = hash_slot(hash, slot);
  }
  remap->goal_hash = hash;
  remap->staged += count;
  want(remap);
  return REMAP_STAGED;
}
