#define FILE_ID FILE_ID_SCHEDULER
#include "firmware/queue/scheduler.h"

#include <stddef.h>

#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

void scheduler_init(struct scheduler* scheduler, const struct candidate_list* waiting,
                    const struct predictor* predictor) {
  *scheduler =
      (struct scheduler){.policy = &policy_fcfs, .waiting = waiting, .predictor = predictor};
}

enum status scheduler_select(struct scheduler* scheduler, uint32_t policy_number) {
  const struct policy* policy = policy_by_number(policy_number);
  if (policy == NULL) return STATUS_NOT_FOUND;
  ASSERT(policy->state_bytes <= POLICY_STATE_BYTES_MAX);
  scheduler->policy = policy;
  scheduler->planned = NULL;
  bytes_fill(scheduler->state.bytes, 0, POLICY_STATE_BYTES_MAX);
  for (struct candidate* item = scheduler->waiting->first; item != NULL; item = item->next) {
    if (policy->task_arrived != NULL) policy->task_arrived(scheduler->state.bytes, item);
  }
  return STATUS_OK;
}

static struct candidate* choose(const struct scheduler* scheduler, const struct head_state* head,
                                struct candidate* incumbent, struct candidate* from) {
  const struct policy_view view = {scheduler->waiting, scheduler->predictor, head};
  return scheduler->policy->which_next(scheduler->state.bytes, &view, incumbent, from);
}

void scheduler_task_arrived(struct scheduler* scheduler, struct candidate* candidate) {
  const struct policy* policy = scheduler->policy;
  if (policy->task_arrived != NULL) policy->task_arrived(scheduler->state.bytes, candidate);
  if (scheduler->planned == NULL) return;
  scheduler->planned = choose(scheduler, &scheduler->planned_from, scheduler->planned, candidate);
}

void scheduler_task_left(struct scheduler* scheduler, struct candidate* candidate, bool served) {
  const struct policy* policy = scheduler->policy;
  if (policy->task_left != NULL) policy->task_left(scheduler->state.bytes, candidate, served);
  if (scheduler->planned == candidate) scheduler->planned = NULL;
}

void scheduler_plan(struct scheduler* scheduler, const struct head_state* head_when_free) {
  scheduler->planned_from = *head_when_free;
  scheduler->planned = choose(scheduler, head_when_free, NULL, scheduler->waiting->first);
}

/// Whether the heads became free where and when the plan assumed.
static bool plan_holds(const struct scheduler* scheduler, const struct head_state* head) {
  const struct head_state* from = &scheduler->planned_from;
  const time_tick early = head->at_tick + SCHEDULER_PLAN_TOLERANCE_TICKS - from->at_tick;
  return scheduler->planned != NULL && from->cylinder == head->cylinder &&
         from->head == head->head && early <= 2 * SCHEDULER_PLAN_TOLERANCE_TICKS;
}

struct candidate* scheduler_take(struct scheduler* scheduler, const struct head_state* head) {
  struct candidate* chosen = plan_holds(scheduler, head)
                                 ? scheduler->planned
                                 : choose(scheduler, head, NULL, scheduler->waiting->first);
  scheduler->planned = NULL;
  return chosen;
}
