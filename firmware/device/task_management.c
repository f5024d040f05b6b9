// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/task_management.h"

#define FILE_ID FILE_ID_TASK_MANAGEMENT
#include "firmware/device/device.h"
#include "firmware/device/mode_change.h"
#include "firmware/kernel/assert.h"
#include "firmware/transfer/host_events.h"
#include "firmware/transfer/service_tasks.h"

// ---- writes that were lost

// A lost write keeps its task's memory until it is reported to its initiator. It is in no list of
// the task set; `younger` links it to the next. `host_blocks_left` has a bit for each initiator
// whose SYNCHRONIZE CACHE has failed by it.

static struct task* task_at(struct device* device, uint16_t index) {
  return index == TASK_NONE ? NULL : &device->tasks->task[index];
}

static bool is_in_range(const struct task* task, uint32_t lba, uint32_t blocks) {
  const struct task range = {.lba = lba, .blocks = blocks, .operation = TASK_READ};
  return task_set_conflict(task, &range);
}

/// Fails SYNCHRONIZE CACHE tasks that wait for this write. Those that owe no status report nothing.
static void fail_synchronizations(struct device* device, struct task* lost) {
  for (struct task* task = task_set_oldest(device->tasks); task != NULL;
       task = task_set_younger(device->tasks, task)) {
    if (task->operation != TASK_SYNCHRONIZE || !is_in_range(lost, task->lba, task->blocks))
      continue;
    if ((task->flags & TASK_FLAG_SILENT) != 0 || task->sense != SENSE_NONE) continue;
    lost->host_blocks_left |= 1U << task->initiator;
    task_set_sense(task, lost->sense);
    task->sense_information = lost->sense_information;
  }
}

/// Fails reads that wait for this write to end. Its blocks from `lost_lba` on have older data,
/// which no host may take for its own.
static void fail_reads(struct device* device, const struct task* lost, uint32_t lost_lba) {
  const struct task tail = {
      .lba = lost_lba, .blocks = lost->lba + lost->blocks - lost_lba, .operation = TASK_WRITE};
  for (struct task* task = task_set_oldest(device->tasks); task != NULL;
       task = task_set_younger(device->tasks, task)) {
    const bool reads = task->operation == TASK_READ || task->operation == TASK_VERIFY;
    if (!reads || task->sense != SENSE_NONE || task->state > TASK_ENABLED) continue;
    if (!candidate_is_older(&lost->candidate, &task->candidate)) continue;
    if (!task_set_conflict(&tail, task)) continue;
    task_set_sense(task, (enum sense_code)lost->sense);
    task->sense_information = task->lba > lost_lba ? task->lba : lost_lba;
  }
}

static void append_lost(struct device* device, struct task* task) {
  struct nexus* nexus = &device->nexus[task->initiator];
  const uint16_t index = task_set_index(device->tasks, task);
  struct task* last = task_at(device, nexus->lost_last);
  task->younger = TASK_NONE;
  *(last == NULL ? &nexus->lost_first : &last->younger) = index;
  nexus->lost_last = index;
}

void task_defer_error(struct device* device, struct task* task, enum status status, uint32_t lba) {
  task_set_sense(task, sense_from_status(status));
  task->sense_information = lba;
  task->host_blocks_left = 0;
  fail_synchronizations(device, task);
  if (task->operation == TASK_WRITE && lba - task->lba < task->blocks)
    fail_reads(device, task, lba);
  service_tasks_ended(device->parts.service, task);
  task_set_retire(device->tasks, task);
  append_lost(device, task);
}

static struct sense sense_of_lost(const struct task* task) {
  return sense_at_lba((enum sense_code)task->sense, task->sense_information);
}

struct sense task_take_deferred(struct device* device, uint8_t initiator) {
  struct nexus* nexus = &device->nexus[initiator];
  if (nexus->unreported.code == SENSE_NONE && nexus->lost_first == TASK_NONE) {
    return sense_plain(SENSE_NONE);
  }
  const struct sense unreported = nexus->unreported;
  nexus->unreported = sense_plain(SENSE_NONE);
  if (unreported.code != SENSE_NONE) return unreported;
  struct task* task = task_at(device, nexus->lost_first);
  if (task == NULL) return sense_plain(SENSE_NONE);
  struct sense sense = sense_of_lost(task);
  sense.is_deferred = true;
  nexus->lost_first = task->younger;
  if (nexus->lost_first == TASK_NONE) nexus->lost_last = TASK_NONE;
  task_set_release(device->tasks, task);
  return sense;
}

struct sense task_find_lost(struct device* device, uint8_t initiator, uint32_t lba,
                            uint32_t blocks) {
  for (uint32_t owner = 0; owner < UNIT_INITIATORS; ++owner) {
    for (struct task* task = task_at(device, device->nexus[owner].lost_first); task != NULL;
         task = task_at(device, task->younger)) {
      const bool is_reported = (task->host_blocks_left >> initiator & 1U) != 0;
      if (is_reported || !is_in_range(task, lba, blocks)) continue;
      task->host_blocks_left |= 1U << initiator;
      return sense_of_lost(task);
    }
  }
  return sense_plain(SENSE_NONE);
}

// ---- ends

void task_end(struct device* device, struct task* task) {
  if (task == device->stopping) device->stopping = NULL;
  service_tasks_ended(device->parts.service, task);
  task_set_remove(device->tasks, task);
}

void task_abort(struct device* device, struct task* task) {
  host_task_gone(device->target, task);
  task_set_detach(device->tasks, task);
  if ((task->flags & TASK_FLAG_ABORTED) != 0 && task->state != TASK_ENDED) return;
  const bool done = task->state == TASK_ENDED;
  task->flags |= TASK_FLAG_ABORTED;
  if (done || service_tasks_abort(device->parts.service, task)) task_end(device, task);
}

/// Aborts the tasks of `initiator` (UNIT_INITIATORS: of all). Returns the set of initiators that
/// lost a task. The end of one task may end others. Then the walk begins again, and passes over
/// aborted tasks, which owe no status any more.
static uint16_t abort_where(struct device* device, uint8_t initiator, const struct task* except) {
  uint16_t losers = 0;
  struct task_set* set = device->tasks;
  struct task* task = task_set_oldest(set);
  while (task != NULL) {
    struct task* younger = task_set_younger(set, task);
    const bool is_meant = task != except && (task->flags & TASK_FLAG_SILENT) == 0 &&
                          (initiator == UNIT_INITIATORS || task->initiator == initiator);
    const uint32_t removals = set->removals;
    if (is_meant) {
      losers |= (uint16_t)(1U << task->initiator);
      task_abort(device, task);
    }
    // The task's own removal leaves the next one in place.
    task = set->removals - removals <= 1 ? younger : task_set_oldest(set);
  }
  return losers;
}

/// While many tasks are aborted, none of those that follow becomes enabled.
static uint16_t abort_suspended(struct device* device, uint8_t initiator,
                                const struct task* except) {
  const uint16_t before = device->tasks->suspended;
  const uint32_t whose = initiator == UNIT_INITIATORS ? 0xFFFFU : 1U << initiator;
  device->tasks->suspended = (uint16_t)(before | whose);
  const uint16_t losers = abort_where(device, initiator, except);
  device->tasks->suspended = before;
  task_set_open(device->tasks);
  return losers;
}

void task_abort_initiator(struct device* device, uint8_t initiator, const struct task* except) {
  (void)abort_suspended(device, initiator, except);
}

void task_clear_queue(struct device* device, uint8_t initiator, const struct task* except) {
  const uint16_t losers = abort_suspended(device, UNIT_INITIATORS, except);
  for (uint8_t other = 0; other < UNIT_INITIATORS; ++other) {
    if (other != initiator && (losers >> other & 1U) != 0) {
      nexus_raise_attention(&device->nexus[other], SENSE_CLEARED_BY_ANOTHER_INITIATOR);
    }
  }
}

/// An order with IMMED owes no status any more. A reset ends it all the same.
static void abort_order(struct device* device) {
  const struct task* order = device->unit.maintenance.task;
  if (order != NULL) task_abort(device, task_at(device, task_set_index(device->tasks, order)));
}

void task_hard_reset(struct device* device, enum sense_code code) {
  (void)abort_suspended(device, UNIT_INITIATORS, NULL);
  abort_order(device);
  host_reset(device->target);
  for (uint8_t initiator = 0; initiator < UNIT_INITIATORS; ++initiator) {
    nexus_init(&device->nexus[initiator]);
    nexus_raise_attention(&device->nexus[initiator], code);
    task_set_resume(device->tasks, initiator);
    duration_pages_init(&device->unit.durations[initiator]);
    duration_counts_clear(&device->unit.duration_counts[initiator]);
  }
  device->reserved_by = DEVICE_NOT_RESERVED;
  mode_change_forget(&device->change);
  mode_pages_reset(&device->unit.modes);
  host_modes_changed(device->target);
}

void task_check_condition(struct device* device, uint8_t initiator, const struct sense* sense,
                          const struct task* task) {
  struct nexus* nexus = &device->nexus[initiator];
  nexus->sense = *sense;
  nexus->contingent_allegiance = true;
  task_set_suspend(device->tasks, initiator);
  switch (mode_queue_error(&device->unit.modes)) {
    case MODE_QUEUE_ERROR_CONTINUE: break;
    case MODE_QUEUE_ERROR_ABORT_ALL: task_clear_queue(device, initiator, task); break;
    case MODE_QUEUE_ERROR_ABORT_INITIATOR: task_abort_initiator(device, initiator, task); break;
    case MODE_QUEUE_ERROR_RESERVED:
    default: ASSERT_UNREACHABLE();
  }
  service_tasks_suspended(device->parts.service);
}

void task_end_allegiance(struct device* device, uint8_t initiator) {
  struct nexus* nexus = &device->nexus[initiator];
  nexus->sense = sense_plain(SENSE_NONE);
  if (!nexus->contingent_allegiance) return;
  nexus->contingent_allegiance = false;
  task_set_resume(device->tasks, initiator);
  service_tasks_resumed(device->parts.service);
}
