// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/bus_holder.h"

#include "firmware/hal/timer_hal.h"

void bus_holder_init(struct bus_holder* bus, struct task_set* tasks, struct seek* seek) {
  *bus = (struct bus_holder){.tasks = tasks, .seek = seek};
}

void bus_holder_set_patience(struct bus_holder* bus, const struct task* served) {
  const bool is_safe = served != NULL && task_is_reported(served);
  bus->seek->has_patience = bus->task == NULL || is_safe;
}

void bus_holder_set(struct bus_holder* bus, struct task* task, const struct task* served) {
  bus->task = task;
  bus_holder_set_patience(bus, served);
}

struct task* bus_holder_next(struct bus_holder* bus) {
  if (bus->task->state == TASK_ENABLED) return bus->task;
  return task_set_blocking_report(bus->tasks, bus->task);
}

bool bus_holder_needs(const struct bus_holder* bus, const struct task* task) {
  if (bus->task == NULL) return false;
  return task == bus->task || (task_is_reported(task) && bus_holder_decides(bus));
}

// ------------------------------------------------------------------------------------- turned away

void bus_holder_turn_away(struct bus_holder* bus, const struct task* task) {
  bus->room_until = timer_hal_now() + BUS_HOLDER_PATIENCE_TICKS;
  bus->turned_away_lba = task->lba;
  bus->turned_away_blocks = task->blocks;
  bus->turned_away_writes = task->operation == TASK_WRITE;
}

bool bus_holder_is_waited_for(const struct bus_holder* bus) {
  return bus->room_until != 0 && timer_hal_now() < bus->room_until;
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
