// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_SERVICE_TASKS
#include "firmware/transfer/service_tasks.h"

#include "firmware/hal/timer_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"
#include "firmware/transfer/arm.h"
#include "firmware/transfer/write_frames.h"

// ---------------------------------------------------------------------------------------- arrival

/// Whether the cache serves the command: a read that hits, or a write reported from the buffer.
static bool is_hit(struct service* service, const struct task* task) {
  struct cache_segment* segment = NULL;
  return task->operation == TASK_WRITE ? cache_reports(service->cache, task)
                                       : cache_find(service->cache, task, &segment) != CACHE_MISS;
}

/// Whether the controller treats it as a separate write: it comes after a write, but does not
/// continue that write's blocks. With MODE_CONTROLLER_FAR_IN_SEQUENCE it may.
static bool is_far_write(const struct service* service, const struct task* task, bool hit) {
  if (task->operation != TASK_WRITE || service->controller.far_write_ticks == 0) return false;
  const bool apart = task->lba != service->write_end || service->controller.far_in_sequence;
  return service->wrote_last && !hit && apart;
}

/// Whether a reported write begins on another track than that where the last write ended. It then
/// has the time of one after a read (controller_row()).
static bool leaves_the_track(const struct service* service, const struct task* task) {
  struct candidate last;
  const enum status placed =
      predictor_place(service->predictor, service->write_end - 1U, 1, true, &last);
  return placed != STATUS_OK || last.cylinder != task->candidate.cylinder ||
         last.head != task->candidate.head;
}

/// The row of the controller's time for this command.
static uint32_t row_of(const struct service* service, const struct task* task, bool hit) {
  const bool is_write = task->operation == TASK_WRITE;
  const uint32_t row = controller_row(is_write, service->wrote_last, hit);
  const uint32_t behind_read = controller_row(is_write, false, hit);
  const bool differs = service->controller.ticks[row] != service->controller.ticks[behind_read];
  return is_write && hit && differs && leaves_the_track(service, task) ? behind_read : row;
}

/// Adds the controller's time for this command. It counts from the receipt, or from the end of the
/// time for the command before it.
static void add_controller_time(struct service* service, struct task* task, time_tick received) {
  if (!service->controller.takes_time) return;
  *service->busy_undo = (struct service_busy_undo){.task = task,
                                                   .until = service->controller_busy_until,
                                                   .write_end = service->write_end,
                                                   .wrote_last = service->wrote_last};
  const bool is_write = task->operation == TASK_WRITE;
  const bool hit = is_hit(service, task);
  uint32_t ticks = service->controller.ticks[row_of(service, task, hit)];
  if (is_far_write(service, task, hit)) {
    task->flags |= TASK_FLAG_FAR_WRITE;
    ticks = service->controller.far_write_ticks;
  }
  service->wrote_last = is_write;
  if (is_write) service->write_end = task->lba + task->blocks;
  if (ticks == 0) return;
  const bool is_busy = service_is_busy(service);
  const bool is_later = is_busy && service->controller_busy_until > received;
  const time_tick until = (is_later ? service->controller_busy_until : received) + ticks;
  // The firmware may have taken all of the time already.
  if (!is_busy && until <= timer_hal_now()) return;
  service->arm->blocked |= ARM_CONTROLLER_BUSY;
  service->controller_busy_until = until;
  service_set_alarm(service);
}

/// Takes back the controller's time for a command of which nothing has happened. Otherwise a host
/// that repeats a refused command soon enough keeps the controller busy for ever.
static void undo_controller_time(struct service* service, const struct task* task) {
  const struct service_busy_undo* undo = service->busy_undo;
  if (undo->task != task) return;
  service->wrote_last = undo->wrote_last;
  service->write_end = undo->write_end;
  if (!service_is_busy(service)) return;
  const time_tick now = timer_hal_now();
  service->controller_busy_until = undo->until > now ? undo->until : now;
  service_set_alarm(service);
}

void service_tasks_on_alarm(struct service* service) {
  // The arm may move, or a held write may begin.
  if (media_waits(service->media) || service->media->state == MEDIA_PREPARING) {
    arm_on_media(service->arm, media_on_alarm(service->media));
  }
  if (service_is_busy(service) && timer_hal_now() < service->controller_busy_until) {
    service_set_alarm(service);  // The alarm was the one about room, or about the write.
    return;
  }
  service->arm->blocked &= (uint8_t)~ARM_CONTROLLER_BUSY;
  service_set_alarm(service);
  service_held(service);
  arm_dispatch(service->arm);
}

void service_tasks_arrived(struct service* service, struct task* task, time_tick received) {
  task->segment = SEGMENT_NONE;
  if (task_needs_media(task->operation)) {
    const enum status placed = predictor_place(service->predictor, task->lba, task->blocks,
                                               task->operation == TASK_WRITE, &task->candidate);
    ASSERT(placed == STATUS_OK);  // firmware/device has checked the range.
  } else {
    // The task has no place of its own: it costs no movement, wherever the heads are.
    task->candidate.cylinder = (uint16_t)service->seek->cylinder;
    task->candidate.head = (uint8_t)service->seek->head;
  }
  if (service->learn->on && task_needs_media(task->operation)) {
    learn_arrived(service->learn, timer_hal_now(), service->rotation->period_tick64 / 64);
  }
  service_note_host(service, 0);
  trace_port_hal_event(TRACE_TASK_QUEUED,
                       (uint32_t)task->tag << 16 | task_set_index(service->tasks, task));
  write_frames_arrived(service->tasks, service->cache, task);
  add_controller_time(service, task, received);
}

void service_tasks_reply_arrived(const struct service* service, struct task* task) {
  task->segment = SEGMENT_NONE;
  trace_port_hal_event(TRACE_TASK_QUEUED,
                       (uint32_t)task->tag << 16 | task_set_index(service->tasks, task));
}

// ----------------------------------------------------------------------------- may begin, may not

/// Whether no other task waits or is at the media.
static bool is_alone(const struct service* service, const struct task* task) {
  return service->current == NULL && task_set_waiting_count(service->tasks) == 1 &&
         task_is_listed(task) && task_set_forced(service->tasks) == NULL;
}

/// Holds the task while the controller is busy: service_tasks_on_alarm() continues with it.
static void hold(struct service* service, struct task* task) {
  if (is_alone(service, task) && !is_hit(service, task)) {
    arm_ask_to_yield(service->arm);
    if (task->operation == TASK_READ) return;  // Its blocks come only after it has begun.
    if (!task_is_buffered(task)) host_side_take_room(service->host, task);
  }
  const uint32_t number = task->candidate.sequence;
  if (!service->holds || service->held_from - number < UINT32_MAX / 2) service->held_from = number;
  service->holds = true;
}

/// The drive is not ready: CHECK CONDITION with the reason follows.
static void fail_not_ready(struct service* service, struct task* task) {
  task_set_sense(task, (enum sense_code)service->unit->not_ready);
  task->sense_information = task->lba;
  host_task_finished(service->target, task, STATUS_NOT_READY, task->lba);
}

static void on_enabled(void* context, struct task* task) {
  struct service* service = context;
  arm_want(service->arm, ARM_HOST);
  struct scheduler* scheduler = service->scheduler;
  const bool is_busy = service_is_busy(service);
  const bool needs_spindle =
      task_needs_media(task->operation) || task->operation == TASK_MAINTENANCE;
  // While the spindle regains its speed, tasks wait for it.
  const bool waits = service->seek->spindle == SPINDLE_REGAINING;
  if (needs_spindle && service->unit->not_ready != SENSE_NONE && !waits) {
    service_take(service, task, false);
    fail_not_ready(service, task);
    return;
  }
  if (!is_busy && service_from_cache(service, task, false)) return;
  if (task_is_listed(task) && scheduler_is_planning(scheduler)) {
    scheduler_task_arrived(scheduler, &task->candidate, timer_hal_now() + HOST_SIDE_FETCH_TICKS);
    if (scheduler_plans_again(scheduler)) service->plan_waits = true;
  }
  if (is_busy) {
    hold(service, task);
    return;
  }
  const bool planned = scheduler_planned(scheduler) == &task->candidate;
  if (planned) predictor_expect(service->predictor, task->lba);
  service_fetch_early(service, task, planned ? SEGMENT_FOR_PLAN : SEGMENT_FOR_ARRIVAL);
  arm_dispatch(service->arm);
}

static void on_withdrawn(void* context, struct task* task) {
  struct service* service = context;
  if (task_is_listed(task)) scheduler_task_left(service->scheduler, &task->candidate);
}

static RARE void on_goes_on(void* context, bool withdraws) {
  const struct service* service = context;
  service->arm->blocked |= withdraws ? ARM_WITHDRAWS : ARM_ENABLES;
}

const struct task_set_listener service_tasks_listener = {on_enabled, on_withdrawn, on_goes_on};

RARE void service_tasks_go_on(struct service* service) {
  if (task_set_go_on(service->tasks)) return;
  service->arm->blocked &= (uint8_t) ~(ARM_WITHDRAWS | ARM_ENABLES);
  arm_dispatch(service->arm);
}

uint32_t service_tasks_progress(const struct service* service) {
  const bool has_begun = service->current == service->unit->maintenance.task;
  return has_begun ? maintenance_progress(service->maintenance) : 0;
}

// ------------------------------------------------------------------------------------------- data

/// Parks the segment of a write that waits for the media, after a data phase.
static void park(struct service* service, struct task* task) {
  if (!host_side_park(service->host, task)) return;
  task->candidate.kind = CANDIDATE_WRITE;
  if (task->state == TASK_ENABLED && task_is_listed(task)) {
    scheduler_data_arrived(service->scheduler, &task->candidate);
  }
}

void service_tasks_transfer_end(struct service* service, struct task* task) {
  host_side_end_transfer(service->host, task);
  if (service->current == task) {
    arm_on_media(service->arm, media_on_buffer(service->media));
    return;
  }
  if (bus_holder_suspends(service->bus, task)) return;
  const bool waits = task->operation == TASK_WRITE && task->state < TASK_ACTIVE;
  if (waits) {
    park(service, task);
    if (service->waiting_for_segment) arm_dispatch(service->arm);  // The ring is free again.
    return;
  }
  // The task needs its segment no more if it is a write that the media have done, or a read whose
  // last data have left. Another task may get the segment at once.
  const bool over = task->operation == TASK_WRITE || task->host_blocks_left == 0;
  if (!over) return;
  host_side_free_segment(service->host, task);
  arm_dispatch(service->arm);
}

// -------------------------------------------------------------------------------------------- end

static void forget_holder(struct service* service, const struct task* task) {
  if (task == service->bus->task) bus_holder_release(service->bus, service->current);
}

RARE void service_tasks_purge_begins(struct service* service) {
  // Tasks are aborted by messages, statuses and resets alone, which no client of the arm causes.
  ASSERT((service->arm->blocked & ARM_IS_OFFERED) == 0);
  service->arm->blocked |= ARM_PURGES;
}

RARE void service_tasks_purge_ended(struct service* service) {
  service->arm->blocked &= (uint8_t)~ARM_PURGES;
  arm_dispatch(service->arm);
}

bool service_tasks_abort(struct service* service, struct task* task) {
  if (task->state == TASK_ENABLED) service_take(service, task, true);  // It must not be chosen.
  forget_holder(service, task);
  bus_holder_forget(service->bus, task);
  if (task != service->current) return true;
  struct media* media = service->media;
  const bool has_media = task_needs_media(task->operation) ||
                         (task->operation == TASK_MAINTENANCE && !media_is_idle(media));
  const bool sector_under_way = has_media && media->state >= MEDIA_TRANSFERRING;
  const bool ended = has_media && media_abort(media) == MEDIA_ENDED;
  if (sector_under_way) return false;
  // The movement of the arm or the spindle goes on, for no task: this one need not wait for its
  // end.
  service->current = NULL;
  service->arm->owner = media_is_idle(media) ? ARM_NO_CLIENT : ARM_READ_AHEAD;
  arm_do_without(service->arm, ARM_MAINTENANCE);
  if (ended) cache_end_fill(service->cache);
  return true;
}

void service_tasks_ended(struct service* service, struct task* task) {
  ASSERT(task != service->current && !bus_holder_suspends(service->bus, task));
  forget_holder(service, task);
  if (task->time_limit != 0) time_limits_remove(service->limits, task, timer_hal_now());
  host_side_free_segment(service->host, task);
  write_frames_release(service->tasks, task);
  write_frames_admit(service->tasks, service->host);
  if (task->operation == TASK_READ) service->cache->read_has_ended = true;
  if (service->learn->on && task_needs_media(task->operation)) {
    learn_ended(service->learn, timer_hal_now());
  }
  service_note_host(service, 0);
  if (task->operation == TASK_MAINTENANCE) maintenance_on_ended(service->maintenance, task);
  if (service->busy_undo->task == task) service->busy_undo->task = NULL;
  trace_port_hal_event(TRACE_TASK_ENDED, task_set_index(service->tasks, task));
  arm_dispatch(service->arm);
}

// ------------------------------------------------------------------------------ holding of the bus

void service_tasks_release_bus(struct service* service) {
  if (service->bus->task == NULL) return;
  bus_holder_release(service->bus, service->current);
  arm_dispatch(service->arm);
}

void service_tasks_suspended(struct service* service) {
  if (service_suspend_stuck(service)) arm_dispatch(service->arm);
}

/// Continues with tasks that may make room. Those that have become enabled were considered already.
void service_tasks_resumed(struct service* service) {
  if (service->waiting_for_segment || service->bus->suspended_count > 0) arm_dispatch(service->arm);
}

/// Whether the task takes too long to hold the bus, which all share. A start of the spindle and a
/// format do. Other barriers end soon, and must not be repeated.
static bool takes_long(const struct service* service, const struct task* task) {
  if (!task_is_barrier(task->operation)) return false;
  return task->operation != TASK_MAINTENANCE ||
         service->unit->maintenance.kind == MAINTENANCE_FORMAT;
}

enum bus_hold service_tasks_hold_bus(struct service* service, struct task* task) {
  const bool is_next = task == service->current || task->state == TASK_ENABLED;
  if (takes_long(service, task) && is_next) return BUS_HOLD_GOES_ON;
  if (service->bus->task == task) return BUS_HOLD_SERVED;
  const bool has_room = host_side_may_prepare(service->host, task);
  const enum bus_hold hold = bus_holder_take(service->bus, task, service->current, has_room);
  if (hold == BUS_HOLD_TURNED_AWAY) undo_controller_time(service, task);
  if (service->bus->task != task) return hold;
  (void)service_suspend_stuck(service);
  arm_dispatch(service->arm);
  return hold;
}
