// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_ENERGY
#include "firmware/remap/energy.h"

#include "firmware/kernel/assert.h"

#define PAIRS_PER_STEP 128U

enum phase { COUNT_PAIRS, BY_FROM, BY_TO, LEADS, SLOTS, DONE };

// ------------------------------------------------------------------------------------ one slot

static void locate(const struct energy* energy, struct energy_walk* walk) {
  const enum status status = geometry_locate(energy->plan.design, walk->lba, &walk->at);
  ASSERT(status == STATUS_OK);
}

void energy_walk_begin(const struct energy* energy, struct energy_walk* walk, uint32_t slot) {
  walk->lba = energy->plan.first_block + slot * energy->plan.unit_blocks;
  walk->left = energy->plan.unit_blocks;
  walk->span_turn32 = 0;
  locate(energy, walk);
}

bool energy_walk_step(const struct energy* energy, struct energy_walk* walk) {
  const struct place from = walk->at;
  const uint32_t count = walk->left < from.contiguous_blocks ? walk->left : from.contiguous_blocks;
  const struct drive_design_zone* zone = &energy->plan.design->zones[from.zone];
  const uint64_t swept_turn32 = geometry_swept_turn32(zone, from.mark, count);
  walk->span_turn32 += swept_turn32;
  walk->end_turn32 = from.angle_turn32 + (uint32_t)swept_turn32;
  walk->left -= count;
  if (walk->left == 0) return true;
  walk->lba += count;
  locate(energy, walk);
  walk->span_turn32 +=
      predictor_gap_turn32(&energy->predictor, &from, walk->end_turn32, &walk->at, false);
  return false;
}

uint32_t energy_walk_turn16(const struct energy* energy, const struct energy_walk* walk) {
  const uint64_t span_turn16 = walk->span_turn32 >> 16;
  const uint32_t turn16 =
      span_turn16 < ENERGY_TRANSFER_MAX_TURN16 ? (uint32_t)span_turn16 : ENERGY_TRANSFER_MAX_TURN16;
  return energy->request_share == 0 ? turn16 : multiply_high(turn16, energy->request_share);
}

static void begin_slot(struct energy* energy, uint32_t slot) {
  energy_walk_begin(energy, &energy->walk, slot);
  const struct place* at = &energy->walk.at;
  energy->cylinder[slot] = (uint16_t)at->cylinder;
  energy->start[slot] = (uint16_t)((at->angle_turn32 >> 20 << 4) | (at->head & ENERGY_HEAD_MASK));
}

static void end_slot(struct energy* energy, uint32_t slot) {
  const struct energy_walk* walk = &energy->walk;
  const uint32_t first = energy->cylinder[slot];
  // A block that lies on a spare may be on a lower one.
  const uint32_t cylinders = walk->at.cylinder > first ? walk->at.cylinder - first : 0;
  if (energy->plan.kind == ENERGY_ACCESS) {
    const uint32_t end = (walk->end_turn32 >> 21) + ((walk->end_turn32 & 0x1FFFFFU) != 0 ? 1 : 0);
    energy->end[slot] = (uint16_t)(end << 5 | (cylinders != 0 ? ENERGY_NEXT_CYLINDER : 0) |
                                   (walk->at.head & ENERGY_HEAD_MASK));
    return;
  }
  const uint32_t transfer_turn16 = energy_walk_turn16(energy, walk);
  energy->start[slot] = (uint16_t)transfer_turn16;
  energy->end[slot] =
      (uint16_t)(transfer_turn16 >> 16 << 8 | (cylinders > UINT8_MAX ? UINT8_MAX : cylinders));
}

/// One run of a slot.
static void look_up_slot(struct energy* energy) {
  const uint32_t slot = energy->next;
  if (!energy->slot_has_begun) begin_slot(energy, slot);
  energy->slot_has_begun = !energy_walk_step(energy, &energy->walk);
  if (energy->slot_has_begun) return;
  end_slot(energy, slot);
  if (++energy->next == energy->plan.units) energy->phase = DONE;
}

// ----------------------------------------------------------------------------------------- all

/// ceil(angle of a time): what the heads must have turned on at least.
static uint32_t turn16_of_ticks(const struct energy* energy, uint32_t ticks) {
  return (rotation_turn24(&energy->rotation, ticks) + 0xFFU) >> 8;
}

void energy_begin(struct energy* energy, const struct energy_plan* plan) {
  const struct drive_design* design = plan->design;
  energy->plan = *plan;
  rotation_init(&energy->rotation, design);
  predictor_init(&energy->predictor, design, &energy->rotation, 0);
  energy->seek_part = &design->pool[design->seek_table];
  energy->turn16_per_part = energy->rotation.turn24_per_part >> 8;
  const bool is_part = plan->request_blocks != 0 && plan->request_blocks < plan->unit_blocks;
  energy->request_share =
      is_part ? (uint32_t)(((uint64_t)plan->request_blocks << 32) / plan->unit_blocks) : 0;
  energy->overhead_turn16 = turn16_of_ticks(energy, plan->overhead_tick);
  energy->head_switch_turn16 = multiply_high(design->head_switch_part, energy->turn16_per_part);
  energy->accesses = 0;
  energy->next = 0;
  energy->slot_has_begun = false;
  energy->phase = COUNT_PAIRS;
}

static void begin_sort(struct energy* energy) {
  const bool by_from = energy->phase == BY_FROM;
  const struct remap_counts* counts = energy->plan.counts;
  sort_begin(&energy->sort, counts, by_from ? SORT_BY_FROM : SORT_BY_TO,
             by_from ? energy->by_from : energy->by_to, counts->pair_count);
}

static void count_pairs(struct energy* energy) {
  const struct remap_counts* counts = energy->plan.counts;
  for (uint32_t i = 0; i < PAIRS_PER_STEP && energy->next < counts->pair_count; ++i) {
    energy->accesses += counts->pairs[energy->next++].count;
  }
  if (energy->next < counts->pair_count) return;
  energy->phase = BY_FROM;
  begin_sort(energy);
}

static void sort_pairs(struct energy* energy) {
  if (energy->plan.counts->pair_count > 0 && !sort_step(&energy->sort)) return;
  ++energy->phase;
  if (energy->phase == BY_TO) begin_sort(energy);
  if (energy->phase == LEADS) {
    lead_begin(&energy->lead, energy->plan.design, energy->plan.counts, energy->plan.share_of_gaps);
  }
}

bool energy_prepare(struct energy* energy) {
  switch ((enum phase)energy->phase) {
    case COUNT_PAIRS: count_pairs(energy); break;
    case BY_FROM:
    case BY_TO: sort_pairs(energy); break;
    case LEADS:
      if (energy->plan.kind == ENERGY_ACCESS && !lead_step(&energy->lead)) break;
      energy->next = 0;
      energy->phase = SLOTS;
      break;
    case SLOTS: look_up_slot(energy); break;
    case DONE: break;
  }
  return energy->phase == DONE;
}

uint32_t energy_first_pair(const struct energy* energy, bool to_group, uint32_t group) {
  const struct remap_pair* pairs = energy->plan.counts->pairs;
  const uint16_t* order = to_group ? energy->by_to : energy->by_from;
  uint32_t low = 0;
  uint32_t high = energy->plan.counts->pair_count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    const struct remap_pair* pair = &pairs[order[middle]];
    if ((to_group ? pair->to : pair->from) < group) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

uint64_t energy_divisor(const struct energy* energy) {
  const uint32_t k = energy->plan.units_per_group;
  return (uint64_t)energy->accesses * k * k;
}
