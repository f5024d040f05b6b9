// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/scsi.h"

#define FILE_ID FILE_ID_SCSI
#include "firmware/events.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"
#include "firmware/scsi/connection.h"
#include "firmware/scsi/connection_queue.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/scsi/task_management.h"

STATIC_ASSERT(TASK_SET_INITIATORS == SCSI_INITIATORS, "one row per id");
STATIC_ASSERT(SENSE_CODE_COUNT <= TASK_SENSE_CODES_MAX, "a task's sense fits");

void scsi_init(struct scsi* scsi, const struct scsi_config* config, struct task_set* tasks,
               struct alarms* alarms, struct drive* drive) {
  scsi->drive = drive;
  scsi->config = config;
  scsi->tasks = tasks;
  alarm_add(alarms, &scsi->alarm);
  scsi->not_ready = SENSE_START_REQUIRED;
  scsi->stopping = NULL;
  scsi->defect_cursor = (struct defect_cursor){0, 0, 0};
  scsi->reserved_by = SCSI_NOT_RESERVED;
  scsi->is_corrupt = false;
  scsi->maintenance.task = NULL;
  for (uint32_t i = 0; i < SCSI_INITIATORS; ++i) {
    nexus_init(&scsi->nexus[i]);
    scsi->nexus[i].lost_first = scsi->nexus[i].lost_last = TASK_NONE;
    nexus_raise_attention(&scsi->nexus[i], SENSE_POWER_ON_OR_RESET);
    duration_pages_init(&scsi->durations[i]);
    duration_counts_clear(&scsi->duration_counts[i]);
  }
  mode_pages_init(&scsi->modes, config);
  connection_init(&scsi->connection);
  scsi_follow_modes(scsi);
  scsi_target_hal_enable(config->own_id);
}

RARE static void on_bus_reset(struct scsi* scsi, uint32_t events) {
  trace_port_hal_event(TRACE_BUS_RESET, 0);
  connection_bus_reset(scsi);
  task_hard_reset(scsi, SENSE_BUS_RESET);
  connection_init(&scsi->connection);
  // Nothing from before the reset remains. A selection counts if it is still asserted.
  connection_on_events(scsi, events & (scsi_target_hal_connected() ? SCSI_EVENT_SELECTED : 0U));
}

void scsi_on_events(struct scsi* scsi, uint32_t events) {
  if ((events & SCSI_EVENT_BUS_RESET) == 0) {
    connection_on_events(scsi, events);
  } else {
    on_bus_reset(scsi, events);
  }
}

void scsi_on_alarm(struct scsi* scsi) { connection_on_alarm(scsi); }

void scsi_task_grant(struct scsi* scsi, struct task* task, uint32_t blocks) {
  if ((task->flags & TASK_FLAG_ABORTED) != 0) return;
  ASSERT(blocks <= task->host_blocks_left - task->host_blocks_granted);
  task->host_blocks_granted += blocks;
  if (blocks > 0) connection_request(scsi, task);
}

void scsi_task_prioritize(struct scsi* scsi, struct task* task) {
  connection_prioritize(scsi, task);
}

/// Whether the failure of a task that owes no status must be reported.
static bool needs_report(const struct task* task) {
  if (task_is_reported(task)) return true;
  return task->operation == TASK_MAINTENANCE && (task->flags & TASK_FLAG_ABORTED) == 0;
}

static void finish(struct scsi* scsi, struct task* task, enum status status, uint32_t lba,
                   bool moves_granted) {
  ASSERT(task->state != TASK_FREE && task->state != TASK_ENDED);
  task->state = TASK_ENDED;
  if ((task->flags & TASK_FLAG_SILENT) != 0) {
    if (!status_is_done(status) && needs_report(task)) {
      task_defer_error(scsi, task, status, lba);
    } else {
      task_end(scsi, task);
    }
    return;
  }
  if (task->sense == SENSE_NONE && status != STATUS_OK) {
    task_set_sense(task, sense_from_status(status));
    task->sense_information = lba;
  }
  if (task->sense != SENSE_NONE && !moves_granted) {
    task->host_blocks_granted = 0;
    connection_stop_data(scsi, task);
  }
  connection_request(scsi, task);
}

void scsi_task_finish(struct scsi* scsi, struct task* task, enum status status, uint32_t lba) {
  const bool moves_granted = task->sense == SENSE_NONE && status_is_done(status);
  finish(scsi, task, status, lba, moves_granted);
}

void scsi_task_finish_behind(struct scsi* scsi, struct task* task, enum status status,
                             uint32_t lba) {
  finish(scsi, task, status, lba, task->sense == SENSE_NONE);
}

/// The task's status is being sent, or is the next phase.
static bool is_concluded(const struct scsi* scsi, const struct task* task) {
  const struct connection* connection = &scsi->connection;
  return connection->task == task && connection->state != CONNECTION_RESELECTING &&
         connection->state != CONNECTION_PREPARING &&
         (connection->step == STEP_STATUS || connection->step == STEP_COMPLETE);
}

bool scsi_is_completing(const struct scsi* scsi) {
  const struct connection* connection = &scsi->connection;
  return connection->state != CONNECTION_FREE &&
         (connection->step == STEP_STATUS || connection->step == STEP_COMPLETE);
}

RARE bool scsi_task_expire(struct scsi* scsi, struct task* task, enum status why) {
  const uint32_t over = TASK_FLAG_SILENT | TASK_FLAG_ABORTED;
  if ((task->flags & over) != 0 || task->sense != SENSE_NONE || is_concluded(scsi, task)) {
    return false;
  }
  task_set_sense(task, sense_from_status(why));
  task->flags |= TASK_FLAG_ABORTED;
  task->host_blocks_granted = 0;
  connection_stop_data(scsi, task);
  if (task->state != TASK_ENDED) {
    // A sector is under way: scsi_task_finish() follows.
    if (!core_task_abort(scsi->drive, task)) return true;
    task_set_end(scsi->tasks, task);
  }
  connection_request(scsi, task);
  return true;
}

void scsi_task_fail_not_ready(struct scsi* scsi, struct task* task) {
  task_set_sense(task, scsi->not_ready);
  task->sense_information = task->lba;
  scsi_task_finish(scsi, task, STATUS_NOT_READY, task->lba);
}
