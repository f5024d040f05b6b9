#include "firmware/scsi/task_management.h"

#define FILE_ID (FILE_ID_SCSI_FIRST + 2)
#include "firmware/events.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/scsi/scsi.h"
#include "firmware/scsi/scsi_core.h"

void task_defer_error(struct scsi* scsi, const struct task* task, enum status status,
                      uint32_t lba) {
  struct nexus* nexus = &scsi->nexus[task->initiator];
  const bool is_told = task->operation == TASK_WRITE || task->operation == TASK_MAINTENANCE;
  if (!is_told || (task->flags & TASK_FLAG_ABORTED) != 0) return;
  if (nexus->deferred.code != SENSE_NONE) return;
  nexus->deferred = sense_at_lba(sense_from_status(status), lba);
  nexus->deferred.is_deferred = true;
}

void task_end(struct scsi* scsi, struct task* task) {
  core_task_ended(scsi->drive, task);
  task_set_remove(&scsi->tasks, task);
}

void task_abort(struct scsi* scsi, struct task* task) {
  connection_forget(scsi, task);
  task_set_detach(&scsi->tasks, task);
  if ((task->flags & TASK_FLAG_ABORTED) != 0 && task->state != TASK_ENDED) return;
  const bool done = task->state == TASK_ENDED;
  task->flags |= TASK_FLAG_ABORTED;
  if (done || core_task_abort(scsi->drive, task)) task_end(scsi, task);
}

/// Aborts what `initiator` (SCSI_INITIATORS: anybody) has. The set of initiators that lost a task
/// is returned. Removing one task frees only that one: the next is known before.
static uint16_t abort_where(struct scsi* scsi, uint8_t initiator, const struct task* except) {
  uint16_t losers = 0;
  struct task* younger = NULL;
  for (struct task* task = task_set_oldest(&scsi->tasks); task != NULL; task = younger) {
    younger = task_set_younger(&scsi->tasks, task);
    if (task == except || (task->flags & TASK_FLAG_SILENT) != 0) continue;
    if (initiator != SCSI_INITIATORS && task->initiator != initiator) continue;
    losers |= (uint16_t)(1U << task->initiator);
    task_abort(scsi, task);
  }
  return losers;
}

/// While many tasks go, none of those that are about to go becomes enabled.
static uint16_t abort_suspended(struct scsi* scsi, uint8_t initiator, const struct task* except) {
  const uint16_t before = scsi->tasks.suspended;
  const uint32_t whose = initiator == SCSI_INITIATORS ? 0xFFFFU : 1U << initiator;
  scsi->tasks.suspended = (uint16_t)(before | whose);
  const uint16_t losers = abort_where(scsi, initiator, except);
  scsi->tasks.suspended = before;
  task_set_open(&scsi->tasks);
  return losers;
}

void task_abort_initiator(struct scsi* scsi, uint8_t initiator, const struct task* except) {
  (void)abort_suspended(scsi, initiator, except);
}

void task_clear_queue(struct scsi* scsi, uint8_t initiator, const struct task* except) {
  const uint16_t losers = abort_suspended(scsi, SCSI_INITIATORS, except);
  for (uint8_t other = 0; other < SCSI_INITIATORS; ++other) {
    if (other != initiator && (losers >> other & 1U) != 0) {
      nexus_raise_attention(&scsi->nexus[other], SENSE_CLEARED_BY_ANOTHER_INITIATOR);
    }
  }
}

void task_hard_reset(struct scsi* scsi, enum sense_code code) {
  (void)abort_suspended(scsi, SCSI_INITIATORS, NULL);
  core_hard_reset(scsi->drive);
  for (uint8_t initiator = 0; initiator < SCSI_INITIATORS; ++initiator) {
    nexus_init(&scsi->nexus[initiator]);
    nexus_raise_attention(&scsi->nexus[initiator], code);
    task_set_resume(&scsi->tasks, initiator);
  }
  scsi->reserved_by = SCSI_NOT_RESERVED;
  mode_pages_reset(&scsi->modes);
  scsi_apply_modes(scsi);
}

void task_check_condition(struct scsi* scsi, uint8_t initiator, const struct sense* sense,
                          const struct task* task) {
  struct nexus* nexus = &scsi->nexus[initiator];
  nexus->sense = *sense;
  nexus->contingent_allegiance = true;
  trace_port_hal_event(TRACE_SENSE_SET, sense_number((enum sense_code)sense->code));
  task_set_suspend(&scsi->tasks, initiator);
  switch (mode_queue_error(&scsi->modes)) {
    case MODE_QUEUE_ERROR_CONTINUE: break;
    case MODE_QUEUE_ERROR_ABORT_ALL: task_clear_queue(scsi, initiator, task); break;
    case MODE_QUEUE_ERROR_ABORT_INITIATOR: task_abort_initiator(scsi, initiator, task); break;
    case MODE_QUEUE_ERROR_RESERVED:
    default: ASSERT_UNREACHABLE();
  }
}

void task_end_allegiance(struct scsi* scsi, uint8_t initiator) {
  struct nexus* nexus = &scsi->nexus[initiator];
  if (!nexus->contingent_allegiance) return;
  nexus->contingent_allegiance = false;
  nexus->sense = sense_plain(SENSE_NONE);
  task_set_resume(&scsi->tasks, initiator);
}
