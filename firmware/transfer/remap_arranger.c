// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/remap_arranger.h"

#include "firmware/kernel/time.h"

/// Entries that a step copies or signs.
#define STEP_ENTRIES 256U
/// Time between a command's arrival and the start of the arm: 100 us, as the firmware takes.
#define OVERHEAD_TICKS (100U * TIME_TICKS_PER_MICROSECOND)
/// Share, of 256, that gap 0 has in the waits (remap/lead.h): one half.
#define HALF_OF_THE_GAPS 128U
#define TRIALS_UNIT 1000U
/// Trials if mode page 23h does not say how many.
#define TRIALS_DEFAULT 400000U

void arranger_init(struct arranger* arranger, struct remap* remap, const struct learn* learn) {
  arranger->remap = remap;
  arranger->learn = learn;
  arranger->stage = ARRANGER_RESTS;
}

/// Methods by mode_remap's `method`.
static const struct method {
  uint8_t method;  ///< enum arrange_method
  uint8_t energy;  ///< enum energy_kind
  bool whole_groups;
} methods[] = {
    [MODE_REMAP_ORGAN] = {ARRANGE_ORGAN, ENERGY_DISTANCE, true},
    [MODE_REMAP_DISTANCE] = {ARRANGE_ANNEAL, ENERGY_DISTANCE, true},
    [MODE_REMAP_SEEK] = {ARRANGE_ANNEAL, ENERGY_SEEK, true},
    [MODE_REMAP_TRANSFER] = {ARRANGE_ANNEAL, ENERGY_TRANSFER, true},
    [MODE_REMAP_ANGLE] = {ARRANGE_ANNEAL, ENERGY_ACCESS, false},
    [MODE_REMAP_NO_ANGLE] = {ARRANGE_ANNEAL, ENERGY_TRANSFER, false},
    [MODE_REMAP_POPULARITY] = {ARRANGE_POPULARITY, ENERGY_TRANSFER, false},
};

uint32_t arranger_methods(void) { return sizeof methods / sizeof methods[0]; }

void arranger_on_mode(struct arranger* arranger) {
  const struct mode_remap* mode = &arranger->remap->mode;
  arranger->stage = ARRANGER_RESTS;
  if (mode->method == 0 || !arranger->learn->on) return;
  if (!remap_begin_arrangement(arranger->remap, mode->into)) return;
  arranger->stage = ARRANGER_COPIES_VISITS;
  arranger->next = 0;
}

// ------------------------------------------------------------------------------------------- copy

static void copy_visits(struct arranger* arranger) {
  const struct learn* learn = arranger->learn;
  for (uint32_t i = 0; i < STEP_ENTRIES && arranger->next < learn->groups; ++i) {
    arranger->visits[arranger->next] = learn->visits[arranger->next];
    ++arranger->next;
  }
  if (arranger->next < learn->groups) return;
  arranger->stage = ARRANGER_COPIES_PAIRS;
  arranger->next = 0;
  arranger->counts.pair_count = 0;
}

/// Bin 0 counts commands that had no gap (learn.h): they go with the first bin of gaps.
static void copy_gaps(struct arranger* arranger) {
  const struct learn* learn = arranger->learn;
  for (uint32_t bin = 1; bin < LEARN_GAP_BINS; ++bin) {
    arranger->gaps[bin - 1U] = (struct remap_gap){
        .from_us = bin == 1 ? 0 : learn_gap_end_us(bin - 1U), .count = learn->gap[bin]};
  }
  arranger->gaps[0].count += learn->gap[0];
}

static void begin_arranging(struct arranger* arranger) {
  const struct learn* learn = arranger->learn;
  struct remap* remap = arranger->remap;
  const struct mode_remap* mode = &remap->mode;
  const struct method* method = &methods[mode->method];
  copy_gaps(arranger);
  arranger->counts.visits = arranger->visits;
  arranger->counts.groups = learn->groups;
  arranger->counts.pairs = arranger->pairs;
  arranger->counts.gaps = arranger->gaps;
  arranger->counts.gap_count = LEARN_GAP_BINS - 1U;
  const struct arrange_plan plan = {
      .design = remap->design,
      .counts = &arranger->counts,
      .first_block = mode->first_block,
      .unit_blocks = mode->unit_blocks,
      .group_blocks = mode->group_blocks,
      .units = remap->map->units,
      .request_blocks = learn->accesses == 0 ? 0 : learn->blocks / learn->accesses,
      .overhead_tick = OVERHEAD_TICKS,
      .share_of_gaps = HALF_OF_THE_GAPS,
      .method = (enum arrange_method)method->method,
      .energy = (enum energy_kind)method->energy,
      .start = ARRANGE_FROM_ORGAN,
      .whole_groups = method->whole_groups,
      .trials = mode->trials_thousands == 0 ? TRIALS_DEFAULT : mode->trials_thousands * TRIALS_UNIT,
      .hottest = mode->hottest,
      .seed = 1,
      .goal_of = remap->goal_of,
      .goal_at = remap->goal_at};
  if (arrange_begin(&arranger->work, &plan) == STATUS_OK) {
    arranger->stage = ARRANGER_ARRANGES;
  } else {
    remap_end_arrangement(remap, false);
    arranger->stage = ARRANGER_RESTS;
  }
}

static void copy_pairs(struct arranger* arranger) {
  struct remap_counts* counts = &arranger->counts;
  for (uint32_t i = 0; i < STEP_ENTRIES && arranger->next < LEARN_PAIR_PLACES; ++i) {
    const struct learn_pair* pair = &arranger->learn->pair[arranger->next++];
    if (pair->count == 0) continue;
    arranger->pairs[counts->pair_count++] =
        (struct remap_pair){.from = pair->from, .to = pair->to, .count = pair->count};
  }
  if (arranger->next == LEARN_PAIR_PLACES) begin_arranging(arranger);
}

// ------------------------------------------------------------------------------------------ steps

static void sign(struct arranger* arranger) {
  struct remap* remap = arranger->remap;
  const uint32_t units = remap->map->units;
  const uint32_t left = units - arranger->next;
  const uint32_t count = left < STEP_ENTRIES ? left : STEP_ENTRIES;
  remap_hash_units(remap, arranger->next, count);
  arranger->next += count;
  if (arranger->next < units) return;
  arranger->stage = ARRANGER_RESTS;
  remap_end_arrangement(remap, true);
}

void arranger_step(struct arranger* arranger) {
  switch (arranger->stage) {
    case ARRANGER_COPIES_VISITS: copy_visits(arranger); return;
    case ARRANGER_COPIES_PAIRS: copy_pairs(arranger); return;
    case ARRANGER_ARRANGES:
      if (!arrange_step(&arranger->work)) return;
      arranger->stage = ARRANGER_SIGNS;
      arranger->next = 0;
      return;
    case ARRANGER_SIGNS: sign(arranger); return;
    default: return;
  }
}
