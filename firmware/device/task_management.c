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

bool task_purges(const struct device* device, uint8_t initiator) {
  return (device->purge.whose >> initiator & 1U) != 0;
}

/// Whether the task is to be aborted with many others.
static bool is_doomed(const struct device* device, const struct task* task) {
  return task_purges(device, task->initiator) && task != device->purge.except &&
         (task->flags & TASK_FLAG_SILENT) == 0;
}

/// Fails SYNCHRONIZE CACHE tasks that wait for this write. Those that owe no status report nothing.
static void fail_synchronizations(struct device* device, struct task* lost) {
  for (struct task* task = task_set_oldest(device->tasks); task != NULL;
       task = task_set_younger(device->tasks, task)) {
    if (task->operation != TASK_SYNCHRONIZE || !is_in_range(lost, task->lba, task->blocks))
      continue;
    const bool reports = (task->flags & TASK_FLAG_SILENT) == 0 && !is_doomed(device, task);
    if (!reports || task->sense != SENSE_NONE) continue;
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

// ---- many at once

#define ALL_INITIATORS 0xFFFFU

/// Units of work of some 20 cycles: the most in a slice, for each task that is aborted, and for
/// each that stays.
#define SLICE_WORK 600U
#define ABORT_WORK 25U
#define SKIP_WORK 1U

/// The number of tasks that are still to be aborted.
static uint32_t count_doomed(const struct device* device) {
  uint32_t count = 0;
  for (uint8_t initiator = 0; initiator < UNIT_INITIATORS; ++initiator) {
    if (task_purges(device, initiator)) count += task_set_live_of(device->tasks, initiator);
  }
  const struct task* except = device->purge.except;
  const bool stays = except != NULL && (except->flags & TASK_FLAG_SILENT) == 0 &&
                     task_purges(device, except->initiator);
  return count - (stays ? 1U : 0U);
}

/// Aborts the youngest tasks first. So the one at the media keeps the arm until the others are
/// gone. The end of one task may end others: then the walk begins again, and passes over aborted
/// tasks, which owe no status any more.
/// @return whether all tasks are aborted.
static bool purge_slice(struct device* device) {
  struct task_set* set = device->tasks;
  struct purge* purge = &device->purge;
  struct task* task = purge->removals == set->removals ? purge->next : NULL;
  uint32_t left = count_doomed(device);
  for (uint32_t work = 0; left > 0 && work < SLICE_WORK;) {
    if (task == NULL) task = task_set_youngest(set);
    ASSERT(task != NULL);
    struct task* older = task_set_older(set, task);
    const bool dooms = is_doomed(device, task);
    work += dooms ? ABORT_WORK : SKIP_WORK;
    const uint32_t removals = set->removals;
    if (dooms) task_abort(device, task);
    if (set->removals - removals > 1U) {
      task = NULL;
      left = count_doomed(device);
    } else {  // The task's own removal leaves the next one in place.
      task = older;
      if (dooms) --left;
    }
  }
  purge->next = task;
  purge->removals = set->removals;
  return left == 0;
}

/// Sets which nexuses may not be reselected, and whose tasks may not be enabled.
static void hold_nexuses(struct device* device) {
  uint32_t suspended = device->purge.whose;
  for (uint8_t initiator = 0; initiator < UNIT_INITIATORS; ++initiator) {
    struct nexus* nexus = &device->nexus[initiator];
    if (nexus->contingent_allegiance) suspended |= 1U << initiator;
    nexus->is_held = nexus->contingent_allegiance || task_purges(device, initiator);
  }
  device->tasks->suspended = (uint16_t)suspended;
}

static void clear_duration_counts(struct device* device) {
  for (uint8_t initiator = 0; initiator < UNIT_INITIATORS; ++initiator) {
    duration_counts_clear(&device->unit.duration_counts[initiator]);
  }
}

static bool go_on(struct device* device) {
  if (!purge_slice(device)) return false;
  if (device->purge.resets) clear_duration_counts(device);
  device->purge = (struct purge){0};
  task_set_reopen(device->tasks);
  hold_nexuses(device);
  task_set_open(device->tasks);
  service_tasks_purge_ended(device->parts.service);
  return true;
}

bool task_purge_step(struct device* device) {
  device->purge.except = NULL;  // Its status had been sent, and its task has ended.
  return go_on(device);
}

/// Begins to abort the tasks of these initiators. @return the initiators that lose a task.
static uint16_t begin_purge(struct device* device, uint32_t whose, const struct task* except) {
  struct purge* purge = &device->purge;
  const uint32_t more = whose & ~(uint32_t)purge->whose;
  uint32_t losers = 0;
  for (uint8_t initiator = 0; initiator < UNIT_INITIATORS; ++initiator) {
    const bool has_any = task_set_live_of(device->tasks, initiator) > 0;
    if ((more >> initiator & 1U) != 0 && has_any) losers |= 1U << initiator;
  }
  purge->whose |= (uint16_t)whose;
  purge->except = except;
  purge->next = NULL;
  task_set_close(device->tasks);
  service_tasks_purge_begins(device->parts.service);
  hold_nexuses(device);
  (void)go_on(device);
  return (uint16_t)losers;
}

void task_abort_initiator(struct device* device, uint8_t initiator, const struct task* except) {
  (void)begin_purge(device, 1U << initiator, except);
}

void task_clear_queue(struct device* device, uint8_t initiator, const struct task* except) {
  const uint16_t losers = begin_purge(device, ALL_INITIATORS, except);
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
  (void)begin_purge(device, ALL_INITIATORS, NULL);
  device->purge.resets = device->purge.whose != 0;
  abort_order(device);
  host_reset(device->target);
  for (uint8_t initiator = 0; initiator < UNIT_INITIATORS; ++initiator) {
    nexus_init(&device->nexus[initiator]);
    nexus_raise_attention(&device->nexus[initiator], code);
    duration_pages_init(&device->unit.durations[initiator]);
  }
  clear_duration_counts(device);
  hold_nexuses(device);
  if (!task_set_is_closed(device->tasks)) task_set_open(device->tasks);
  device->reserved_by = DEVICE_NOT_RESERVED;
  mode_change_forget(&device->change);
  mode_pages_reset(&device->unit.modes);
  host_modes_changed(device->target);
}

void task_check_condition(struct device* device, uint8_t initiator, const struct sense* sense,
                          const struct task* task) {
  struct nexus* nexus = &device->nexus[initiator];
  nexus->sense = *sense;
  nexus->contingent_allegiance = nexus->is_held = true;
  switch (mode_queue_error(&device->unit.modes)) {
    case MODE_QUEUE_ERROR_CONTINUE:
      // Those that are being aborted are held already.
      if (!task_purges(device, initiator)) task_set_suspend(device->tasks, initiator);
      break;
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
  if (task_purges(device, initiator)) return;
  nexus->is_held = false;
  task_set_resume(device->tasks, initiator);
  service_tasks_resumed(device->parts.service);
}
