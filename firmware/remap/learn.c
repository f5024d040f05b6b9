// SPDX-License-Identifier: Apache-2.0
#include "firmware/remap/learn.h"

#include "firmware/kernel/arithmetic.h"
#include "firmware/kernel/bits.h"

#define COUNT_MAX 0xFFFFU
/// Places that one step looks at.
#define STEP_PLACES 64U

void learn_clear_gaps(struct learn* learn) {
  for (uint32_t i = 0; i < LEARN_GAP_BINS; ++i) learn->gap[i] = 0;
}

static void forget_all(struct learn* learn) {
  learn->halves = false;
  learn->last = LEARN_NO_GROUP;
  learn->pair_count = 0;
  learn->accesses = learn->blocks = learn->lost_pairs = learn->halvings = 0;
  for (uint32_t i = 0; i < learn->groups; ++i) learn->visits[i] = 0;
  for (uint32_t i = 0; i < LEARN_PAIR_PLACES; ++i) learn->pair[i].count = 0;
  learn_clear_gaps(learn);
  learn_begin_window(learn);
}

void learn_init(struct learn* learn) {
  learn->on = false;
  learn->halves = false;
  learn->last = LEARN_NO_GROUP;
  learn->first_block = 0;
  learn->group_blocks = 0;
  learn->groups = 0;
  learn->pair_count = 0;
  learn->accesses = learn->blocks = learn->lost_pairs = learn->halvings = 0;
  learn->ended = 0;
  learn->outstanding = 0;
}

void learn_set(struct learn* learn, bool on, uint32_t first_block, uint32_t group_blocks,
               uint32_t capacity_blocks) {
  learn->on = on && group_blocks > 0 && first_block < capacity_blocks;
  if (!learn->on) return;
  if (learn->first_block == first_block && learn->group_blocks == group_blocks) return;
  const uint32_t groups = (capacity_blocks - first_block) / group_blocks;
  learn->first_block = first_block;
  learn->group_blocks = group_blocks;
  learn->group_reciprocal = UINT32_MAX / group_blocks;
  learn->groups = groups < LEARN_GROUPS_MAX ? groups : LEARN_GROUPS_MAX;
  forget_all(learn);
}

// ------------------------------------------------------------------------------------------ pairs

/// Where a pair is looked for first.
static uint32_t place_of(uint32_t from, uint32_t to) {
  const uint32_t mixed = (from * 40503U + to) * 2654435769U;
  return mixed / (UINT32_MAX / LEARN_PAIR_PLACES + 1U);  // Its highest bits.
}

static uint32_t behind(uint32_t place) { return (place + 1U) & (LEARN_PAIR_PLACES - 1U); }

static void begin_halving(struct learn* learn) {
  learn->halves = true;
  learn->halves_pairs = false;
  learn->cursor = 0;
}

static void count_pair(struct learn* learn, uint32_t from, uint32_t to) {
  uint32_t place = place_of(from, to);
  struct learn_pair* pair = &learn->pair[place];
  while (pair->count != 0 && (pair->from != from || pair->to != to)) {
    place = behind(place);
    pair = &learn->pair[place];
  }
  if (pair->count != 0) {
    if (pair->count < COUNT_MAX) ++pair->count;
    return;
  }
  // While counts are halved, a free place may be one that is about to be closed up.
  if (learn->halves || learn->pair_count == LEARN_PAIRS_MAX) {
    ++learn->lost_pairs;
    if (!learn->halves) begin_halving(learn);
    return;
  }
  *pair = (struct learn_pair){(uint16_t)from, (uint16_t)to, 1};
  ++learn->pair_count;
}

static void count_visit(struct learn* learn, uint32_t group) {
  if (learn->visits[group] < COUNT_MAX) ++learn->visits[group];
  if (learn->visits[group] == COUNT_MAX && !learn->halves) begin_halving(learn);
  if (learn->last != LEARN_NO_GROUP) count_pair(learn, learn->last, group);
  learn->last = (uint16_t)group;
}

static void count_access(struct learn* learn, uint32_t blocks) {
  if (learn->blocks >= 1U << 30) {
    learn->blocks >>= 1;
    learn->accesses >>= 1;
  }
  ++learn->accesses;
  learn->blocks += blocks;
}

void learn_access(struct learn* learn, uint32_t lba, uint32_t blocks) {
  if (lba < learn->first_block) return;
  const uint32_t offset = lba - learn->first_block;
  uint32_t group = divide_by_reciprocal(offset, learn->group_blocks, learn->group_reciprocal);
  uint32_t end = (group + 1U) * learn->group_blocks;
  count_access(learn, blocks);
  while (group < learn->groups) {
    count_visit(learn, group);
    if (offset + blocks <= end) return;
    ++group;
    end += learn->group_blocks;
  }
}

// ---------------------------------------------------------------------------------------- halving

/// Takes the pair out of its place, and closes the gap. A pair after it that was looked for at or
/// before that place moves there.
static void forget_pair(struct learn* learn, uint32_t gap) {
  --learn->pair_count;
  for (uint32_t next = behind(gap); learn->pair[next].count != 0; next = behind(next)) {
    const struct learn_pair* pair = &learn->pair[next];
    const uint32_t home = place_of(pair->from, pair->to);
    const uint32_t mask = LEARN_PAIR_PLACES - 1U;
    if (((next - home) & mask) < ((next - gap) & mask)) continue;
    learn->pair[gap] = *pair;
    gap = next;
  }
  learn->pair[gap].count = 0;
}

static void halve_visits(struct learn* learn) {
  for (uint32_t i = 0; i < STEP_PLACES && learn->cursor < learn->groups; ++i) {
    learn->visits[learn->cursor] >>= 1;
    ++learn->cursor;
  }
  if (learn->cursor < learn->groups) return;
  learn->halves_pairs = true;
  learn->cursor = 0;
  learn->free_place = 0;
  while (learn->pair[learn->free_place].count != 0) ++learn->free_place;
}

/// Downwards from a free place: what closes a gap comes from above, and has been halved.
static void halve_pairs(struct learn* learn) {
  for (uint32_t i = 0; i < STEP_PLACES && ++learn->cursor < LEARN_PAIR_PLACES; ++i) {
    const uint32_t place = (learn->free_place - learn->cursor) & (LEARN_PAIR_PLACES - 1U);
    if (learn->pair[place].count == 0) continue;
    learn->pair[place].count >>= 1;
    if (learn->pair[place].count == 0) forget_pair(learn, place);
  }
  if (learn->cursor < LEARN_PAIR_PLACES) return;
  learn->halves = false;
  ++learn->halvings;
}

void learn_step(struct learn* learn) {
  if (learn->halves_pairs) {
    halve_pairs(learn);
  } else {
    halve_visits(learn);
  }
}

// ------------------------------------------------------------------------------------------- gaps

/// 64, 91, 128, 181, ...: the whole us below 64 * 2^(k/2).
uint32_t learn_gap_end_us(uint32_t bin) {
  const uint32_t even = 64U << (bin / 2U);
  return bin % 2U == 0 ? even : (uint32_t)((uint64_t)even * 3037000499U >> 31);
}

uint32_t learn_gap_bin(uint32_t us) {
  if (us < 64U) return 1;
  const uint32_t lower = 2U * (bits_highest(us) - 6U) + 1U;  // The lower of the octave's two bins.
  const uint32_t bin = us < learn_gap_end_us(lower) ? lower : lower + 1U;
  return bin < LEARN_GAP_BINS ? bin : LEARN_GAP_BINS - 1U;
}

void learn_begin_window(struct learn* learn) {
  learn->window.arrivals = learn->window.depth = 0;
  for (uint32_t i = 0; i < LEARN_PHASES; ++i) learn->window.phase[i] = 0;
}

/// A gap of no command is none: its phase is that of 0.
static void count_window(struct learn* learn, uint32_t gap_ticks, uint32_t turn_ticks) {
  struct learn_window* window = &learn->window;
  if (window->arrivals == LEARN_WINDOW) return;  // It is to be looked at.
  const uint32_t left = gap_ticks % turn_ticks;
  ++window->arrivals;
  window->depth += learn->outstanding;
  ++window->phase[left * LEARN_PHASES / turn_ticks];
}

void learn_arrived(struct learn* learn, time_tick now, uint32_t turn_ticks) {
  const bool is_alone = learn->outstanding == 0;
  ++learn->outstanding;
  if (is_alone && learn->ended == 0) return;
  // In 32 bits, 107 s: a division of 64 takes the core a thousand cycles.
  const time_tick since = is_alone ? now - learn->ended : 0;
  const uint32_t gap_ticks = since < UINT32_MAX ? (uint32_t)since : UINT32_MAX;
  count_window(learn, gap_ticks, turn_ticks);
  if (is_alone) {
    ++learn->gap[learn_gap_bin(gap_ticks / TIME_TICKS_PER_MICROSECOND)];
  } else {
    ++learn->gap[0];
  }
}

void learn_ended(struct learn* learn, time_tick now) {
  // One that came before the drive began to learn is not among them.
  if (learn->outstanding > 0) --learn->outstanding;
  if (learn->outstanding == 0) learn->ended = now;
}
