// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/bus_holder.h"

#include "firmware/hal/timer_hal.h"

#define FILE_ID FILE_ID_BUS_HOLDER
#include "firmware/kernel/assert.h"

void bus_holder_init(struct bus_holder* bus, struct task_set* tasks, struct seek* seek,
                     struct bus_holder_suspended* suspended) {
  *bus = (struct bus_holder){.tasks = tasks, .seek = seek, .suspended = suspended};
}

void bus_holder_set_patience(struct bus_holder* bus, const struct task* served) {
  const bool is_safe = served != NULL && task_is_reported(served);
  bus->seek->has_patience = bus->task == NULL || is_safe;
}

static void set(struct bus_holder* bus, struct task* task, const struct task* served) {
  bus->task = task;
  bus_holder_set_patience(bus, served);
}

void bus_holder_release(struct bus_holder* bus, const struct task* served) {
  set(bus, NULL, served);
}

static enum bus_hold turn_away(struct bus_holder* bus, const struct task* task) {
  bus->room_is_kept = true;
  bus->room_until = timer_hal_now() + BUS_HOLDER_PATIENCE_TICKS;
  bus->turned_away_lba = task->lba;
  bus->turned_away_blocks = task->blocks;
  bus->turned_away_writes = task->operation == TASK_WRITE;
  return BUS_HOLD_TURNED_AWAY;
}

/// Whether the task needs the spindle at speed, which may take seconds.
static bool needs_speed(const struct task* task) { return task->state < TASK_TRANSFERRING; }

enum bus_hold bus_holder_take(struct bus_holder* bus, struct task* task, const struct task* served,
                              bool has_room) {
  if (bus->task == task) return BUS_HOLD_SERVED;
  // An aborted task ends by itself, perhaps once its initiator has gone and another holds the bus.
  if ((task->flags & TASK_FLAG_ABORTED) != 0) return BUS_HOLD_SERVED;
  if (bus->seek->spindle == SPINDLE_REGAINING && needs_speed(task)) return turn_away(bus, task);
  // The holder is set first, because a task that becomes enabled below may begin at once.
  ASSERT(bus->task == NULL);
  set(bus, task, served);
  const bool is_served =
      task->state >= TASK_CHOSEN || (has_room && task_set_promote(bus->tasks, task));
  if (!is_served) {
    set(bus, NULL, served);
    return turn_away(bus, task);
  }
  bus->room_is_kept = false;
  return BUS_HOLD_SERVED;
}

bool bus_holder_may_begin_data(const struct bus_holder* bus, const struct task* task,
                               bool brings_all) {
  if (brings_all || task->state >= TASK_CHOSEN) return true;
  return task_set_may_promote(bus->tasks, task);
}

struct task* bus_holder_next(struct bus_holder* bus) {
  if (bus->task->state == TASK_ENABLED) return bus->task;
  return task_set_blocking_report(bus->tasks, bus->task);
}

bool bus_holder_needs(const struct bus_holder* bus, const struct task* task) {
  if (bus->task == NULL) return false;
  return task == bus->task || (task_is_reported(task) && bus_holder_decides(bus));
}

// --------------------------------------------------------------------------------------- suspended

/// `suspended_count` for a task that is not suspended.
static uint32_t find_suspended(const struct bus_holder* bus, const struct task* task) {
  uint32_t index = 0;
  while (index < bus->suspended_count && bus->suspended[index].task != task) ++index;
  return index;
}

void bus_holder_suspend(struct bus_holder* bus, const struct bus_holder_suspended* suspended) {
  ASSERT(bus->suspended_count < BUS_HOLDER_SUSPENDED_MAX);
  bus->suspended[bus->suspended_count++] = *suspended;
}

uint32_t bus_holder_find_resumable(const struct bus_holder* bus) {
  if (bus->suspended_count == 0) return BUS_HOLDER_SUSPENDED_MAX;
  const uint32_t holder = find_suspended(bus, bus->task);
  if (holder < bus->suspended_count) return holder;
  for (uint32_t i = 0; i < bus->suspended_count; ++i) {
    const struct task* task = bus->suspended[i].task;
    const bool is_held_up = bus_holder_decides(bus) || task_set_suspends(bus->tasks, task);
    if (task_is_reported(task) || !is_held_up) return i;
  }
  return BUS_HOLDER_SUSPENDED_MAX;
}

struct bus_holder_suspended bus_holder_resume(struct bus_holder* bus, uint32_t index) {
  ASSERT(index < bus->suspended_count);
  const struct bus_holder_suspended resumed = bus->suspended[index];
  --bus->suspended_count;
  for (uint32_t i = index; i < bus->suspended_count; ++i) bus->suspended[i] = bus->suspended[i + 1];
  return resumed;
}

bool bus_holder_suspends(const struct bus_holder* bus, const struct task* task) {
  return find_suspended(bus, task) < bus->suspended_count;
}

void bus_holder_forget(struct bus_holder* bus, const struct task* task) {
  const uint32_t index = find_suspended(bus, task);
  if (index < bus->suspended_count) (void)bus_holder_resume(bus, index);
}

// ------------------------------------------------------------------------------------- turned away

bool bus_holder_is_waited_for(const struct bus_holder* bus) {
  return bus->room_is_kept && timer_hal_now() < bus->room_until;
}

bool bus_holder_keeps_room(const struct bus_holder* bus, const struct task* task) {
  return bus_holder_is_waited_for(bus) && !bus_holder_needs(bus, task);
}

struct task* bus_holder_obstacle(struct bus_holder* bus) {
  if (!bus_holder_is_waited_for(bus)) return NULL;
  struct task_set* set = bus->tasks;
  const struct task wanted = {.lba = bus->turned_away_lba,
                              .blocks = bus->turned_away_blocks,
                              .operation = bus->turned_away_writes ? TASK_WRITE : TASK_READ};
  for (struct task* task = task_set_oldest(set); task != NULL; task = task_set_younger(set, task)) {
    if (task->state == TASK_ENABLED && task_set_conflict(task, &wanted)) return task;
  }
  return NULL;
}
