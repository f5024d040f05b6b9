// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_SCHEDULER
#include "firmware/queue/scheduler.h"

#include <stddef.h>

#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/kernel/rare.h"
#include "firmware/queue/deadline.h"
#include "firmware/queue/policy_table.h"
#include "firmware/queue/search.h"
#include "firmware/queue/task.h"

static void forget_prepared(struct scheduler* scheduler) {
  scheduler->prepares = false;
  scheduler->prepared = false;
  scheduler->due = false;
  scheduler->plan_work = NULL;
}

void scheduler_init(struct scheduler* scheduler, const struct candidate_set* waiting,
                    const struct predictor* predictor, union policy_store* store) {
  *scheduler = (struct scheduler){.policy = &policy_fcfs,
                                  .waiting = waiting,
                                  .predictor = predictor,
                                  .park_cylinder = POLICY_STAYS,
                                  .best_effort_most = UINT32_MAX,
                                  .store = store,
                                  .looks_expected = UINT32_MAX};
}

void scheduler_lend_work(struct scheduler* scheduler, union policy_work* work) {
  scheduler->work = work;
}

void scheduler_watch_writes(struct scheduler* scheduler, const struct write_buffer* writes) {
  scheduler->writes = writes;
}

static bool has_threshold(const struct scheduler* scheduler) {
  return scheduler->writes != NULL && write_buffer_is_in_force(scheduler->writes);
}

static void forget_plan(struct scheduler* scheduler) {
  scheduler->planned = NULL;
  scheduler->planning = false;
}

void scheduler_clear_counters(struct scheduler* scheduler) {
  bytes_fill((uint8_t*)scheduler->counters, 0, sizeof scheduler->counters);
}

/// Forgets what earlier policies have found about each candidate. All commands that wait at once
/// take less than the main loop may be kept waiting, because the loop is unrolled.
static void forget_findings(const struct candidate_set* waiting) {
#pragma GCC unroll 4
  for (struct candidate* item = waiting->first; item != NULL; item = item->next) {
    item->announced = 0;
    item->mark = 0;
  }
}

static void begin_policy(struct scheduler* scheduler) {
  const struct policy* policy = scheduler->policy;
  scheduler_clear_counters(scheduler);
  bytes_fill(scheduler->state.bytes, 0, POLICY_STATE_BYTES_MAX);
  forget_findings(scheduler->waiting);
  if (policy->begin == NULL) return;
  const struct drive_design* design = scheduler->predictor->design;
  struct policy_setup setup = {.design = design,
                               .streams = scheduler->streams,
                               .store = scheduler->store->bytes,
                               .counters = scheduler->counters,
                               .flags = scheduler->selection.flags};
  const uint32_t count = policy_parameter_count(policy);
  for (uint32_t i = 0; i < count; ++i) {
    setup.parameter[i] = policy_parameter_value(
        &policy->parameters[i], scheduler->selection.parameter[i], design->cylinders);
  }
  policy->begin(scheduler->state.bytes, &setup);
}

/// Begins the policy, for the first time or anew: all earlier findings are dropped.
static void put_in_force(struct scheduler* scheduler) {
  const struct policy* policy = scheduler->policy;
  scheduler->looks_expected = UINT32_MAX;
  const bool was_due = scheduler->due;
  forget_plan(scheduler);
  forget_prepared(scheduler);
  // The next step finds that the heads need not wait any more.
  scheduler->prepares = was_due;
  scheduler->is_behind = false;
  begin_policy(scheduler);
  scheduler->park_cylinder =
      policy->rest == NULL ? POLICY_STAYS : policy->rest(scheduler->state.bytes);
  scheduler->best_effort_most = policy->best_effort_most == NULL
                                    ? UINT32_MAX
                                    : policy->best_effort_most(scheduler->state.bytes);
}

enum status scheduler_select(struct scheduler* scheduler,
                             const struct policy_selection* selection) {
  if (policy_find_fault(selection) != POLICY_FAULT_NONE) return STATUS_BAD_VALUE;
  const struct policy* policy = policy_by_number(selection->number);
  ASSERT(policy != NULL && policy->state_bytes <= POLICY_STATE_BYTES_MAX);
  ASSERT(policy->store_bytes <= POLICY_STORE_BYTES_MAX);
  ASSERT(policy_counter_count(policy) <= POLICY_COUNTERS_MAX);
  scheduler->policy = policy;
  scheduler->selection = *selection;
  put_in_force(scheduler);
  return STATUS_OK;
}

static bool is_same_stream(const struct policy_stream* a, const struct policy_stream* b) {
  return a->u_milli == b->u_milli && a->p_ms == b->p_ms && a->share == b->share &&
         a->round_quota == b->round_quota && a->weight == b->weight;
}

void scheduler_set_streams(struct scheduler* scheduler,
                           const struct policy_stream streams[POLICY_STREAMS]) {
  bool same = true;
  for (uint32_t i = 0; i < POLICY_STREAMS; ++i) {
    same = same && is_same_stream(&scheduler->streams[i], &streams[i]);
    scheduler->streams[i] = streams[i];
  }
  if (!same) put_in_force(scheduler);
}

static struct policy_view view_from(const struct scheduler* scheduler,
                                    const struct head_state* head) {
  return (struct policy_view){scheduler->waiting,   scheduler->predictor, head, 0,
                              scheduler->plan_work, scheduler->due};
}

// ----------------------------------------------------------------------------------------- steps

/// Makes all remaining steps.
static void finish_steps(struct scheduler* scheduler, const struct policy_view* view) {
  while (scheduler->is_behind) {
    scheduler->is_behind = scheduler->policy->step(scheduler->state.bytes, view);
  }
}

static void tell(struct scheduler* scheduler, const struct policy_view* view,
                 struct candidate* item) {
  item->announced = 1;
  scheduler->policy->task_arrived(scheduler->state.bytes, view, item);
  scheduler->is_behind = scheduler->policy->step != NULL;
}

void scheduler_announce_arrivals(struct scheduler* scheduler, const struct head_state* head) {
  if (scheduler->policy->task_arrived == NULL) return;
  const struct policy_view view = view_from(scheduler, head);
  finish_steps(scheduler, &view);
  for (struct candidate* item = scheduler->waiting->first; item != NULL; item = item->next) {
    if (item->announced != 0) continue;
    tell(scheduler, &view, item);
    finish_steps(scheduler, &view);
  }
}

/// The oldest candidate that has not been announced to the policy; NULL: all have been. From then
/// on a new candidate is the youngest, as long as none leaves, and none joins elsewhere.
static struct candidate* find_unannounced(struct scheduler* scheduler) {
  const struct candidate_set* waiting = scheduler->waiting;
  const bool are_last = scheduler->announced_breaks == waiting->breaks;
  if (are_last && (waiting->last == NULL || waiting->last->announced != 0)) return NULL;
  struct candidate* item = waiting->first;
  while (item != NULL && item->announced != 0) item = item->next;
  if (item == NULL) scheduler->announced_breaks = waiting->breaks;
  return item;
}

/// Makes one step. If the policy has none left, announces the next arrival first.
/// @return false: there is no arrival to report, and no step left.
static bool make_arrival_step(struct scheduler* scheduler, const struct head_state* head) {
  const struct policy_view view = view_from(scheduler, head);
  if (!scheduler->is_behind) {
    struct candidate* item = find_unannounced(scheduler);
    if (item == NULL) return false;
    tell(scheduler, &view, item);
  }
  scheduler->is_behind = scheduler->policy->step(scheduler->state.bytes, &view);
  return true;
}

/// Catches up when a choice is due. Where steps take time, only a few more are made before it. The
/// others were made as there was time.
static __attribute__((noinline)) void catch_up(struct scheduler* scheduler,
                                               const struct head_state* head) {
  if (!scheduler_makes_steps(scheduler) || predictor_firmware_tick(scheduler->predictor) == 0) {
    scheduler_announce_arrivals(scheduler, head);
    return;
  }
  uint32_t steps = scheduler->policy->late_steps;
  while (steps > 0 && make_arrival_step(scheduler, head)) --steps;
}

/// The best that the policy finds among the candidates given to it.
static struct candidate* search_policy(struct scheduler* scheduler, const struct head_state* head) {
  if (scheduler->policy->task_arrived != NULL) catch_up(scheduler, head);
  struct policy_view view = view_from(scheduler, head);
  struct candidate* best = scheduler->policy->which_next(scheduler->state.bytes, &view);
  scheduler->looks_expected =
      view.looked_at + (view.looked_at >> SCHEDULER_LOOKS_GROWTH_SHIFT) + SCHEDULER_LOOKS_FEW;
  return best;
}

// ---------------------------------------------------------------------------------- write buffer

/// Whether the candidate is apart from those of the policy.
static bool is_apart(const struct scheduler* scheduler, const struct candidate* candidate) {
  if (scheduler->writes == NULL || !write_buffer_is_apart(scheduler->writes)) return false;
  return task_is_buffered(task_of_candidate((struct candidate*)(uintptr_t)candidate));
}

/// Properties of all other tasks that the threshold depends on, at the time of `head`.
static struct write_rivals rivals_at(const struct scheduler* scheduler,
                                     const struct head_state* head) {
  struct write_rivals rivals = {.wait = scheduler->waiting->count > 0};
  if (scheduler->writes->setup.threshold != WRITE_THRESHOLD_TIME) return rivals;
  struct policy_view view = view_from(scheduler, head);
  const struct candidate* earliest = deadline_earliest(&view);
  if (earliest == NULL || !candidate_is_real_time(earliest)) return rivals;
  rivals.are_due = true;
  rivals.slack = candidate_slack(earliest, (uint32_t)(head->at_tick / TASK_ARRIVED_TICKS));
  return rivals;
}

/// The threshold's answer, at the time of `head`.
static bool wants_write(const struct scheduler* scheduler, const struct head_state* head) {
  const struct write_rivals rivals = rivals_at(scheduler, head);
  return write_buffer_goes_next(scheduler->writes, &rivals);
}

/// The closest of the reported writes. Without one, it is the oldest write whose data are still to
/// come, and whose host waits for room.
static struct candidate* find_closest_write(const struct scheduler* scheduler,
                                            const struct head_state* head) {
  const struct write_buffer* writes = scheduler->writes;
  if (writes->reported.count == 0) return writes->arriving.first;
  struct policy_view view = {&writes->reported, scheduler->predictor, head, 0, NULL, false};
  const struct search_scope everything = search_everything();
  return search_nearest(&view, &everything, head->cylinder);
}

/// With `free`, where the policy has the writes, too: the one with the shortest access, ties to the
/// oldest.
static struct candidate* find_cheapest_write(const struct scheduler* scheduler,
                                             const struct head_state* head) {
  struct pricing pricing;
  predictor_begin(scheduler->predictor, head, &pricing);
  struct candidate* cheapest = NULL;
  uint32_t price = UINT32_MAX;
  for (struct candidate* item = scheduler->waiting->first; item != NULL; item = item->next) {
    if (item->kind == CANDIDATE_READ || !task_is_buffered(task_of_candidate(item))) continue;
    const uint32_t access_turn24 = pricing_access_turn24(&pricing, item);
    if (access_turn24 >= price) continue;
    price = access_turn24;
    cheapest = item;
  }
  return cheapest;
}

static struct candidate* find_write(const struct scheduler* scheduler,
                                    const struct head_state* head) {
  return write_buffer_is_apart(scheduler->writes) ? find_closest_write(scheduler, head)
                                                  : find_cheapest_write(scheduler, head);
}

/// The best of the threshold's side, or of the other if that side is empty.
static struct candidate* search_sides(struct scheduler* scheduler, const struct head_state* head) {
  scheduler->planned_write = wants_write(scheduler, head);
  scheduler->writes_changes = scheduler->writes->changes;
  struct candidate* write = scheduler->planned_write ? find_write(scheduler, head) : NULL;
  if (write != NULL) return write;
  struct candidate* best = search_policy(scheduler, head);
  return best != NULL ? best : find_write(scheduler, head);
}

/// The best of all waiting candidates.
static struct candidate* search(struct scheduler* scheduler, const struct head_state* head) {
  return has_threshold(scheduler) ? search_sides(scheduler, head) : search_policy(scheduler, head);
}

/// Whether the threshold's answer is that of the plan, for the same writes.
static bool side_holds(const struct scheduler* scheduler, const struct head_state* head) {
  if (!has_threshold(scheduler)) return true;
  return scheduler->writes_changes == scheduler->writes->changes &&
         scheduler->planned_write == wants_write(scheduler, head);
}

// ------------------------------------------------------------------------------------------ plans

/// Compares the plan with a waiting candidate.
static void reconsider(struct scheduler* scheduler, struct candidate* candidate) {
  if (scheduler->planned == NULL) {
    scheduler->planned = candidate;
    return;
  }
  if (scheduler->policy->is_better == NULL || has_threshold(scheduler)) {
    scheduler->planned = search(scheduler, &scheduler->planned_from);
    return;
  }
  const struct policy_view view = view_from(scheduler, &scheduler->planned_from);
  if (scheduler->policy->is_better(scheduler->state.bytes, &view, candidate, scheduler->planned)) {
    scheduler->planned = candidate;
  }
}

/// Begins the steps that a choice needs. @return false when it is not done in steps.
static RARE bool go_on_in_steps(struct scheduler* scheduler) {
  if (!scheduler_plans_behind_steps(scheduler)) return false;
  if (!scheduler->prepared) scheduler->prepared_from = scheduler->planned_from;
  scheduler->prepares = scheduler->prepared = true;
  scheduler->work->steps = 0;
  scheduler->planned = NULL;
  return true;
}

void scheduler_task_arrived(struct scheduler* scheduler, struct candidate* candidate,
                            time_tick data_tick) {
  if (!scheduler->planning) return;
  if (go_on_in_steps(scheduler)) return;
  scheduler->planned_from.data_tick = data_tick;
  scheduler_announce_arrivals(scheduler, &scheduler->planned_from);
  reconsider(scheduler, candidate);
}

void scheduler_data_arrived(struct scheduler* scheduler, struct candidate* candidate) {
  if (scheduler->prepared) {
    // The candidate had another price before.
    scheduler->work->steps = 0;
    scheduler->prepares = true;
  }
  if (scheduler->planned == NULL || scheduler->planned == candidate) return;
  // A search that waits for its steps is not affected by the arrival of data.
  if (scheduler_waits(scheduler)) return;
  reconsider(scheduler, candidate);
}

void scheduler_task_left(struct scheduler* scheduler, const struct candidate* candidate) {
  if (scheduler->planned != candidate) return;
  // No other waiting candidate is known to be the best.
  forget_plan(scheduler);
}

uint32_t scheduler_detour(const struct scheduler* scheduler, const struct candidate* candidate,
                          const struct head_state* head) {
  const struct policy* policy = scheduler->policy;
  if (policy->detour == NULL || is_apart(scheduler, candidate)) return POLICY_NO_DETOUR;
  const struct policy_view view = view_from(scheduler, head);
  return policy->detour(scheduler->state.bytes, &view, candidate);
}

/// Does the work that a service has left to the policy. What cannot be done in steps is done at
/// once.
static RARE void leave_to_steps(struct scheduler* scheduler, const struct policy_view* view) {
  scheduler->is_behind = true;
  if (!scheduler_makes_steps(scheduler)) finish_steps(scheduler, view);
}

void scheduler_task_served(struct scheduler* scheduler, const struct candidate* candidate,
                           const struct head_state* head) {
  const struct policy* policy = scheduler->policy;
  if (policy->task_served != NULL && !is_apart(scheduler, candidate)) {
    const struct policy_view view = view_from(scheduler, head);
    policy->task_served(scheduler->state.bytes, &view, candidate);
    if (policy->step != NULL) leave_to_steps(scheduler, &view);
  }
  // The plan was made for another state.
  forget_plan(scheduler);
  forget_prepared(scheduler);
}

/// The time of a search, if it goes on as the one before. It is 0 if there is nothing to compare,
/// or if the firmware is assumed to take no time (predictor.h: margin 0).
static uint32_t search_ticks(const struct scheduler* scheduler) {
  if (predictor_firmware_tick(scheduler->predictor) == 0) return 0;
  const uint32_t count = scheduler->waiting->count;
  if (count <= 1) return 0;
  const uint32_t expected = scheduler->looks_expected;
  return (count < expected ? count : expected) * scheduler->policy->candidate_ticks;
}

static void delay(const struct scheduler* scheduler, struct head_state* head, uint32_t ticks) {
  head->at_tick += ticks;
  head->angle_turn32 += rotation_turn24(scheduler->predictor->rotation, ticks) << 8;
}

void scheduler_prepare(struct scheduler* scheduler, const struct head_state* head_when_free) {
  if (!scheduler_can_prepare(scheduler)) return;
  scheduler->work->steps = 0;
  scheduler->prepared_from = *head_when_free;
  scheduler->prepares = scheduler->prepared = true;
  if (!scheduler_waits(scheduler) && scheduler->policy->step == NULL) return;
  // Arrivals are handled in steps. No plan is due yet.
  scheduler->planning = true;
  scheduler->planned_from.at_tick = TIME_TICK_NEVER;
}

void scheduler_prepare_step(struct scheduler* scheduler) {
  if (scheduler->policy->prepare == NULL) {
    scheduler->prepares = false;
    return;
  }
  if (scheduler->policy->step != NULL && make_arrival_step(scheduler, &scheduler->prepared_from)) {
    return;
  }
  struct policy_view view = view_from(scheduler, &scheduler->prepared_from);
  view.work = scheduler->work;
  scheduler->prepares = scheduler->policy->prepare(scheduler->state.bytes, &view);
  scheduler->prepared_count = scheduler->waiting->count;
  if (scheduler->due && scheduler->waiting->count == 0) forget_prepared(scheduler);
}

void scheduler_expect(struct scheduler* scheduler, const struct head_state* head_when_free) {
  struct head_state* from = &scheduler->prepared_from;
  const time_tick earliest = from->at_tick - SCHEDULER_PLAN_TOLERANCE_TICKS;
  const bool is_same = from->cylinder == head_when_free->cylinder &&
                       from->head == head_when_free->head &&
                       head_when_free->at_tick - earliest <= 2 * SCHEDULER_PLAN_TOLERANCE_TICKS;
  if (!is_same) {
    *from = *head_when_free;
    scheduler->prepares = true;
  }
  scheduler->planned_from = *from;
  if (!scheduler_waits(scheduler)) return;
  // A candidate may have left since: a step finds that out.
  scheduler->prepares = true;
  scheduler_prepare_step(scheduler);
}

/// Whether the heads will be free where and when the preparation assumed, and the choice will be
/// made in time for that.
static bool is_prepared_in_time(const struct scheduler* scheduler, const struct head_state* head,
                                time_tick now) {
  const struct head_state* from = &scheduler->prepared_from;
  if (!scheduler->prepared || scheduler->prepares) return false;
  if (from->cylinder != head->cylinder || from->head != head->head) return false;
  const time_tick latest = from->at_tick + SCHEDULER_PLAN_TOLERANCE_TICKS;
  const time_tick earliest = from->at_tick - SCHEDULER_PLAN_TOLERANCE_TICKS;
  const bool is_complete = scheduler->prepared_count == scheduler->waiting->count;
  const uint32_t ticks =
      is_complete || predictor_firmware_tick(scheduler->predictor) == 0 ? 0 : SCHEDULER_STEP_TICKS;
  return now + ticks <= latest && head->at_tick - earliest <= latest - earliest;
}

bool scheduler_is_prepared(struct scheduler* scheduler, const struct head_state* head_when_free,
                           time_tick now) {
  if (is_prepared_in_time(scheduler, head_when_free, now)) return true;
  forget_prepared(scheduler);
  return false;
}

void scheduler_plan_prepared(struct scheduler* scheduler) {
  scheduler->planning = true;
  scheduler->planned_from = scheduler->prepared_from;
  scheduler->plan_work = scheduler->work;
  scheduler->planned = search(scheduler, &scheduler->planned_from);
}

void scheduler_plan(struct scheduler* scheduler, const struct head_state* head_when_free,
                    time_tick now) {
  struct head_state* from = &scheduler->planned_from;
  const uint32_t ticks = search_ticks(scheduler);
  *from = *head_when_free;
  if (from->at_tick < now + ticks) {
    delay(scheduler, from, (uint32_t)(now + ticks - from->at_tick));
  }
  from->data_tick += ticks;
  scheduler->planning = true;
  scheduler->planned = search(scheduler, from);
}

/// Whether the heads became free where and when the plan assumed. They may also be earlier, but by
/// no more than another search would take.
static bool plan_holds(const struct scheduler* scheduler, const struct head_state* head) {
  const struct head_state* from = &scheduler->planned_from;
  if (scheduler->planned == NULL || from->cylinder != head->cylinder || from->head != head->head) {
    return false;
  }
  const time_tick earliest =
      from->at_tick - SCHEDULER_PLAN_TOLERANCE_TICKS - search_ticks(scheduler);
  const time_tick latest = from->at_tick + SCHEDULER_PLAN_TOLERANCE_TICKS;
  if (head->at_tick - earliest <= latest - earliest) return true;
  if (!scheduler_can_prepare(scheduler)) return false;
  // The heads caught a sector that the plan expected to miss. A turn later the prices are the same.
  // Where a search takes long that is close enough.
  const uint32_t turn_ticks = scheduler->predictor->rotation->period_tick64 / 64;
  return head->at_tick + turn_ticks - earliest <= latest - earliest;
}

/// The firmware was busy when the heads became free. A choice that is early enough leaves half of
/// the margin for the start of the arm; this one leaves less. @return whether the planned
/// candidate's sector passes before the arm is there. A search is cheaper than a turn.
static RARE bool comes_too_late(const struct scheduler* scheduler, const struct head_state* head) {
  const struct predictor* predictor = scheduler->predictor;
  const struct rotation* rotation = predictor->rotation;
  const uint32_t half_tick = predictor_firmware_tick(predictor) / 2;
  struct head_state from = *head;
  from.at_tick -= half_tick;
  from.angle_turn32 -= rotation_turn24(rotation, half_tick) << 8;
  const time_tick wanted =
      predictor_access_end(predictor, &scheduler->planned_from, scheduler->planned);
  const time_tick expected = predictor_access_end(predictor, &from, scheduler->planned);
  return expected > wanted + rotation->period_tick64 / (64 * 2);
}

/// Whether the plan's moment is so long ago that comes_too_late() must be evaluated.
static bool is_late(const struct scheduler* scheduler, const struct head_state* head) {
  const uint32_t margin_tick = predictor_firmware_tick(scheduler->predictor);
  const time_tick late = head->at_tick - scheduler->planned_from.at_tick;
  // The difference wraps to a huge value if the heads are sooner than the plan assumed.
  return margin_tick != 0 && late > margin_tick / 2 && late <= SCHEDULER_PLAN_TOLERANCE_TICKS;
}

struct candidate* scheduler_take_planned(struct scheduler* scheduler,
                                         const struct head_state* head) {
  if (!plan_holds(scheduler, head) || !side_holds(scheduler, head)) return NULL;
  if (is_late(scheduler, head) && comes_too_late(scheduler, head)) return NULL;
  struct candidate* planned = scheduler->planned;
  forget_plan(scheduler);
  return planned;
}

bool scheduler_must_wait(struct scheduler* scheduler, const struct head_state* head) {
  if (!scheduler_waits(scheduler)) return false;
  if (has_threshold(scheduler) && wants_write(scheduler, head) &&
      find_write(scheduler, head) != NULL) {
    return false;
  }
  struct head_state* from = &scheduler->prepared_from;
  const bool is_there =
      scheduler->prepared && from->cylinder == head->cylinder && from->head == head->head;
  const time_tick earliest = from->at_tick - SCHEDULER_PLAN_TOLERANCE_TICKS;
  const bool is_now = head->at_tick - earliest <= 2 * SCHEDULER_PLAN_TOLERANCE_TICKS;
  if (!is_there || !(scheduler->due || is_now)) {
    const uint32_t ticks = search_ticks(scheduler);
    *from = *head;
    delay(scheduler, from, ticks);
    from->data_tick += ticks;
    scheduler->work->steps = 0;
  }
  if (scheduler->due && scheduler->prepares) return true;
  forget_plan(scheduler);
  // Mostly there is nothing to search for, and a step finds that out. Otherwise all was found, and
  // the step finds out whether a candidate has left since.
  scheduler->prepares = scheduler->prepared = scheduler->due = true;
  scheduler_prepare_step(scheduler);
  return scheduler->prepares;
}

/// The heads have waited for the search, which is for the moment at which they began to.
static struct candidate* take_due(struct scheduler* scheduler) {
  const struct head_state from = scheduler->prepared_from;
  scheduler->plan_work = scheduler->work;
  struct candidate* best = search(scheduler, &from);
  forget_prepared(scheduler);
  return best;
}

struct candidate* scheduler_take_best(struct scheduler* scheduler, struct head_state* head) {
  if (scheduler->due) return take_due(scheduler);
  const uint32_t ticks = search_ticks(scheduler);
  delay(scheduler, head, ticks);
  head->data_tick += ticks;
  forget_plan(scheduler);
  forget_prepared(scheduler);
  return search(scheduler, head);
}
