// SPDX-License-Identifier: Apache-2.0
#include "firmware/remap/lead.h"

#include "firmware/kernel/time.h"

/// Weights of all gaps. A part of the table holds any share of them.
#define WEIGHT (255U * 256U)
#define PARTS_PER_STEP 32U
#define HALF_TURN16 0x8000U
#define PER_US_BITS 20U

enum phase { CLEAR, COUNT, BEGIN_BIN, SPREAD, SUM_UP, WAITS, DONE };

void lead_begin(struct lead_table* table, const struct drive_design* design,
                const struct remap_counts* counts, uint32_t share_of_gaps) {
  table->counts = counts;
  table->is_mean = design->mean_latency != 0;
  table->share_of_gaps = share_of_gaps;
  const uint64_t turn32_per_tick =
      (uint64_t)design->turn32_per_tick_high << 32 | design->turn32_per_tick_low;
  // turn32 is a lead times 2^20, and turn32_per_tick has 32 bits of fraction.
  table->lead_per_us =
      (uint32_t)(turn32_per_tick * TIME_TICKS_PER_MICROSECOND >> (52 - PER_US_BITS));
  table->total = 0;
  table->passed = 0;
  table->bin = 0;
  table->next = 0;
  table->phase = CLEAR;
}

static void add(struct lead_table* table, uint32_t lead, uint32_t weight) {
  table->wait_turn16[lead & (LEAD_PARTS - 1)] += (uint16_t)weight;
}

static void clear(struct lead_table* table) {
  for (uint32_t i = 0; i < 2 * PARTS_PER_STEP; ++i) table->wait_turn16[table->next++] = 0;
  if (table->next == LEAD_PARTS) table->phase = COUNT;
}

/// How many gaps there are, and what weighs gap 0 alone.
static void count(struct lead_table* table) {
  const struct remap_counts* counts = table->counts;
  for (uint32_t i = 0; i < counts->gap_count; ++i) table->total += counts->gaps[i].count;
  if (table->total == 0) table->share_of_gaps = 0;
  add(table, 0, (256 - table->share_of_gaps) * (WEIGHT / 256));
  table->phase = BEGIN_BIN;
}

static uint64_t lead_of(const struct lead_table* table, uint64_t us) {
  return (us * table->lead_per_us) >> PER_US_BITS;
}

/// The next bin's weight, such that those of all bins sum up to what they should.
static uint32_t bin_weight(struct lead_table* table) {
  const uint32_t whole = table->share_of_gaps * (WEIGHT / 256);
  const uint32_t before = (uint32_t)(table->passed * whole / table->total);
  table->passed += table->counts->gaps[table->bin].count;
  return (uint32_t)(table->passed * whole / table->total) - before;
}

/// Spreads `weight` over `parts` leads from `from` on.
static void begin_spread(struct lead_table* table, uint32_t from, uint32_t parts, uint32_t weight) {
  table->next = from;
  table->left = parts;
  table->parts = parts;
  table->weight = weight;
  table->rest = parts / 2;
  table->phase = SPREAD;
}

/// Begins a bin. A bin longer than a turn first spreads its whole turns over one turn.
static void begin_bin(struct lead_table* table) {
  const struct remap_counts* counts = table->counts;
  if (table->share_of_gaps == 0 || table->bin == counts->gap_count) {
    table->next = 1;
    table->sum = 0;
    table->phase = SUM_UP;
    return;
  }
  const uint32_t weight = bin_weight(table);
  const struct remap_gap* gap = &counts->gaps[table->bin++];
  if (weight == 0) return;
  const uint64_t from = lead_of(table, gap->from_us);
  const uint64_t parts = lead_of(table, gap->to_us) - from + 1;
  const uint64_t turns = parts >> LEAD_BITS;
  const uint32_t arc = (uint32_t)parts & (LEAD_PARTS - 1);
  table->arc_from = (uint32_t)from;
  table->arc = arc;
  table->arc_weight = (uint32_t)((uint64_t)weight * arc / parts);
  if (turns != 0) {
    begin_spread(table, 0, LEAD_PARTS, weight - table->arc_weight);
  } else {
    begin_spread(table, table->arc_from, arc, weight);
    table->arc = 0;
  }
}

static void spread(struct lead_table* table) {
  for (uint32_t i = 0; i < PARTS_PER_STEP && table->left > 0; ++i) {
    table->rest += table->weight;
    const uint32_t weight = table->rest / table->parts;
    table->rest -= weight * table->parts;
    add(table, table->next++, weight);
    --table->left;
  }
  if (table->left > 0) return;
  table->phase = BEGIN_BIN;
  if (table->arc != 0) {
    begin_spread(table, table->arc_from, table->arc, table->arc_weight);
    table->arc = 0;
  }
}

/// Sum of the waits, in leads times weights, at lead 0.
static void sum_up(struct lead_table* table) {
  for (uint32_t i = 0; i < PARTS_PER_STEP && table->next < LEAD_PARTS; ++i, ++table->next) {
    table->sum += table->wait_turn16[table->next] * (LEAD_PARTS - table->next);
  }
  if (table->next < LEAD_PARTS) return;
  table->next = 0;
  table->phase = WAITS;
}

/// Computes the waits. Each lead adds a part to every wait but that of the gap as long as the lead.
/// Its wait was a turn less a part, and becomes 0.
static void waits(struct lead_table* table) {
  for (uint32_t i = 0; i < PARTS_PER_STEP && table->next < LEAD_PARTS; ++i, ++table->next) {
    if (table->next != 0) table->sum += WEIGHT - LEAD_PARTS * table->wait_turn16[table->next];
    const uint32_t wait_turn16 =
        table->is_mean ? HALF_TURN16 : table->sum / (WEIGHT >> (16 - LEAD_BITS));
    table->wait_turn16[table->next] = (uint16_t)wait_turn16;
  }
  if (table->next == LEAD_PARTS) table->phase = DONE;
}

bool lead_step(struct lead_table* table) {
  switch ((enum phase)table->phase) {
    case CLEAR: clear(table); break;
    case COUNT: count(table); break;
    case BEGIN_BIN: begin_bin(table); break;
    case SPREAD: spread(table); break;
    case SUM_UP: sum_up(table); break;
    case WAITS: waits(table); break;
    case DONE: break;
  }
  return table->phase == DONE;
}
