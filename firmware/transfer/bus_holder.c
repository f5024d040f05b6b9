#define FILE_ID FILE_ID_BUS_HOLDER
#include "firmware/transfer/bus_holder.h"

#include "firmware/drive.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/transfer/host_side.h"

void bus_holder_set_patience(struct drive* drive, const struct task* served) {
  const bool is_safe = served != NULL && task_is_reported(served);
  drive->seek.has_patience = drive->service.holder == NULL || is_safe;
}

void bus_holder_set(struct drive* drive, struct task* task) {
  drive->service.holder = task;
  bus_holder_set_patience(drive, drive->service.current);
}

bool bus_holder_decides(const struct drive* drive) {
  const struct task* holder = drive->service.holder;
  return holder != NULL && holder->state < TASK_CHOSEN;
}

struct task* bus_holder_next(struct drive* drive) {
  struct task* holder = drive->service.holder;
  if (holder->state == TASK_ENABLED) return holder;
  return task_set_blocking_report(&drive->tasks, holder);
}

bool bus_holder_lets_resume(const struct drive* drive) {
  const struct task* suspended = drive->service.suspended;
  return suspended != NULL && (task_is_reported(suspended) || !bus_holder_decides(drive));
}

bool bus_holder_needs(const struct drive* drive, const struct task* task) {
  const struct task* holder = drive->service.holder;
  if (holder == NULL) return false;
  return task == holder || (task_is_reported(task) && bus_holder_decides(drive));
}

// ------------------------------------------------------------------------------------- turned away

static bool is_waited_for(const struct drive* drive) {
  return drive->service.room_until != 0 && timer_hal_now() < drive->service.room_until;
}

bool bus_holder_keeps_room(const struct drive* drive, const struct task* task) {
  return is_waited_for(drive) && !bus_holder_needs(drive, task);
}

void bus_holder_watch_room(struct drive* drive) {
  struct service* service = &drive->service;
  if (!is_waited_for(drive) || service->thinks_until != 0) return;
  alarm_set(&service->alarm, service->room_until);
}

struct task* bus_holder_obstacle(struct drive* drive) {
  if (!is_waited_for(drive)) return NULL;
  struct task_set* set = &drive->tasks;
  const struct task wanted = {
      .lba = drive->service.turned_away_lba,
      .blocks = drive->service.turned_away_blocks,
      .operation = drive->service.turned_away_writes ? TASK_WRITE : TASK_READ};
  for (struct task* task = task_set_oldest(set); task != NULL; task = task_set_younger(set, task)) {
    if (task->state == TASK_ENABLED && task_set_conflict(task, &wanted)) return task;
  }
  return NULL;
}

bool core_turns_away(const struct drive* drive) { return is_waited_for(drive); }

static void turn_away(struct drive* drive, const struct task* task) {
  struct service* service = &drive->service;
  service->room_until = timer_hal_now() + BUS_HOLDER_PATIENCE_TICKS;
  service->turned_away_lba = task->lba;
  service->turned_away_blocks = task->blocks;
  service->turned_away_writes = task->operation == TASK_WRITE;
}

// --------------------------------------------------------------------------------------- suspended

/// A run of reported data goes on without the bus; the spindle does, too.
static bool is_stuck(const struct drive* drive, const struct task* task) {
  return task != drive->service.holder && !task_is_reported(task) &&
         drive->media.state == MEDIA_WAITING;
}

/// Takes `current` from the media; what it has done stays done.
static void suspend(struct drive* drive) {
  struct service* service = &drive->service;
  ASSERT(service->suspended == NULL);
  service->suspended = service->current;
  service->current = NULL;
  const enum media_outcome outcome = media_abort(&drive->media);
  ASSERT(outcome == MEDIA_ENDED);  // No sector was under way.
  service->suspended_blocks = service->resumed_blocks + media_blocks_done(&drive->media);
  service->recovered = media_recovered(&drive->media, &service->recovered_lba);
}

void bus_holder_on_media(struct drive* drive) {
  struct service* service = &drive->service;
  if (!bus_holder_decides(drive) || service->current == NULL) return;
  if (!is_stuck(drive, service->current)) return;
  suspend(drive);
  service_kick(drive);
}

// ------------------------------------------------------------------ what firmware/scsi calls

/// @return whether the task will be served while it holds the bus.
static bool may_hold(struct drive* drive, struct task* task) {
  if (task->state >= TASK_CHOSEN) return true;
  return host_side_may_prepare(drive, task) && task_set_promote(&drive->tasks, task);
}

void core_let_bus_go(struct drive* drive) {
  if (drive->service.holder == NULL) return;
  bus_holder_set(drive, NULL);
  service_kick(drive);
}

/// What it waits for may be seconds away.
static bool needs_speed(const struct task* task) { return task->state < TASK_TRANSFERRING; }

/// The spindle and a format take long, and the bus is there for all. What else is a barrier is done
/// soon, and is not to be repeated.
static bool takes_long(const struct drive* drive, const struct task* task) {
  if (!task_is_barrier(task->operation)) return false;
  return task->operation != TASK_MAINTENANCE || drive->scsi.maintenance.kind == MAINTENANCE_FORMAT;
}

enum core_hold core_hold_bus(struct drive* drive, struct task* task) {
  struct service* service = &drive->service;
  const bool is_next = task == service->current || task->state == TASK_ENABLED;
  if (takes_long(drive, task) && is_next) return CORE_HOLD_GOES_ON;
  if (service->holder == task) return CORE_HOLD_SERVED;
  if (drive->seek.spindle == SPINDLE_REGAINING && needs_speed(task)) {
    turn_away(drive, task);
    return CORE_HOLD_TURNED_AWAY;
  }
  // Before anything else: what is enabled now may begin at once.
  ASSERT(service->holder == NULL);
  bus_holder_set(drive, task);
  if (!may_hold(drive, task)) {
    bus_holder_set(drive, NULL);
    turn_away(drive, task);
    return CORE_HOLD_TURNED_AWAY;
  }
  service->room_until = 0;
  bus_holder_on_media(drive);
  service_kick(drive);
  return CORE_HOLD_SERVED;
}
