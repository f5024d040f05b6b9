// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/remap_choice.h"

#define HALF (LEARN_PHASES / 2U)

/// The largest number of gaps that end in one half of a turn.
static uint32_t most_in_a_half(const struct learn_window* window) {
  uint32_t in_half = 0;
  for (uint32_t i = 0; i < HALF; ++i) in_half += window->phase[i];
  uint32_t most = in_half;
  for (uint32_t i = 0; i + 1U < LEARN_PHASES; ++i) {
    in_half += window->phase[(i + HALF) % LEARN_PHASES] - window->phase[i];
    if (in_half > most) most = in_half;
  }
  return most;
}

static uint32_t map_for(const struct remap_tally* tally) {
  const bool has_angles =
      tally->depth_16th < REMAP_CHOICE_DEPTH * 16U && tally->steady_256th >= REMAP_CHOICE_STEADY;
  return has_angles ? REMAP_CHOICE_ANGLES : REMAP_CHOICE_NO_ANGLES;
}

void remap_choice_look(struct remap* remap, struct learn* learn) {
  struct learn_window* window = &learn->window;
  struct remap_tally* tally = &remap->tally;
  tally->depth_16th = window->depth * 16U / window->arrivals;
  tally->steady_256th = most_in_a_half(window) * 256U / window->arrivals;
  learn_begin_window(learn);
  const uint32_t wanted = map_for(tally);
  if (wanted == remap->mode.map || (remap->missing >> wanted & 1U) != 0) {
    remap->impatience = 0;
    return;
  }
  if (++remap->impatience < REMAP_CHOICE_PATIENCE) return;
  remap->impatience = 0;
  ++tally->choices;
  remap_choose(remap, wanted);
}
