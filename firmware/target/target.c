// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/target.h"

#define FILE_ID FILE_ID_TARGET
#include "firmware/device/task_management.h"
#include "firmware/events.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"
#include "firmware/target/connection.h"
#include "firmware/target/connection_queue.h"
#include "firmware/transfer/host_events.h"
#include "firmware/transfer/host_side.h"
#include "firmware/transfer/service_tasks.h"

/// Takes over the mode parameters that this layer itself follows.
static void follow_modes(struct target* target) {
  const struct mode_pages* modes = &target->device.unit.modes;
  device_restrict_reordering(&target->device);
  mode_pages_controller_stages(modes, &target->stages);
  mode_pages_tenancy(modes, &target->limits);
  // One look for both at each reselection.
  if (target->limits.any) target->stages.any = true;
  target->connection.limited = target->limits.any;
}

void target_init(struct target* target, const struct unit_config* config,
                 const struct agreement_limits* bus, struct task_set* tasks,
                 struct alarms* alarms) {
  target->tasks = tasks;
  target->bus = *bus;
  alarm_add(alarms, &target->alarm);
  device_init(&target->device, target, config, tasks);
  host_reset(target);
  connection_init(&target->connection);
  scsi_target_hal_enable(config->own_id);
}

RARE static void on_bus_reset(struct target* target, uint32_t events) {
  trace_port_hal_event(TRACE_BUS_RESET, 0);
  connection_bus_reset(target);
  task_hard_reset(&target->device, SENSE_BUS_RESET);
  connection_reset(&target->connection);
  // Nothing from before the reset remains. A selection counts if it is still asserted.
  connection_on_events(target, events & (scsi_target_hal_connected() ? SCSI_EVENT_SELECTED : 0U));
}

void target_on_events(struct target* target, uint32_t events) {
  if ((events & SCSI_EVENT_BUS_RESET) == 0) {
    connection_on_events(target, events);
  } else {
    on_bus_reset(target, events);
  }
}

RARE void target_purge(struct target* target) {
  if (task_purge_step(&target->device)) connection_dispatch(target);
}

void target_on_alarm(struct target* target) { connection_on_alarm(target); }

/// The task's status is being sent, or is the next phase.
static bool is_concluded(const struct target* target, const struct task* task) {
  const struct connection* connection = &target->connection;
  return connection->task == task && connection->state != CONNECTION_RESELECTING &&
         connection->state != CONNECTION_PREPARING &&
         (connection->step == STEP_STATUS || connection->step == STEP_COMPLETE);
}

bool target_is_completing(const struct target* target) {
  const struct connection* connection = &target->connection;
  return connection->state != CONNECTION_FREE &&
         (connection->step == STEP_STATUS || connection->step == STEP_COMPLETE);
}

// ------------------------------------------------------------------------------------- host_events

void host_task_granted(struct target* target, struct task* task, uint32_t blocks) {
  if ((task->flags & TASK_FLAG_ABORTED) != 0) return;
  ASSERT(blocks <= task->host_blocks_left - task->host_blocks_granted);
  task->host_blocks_granted += blocks;
  if (blocks > 0) connection_request(target, task);
}

void host_task_prioritized(struct target* target, struct task* task) {
  connection_prioritize(target, task);
}

/// Whether the failure of a task that owes no status must be reported.
static bool needs_report(const struct task* task) {
  if (task_is_reported(task)) return true;
  return task->operation == TASK_MAINTENANCE && (task->flags & TASK_FLAG_ABORTED) == 0;
}

static void finish(struct target* target, struct task* task, enum status status, uint32_t lba,
                   bool moves_granted) {
  ASSERT(task->state != TASK_FREE && task->state != TASK_ENDED);
  task->state = TASK_ENDED;
  if ((task->flags & TASK_FLAG_SILENT) != 0) {
    if (!status_is_done(status) && needs_report(task)) {
      task_defer_error(&target->device, task, status, lba);
    } else {
      task_end(&target->device, task);
    }
    return;
  }
  if (task->sense == SENSE_NONE && status != STATUS_OK) {
    task_set_sense(task, sense_from_status(status));
    task->sense_information = lba;
  }
  if (task->sense != SENSE_NONE && !moves_granted) {
    task->host_blocks_granted = 0;
    connection_stop_data(target, task);
  }
  connection_request(target, task);
}

void host_task_finished(struct target* target, struct task* task, enum status status,
                        uint32_t lba) {
  const bool moves_granted = task->sense == SENSE_NONE && status_is_done(status);
  finish(target, task, status, lba, moves_granted);
}

void host_task_failed(struct target* target, struct task* task, enum status status, uint32_t lba) {
  finish(target, task, status, lba, task->sense == SENSE_NONE);
}

RARE bool host_task_expired(struct target* target, struct task* task, enum status why) {
  const uint32_t over = TASK_FLAG_SILENT | TASK_FLAG_ABORTED;
  if ((task->flags & over) != 0 || task->sense != SENSE_NONE || is_concluded(target, task)) {
    return false;
  }
  task_set_sense(task, sense_from_status(why));
  task->flags |= TASK_FLAG_ABORTED;
  task->host_blocks_granted = 0;
  connection_stop_data(target, task);
  if (task->state != TASK_ENDED) {
    // A sector is under way: host_task_finished() follows.
    if (!service_tasks_abort(target->parts.service, task)) return true;
    task_set_end(target->tasks, task);
  }
  connection_request(target, task);
  return true;
}

void host_medium_ready(struct target* target, enum sense_code not_ready) {
  ASSERT(not_ready == SENSE_NONE || sense_key_of(not_ready) == SENSE_KEY_NOT_READY);
  target->device.unit.not_ready = (uint8_t)not_ready;
}

void host_medium_changed(struct target* target, uint8_t initiator) {
  device_report_medium_changed(&target->device, initiator);
}

void host_medium_corrupt(struct target* target, bool is_corrupt) {
  target->device.unit.is_corrupt = is_corrupt;
}

void host_modes_changed(struct target* target) {
  follow_modes(target);
  modes_apply(&target->device.unit.modes, &target->parts.modes_users);
  target->parts.host_side->dtdc = target->limits.dtdc;
}

void host_task_gone(struct target* target, struct task* task) { connection_forget(target, task); }

void host_reset(struct target* target) {
  for (uint32_t i = 0; i < UNIT_INITIATORS; ++i) agreement_forget(&target->agreement[i]);
}
