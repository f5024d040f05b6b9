// SPDX-License-Identifier: Apache-2.0
#include "firmware/remap/arrange_groups.h"

#include "firmware/remap/arrange_trial.h"

#define ACCEPTS_ENOUGH 2000U
#define REJECTS_ENOUGH 5000U
#define TRIALS_ENOUGH 50000U
#define FIRST_FROM_IDENTITY 100000U
#define FIRST_FROM_ORGAN 1000U

/// The temperature of a slot, or of half a slot, is never 0.
static uint64_t temperature_unit(const struct arrange* arrange) {
  const struct energy* energy = &arrange->energy;
  uint64_t unit = 1U << CHANCE_TEMPERATURE_BITS;
  if (energy->plan.kind != ENERGY_DISTANCE) {
    const uint32_t last = energy->plan.units - 1;
    const uint32_t cylinders = distance_u32(energy->cylinder[0], energy->cylinder[last]);
    const uint32_t stroke_turn16 =
        multiply_high(energy->seek_part[cylinders], energy->turn16_per_part);
    unit = (stroke_turn16 << CHANCE_TEMPERATURE_BITS) / energy->plan.units;
  }
  if (arrange->plan.literal_temperature) unit *= energy->accesses;
  return unit < 2 ? 2 : unit;
}

static uint64_t limited(uint64_t temperature) {
  return temperature < CHANCE_TEMPERATURE_MAX ? temperature : CHANCE_TEMPERATURE_MAX;
}

void arrange_groups_begin(struct arrange* arrange) {
  arrange->temperature_unit = limited(temperature_unit(arrange));
  switch (arrange->plan.start) {
    case ARRANGE_FROM_GIVEN: arrange->temperature = 0; break;
    case ARRANGE_FROM_IDENTITY:
      arrange->temperature = limited(FIRST_FROM_IDENTITY * arrange->temperature_unit);
      break;
    case ARRANGE_FROM_ORGAN:
      arrange->temperature = limited(FIRST_FROM_ORGAN * arrange->temperature_unit);
      break;
  }
  arrange->accepts = 0;
  arrange->rejects = 0;
}

static bool is_in_equilibrium(const struct arrange* arrange) {
  return (arrange->accepts >= ACCEPTS_ENOUGH && arrange->rejects >= REJECTS_ENOUGH) ||
         arrange->accepts + arrange->rejects > TRIALS_ENOUGH;
}

/// Asked for once a temperature is over: `accepts` are those at the one before.
static bool is_frozen(const struct arrange* arrange) {
  return 2 * arrange->temperature < arrange->temperature_unit ||
         (arrange->temperature < arrange->temperature_unit && arrange->accepts == 0);
}

static bool end_round(struct arrange* arrange) {
  if (arrange->temperature == 0) return true;
  arrange->temperature = arrange->temperature * 4 / 5;
  if (is_frozen(arrange)) arrange->temperature = 0;
  arrange->accepts = 0;
  arrange->rejects = 0;
  return false;
}

bool arrange_groups_step(struct arrange* arrange) {
  if (!arrange_trial_is_idle(arrange)) {
    arrange_trial_step(arrange);
    return false;
  }
  if (is_in_equilibrium(arrange)) return end_round(arrange);
  const uint32_t groups = arrange->energy.plan.units;
  const uint32_t one = chance_below(&arrange->chance, groups);
  arrange_trial_begin(arrange, one, chance_below(&arrange->chance, groups));
  return false;
}
