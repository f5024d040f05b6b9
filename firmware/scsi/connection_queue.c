#include "firmware/hal/timer_hal.h"
#include "firmware/kernel/alarm.h"
#include "firmware/scsi/connection_steps.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/scsi/task_management.h"

/// Selection time-out delay (SCSI-2 5.2.15, recommended): the block waits for an answer until it is
/// told to stop.
#define SELECTION_TIMEOUT_TICKS (250U * TIME_TICKS_PER_MILLISECOND)

static bool is_queued(const struct task* task) { return task->request_next != TASK_UNLINKED; }

static struct task* task_at(struct scsi* scsi, uint16_t index) {
  return index == TASK_NONE ? NULL : &scsi->tasks->task[index];
}

/// Puts a task into the queue, between two neighbours; NULL is the queue's end.
static void enqueue_between(struct scsi* scsi, struct task* task, struct task* previous,
                            struct task* next) {
  struct connection* connection = &scsi->connection;
  const uint16_t index = task_set_index(scsi->tasks, task);
  task->request_previous = previous == NULL ? TASK_NONE : task_set_index(scsi->tasks, previous);
  task->request_next = next == NULL ? TASK_NONE : task_set_index(scsi->tasks, next);
  *(previous == NULL ? &connection->request_first : &previous->request_next) = index;
  *(next == NULL ? &connection->request_last : &next->request_previous) = index;
}

static void enqueue(struct scsi* scsi, struct task* task) {
  enqueue_between(scsi, task, task_at(scsi, scsi->connection.request_last), NULL);
}

void connection_dequeue(struct scsi* scsi, struct task* task) {
  struct connection* connection = &scsi->connection;
  if (!is_queued(task)) return;
  struct task* previous = task_at(scsi, task->request_previous);
  if (previous == NULL) {
    connection->request_first = task->request_next;
  } else {
    previous->request_next = task->request_next;
  }
  struct task* next = task_at(scsi, task->request_next);
  if (next == NULL) {
    connection->request_last = task->request_previous;
  } else {
    next->request_previous = task->request_previous;
  }
  task->request_next = TASK_UNLINKED;
}

void connection_request(struct scsi* scsi, struct task* task) {
  if (!is_queued(task)) enqueue(scsi, task);
  if (scsi->connection.state == CONNECTION_WAITING && scsi->connection.task == task) {
    connection_proceed(scsi);
  } else {
    connection_kick(scsi);
  }
}

void connection_hurry(struct scsi* scsi, struct task* task) {
  if (!is_queued(task)) return;
  connection_dequeue(scsi, task);
  enqueue_between(scsi, task, NULL, task_at(scsi, scsi->connection.request_first));
}

void connection_forget(struct scsi* scsi, struct task* task) {
  connection_dequeue(scsi, task);
  if (scsi->connection.task == task) scsi->connection.task = NULL;
}

/// Nothing of a nexus moves while it owes a REQUEST SENSE (SCSI-2 7.6).
void connection_kick(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  if (connection->state != CONNECTION_FREE) return;
  if (connection->request_first == TASK_NONE || scsi_target_hal_connected()) return;
  struct task* task = task_at(scsi, connection->request_first);
  while (task != NULL && scsi->nexus[task->initiator].contingent_allegiance) {
    task = task_at(scsi, task->request_next);
  }
  if (task == NULL || scsi_target_hal_reset_waits()) return;
  connection->task = task;
  connection->state = CONNECTION_RESELECTING;
  scsi_target_hal_reselect(task->initiator);
  // RST in between: it still stands, and the block waits for it to go.
  if (scsi_target_hal_reset_waits()) scsi_target_hal_abort();
  alarm_set(&scsi->alarm, timer_hal_now() + SELECTION_TIMEOUT_TICKS);
}

/// Others first, then again; an initiator that stays away loses the task (SCSI-2 6.1.4.2).
void connection_reselect_failed(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  struct task* task = connection->task;
  connection->state = CONNECTION_FREE;
  connection->task = NULL;
  connection_dequeue(scsi, task);
  if (++task->reselect_failures >= CONNECTION_RETRIES) {
    task_abort(scsi, task);
  } else {
    enqueue(scsi, task);
  }
}
