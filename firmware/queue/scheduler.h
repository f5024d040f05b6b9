// SPDX-License-Identifier: Apache-2.0
/// @file
/// The scheduler: the policy in force, and its choice made ahead of time.
///
/// While the media work for one task, the next one is planned from where the heads will be. Each
/// arrival is at once compared with the plan alone. So the search need not be repeated when the
/// heads become free. A plan holds if the heads become free where and when it assumed. A search
/// takes time: its result is for the moment at which it ends, if that is later than the heads are
/// free. Its length is estimated from the one before. A policy whose search takes long makes most
/// of it step by step, while the arm moves and the platter turns. The plan is then made from that
/// and from later arrivals.
///
/// A policy that works at arrivals may do that step by step, too (policy.h: step). An arrival then
/// cancels the plan, which is made anew after the steps. A choice that is due before makes
/// `late_steps` of them and no more. It is then made from the findings so far.
///
/// A policy's choice may wait for all steps of its search (POLICY_WAITS). It is then due, and the
/// heads wait for it. The drive goes on with everything else.
///
/// A write buffer with a threshold (write_buffer.h) may stand beside the policy. The threshold
/// decides first whether a buffered write goes next: the closest one (with `free`, the cheapest).
/// The policy does not choose among those writes.
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
  struct policy_selection selection;  ///< The selection in force.
  const struct candidate_set* waiting;
  const struct predictor* predictor;
  uint32_t park_cylinder;          ///< Cylinder at which the arm waits when idle (policy.h: rest),
                                   ///< or POLICY_STAYS.
  uint32_t best_effort_most;       ///< The policy's limit of commands (policy.h: best_effort_most).
  uint32_t looks_expected;         ///< Candidates that the next search compares, if so many wait.
  bool planning;                   ///< Arrivals are compared with `planned`.
  struct candidate* planned;       ///< NULL: no plan, or nothing waited.
  struct head_state planned_from;  ///< The heads' state that the plan assumes.
  const struct write_buffer* writes;  ///< NULL: none.
  uint32_t writes_changes;            ///< Changes of the lists of `writes` when the plan was made.
  bool planned_write;                 ///< The threshold's decision when the plan was made.
  bool is_behind;                     ///< The policy has steps to make for announced arrivals.
  uint32_t announced_breaks;          ///< Breaks of the set when all of its candidates were
                                      ///< last known to be announced.
  bool prepares;                      ///< A further step of the preparation is to be made.
  bool prepared;                      ///< A preparation exists for `prepared_from`; it is complete
                                      ///< unless `prepares` is set.
  struct head_state prepared_from;    ///< Head state for which the preparation is made.
  union policy_work* plan_work;       ///< Preparation with which the plan was made; NULL: none.
  union policy_work* work;            ///< Memory for a preparation; NULL: nothing can be prepared.
  uint32_t prepared_count;            ///< Candidates that waited when the preparation began.
  bool due;                           ///< The heads wait for the choice that is prepared.
  union {
    uint64_t alignment;
    uint8_t bytes[POLICY_STATE_BYTES_MAX];
  } state;
  union policy_store* store;               ///< A pointer, because it is large.
  uint32_t counters[POLICY_COUNTERS_MAX];  ///< Values of the policy's counters.
  struct policy_stream streams[POLICY_STREAMS];
};

/// A search may compare this many times the candidates of the one before, and a few more.
#define SCHEDULER_LOOKS_GROWTH_SHIFT 1U
#define SCHEDULER_LOOKS_FEW 4U

/// Starts with policy number 0, which is fcfs. From now on the scheduler owns the store.
void scheduler_init(struct scheduler* scheduler, const struct candidate_set* waiting,
                    const struct predictor* predictor, union policy_store* store);

/// Gives the scheduler memory for what a policy prepares.
void scheduler_lend_work(struct scheduler* scheduler, union policy_work* work);

/// Gives it a write buffer. Its threshold comes before the policy while it has one.
void scheduler_watch_writes(struct scheduler* scheduler, const struct write_buffer* writes);

/// Puts a policy in force, with a fresh state.
/// @return STATUS_OK, or STATUS_BAD_VALUE: policy_find_fault() finds one, nothing changed.
MUST_USE enum status scheduler_select(struct scheduler* scheduler,
                                      const struct policy_selection* selection);

/// Sets the counters to 0.
void scheduler_clear_counters(struct scheduler* scheduler);

/// Sets the settings of streams. If they differ from those before, the policy in force begins anew.
void scheduler_set_streams(struct scheduler* scheduler,
                           const struct policy_stream streams[POLICY_STREAMS]);

/// Announces to the policy all waiting candidates that are not announced yet. The searches below do
/// so themselves.
/// @param head  Where the arm is when it is next free.
void scheduler_announce_arrivals(struct scheduler* scheduler, const struct head_state* head);

/// Whether arrivals are compared with a plan. If not, the caller need not find out the time.
static inline bool scheduler_is_planning(const struct scheduler* scheduler) {
  return scheduler->planning;
}

/// `candidate` has joined the waiting ones. `data_tick` is as in struct head_state.
/// scheduler_plans_again() says whether the plan was dropped.
void scheduler_task_arrived(struct scheduler* scheduler, struct candidate* candidate,
                            time_tick data_tick);

/// A waiting candidate's data have come: it may now be better than the plan.
void scheduler_data_arrived(struct scheduler* scheduler, struct candidate* candidate);

/// `candidate` has left the waiting ones: it is held back.
void scheduler_task_left(struct scheduler* scheduler, const struct candidate* candidate);

/// The cylinder to which the arm goes from `head` before that of `candidate`, which waits; or
/// POLICY_NO_DETOUR.
MUST_USE uint32_t scheduler_detour(const struct scheduler* scheduler,
                                   const struct candidate* candidate,
                                   const struct head_state* head);

/// `candidate` has left the waiting ones: its access begins, from `head`.
void scheduler_task_served(struct scheduler* scheduler, const struct candidate* candidate,
                           const struct head_state* head);

/// An access has begun after which the heads will be free as `head_when_free` says. From now on the
/// next search is prepared in steps, as far as the policy can.
static inline bool scheduler_can_prepare(const struct scheduler* scheduler) {
  return scheduler->policy->prepare != NULL && scheduler->work != NULL;
}
void scheduler_prepare(struct scheduler* scheduler, const struct head_state* head_when_free);

/// Whether the policy works at arrivals step by step.
static inline bool scheduler_makes_steps(const struct scheduler* scheduler) {
  return scheduler->policy->step != NULL && scheduler_can_prepare(scheduler);
}

/// Whether a choice waits for all steps of its search. False if the firmware takes no time.
static inline bool scheduler_waits(const struct scheduler* scheduler) {
  return scheduler->policy->late_steps == POLICY_WAITS && scheduler_can_prepare(scheduler) &&
         predictor_firmware_tick(scheduler->predictor) != 0;
}

/// Whether an arrival discards the plan, so that the scheduler plans again after the steps.
static inline bool scheduler_plans_behind_steps(const struct scheduler* scheduler) {
  return scheduler_makes_steps(scheduler) || scheduler_waits(scheduler);
}

/// The heads are free, some task waits, and nothing is planned: whether the choice has to wait, for
/// steps that are to be made now. The choice does not look at later arrivals.
MUST_USE bool scheduler_must_wait(struct scheduler* scheduler, const struct head_state* head);

/// Whether the heads wait for a choice already.
static inline bool scheduler_is_due(const struct scheduler* scheduler) { return scheduler->due; }

/// A step takes no longer than this; one in eleven of `gscan` does (docs/firmware-timing.md).
#define SCHEDULER_STEP_TICKS 7000U

static inline bool scheduler_prepares(const struct scheduler* scheduler) {
  return scheduler->prepares;
}

/// Whether a plan that was due has to be made after the steps.
static inline bool scheduler_plans_again(const struct scheduler* scheduler) {
  return scheduler->prepares && scheduler_plans_behind_steps(scheduler) &&
         scheduler->planned_from.at_tick != TIME_TICK_NEVER;
}

/// The plan of such a policy is due, for heads that are free as `head_when_free` says. If that is
/// another moment than the one that was prepared for, there are more steps.
void scheduler_expect(struct scheduler* scheduler, const struct head_state* head_when_free);

/// Makes the next step, if there is one.
void scheduler_prepare_step(struct scheduler* scheduler);

/// Whether anything has been prepared.
static inline bool scheduler_has_prepared(const struct scheduler* scheduler) {
  return scheduler->prepared;
}

/// Whether the preparation is complete, for heads that are free as `head_when_free` says, and a
/// choice begun at `now` ends early enough. If not, the preparation is dropped.
MUST_USE bool scheduler_is_prepared(struct scheduler* scheduler,
                                    const struct head_state* head_when_free, time_tick now);

/// Chooses by the complete preparation and the later arrivals.
void scheduler_plan_prepared(struct scheduler* scheduler);

/// Chooses ahead of time, beginning at `now`; nothing, when nothing waits.
void scheduler_plan(struct scheduler* scheduler, const struct head_state* head_when_free,
                    time_tick now);

/// The planned candidate, or NULL.
static inline struct candidate* scheduler_planned(const struct scheduler* scheduler) {
  return scheduler->planned;
}

/// The heads are free: returns the planned candidate, and drops the plan. NULL when there is no
/// plan, or it was made for heads that are free elsewhere or at another time. NULL, too, when the
/// firmware comes so late that the planned sector would pass before the arm is there.
MUST_USE struct candidate* scheduler_take_planned(struct scheduler* scheduler,
                                                  const struct head_state* head);

/// The heads are free, and nothing is planned: returns the best candidate, by a search through all
/// that wait. NULL only when none waits. Any plan is dropped.
///
/// @param[in,out] head  Where the heads are now; then, at the end of the search.
MUST_USE struct candidate* scheduler_take_best(struct scheduler* scheduler,
                                               struct head_state* head);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_SCHEDULER_H
