// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/connection_queue.h"

#include "firmware/hal/timer_hal.h"
#include "firmware/kernel/alarm.h"
#include "firmware/kernel/rare.h"
#include "firmware/target/message.h"
#include "firmware/target/tenancy.h"

/// Selection time-out delay (SCSI-2 5.7.17, recommended): the block waits for an answer until it is
/// stopped.
#define SELECTION_TIMEOUT_TICKS (250U * TIME_TICKS_PER_MILLISECOND)

static struct task* task_at(struct target* target, uint16_t index) {
  return index == TASK_NONE ? NULL : &target->tasks->task[index];
}

/// Puts a task into the queue, between two neighbours. NULL stands for an end of the queue.
static void enqueue_between(struct target* target, struct task* task, struct task* previous,
                            struct task* next) {
  struct connection* connection = &target->connection;
  const uint16_t index = task_set_index(target->tasks, task);
  task->request_previous = previous == NULL ? TASK_NONE : task_set_index(target->tasks, previous);
  task->request_next = next == NULL ? TASK_NONE : task_set_index(target->tasks, next);
  *(previous == NULL ? &connection->request_first : &previous->request_next) = index;
  *(next == NULL ? &connection->request_last : &next->request_previous) = index;
}

void connection_enqueue(struct target* target, struct task* task) {
  if (connection_is_queued(task)) return;
  enqueue_between(target, task, task_at(target, target->connection.request_last), NULL);
}

void connection_dequeue(struct target* target, struct task* task) {
  struct connection* connection = &target->connection;
  if (!connection_is_queued(task)) return;
  struct task* previous = task_at(target, task->request_previous);
  if (previous == NULL) {
    connection->request_first = task->request_next;
  } else {
    previous->request_next = task->request_next;
  }
  struct task* next = task_at(target, task->request_next);
  if (next == NULL) {
    connection->request_last = task->request_previous;
  } else {
    next->request_previous = task->request_previous;
  }
  task->request_next = TASK_UNLINKED;
}

void connection_prioritize(struct target* target, struct task* task) {
  if (!connection_is_queued(task)) return;
  connection_dequeue(target, task);
  enqueue_between(target, task, NULL, task_at(target, target->connection.request_first));
}

void connection_forget(struct target* target, struct task* task) {
  connection_dequeue(target, task);
  if (target->connection.task == task) target->connection.task = NULL;
}

/// The time that the controller spends before it reselects for the task (page 21h): for its first
/// data, or for its status.
static uint32_t stage_ticks(const struct target* target, const struct task* task) {
  const uint32_t* ticks = target->stages.ticks;
  const bool moves_data = task->host_blocks_granted > 0;
  if (moves_data && task->host_blocks_left != task->blocks) return 0;
  const bool is_far = (task->flags & TASK_FLAG_FAR_WRITE) != 0;
  switch (task->operation) {
    case TASK_READ: {
      if (!moves_data) {
        return tenancy_pauses_apart(target, task) ? ticks[MODE_STAGE_READ_STATUS] : 0;
      }
      const bool is_over = target->stages.ahead && (task->flags & TASK_FLAG_BY_SHARE) != 0;
      return (task->flags & TASK_FLAG_HIT) == 0 && !is_over ? ticks[MODE_STAGE_READ_DATA] : 0;
    }
    case TASK_WRITE:
      if (moves_data) return is_far ? ticks[MODE_STAGE_FAR_WRITE_DATA] : 0;
      return ticks[is_far ? MODE_STAGE_FAR_WRITE_STATUS : MODE_STAGE_WRITE_STATUS];
    default: return 0;
  }
}

/// @return whether the reselection has to wait. connection_on_alarm() then goes on with it.
static bool prepare(struct target* target, const struct task* task) {
  const uint32_t ticks = stage_ticks(target, task);
  if (ticks == 0) return false;
  target->connection.state = CONNECTION_PREPARING;
  alarm_set(&target->alarm, timer_hal_now() + ticks);
  return true;
}

uint32_t connection_nexus_messages(const struct task* task, uint8_t* bytes) {
  uint32_t count = message_put_identify(bytes, 0);
  if ((task->flags & TASK_FLAG_NO_TAG) == 0) {
    count += message_put_tag(bytes + count, task->tag, (task->flags & TASK_FLAG_LONG_TAG) != 0);
  }
  return count;
}

/// The messages that the block sends after the reselection.
static void push_nexus_messages(struct connection* connection, const struct task* task) {
  const uint32_t count = connection_nexus_messages(task, connection->sent);
  for (uint32_t i = 0; i < count; ++i) scsi_target_hal_push(connection->sent[i]);
  connection->sent_count = (uint8_t)count;
}

static inline __attribute__((always_inline)) void reselect(struct target* target,
                                                           struct task* task) {
  target->connection.task = task;
  target->connection.state = CONNECTION_RESELECTING;
  push_nexus_messages(&target->connection, task);
  scsi_target_hal_reselect(task->initiator);
  // RST came in between. It is still asserted, and the block waits for its end.
  if (scsi_target_hal_reset_waits()) scsi_target_hal_abort();
  alarm_set(&target->alarm, timer_hal_now() + SELECTION_TIMEOUT_TICKS);
}

/// The same with limits of page 02h, or times of page 21h: the reselection may have to wait.
static RARE void reselect_slowly(struct target* target, struct task* task,
                                 const struct task* prepared) {
  if (target->connection.limited) task = tenancy_choose(target);
  if (task == NULL) return;
  target->connection.task = task;
  if (task == prepared || !prepare(target, task)) reselect(target, task);
}

/// Starts a reselection. No task of a nexus moves data while the nexus owes a REQUEST SENSE (SCSI-2
/// 7.6). `prepared`: the task for which the controller's time has passed.
static void dispatch(struct target* target, const struct task* prepared) {
  struct connection* connection = &target->connection;
  if (connection->state != CONNECTION_FREE) return;
  if (connection->request_first == TASK_NONE || scsi_target_hal_connected()) return;
  struct task* task = task_at(target, connection->request_first);
  while (task != NULL && target->device.nexus[task->initiator].is_held) {
    task = task_at(target, task->request_next);
  }
  if (task == NULL || scsi_target_hal_reset_waits()) return;
  if (target->stages.any) {
    reselect_slowly(target, task, prepared);
  } else {
    reselect(target, task);
  }
}

void connection_dispatch(struct target* target) { dispatch(target, NULL); }

void connection_prepared(struct target* target) {
  struct connection* connection = &target->connection;
  const struct task* prepared = connection->task;
  connection->state = CONNECTION_FREE;
  connection->task = NULL;
  dispatch(target, prepared);
}
