// SPDX-License-Identifier: Apache-2.0
#include "firmware/remap/arrange_slide.h"

#define COARSE_SHIFTS 32U
#define ENTRIES_PER_STEP 64U

enum phase { MOVE, SUM, LAST_MOVE };

static uint32_t slots(const struct arrange* arrange) { return arrange->energy.plan.units; }

static void begin_move(struct arrange* arrange, bool is_mirrored, uint32_t shift) {
  struct arrange_slide* slide = &arrange->slide;
  slide->next_is_mirrored = is_mirrored;
  slide->next_shift = shift;
  arrange->next = 0;
}

void arrange_slide_begin(struct arrange* arrange) {
  struct arrange_slide* slide = &arrange->slide;
  *slide = (struct arrange_slide){.best = arrange->now, .phase = MOVE};
  slide->stride = (slots(arrange) + COARSE_SHIFTS - 1) / COARSE_SHIFTS;
  slide->is_coarse = true;
  begin_move(arrange, false, 0);
}

static uint32_t wrapped(uint32_t slot, uint32_t count) {
  return slot >= count ? slot - count : slot;
}

/// Moves from one shift, mirrored or not, to the next. @return whether all groups are there.
static bool move(struct arrange* arrange) {
  struct arrange_slide* slide = &arrange->slide;
  const uint32_t count = slots(arrange);
  const bool turns = slide->is_mirrored != slide->next_is_mirrored;
  const uint32_t back = slide->shift == 0 ? 0 : count - slide->shift;
  for (uint32_t i = 0; i < ENTRIES_PER_STEP && arrange->next < count; ++i, ++arrange->next) {
    uint16_t* slot = &arrange->plan.goal_of[arrange->next];
    uint32_t plain = wrapped(*slot + back, count);
    if (turns) plain = count - 1 - plain;
    *slot = (uint16_t)wrapped(plain + slide->next_shift, count);
  }
  if (arrange->next < count) return false;
  slide->is_mirrored = slide->next_is_mirrored;
  slide->shift = slide->next_shift;
  return true;
}

static void begin_sum(struct arrange* arrange) {
  energy_total_begin(&arrange->energy, &arrange->total, arrange->plan.goal_of);
  arrange->slide.phase = SUM;
}

static void compare(struct arrange* arrange) {
  struct arrange_slide* slide = &arrange->slide;
  arrange->report.evaluations += arrange->total.evaluations;
  if (arrange->total.sum >= slide->best) return;
  slide->best = arrange->total.sum;
  slide->best_is_mirrored = slide->is_mirrored;
  slide->best_shift = slide->shift;
}

/// Two shifts for each stride: before and after the best so far, which may move in between.
static void choose_fine(struct arrange* arrange) {
  struct arrange_slide* slide = &arrange->slide;
  const uint32_t count = slots(arrange);
  if (!slide->is_second) slide->stride /= 2;
  if (slide->stride == 0) {
    begin_move(arrange, slide->best_is_mirrored, slide->best_shift);
    slide->phase = LAST_MOVE;
    return;
  }
  if (!slide->is_second) slide->center = slide->best_shift;
  const uint32_t step = slide->is_second ? slide->stride : count - slide->stride;
  slide->is_second = !slide->is_second;
  begin_move(arrange, slide->best_is_mirrored, wrapped(slide->center + step, count));
  slide->phase = MOVE;
}

static void choose(struct arrange* arrange) {
  struct arrange_slide* slide = &arrange->slide;
  if (!slide->is_coarse) {
    choose_fine(arrange);
    return;
  }
  slide->phase = MOVE;
  if (slide->shift + slide->stride < slots(arrange)) {
    begin_move(arrange, slide->is_mirrored, slide->shift + slide->stride);
  } else if (!slide->is_mirrored) {
    begin_move(arrange, true, 0);
  } else {
    slide->is_coarse = false;
    choose_fine(arrange);
  }
}

bool arrange_slide_step(struct arrange* arrange) {
  struct arrange_slide* slide = &arrange->slide;
  if (slide->phase == SUM) {
    if (!energy_total_step(&arrange->energy, &arrange->total, arrange->plan.goal_of)) return false;
    compare(arrange);
    choose(arrange);
    return false;
  }
  if (!move(arrange)) return false;
  if (slide->phase == MOVE) {
    begin_sum(arrange);
    return false;
  }
  arrange->now = slide->best;
  arrange->next = 0;
  return true;
}
