// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_REMAP_ARRANGE
#include "firmware/remap/arrange.h"

#include "firmware/kernel/assert.h"
#include "firmware/motion/geometry.h"
#include "firmware/remap/arrange_groups.h"
#include "firmware/remap/arrange_hot.h"
#include "firmware/remap/arrange_map.h"
#include "firmware/remap/arrange_slide.h"
#include "firmware/remap/arrange_units.h"

/// Stages, run once for whole groups, once for units, or for both one after the other.
enum stage {
  PREPARE,          ///< The energy's tables are built.
  HOT,              ///< The groups that are visited most are found.
  IDENTITY,         ///< The identity is put into `goal_at`.
  IDENTITY_ENERGY,  ///< The energy of the identity is computed.
  START_ORGAN,      ///< A pipe organ is put into `goal_of` as the start.
  START_IDENTITY,
  START_EXPAND,
  INVERT,  ///< `goal_at` is computed from `goal_of`.
  OUTER,   ///< Hot units are put on outer slots.
  START_ENERGY,
  SLIDE,
  SLIDE_INVERT,
  ANNEAL,
  SLIDE_AGAIN,
  INVERT_AGAIN,
  ENERGY,  ///< The energy of the result is computed in full.
  JUDGE,   ///< The start, or no map, replaces the result if it has less energy.
  SAVE,    ///< The groups from which units begin are saved.
  UNFOLD,  ///< Units are computed from whole groups.
  LAST_INVERT,
  DONE,
};

// --------------------------------------------------------------------------------------- the plan

/// Whether there is an arrangement of whole groups, from which units may begin.
static bool has_groups(const struct arrange_plan* plan) {
  return plan->whole_groups || plan->method == ARRANGE_ORGAN ||
         (plan->method == ARRANGE_ANNEAL && plan->start != ARRANGE_FROM_GIVEN);
}

static bool shape_is_sound(const struct arrange_plan* plan) {
  const uint32_t k = plan->unit_blocks == 0 ? 0 : plan->group_blocks / plan->unit_blocks;
  if (k == 0 || k * plan->unit_blocks != plan->group_blocks || k > ENERGY_UNITS_PER_GROUP_MAX) {
    return false;
  }
  if (plan->units == 0 || plan->units > REMAP_UNITS_MAX) return false;
  const uint64_t blocks = (uint64_t)plan->units * plan->unit_blocks;
  const struct drive_design* design = plan->design;
  if (blocks > UINT32_MAX ||
      geometry_check_range(design, plan->first_block, (uint32_t)blocks) != STATUS_OK) {
    return false;
  }
  const uint32_t groups = (plan->units + k - 1) / k;
  return (plan->units >= k || !has_groups(plan)) && plan->counts->groups >= groups;
}

static bool choice_is_sound(const struct arrange_plan* plan) {
  const bool is_given = plan->start == ARRANGE_FROM_GIVEN;
  if (plan->whole_groups) {
    return plan->method != ARRANGE_POPULARITY && plan->hottest == 0 &&
           (!is_given || plan->unit_blocks == plan->group_blocks);
  }
  // The temperatures of units are times.
  const bool has_time = plan->method != ARRANGE_ANNEAL || plan->energy != ENERGY_DISTANCE;
  return has_time && !(is_given && plan->hottest != 0);
}

static bool counts_are_sound(const struct arrange_plan* plan) {
  return plan->counts->pair_count <= REMAP_PAIRS_MAX && plan->counts->gap_count <= REMAP_GAPS_MAX &&
         plan->share_of_gaps <= LEAD_ALL_GAPS;
}

static void enter(struct arrange* arrange, enum stage stage);

static void begin_level(struct arrange* arrange, bool of_units) {
  const struct arrange_plan* plan = &arrange->plan;
  const struct energy_plan energy = {
      .design = plan->design,
      .counts = plan->counts,
      .first_block = plan->first_block,
      .unit_blocks = of_units ? plan->unit_blocks : plan->group_blocks,
      .units = of_units ? plan->units : arrange->groups,
      .units_per_group = of_units ? arrange->per_group : 1,
      .request_blocks = plan->request_blocks,
      .overhead_tick = plan->overhead_tick,
      .share_of_gaps = plan->share_of_gaps,
      .kind = of_units || plan->whole_groups ? plan->energy : ENERGY_TRANSFER,
  };
  arrange->of_units = of_units;
  arrange->is_settled = false;
  energy_begin(&arrange->energy, &energy);
  enter(arrange, PREPARE);
}

/// A pipe organ is what it is, whether as a start that is kept or as a method.
static struct arrange_plan one_plan_of_two(const struct arrange_plan* plan) {
  struct arrange_plan one = *plan;
  if (one.method == ARRANGE_ORGAN) one.start = ARRANGE_FROM_ORGAN;
  if (one.method == ARRANGE_KEEP && one.start == ARRANGE_FROM_ORGAN) one.method = ARRANGE_ORGAN;
  return one;
}

enum status arrange_begin(struct arrange* arrange, const struct arrange_plan* asked) {
  const struct arrange_plan plan = one_plan_of_two(asked);
  if (!shape_is_sound(&plan) || !choice_is_sound(&plan) || !counts_are_sound(&plan)) {
    return STATUS_BAD_VALUE;
  }
  arrange->plan = plan;
  arrange->report = (struct arrange_report){.trials = 0};
  arrange->per_group = plan.group_blocks / plan.unit_blocks;
  arrange->groups = plan.units / arrange->per_group;
  arrange->trial.phase = 0;
  chance_begin(&arrange->chance, plan.seed);
  begin_level(arrange, !has_groups(&plan));
  return STATUS_OK;
}

// ------------------------------------------------------------------------------------- the stages

static bool wants_outer(const struct arrange* arrange) {
  const struct arrange_plan* plan = &arrange->plan;
  return arrange->of_units && (plan->method == ARRANGE_POPULARITY ||
                               (plan->method == ARRANGE_ANNEAL && plan->hottest != 0));
}

static bool wants_slide(const struct arrange* arrange) {
  const enum energy_kind kind = arrange->energy.plan.kind;
  return !arrange->of_units && arrange->plan.start != ARRANGE_FROM_GIVEN &&
         (kind == ENERGY_TRANSFER || kind == ENERGY_ACCESS);
}

static enum stage start_stage(const struct arrange* arrange) {
  const struct arrange_plan* plan = &arrange->plan;
  if (plan->method != ARRANGE_POPULARITY && plan->start == ARRANGE_FROM_GIVEN) return INVERT;
  if (!arrange->of_units) {
    return plan->start == ARRANGE_FROM_ORGAN ? START_ORGAN : START_IDENTITY;
  }
  return has_groups(plan) && !wants_outer(arrange) ? START_EXPAND : START_IDENTITY;
}

static enum stage end_stage(const struct arrange* arrange) {
  if (arrange->of_units) return DONE;
  return arrange->plan.whole_groups ? UNFOLD : SAVE;
}

/// What comes after a stage that is over.
static enum stage stage_behind(const struct arrange* arrange, enum stage stage) {
  const enum arrange_method method = arrange->plan.method;
  switch (stage) {
    case PREPARE: return arrange->of_units && method >= ARRANGE_POPULARITY ? HOT : IDENTITY;
    case IDENTITY_ENERGY: return start_stage(arrange);
    case START_ORGAN:
    case START_IDENTITY:
    case START_EXPAND: return INVERT;
    case INVERT:
      if (wants_outer(arrange) && !arrange->is_without_map) return OUTER;
      return arrange->is_settled ? end_stage(arrange) : START_ENERGY;
    case OUTER: return arrange->is_settled ? end_stage(arrange) : START_ENERGY;
    case START_ENERGY:
      if (method != ARRANGE_ANNEAL) return end_stage(arrange);
      return wants_slide(arrange) ? SLIDE : ANNEAL;
    case ANNEAL: return wants_slide(arrange) ? SLIDE_AGAIN : ENERGY;
    case JUDGE: return end_stage(arrange);
    case UNFOLD: return LAST_INVERT;
    case LAST_INVERT:
    case DONE: return DONE;
    case HOT:
    case IDENTITY:
    case SLIDE:
    case SLIDE_INVERT:
    case SLIDE_AGAIN:
    case INVERT_AGAIN:
    case ENERGY:
    case SAVE: break;
  }
  return stage + 1;
}

static void enter(struct arrange* arrange, enum stage stage) {
  const struct arrange_plan* plan = &arrange->plan;
  arrange->stage = (uint8_t)stage;
  arrange->next = 0;
  switch (stage) {
    case HOT: arrange_hot_begin(arrange); break;
    case IDENTITY: arrange->is_without_map = false; break;
    case IDENTITY_ENERGY:
      energy_total_begin(&arrange->energy, &arrange->total, plan->goal_at);
      break;
    case START_ORGAN:
      organ_begin(&arrange->organ, plan->counts, arrange->groups, plan->goal_of, plan->goal_at);
      break;
    case OUTER: arrange_outer_begin(arrange); break;
    case START_ENERGY:
    case ENERGY: energy_total_begin(&arrange->energy, &arrange->total, plan->goal_of); break;
    case SLIDE:
    case SLIDE_AGAIN: arrange_slide_begin(arrange); break;
    case ANNEAL:
      if (arrange->of_units) {
        arrange_units_begin(arrange);
      } else {
        arrange_groups_begin(arrange);
      }
      break;
    default: break;
  }
}

/// A slice of an energy. @return whether `total` is complete.
static bool step_total(struct arrange* arrange, const uint16_t* slot_of) {
  if (!energy_total_step(&arrange->energy, &arrange->total, slot_of)) return false;
  arrange->report.evaluations += arrange->total.evaluations;
  return true;
}

/// The least of result, start and no map. @return whether it is the result.
static bool judge(struct arrange* arrange) {
  struct arrange_report* report = &arrange->report;
  report->energy = arrange->now;
  if (report->energy <= report->start && report->energy <= report->identity) return true;
  arrange->is_settled = true;
  arrange->is_without_map = report->identity < report->start;
  report->energy = arrange->is_without_map ? report->identity : report->start;
  enter(arrange, arrange->is_without_map ? START_IDENTITY : start_stage(arrange));
  return false;
}

/// A slice of a stage. @return whether the stage is over.
static bool step_stage(struct arrange* arrange) {
  const struct arrange_plan* plan = &arrange->plan;
  const uint32_t units = arrange->energy.plan.units;
  uint16_t* const of = plan->goal_of;
  uint16_t* const at = plan->goal_at;
  switch ((enum stage)arrange->stage) {
    case PREPARE: return energy_prepare(&arrange->energy);
    case HOT: return arrange_hot_step(arrange);
    case IDENTITY: return arrange_map_fill(at, units, &arrange->next);
    case IDENTITY_ENERGY:
      if (!step_total(arrange, at)) return false;
      arrange->report.identity = arrange->total.sum;
      return true;
    case START_ORGAN: return organ_step(&arrange->organ);
    case START_IDENTITY: return arrange_map_fill(of, units, &arrange->next);
    case START_EXPAND:
      return arrange_map_expand(of, arrange->saved_at, arrange->groups, arrange->per_group, units,
                                &arrange->next);
    case INVERT:
    case SLIDE_INVERT:
    case INVERT_AGAIN: return arrange_map_invert(at, of, units, &arrange->next);
    case OUTER: return arrange_outer_step(arrange);
    case START_ENERGY:
      if (!step_total(arrange, of)) return false;
      arrange->now = arrange->total.sum;
      arrange->report.start = arrange->now;
      arrange->report.energy = arrange->now;
      arrange->report.divisor = energy_divisor(&arrange->energy);
      return true;
    case SLIDE:
    case SLIDE_AGAIN: return arrange_slide_step(arrange);
    case ANNEAL:
      return arrange->of_units ? arrange_units_step(arrange) : arrange_groups_step(arrange);
    case ENERGY:
      if (!step_total(arrange, of)) return false;
      ASSERT(arrange->total.sum == arrange->now);
      return true;
    case JUDGE: return judge(arrange);
    case SAVE: return arrange_map_copy(arrange->saved_at, at, units, &arrange->next);
    case UNFOLD:
      return arrange_map_unfold(of, arrange->groups, arrange->per_group, plan->units,
                                &arrange->next);
    case LAST_INVERT: return arrange_map_invert(at, of, plan->units, &arrange->next);
    case DONE: return false;
  }
  ASSERT_UNREACHABLE();
}

bool arrange_step(struct arrange* arrange) {
  if (step_stage(arrange)) {
    if (arrange->stage == SAVE) {
      begin_level(arrange, true);
    } else {
      enter(arrange, stage_behind(arrange, (enum stage)arrange->stage));
    }
  }
  return arrange->stage == DONE;
}

const struct arrange_report* arrange_result(const struct arrange* arrange) {
  return &arrange->report;
}
