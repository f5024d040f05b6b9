/// @file
/// The scheduler: the policy in force, and its choice made ahead of time.
///
/// While the media works for one task, the next one is planned from where the heads will be; every
/// arrival is compared with the plan at once, by itself, so that the search need not be repeated
/// when the heads become free. A plan stands if the heads become free where and when it was
/// assumed. A search takes its time: what it finds is for the moment at which it is over, if that
/// is later than the heads are free. How long it takes is judged by the one before. A policy whose
/// search takes long makes most of it step by step, while the arm moves and the platter turns; the
/// plan is then made of that and of who has arrived since.
///
/// A policy that works at arrivals may do that step by step, too (policy.h: step). An arrival then
/// undoes the plan, which is made anew once the steps are. A choice that falls due before makes
/// `late_steps` of them and no more: it is made of what has been found by then.
///
/// A policy's choice may wait for all steps of its search (POLICY_WAITS). It is then due, the heads
/// wait for it, and the drive goes on with everything else.
///
/// Beside the policy there may be a write buffer with a threshold (write_buffer.h), which says
/// first whether a buffered write goes next: the closest one (of `free`, the cheapest). The policy
/// then neither sees those writes nor hears of them.
#ifndef FIRMWARE_QUEUE_SCHEDULER_H
#define FIRMWARE_QUEUE_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"
#include "firmware/queue/policy.h"
#include "firmware/queue/write_buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The heads may become free this much earlier or later than planned: 100 us, a sector time.
#define SCHEDULER_PLAN_TOLERANCE_TICKS 4000U

struct scheduler {
  const struct policy* policy;
  struct policy_selection selection;  ///< What put it in force.
  const struct candidate_set* waiting;
  const struct predictor* predictor;
  uint32_t rest_cylinder;          ///< As the policy says (policy.h),
  uint32_t best_effort_most;       ///< likewise.
  uint32_t looks_expected;         ///< Candidates that the next search compares, if so many wait.
  bool planning;                   ///< What arrives is compared with `planned`.
  struct candidate* planned;       ///< NULL: no plan, or nothing waited.
  struct head_state planned_from;  ///< What the plan assumes.
  const struct write_buffer* writes;  ///< NULL: none.
  uint32_t writes_changes;            ///< Of its lists, when the plan was made.
  bool planned_write;                 ///< What the threshold said then.
  bool is_behind;                     ///< The policy has steps to make for what it was told.
  uint32_t told_breaks;               ///< Of the set, when the policy had heard of all.
  bool prepares;                      ///< A step is to be made,
  bool prepared;                      ///< or has been,
  struct head_state prepared_from;    ///< for this moment,
  union policy_work* plan_work;       ///< What the plan is made of, beside those who wait.
  union policy_work* work;            ///< in here; NULL: nothing can be prepared.
  uint32_t prepared_count;            ///< Who waited then.
  bool due;                           ///< The heads wait for that choice.
  union {
    uint64_t alignment;
    uint8_t bytes[POLICY_STATE_BYTES_MAX];
  } state;
  union policy_store* store;               ///< Not in here: it is large.
  uint32_t counters[POLICY_COUNTERS_MAX];  ///< Of the policy's table.
  struct policy_stream streams[POLICY_STREAMS];
};

/// A search may compare so many times as many candidates as the one before, and a few.
#define SCHEDULER_LOOKS_GROWTH_SHIFT 1U
#define SCHEDULER_LOOKS_FEW 4U

/// Starts with policy number 0, which is fcfs. The store is the scheduler's from now on.
void scheduler_init(struct scheduler* scheduler, const struct candidate_set* waiting,
                    const struct predictor* predictor, union policy_store* store);

/// There is room for what a policy makes ahead.
void scheduler_lend_work(struct scheduler* scheduler, union policy_work* work);

/// There is a write buffer, whose threshold comes before the policy while it has one.
void scheduler_watch_writes(struct scheduler* scheduler, const struct write_buffer* writes);

/// Puts a policy in force, with a fresh state.
/// @return STATUS_OK, or STATUS_BAD_VALUE: policy_find_fault() finds one, nothing changed.
MUST_USE enum status scheduler_select(struct scheduler* scheduler,
                                      const struct policy_selection* selection);

/// Counts from 0 on.
void scheduler_clear_counters(struct scheduler* scheduler);

/// What is settled for streams from now on. If that is something else than before, the policy in
/// force begins anew.
void scheduler_set_streams(struct scheduler* scheduler,
                           const struct policy_stream streams[POLICY_STREAMS]);

/// Tells the policy of all who wait and of whom it has not heard. The searches below do so
/// themselves.
/// @param head  Where the arm is when it is next free.
void scheduler_tell_arrivals(struct scheduler* scheduler, const struct head_state* head);

/// Whether who arrives is compared with a plan: if not, nobody need ask for the time.
static inline bool scheduler_is_planning(const struct scheduler* scheduler) {
  return scheduler->planning;
}

/// `candidate` has joined the list of waiting ones. `data_tick` is as in struct head_state.
/// scheduler_plans_again() tells whether the plan is gone.
void scheduler_task_arrived(struct scheduler* scheduler, struct candidate* candidate,
                            time_tick data_tick);

/// A waiting candidate's data have come: it may be better than the plan now.
void scheduler_data_arrived(struct scheduler* scheduler, struct candidate* candidate);

/// `candidate` has left the list: it is held back.
void scheduler_task_left(struct scheduler* scheduler, const struct candidate* candidate);

/// The cylinder that the arm is to go to from `head` before that of `candidate`, which waits; or
/// POLICY_NO_DETOUR.
MUST_USE uint32_t scheduler_detour(const struct scheduler* scheduler,
                                   const struct candidate* candidate,
                                   const struct head_state* head);

/// `candidate` has left the list: its access begins, from `head`.
void scheduler_task_served(struct scheduler* scheduler, const struct candidate* candidate,
                           const struct head_state* head);

/// An access has begun behind which the heads will be free as `head_when_free` says: what can be
/// made of the next search is made in steps from now on, if the policy has any.
static inline bool scheduler_can_prepare(const struct scheduler* scheduler) {
  return scheduler->policy->prepare != NULL && scheduler->work != NULL;
}
void scheduler_prepare(struct scheduler* scheduler, const struct head_state* head_when_free);

/// Whether the policy works at arrivals step by step.
static inline bool scheduler_makes_steps(const struct scheduler* scheduler) {
  return scheduler->policy->step != NULL && scheduler_can_prepare(scheduler);
}

/// Whether a choice waits for all steps of its search. (Where the firmware takes no time: no.)
static inline bool scheduler_waits(const struct scheduler* scheduler) {
  return scheduler->policy->late_steps == POLICY_WAITS && scheduler_can_prepare(scheduler) &&
         scheduler->predictor->margin_tick != 0;
}

/// Whether an arrival undoes the plan, which is made anew when the steps are made.
static inline bool scheduler_plans_behind_steps(const struct scheduler* scheduler) {
  return scheduler_makes_steps(scheduler) || scheduler_waits(scheduler);
}

/// The heads are free, some task waits, and nothing is planned: whether the choice has to wait, for
/// steps that are to be made now. Whoever comes meanwhile is not looked at.
MUST_USE bool scheduler_must_wait(struct scheduler* scheduler, const struct head_state* head);

/// Whether the heads wait for a choice already.
static inline bool scheduler_is_due(const struct scheduler* scheduler) { return scheduler->due; }

/// A step takes no longer than this; one in eleven of `gscan` does (firmware/README.md).
#define SCHEDULER_STEP_TICKS 7000U

static inline bool scheduler_prepares(const struct scheduler* scheduler) {
  return scheduler->prepares;
}

/// Whether a plan that was due is to be made once the steps have been.
static inline bool scheduler_plans_again(const struct scheduler* scheduler) {
  return scheduler->prepares && scheduler_plans_behind_steps(scheduler) &&
         scheduler->planned_from.at_tick != TIME_TICK_NEVER;
}

/// Such a policy's plan is due, for heads that are free as `head_when_free` says. If that is
/// another moment than the one that it was prepared for, there are more steps.
void scheduler_expect(struct scheduler* scheduler, const struct head_state* head_when_free);

/// Makes the next step, if there is one.
void scheduler_prepare_step(struct scheduler* scheduler);

/// Whether something has been prepared.
static inline bool scheduler_has_prepared(const struct scheduler* scheduler) {
  return scheduler->prepared;
}

/// Whether all that can be has been prepared, for heads that are free as `head_when_free` says, and
/// a choice of it begun at `now` comes in time. If not, it is forgotten.
MUST_USE bool scheduler_is_prepared(struct scheduler* scheduler,
                                    const struct head_state* head_when_free, time_tick now);

/// Then: chooses by that, and by who has arrived since.
void scheduler_plan_prepared(struct scheduler* scheduler);

/// Chooses ahead of time, beginning at `now`; nothing, when nothing waits.
void scheduler_plan(struct scheduler* scheduler, const struct head_state* head_when_free,
                    time_tick now);

/// What the plan is, or NULL.
static inline struct candidate* scheduler_planned(const struct scheduler* scheduler) {
  return scheduler->planned;
}

/// The heads are free: whom the plan wants to serve, which is used up; NULL when there is no plan,
/// or it was made for heads that are free elsewhere or at another time.
MUST_USE struct candidate* scheduler_take_planned(struct scheduler* scheduler,
                                                  const struct head_state* head);

/// The heads are free, and nothing is planned: whom to serve, by a search through all that wait.
/// NULL only when nothing does. Any plan is gone.
///
/// @param[in,out] head  Where the heads are now; then, at the end of the search.
MUST_USE struct candidate* scheduler_take_best(struct scheduler* scheduler,
                                               struct head_state* head);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_SCHEDULER_H
