// SPDX-License-Identifier: Apache-2.0
/// `gscan`: the best of many schedules that grow with each arrival (Kim, Bahn, Won).
///
/// Best effort whose cylinders are nearer than tau is grouped. The groups and the real-time
/// requests are units. The policy keeps orders of the units: schedules. An arrival is grouped with
/// its neighbours, and a new unit goes into every place of every schedule. Those are kept that meet
/// all deadlines (theorem 1). Their seeks take at most a full sweep longer than the best one's
/// (theorem 2). Up to `l`, the best that miss deadlines are kept too; in all at most `u`. The best
/// is the one that misses none, then the least sum of seeks and of what deadlines are missed by.
/// Each choice weighs all of them again from where the arm then is. It takes one request, of the
/// first unit of the best. The schedules that begin with another unit are dropped (theorem 3).
///
/// More than `kmax` units are avoided by doubling tau. That may not be enough. Then the units are
/// first the real-time requests that can be met, by the earliest deadlines. Next come those that
/// cannot, then the groups with the oldest members. A request in no unit joins when one has
/// ended.
#include <stddef.h>

#include "firmware/queue/deadline.h"
#include "firmware/queue/gscan.h"
#include "firmware/queue/sweep.h"

enum { PARAMETER_TAU, PARAMETER_U, PARAMETER_L, PARAMETER_KMAX };

static const struct policy_parameter parameters[] = {
    {.name = "tau",
     .unit = POLICY_TEXT("cylinders: best-effort requests closer than this are grouped"),
     .maximum = UINT16_MAX,
     .initial = 100},
    {.name = "u",
     .unit = POLICY_TEXT("schedules: most schedules kept"),
     .minimum = 1,
     .maximum = GSCAN_SCHEDULES_MAX,
     .core_maximum = GSCAN_CORE_SCHEDULES_MAX,
     .initial = 64},
    {.name = "l",
     .unit = POLICY_TEXT("schedules: number kept even if they miss deadlines"),
     .minimum = 1,
     .maximum = GSCAN_SCHEDULES_MAX,
     .core_maximum = GSCAN_CORE_SCHEDULES_MAX,
     .initial = 8},
    {.name = "kmax",
     .unit = POLICY_TEXT("units: most units (groups, real-time requests) of a schedule"),
     .minimum = 1,
     .maximum = GSCAN_UNITS_MAX,
     .core_maximum = GSCAN_CORE_UNITS_MAX,
     .initial = 8},
    {.name = NULL},
};

#define WORK_COUNTERS(prefix, when)                                                              \
  {prefix "_times", POLICY_TEXT(when)}, {prefix "_units", POLICY_TEXT("sum of units at these")}, \
      {prefix "_created", POLICY_TEXT("schedules created at these")},                            \
      {prefix "_kept", POLICY_TEXT("schedules kept at these")}, {                                \
    prefix "_evaluations", POLICY_TEXT("unit evaluations at these")                              \
  }

/// Counters in the order of struct gscan_counters.
static const struct policy_counter counters[] = {
    WORK_COUNTERS("arrival", "arrivals and freed places"),
    WORK_COUNTERS("decision", "choices"),
    {"steps", POLICY_TEXT("steps of this work")},
    {"unfinished", POLICY_TEXT("requests served before all waiting ones were in the schedules")},
    {NULL, NULL},
};
STATIC_ASSERT(sizeof counters / sizeof counters[0] - 1 ==
                      sizeof(struct gscan_counters) / sizeof(uint32_t) &&
                  sizeof(struct gscan_counters) <= POLICY_COUNTERS_MAX * sizeof(uint32_t),
              "a counter each");

struct state {
  struct gscan_store* store;
  struct sweep sweep;
};

static void begin(void* state, const struct policy_setup* setup) {
  struct gscan_store* store = setup->store;
  ((struct state*)state)->store = store;
  struct gscan_units* units = &store->units;
  units->tau = setup->parameter[PARAMETER_TAU];
  units->most = setup->parameter[PARAMETER_KMAX];
  units->count = units->announced = units->outside = 0;
  units->stale = 0;
  units->stale_hops = units->stale_lowest = units->stale_highest = 0;
  units->is_settled = false;
  units->access_tick = units->period_tick64 = 0;
  units->arrived = NULL;
  units->sees_all = false;
  units->changes = 0;
  units->breaks = 0;  // No candidate has been seen.
  for (uint32_t number = 0; number <= GSCAN_UNITS_MAX; ++number) {
    units->unit[number] = (struct gscan_unit){0};
  }
  struct gscan_schedules* schedules = &store->schedules;
  const uint32_t least = setup->parameter[PARAMETER_L];
  schedules->most = setup->parameter[PARAMETER_U];
  schedules->least = least < schedules->most ? least : schedules->most;
  const struct drive_design* design = setup->design;
  schedules->sweep_tick =
      design->pool[design->seek_table + design->cylinders - 1] / DRIVE_DESIGN_TICK_PARTS;
  gscan_schedules_begin(schedules);
  store->rest.is_expanding = store->rest.group_is_due = false;
  store->counters = (struct gscan_counters*)(void*)setup->counters;
}

static struct gscan_start start_at(const struct policy_view* view) {
  return (struct gscan_start){view->head->at_tick, view->head->cylinder};
}

static void regroup_later(struct gscan_store* store, const struct gscan_start* start) {
  store->rest.group_is_due = true;
  store->rest.group_start = *start;
}

static void task_arrived(void* state, const struct policy_view* view, struct candidate* candidate) {
  struct gscan_store* store = ((struct state*)state)->store;
  const struct gscan_start start = start_at(view);
  store->units.arrived = candidate;
  regroup_later(store, &start);
}

/// Accounts for a candidate that has left. A choice depends on nothing of it but that it is gone.
/// That is checked when it matters: not every departure without service is announced. A search that
/// was under way begins anew.
static void catch_up(struct gscan_store* store, const struct candidate_set* waiting) {
  if (!gscan_is_behind(&store->units, waiting)) return;
  if (gscan_count(&store->units, waiting)) gscan_strip(&store->schedules, &store->units);
  gscan_give_up(&store->schedules);
}

// ----------------------------------------------------------------------------------------- steps

/// Groups all waiting candidates. @return whether little work was needed.
static bool group(struct gscan_store* store, const struct candidate_set* waiting) {
  struct gscan_rest* rest = &store->rest;
  rest->group_is_due = false;
  rest->is_expanding = true;
  rest->next = 0;
  rest->start = rest->group_start;
  const bool is_soon = gscan_group(&store->units, waiting, &rest->start, &rest->change);
  if (rest->change.moves) {
    gscan_carry(&store->schedules, &store->units, &rest->start, &rest->change);
  }
  gscan_give_up(&store->schedules);
  return is_soon;
}

static void end_expanding(struct gscan_store* store) {
  struct gscan_work* work = &store->counters->arrival;
  store->rest.is_expanding = false;
  work->units += store->units.count;
  work->kept += gscan_current(&store->schedules)->count;
  ++work->times;
}

/// Makes schedules of the units: one newcomer after the other; or the ones that there are are
/// looked through.
static void expand(struct gscan_store* store, uint32_t evaluations) {
  struct gscan_rest* rest = &store->rest;
  const uint32_t count = rest->change.newcomers;
  // A newcomer may have left meanwhile.
  while (rest->next < count && store->units.unit[rest->change.newcomer[rest->next]].count == 0) {
    ++rest->next;
  }
  if (rest->next < count || count == 0) {
    if (store->schedules.search.phase == GSCAN_IDLE) {
      const uint32_t newcomer = count == 0 ? 0 : rest->change.newcomer[rest->next];
      gscan_expand(&store->schedules, &rest->start, newcomer);
    }
    if (gscan_go_on_expanding(&store->schedules, &store->units, &store->counters->arrival,
                              evaluations)) {
      return;
    }
    ++rest->next;
  }
  if (rest->next >= count) end_expanding(store);
}

static bool step(void* state, const struct policy_view* view) {
  struct gscan_store* store = ((struct state*)state)->store;
  struct gscan_rest* rest = &store->rest;
  if (!rest->is_expanding && !rest->group_is_due) return false;
  ++store->counters->steps;
  gscan_take_prices(&store->units, view->predictor);
  if (rest->is_expanding) {
    catch_up(store, view->waiting);
    expand(store, GSCAN_STEP_EVALUATIONS);
  } else if (group(store, view->waiting)) {
    expand(store, GSCAN_STEP_EVALUATIONS - GSCAN_EVALUATIONS_OF_ONE);
  }
  return rest->is_expanding || rest->group_is_due;
}

static bool prepare(const void* state, struct policy_view* view) {
  struct gscan_store* store = ((const struct state*)state)->store;
  if (view->waiting->count == 0 || store->rest.is_expanding) return false;
  gscan_take_prices(&store->units, view->predictor);
  catch_up(store, view->waiting);
  if (gscan_current(&store->schedules)->length == 0) return false;
  const struct gscan_start start = start_at(view);
  ++store->counters->steps;
  gscan_weigh(&store->schedules, &start);
  return gscan_go_on_weighing(&store->schedules, &store->units, &store->counters->decision,
                              GSCAN_STEP_EVALUATIONS);
}

// ----------------------------------------------------------------------------------------- choice

static void task_served(void* state, const struct policy_view* view,
                        const struct candidate* candidate) {
  struct state* gscan = state;
  struct gscan_store* store = gscan->store;
  struct gscan_units* units = &store->units;
  sweep_on_served(&gscan->sweep, view->head->cylinder, candidate);
  if (candidate->announced == 0) return;
  const bool is_unfinished = store->rest.is_expanding || store->rest.group_is_due;
  bool is_first = false;
  if (candidate->mark != 0) is_first = gscan_keep_first(&store->schedules, candidate->mark);
  if (gscan_take(units, view->waiting, candidate, is_first)) gscan_strip(&store->schedules, units);
  store->counters->decision.kept += gscan_current(&store->schedules)->count;
  if (is_unfinished || units->announced != view->waiting->count) ++store->counters->unfinished;
  if (units->outside == 0 || units->count >= units->most) return;
  gscan_take_prices(units, view->predictor);
  const uint32_t access_tick = gscan_access_tick(units, view->head->cylinder, candidate);
  const struct gscan_start end = {view->head->at_tick + access_tick, candidate->cylinder};
  regroup_later(store, &end);
}

/// No schedule has a unit. Candidates that wait to be put into one are served by a sweep,
/// candidates in no unit by deadline.
static struct candidate* find_outsider(const struct state* gscan, struct policy_view* view) {
  const struct gscan_units* units = &gscan->store->units;
  if (units->count == 0 && units->announced == view->waiting->count) return deadline_earliest(view);
  const struct search_scope everything = search_everything();
  return sweep_next(&gscan->sweep, view->head->cylinder, view, &everything);
}

static struct candidate* which_next(const void* state, struct policy_view* view) {
  struct gscan_store* store = ((const struct state*)state)->store;
  if (view->waiting->count == 0) return NULL;
  gscan_take_prices(&store->units, view->predictor);
  catch_up(store, view->waiting);
  view->looked_at += view->waiting->count;
  const struct gscan_list* list = gscan_current(&store->schedules);
  if (list->length == 0) return find_outsider(state, view);
  const struct gscan_start start = start_at(view);
  struct gscan_work* work = &store->counters->decision;
  gscan_weigh(&store->schedules, &start);
  (void)gscan_go_on_weighing(&store->schedules, &store->units, work, GSCAN_ALL_AT_ONCE);
  ++work->times;
  work->units += store->units.count;
  const uint32_t number = list->sequence[store->schedules.best].unit[0];
  return gscan_find_entry(&store->units, view->waiting, view->head->cylinder, number);
}

const struct gscan_counters* gscan_counters_of(const void* state) {
  return ((const struct state*)state)->store->counters;
}

const struct policy policy_gscan = {
    .name = "gscan",
    .text = POLICY_TEXT("best of many schedules, built from groups of requests and deadlines"),
    .number = POLICY_NUMBER_gscan,
    .state_bytes = sizeof(struct state),
    .store_bytes = sizeof(struct gscan_store),
    .candidate_ticks = 255,
    .late_steps = 2,
    .parameters = parameters,
    .counters = counters,
    .begin = begin,
    .task_arrived = task_arrived,
    .task_served = task_served,
    .step = step,
    .prepare = prepare,
    .which_next = which_next};
