// SPDX-License-Identifier: Apache-2.0
#include "firmware/remap/arrange_trial.h"

#include "firmware/remap/arrange_map.h"

enum phase { IDLE, BEFORE, AFTER };

static void accept(struct arrange* arrange) {
  ++arrange->report.trials;
  ++arrange->report.accepts;
  ++arrange->accepts;
}

void arrange_trial_begin(struct arrange* arrange, uint32_t a, uint32_t b) {
  struct arrange_trial* trial = &arrange->trial;
  if (a == b) {
    accept(arrange);
    return;
  }
  trial->unit[0] = (uint16_t)a;
  trial->unit[1] = (uint16_t)b;
  // Drawn ahead, it says when the sum after the exchange is too large.
  trial->rise = chance_rise(&arrange->chance, arrange->temperature);
  trial->sum.evaluations = 0;
  energy_touch_begin(&arrange->energy, &trial->sum, arrange->plan.goal_of, a, b);
  trial->phase = BEFORE;
}

static void exchange(struct arrange* arrange) {
  const struct arrange_trial* trial = &arrange->trial;
  arrange_map_exchange(arrange->plan.goal_of, arrange->plan.goal_at, trial->unit[0],
                       trial->unit[1]);
}

static void end(struct arrange* arrange) {
  struct arrange_trial* trial = &arrange->trial;
  if (trial->sum.sum <= trial->sum.limit) {
    accept(arrange);
    arrange->now = arrange->now - trial->before + trial->sum.sum;
  } else {
    exchange(arrange);
    ++arrange->report.trials;
    ++arrange->rejects;
  }
  arrange->report.evaluations += trial->sum.evaluations;
  trial->phase = IDLE;
}

void arrange_trial_step(struct arrange* arrange) {
  struct arrange_trial* trial = &arrange->trial;
  if (!energy_touch_step(&arrange->energy, &trial->sum, arrange->plan.goal_of)) return;
  if (trial->phase == AFTER) {
    end(arrange);
    return;
  }
  trial->before = trial->sum.sum;
  exchange(arrange);
  energy_touch_exchanged(&arrange->energy, &trial->sum, trial->before + trial->rise);
  trial->phase = AFTER;
}
