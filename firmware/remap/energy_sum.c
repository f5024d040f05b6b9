// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_ENERGY_SUM
#include "firmware/remap/energy_sum.h"

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/assert.h"

/// A step adds so many costs. What comes before those of a pair, or a row, counts as some.
#define COSTS_PER_STEP 64U
#define COSTS_OF_PAIR 2U
#define COSTS_OF_ROW 8U

/// Bits of a row's number: which unit, and whether the pairs are those to its group.
#define ROW_OF_SECOND 2U
#define ROW_TO_UNIT 1U

// -------------------------------------------------------------------------- cost of two slots

static inline uint32_t seek_turn16(const struct energy* energy, uint32_t from, uint32_t to) {
  return multiply_high(energy->seek_part[distance_u32(from, to)], energy->turn16_per_part);
}

static inline uint32_t access_turn16(const struct energy* energy, uint32_t from, uint32_t to) {
  const uint32_t end = energy->end[from];
  const uint32_t start = energy->start[to];
  const uint32_t cylinder = energy->cylinder[from] + ((end & ENERGY_NEXT_CYLINDER) != 0 ? 1U : 0U);
  uint32_t move = seek_turn16(energy, cylinder, energy->cylinder[to]);
  if (((end ^ start) & ENERGY_HEAD_MASK) != 0 && move < energy->head_switch_turn16) {
    move = energy->head_switch_turn16;
  }
  const uint32_t lead_turn16 = (start & 0xFFF0U) - (end & 0xFFE0U) - energy->overhead_turn16 - move;
  return move + energy->lead.wait_turn16[(lead_turn16 & 0xFFFFU) >> (16 - LEAD_BITS)];
}

/// Inlined for each kind: no step of a loop tests it.
static inline __attribute__((always_inline)) uint32_t cost(const struct energy* energy,
                                                           enum energy_kind kind, uint32_t from,
                                                           uint32_t to) {
  switch (kind) {
    case ENERGY_DISTANCE: return distance_u32(from, to);
    case ENERGY_SEEK:
    case ENERGY_TRANSFER:
      return seek_turn16(energy, energy->cylinder[from] + (energy->end[from] & 0xFFU),
                         energy->cylinder[to]);
    case ENERGY_ACCESS: return access_turn16(energy, from, to);
  }
  ASSERT_UNREACHABLE();
}

static inline __attribute__((always_inline)) uint32_t costs_of_kind(const struct energy* energy,
                                                                    enum energy_kind kind,
                                                                    bool to_unit, uint32_t slot,
                                                                    const uint16_t* others,
                                                                    uint32_t count) {
  uint32_t sum = 0;
  for (const uint16_t* other = others; other != others + count; ++other) {
    sum += to_unit ? cost(energy, kind, *other, slot) : cost(energy, kind, slot, *other);
  }
  return sum;
}

/// Costs between a slot and `count` others.
static uint32_t costs(const struct energy* energy, bool to_unit, uint32_t slot,
                      const uint16_t* others, uint32_t count) {
  switch (energy->plan.kind) {
    case ENERGY_DISTANCE: return costs_of_kind(energy, ENERGY_DISTANCE, false, slot, others, count);
    case ENERGY_SEEK:
    case ENERGY_TRANSFER:
      return to_unit ? costs_of_kind(energy, ENERGY_SEEK, true, slot, others, count)
                     : costs_of_kind(energy, ENERGY_SEEK, false, slot, others, count);
    case ENERGY_ACCESS:
      return to_unit ? costs_of_kind(energy, ENERGY_ACCESS, true, slot, others, count)
                     : costs_of_kind(energy, ENERGY_ACCESS, false, slot, others, count);
  }
  ASSERT_UNREACHABLE();
}

uint32_t energy_cost(const struct energy* energy, uint32_t from, uint32_t to) {
  const uint16_t other = (uint16_t)to;
  return costs(energy, false, from, &other, 1);
}

// ---------------------------------------------------------------------------------- transfers

static bool has_transfer(const struct energy* energy) {
  return energy->plan.kind == ENERGY_TRANSFER || energy->plan.kind == ENERGY_ACCESS;
}

static void add_transfers(const struct energy* energy, struct energy_sum* sum) {
  const uint64_t k = energy->plan.units_per_group;
  for (uint32_t i = 0; i < sum->units; ++i) {
    const uint32_t visits = energy->plan.counts->visits[sum->group[i]];
    sum->sum += k * visits * sum->transfer_turn16[i];
  }
}

/// Looks up the transfer of the next slot, or of a run of it. @return whether all are known.
static bool step_transfers(const struct energy* energy, struct energy_sum* sum) {
  if (energy->plan.kind == ENERGY_TRANSFER) {
    for (uint32_t i = 0; i < sum->units; ++i) {
      const uint32_t slot = sum->slot[i];
      sum->transfer_turn16[i] = energy->start[slot] | (uint32_t)(energy->end[slot] >> 8) << 16;
    }
    sum->walks = sum->units;
    return true;
  }
  if (!sum->walk_has_begun) energy_walk_begin(energy, &sum->walk, sum->slot[sum->walks]);
  sum->walk_has_begun = !energy_walk_step(energy, &sum->walk);
  if (sum->walk_has_begun) return false;
  sum->transfer_turn16[sum->walks++] = energy_walk_turn16(energy, &sum->walk);
  return sum->walks == sum->units;
}

// --------------------------------------------------------------------------------------- pairs

static bool to_unit(const struct energy_sum* sum) { return (sum->row & ROW_TO_UNIT) != 0; }

static uint32_t row_unit(const struct energy_sum* sum) {
  return (sum->row & ROW_OF_SECOND) != 0 ? 1 : 0;
}

static const struct remap_pair* pair_of(const struct energy* energy, const struct energy_sum* sum,
                                        uint32_t index) {
  const uint16_t* order = to_unit(sum) ? energy->by_to : energy->by_from;
  return &energy->plan.counts->pairs[order[index]];
}

static uint32_t own_group(const struct energy_sum* sum, const struct remap_pair* pair) {
  return to_unit(sum) ? pair->to : pair->from;
}

static uint32_t other_group(const struct energy_sum* sum, const struct remap_pair* pair) {
  return to_unit(sum) ? pair->from : pair->to;
}

static void begin_row(const struct energy* energy, struct energy_sum* sum) {
  if (!sum->rows_are_known) {
    const uint32_t group = sum->group[row_unit(sum)];
    sum->first[sum->row] = (uint16_t)energy_first_pair(energy, to_unit(sum), group);
  }
  sum->pair = sum->first[sum->row];
  sum->row_has_begun = true;
}

/// @return false at the row's end.
static bool begin_pair(const struct energy* energy, struct energy_sum* sum) {
  if (sum->pair == energy->plan.counts->pair_count) return false;
  const struct remap_pair* pair = pair_of(energy, sum, sum->pair);
  if (own_group(sum, pair) != sum->group[row_unit(sum)]) return false;
  const uint32_t k = energy->plan.units_per_group;
  const uint32_t units = energy->plan.units;
  const uint32_t next = other_group(sum, pair) * k;
  // A group past the map's end has no units.
  sum->next = next < units ? next : units;
  sum->end = next + k < units ? next + k : units;
  sum->cost = 0;
  sum->pair_has_begun = true;
  return true;
}

/// Costs of the pair that an earlier row has, too.
static uint32_t counted_before(const struct energy* energy, const struct energy_sum* sum,
                               uint32_t other) {
  const uint32_t first = sum->slot[0];
  const uint32_t second = sum->slot[1];
  uint32_t before = 0;
  switch (sum->row) {
    case ROW_TO_UNIT:
      if (other == sum->group[0]) before += energy_cost(energy, first, first);
      break;
    case ROW_OF_SECOND:
      if (other == sum->group[0]) before += energy_cost(energy, second, first);
      break;
    case ROW_OF_SECOND | ROW_TO_UNIT:
      if (other == sum->group[0]) before += energy_cost(energy, first, second);
      if (other == sum->group[1]) before += energy_cost(energy, second, second);
      break;
    default: break;
  }
  return before;
}

static void end_pair(const struct energy* energy, struct energy_sum* sum) {
  const struct remap_pair* pair = pair_of(energy, sum, sum->pair);
  const uint32_t cost = sum->cost - counted_before(energy, sum, other_group(sum, pair));
  sum->sum += (uint64_t)cost * pair->count;
  ++sum->pair;
  sum->pair_has_begun = false;
}

/// Goes on with the pairs of a row, for `budget` costs. @return what is left of it, more than 0 at
/// the row's end.
static uint32_t step_row(const struct energy* energy, struct energy_sum* sum,
                         const uint16_t* slot_of, uint32_t budget) {
  while (budget > 0 && sum->sum <= sum->limit) {
    if (!sum->pair_has_begun && !begin_pair(energy, sum)) return budget;
    const uint32_t left = sum->end - sum->next;
    const uint32_t count = left < budget ? left : budget;
    sum->cost += costs(energy, to_unit(sum), sum->slot[row_unit(sum)], &slot_of[sum->next], count);
    sum->evaluations += count;
    sum->next += count;
    budget -= count;
    if (sum->next < sum->end) continue;
    end_pair(energy, sum);
    budget -= budget < COSTS_OF_PAIR ? budget : COSTS_OF_PAIR;
  }
  return 0;
}

/// The rows up to `rows`. @return whether they are complete, or the sum is above its limit.
static bool step_rows(const struct energy* energy, struct energy_sum* sum, const uint16_t* slot_of,
                      uint32_t rows) {
  uint32_t budget = COSTS_PER_STEP;
  while (sum->row < rows) {
    if (!sum->row_has_begun) {
      if (budget < COSTS_OF_ROW) return false;
      begin_row(energy, sum);
      budget -= COSTS_OF_ROW;
    }
    budget = step_row(energy, sum, slot_of, budget);
    if (sum->sum > sum->limit) return true;
    if (budget == 0) return false;
    sum->row_has_begun = false;
    ++sum->row;
  }
  return true;
}

// ---------------------------------------------------------------------------------------- sums

static void begin(const struct energy* energy, struct energy_sum* sum, uint32_t units) {
  sum->sum = 0;
  sum->limit = UINT64_MAX;
  sum->units = (uint8_t)units;
  sum->walks = has_transfer(energy) ? 0 : (uint8_t)units;
  sum->walk_has_begun = false;
  sum->row = 0;
  sum->row_has_begun = false;
  sum->rows_are_known = false;
  sum->pair_has_begun = false;
}

static void take_unit(const struct energy* energy, struct energy_sum* sum, uint32_t index,
                      const uint16_t* slot_of, uint32_t unit) {
  sum->group[index] = (uint16_t)(unit / energy->plan.units_per_group);
  sum->slot[index] = slot_of[unit];
  sum->transfer_turn16[index] = 0;
}

void energy_touch_begin(const struct energy* energy, struct energy_sum* sum,
                        const uint16_t* slot_of, uint32_t a, uint32_t b) {
  begin(energy, sum, 2);
  take_unit(energy, sum, 0, slot_of, a);
  take_unit(energy, sum, 1, slot_of, b);
}

void energy_touch_exchanged(const struct energy* energy, struct energy_sum* sum, uint64_t limit) {
  const uint32_t transfer_turn16 = sum->transfer_turn16[0];
  const uint16_t slot = sum->slot[0];
  begin(energy, sum, 2);
  sum->walks = 2;
  sum->rows_are_known = true;
  sum->transfer_turn16[0] = sum->transfer_turn16[1];
  sum->transfer_turn16[1] = transfer_turn16;
  sum->slot[0] = sum->slot[1];
  sum->slot[1] = slot;
  sum->limit = limit;
  add_transfers(energy, sum);
}

bool energy_touch_step(const struct energy* energy, struct energy_sum* sum,
                       const uint16_t* slot_of) {
  if (sum->walks < sum->units) {
    if (step_transfers(energy, sum)) add_transfers(energy, sum);
    return false;
  }
  return step_rows(energy, sum, slot_of, 4);
}

void energy_total_begin(const struct energy* energy, struct energy_total* total,
                        const uint16_t* slot_of) {
  total->sum = 0;
  total->evaluations = 0;
  total->unit = 0;
  begin(energy, &total->row, 1);
  take_unit(energy, &total->row, 0, slot_of, 0);
}

bool energy_total_step(const struct energy* energy, struct energy_total* total,
                       const uint16_t* slot_of) {
  struct energy_sum* row = &total->row;
  const bool is_visited = energy->plan.counts->visits[row->group[0]] != 0;
  if (is_visited && row->walks < row->units) {
    if (step_transfers(energy, row)) add_transfers(energy, row);
    return false;
  }
  row->evaluations = 0;
  const bool ends = step_rows(energy, row, slot_of, 1);
  total->evaluations += row->evaluations;
  if (!ends) return false;
  total->sum += row->sum;
  if (++total->unit == energy->plan.units) return true;
  begin(energy, row, 1);
  take_unit(energy, row, 0, slot_of, total->unit);
  return false;
}
