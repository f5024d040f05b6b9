#define FILE_ID FILE_ID_SERVICE
#include "firmware/transfer/service.h"

#include "firmware/drive.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/host_side.h"
#include "firmware/transfer/maintenance.h"

static uint32_t index_of(const struct drive* drive, const struct task* task) {
  return task_set_index(&drive->tasks, task);
}

/// HEAD OF QUEUE tasks are not in the list that policies choose from.
static bool is_listed(const struct task* task) { return task->attribute != TASK_HEAD_OF_QUEUE; }

static bool needs_media(const struct task* task) {
  switch (task->operation) {
    case TASK_READ:
    case TASK_WRITE:
    case TASK_VERIFY: return true;
    case TASK_SYNCHRONIZE:
    case TASK_START:
    case TASK_STOP:
    case TASK_MAINTENANCE: return false;
  }
  ASSERT_UNREACHABLE();
}

static bool is_maintenance(const struct task* task) {
  return task != NULL && task->operation == TASK_MAINTENANCE;
}

void service_init(struct drive* drive) {
  drive->service = (struct service){.current = NULL, .part_ring = SEGMENT_NO_RING};
  alarm_add(&drive->alarms, &drive->service.alarm);
}

// ------------------------------------------------------------------------------------------- end

void service_finish_current(struct drive* drive, enum status status, uint32_t lba) {
  struct task* task = drive->service.current;
  drive->service.current = NULL;
  task->state = TASK_TRANSFERRING;
  // A read's segment still holds what the host has not fetched; that of a task whose data phase is
  // under way, of a failed or aborted one is freed when firmware/scsi has let go of the bus.
  if (task->operation != TASK_READ && task != drive->service.on_bus) {
    host_side_free_segment(drive, task);
  }
  scsi_task_finish(&drive->scsi, task, status, lba);
}

/// A sector later than predicted counts from half a revolution on.
static void trace_lateness(struct drive* drive) {
  const uint32_t period_tick = drive->rotation.period_tick64 / 64;
  const time_tick now = timer_hal_now();
  const time_tick limit = drive->service.predicted_end + period_tick / 2;
  if (now < limit) return;
  trace_port_hal_event(TRACE_MISSED_REVOLUTION, (uint32_t)(now - limit) / period_tick + 1);
}

/// How the request for the task ended, in the command layer's words: what was recovered is told
/// when all of it has come.
static void finish_media(struct drive* drive, struct task* task, enum status status) {
  const uint32_t failed_lba = drive->media.request.lba + media_blocks_done(&drive->media);
  if (!status_is_done(status)) {
    if (!drive->media.brought_bad) {
      service_finish_current(drive, status, failed_lba);
      return;
    }
    host_side_deliver_up_to(drive, task, failed_lba + 1);
    drive->service.current = NULL;
    task->state = TASK_TRANSFERRING;
    scsi_task_finish_behind(&drive->scsi, task, status, failed_lba);
    return;
  }
  trace_lateness(drive);
  uint32_t lba = 0;
  const enum status recovered = media_recovered(&drive->media, &lba);
  if (recovered == STATUS_OK) {
    host_side_deliver_all(drive, task);
  } else {
    host_side_deliver_up_to(drive, task, failed_lba);
  }
  service_finish_current(drive, recovered, lba);
}

static void end_media(struct drive* drive) {
  struct task* task = drive->service.current;
  const enum status status = media_status(&drive->media);
  cache_end_fill(drive);
  if (task == NULL) return;  // Aborted while the arm moved, or what was read ahead.
  if (is_maintenance(task)) {
    maintenance_on_media(drive, status, media_blocks_done(&drive->media));
    return;
  }
  finish_media(drive, task, status);
}

/// The task has what it asked for; the media read on.
static void end_served(struct drive* drive) {
  cache_note_fill(drive);
  trace_lateness(drive);
  host_side_deliver_all(drive, drive->service.current);
  uint32_t lba = 0;
  const enum status recovered = media_recovered(&drive->media, &lba);
  service_finish_current(drive, recovered, lba);
}

// ----------------------------------------------------------------------------------------- choose

static void trace_search(const struct drive* drive) {
  trace_port_hal_event(TRACE_PLAN_BEGIN,
                       drive->scheduler.policy->number << 16 | drive->tasks.enabled.count);
}

/// The plan, or the best of all that wait now.
static struct task* take_next(struct drive* drive, struct head_state* head) {
  struct candidate* planned = scheduler_take_planned(&drive->scheduler, head);
  if (planned != NULL) return task_of_candidate(planned);
  trace_search(drive);
  return task_of_candidate(scheduler_take_best(&drive->scheduler, head));
}

/// Some task waits. @return NULL: none may begin now.
static struct task* choose(struct drive* drive, struct head_state* head) {
  if (bus_holder_decides(drive)) return bus_holder_next(drive);
  struct task* task = task_set_forced(&drive->tasks);
  if (task == NULL) task = bus_holder_obstacle(drive);
  return task != NULL ? task : take_next(drive, head);
}

STATIC_ASSERT(POLICY_NO_DETOUR == MEDIA_NO_DETOUR, "one word for no detour");

/// When `task` will be done that the heads go to from `head`.
static time_tick predict_end(const struct drive* drive, const struct task* task,
                             const struct head_state* head, uint32_t detour) {
  const struct predictor* predictor = &drive->predictor;
  if (detour == MEDIA_NO_DETOUR) return predictor_access_end(predictor, head, &task->candidate);
  const struct head_state there = predictor_move(predictor, head, detour);
  return predictor_access_end(predictor, &there, &task->candidate);
}

/// How far the media may go on behind the task's blocks: not at all when another task waits.
static uint32_t blocks_ahead(const struct drive* drive, const struct task* task) {
  const struct cache* cache = &drive->cache;
  if (cache->filling == NULL || drive->tasks.enabled.count > 0) return 0;
  if (task->blocks > cache->mode.ahead_task_blocks) return 0;
  return cache_ahead(drive, task->blocks);
}

/// Lets the media begin with what is left of the task.
static enum media_outcome start_media(struct drive* drive, const struct task* task, uint32_t done,
                                      uint32_t detour) {
  const bool resumes = done > 0;
  if (task->operation == TASK_WRITE) cache_drop(drive, task->lba, task->blocks);
  static const enum formatter_operation operations[] = {
      [TASK_READ] = FORMATTER_READ,
      [TASK_WRITE] = FORMATTER_WRITE,
      [TASK_VERIFY] = FORMATTER_VERIFY,
  };
  const bool buffered = task->operation != TASK_VERIFY;
  const struct media_request request = {
      .operation = operations[task->operation],
      .lba = task->lba + done,
      .block_count = task->blocks - done,
      .ahead = blocks_ahead(drive, task),
      .ring = host_side_ring(drive, task),
      .ring_sectors = buffered ? segments_length(&drive->segments, task->segment) : 0,
      .ring_filled = done,
      .recovered = resumes ? drive->service.recovered : STATUS_OK,
      .recovered_lba = drive->service.recovered_lba,
      .task = index_of(drive, task),
      .detour = detour};
  drive->service.resumed_blocks = done;
  bus_holder_set_patience(drive, task);
  return media_start(&drive->media, &request);
}

static void begin_media(struct drive* drive, struct task* task, const struct head_state* head,
                        uint32_t detour) {
  const enum media_outcome outcome = start_media(drive, task, 0, detour);
  if (outcome == MEDIA_ENDED) {
    end_media(drive);
    return;
  }
  // The heads are on their way: nothing from here on delays them.
  drive->service.predicted_end = predict_end(drive, task, head, detour);
  host_side_fetch_all(drive, task);
  service_on_media(drive, outcome);
}

void service_resume(struct drive* drive) {
  struct service* service = &drive->service;
  struct task* task = service->suspended;
  service->suspended = NULL;
  service->current = task;
  service->predicted_end = TIME_TICK_NEVER / 2;  // Nothing was predicted for the rest.
  trace_port_hal_event(TRACE_TASK_CHOSEN, index_of(drive, task));
  const enum media_outcome outcome =
      start_media(drive, task, service->suspended_blocks, MEDIA_NO_DETOUR);
  if (outcome == MEDIA_ENDED) {
    end_media(drive);
  } else {
    service_on_media(drive, outcome);
  }
}

/// The chosen task leaves the queue and its work begins.
static void begin(struct drive* drive, struct task* task, const struct head_state* head) {
  const uint32_t detour = is_listed(task)
                              ? scheduler_detour(&drive->scheduler, &task->candidate, head)
                              : MEDIA_NO_DETOUR;
  task_set_choose(&drive->tasks, task);
  if (is_listed(task)) scheduler_task_served(&drive->scheduler, &task->candidate, head);
  drive->service.current = task;
  task->state = TASK_ACTIVE;
  trace_port_hal_event(TRACE_TASK_CHOSEN, index_of(drive, task));
  const enum spindle_state spindle = (enum spindle_state)drive->seek.spindle;
  switch (task->operation) {
    case TASK_READ:
    case TASK_WRITE:
    case TASK_VERIFY: begin_media(drive, task, head, detour); return;
    case TASK_SYNCHRONIZE: service_finish_current(drive, STATUS_OK, 0); return;
    case TASK_START:
      seek_spin_up(&drive->seek);
      if (spindle == SPINDLE_AT_SPEED) {
        service_finish_current(drive, STATUS_OK, 0);
      } else {
        scsi_set_ready(&drive->scsi, SENSE_BECOMING_READY);
      }
      return;
    case TASK_STOP:
      seek_spin_down(&drive->seek);
      scsi_set_ready(&drive->scsi, SENSE_START_REQUIRED);
      if (spindle == SPINDLE_AT_REST) service_finish_current(drive, STATUS_OK, 0);
      return;
    case TASK_MAINTENANCE: maintenance_begin(drive); return;
  }
  ASSERT_UNREACHABLE();
}

/// @return whether the suspended task goes on.
static bool resume(struct drive* drive) {
  if (!bus_holder_lets_resume(drive)) return false;
  service_resume(drive);
  return true;
}

/// Nobody waits for the media, unless it is for a segment: it may as well look ahead. @return
/// false: there is nothing more to begin.
static bool read_on(struct drive* drive) {
  if (drive->cache.hit != NULL && !drive->service.waiting_for_segment) {
    (void)cache_read_on(drive);
  }
  return false;
}

static bool may_make_room(struct task_set* set, const struct task* task) {
  return task->state == TASK_ENABLED || task_set_waits_for_heads(set, task);
}

/// For when there is no room for the task that would be next, and none will come by itself: the
/// oldest that has its data in the buffer already makes room. NULL: there is none, or data are on
/// their way out, which make room in the policy's order.
///
/// A HEAD OF QUEUE task may hold the owner back, which got its room while tasks had more of the
/// buffer. The owner has begun to move its data: it is finished first.
static struct task* oldest_with_segment(struct drive* drive) {
  struct task_set* set = &drive->tasks;
  struct task* oldest = NULL;
  for (struct task* task = task_set_oldest(set); task != NULL; task = task_set_younger(set, task)) {
    if (task->segment == SEGMENT_NONE) continue;
    if (task->state > TASK_ENABLED) return NULL;
    if (oldest == NULL && may_make_room(set, task)) oldest = task;
  }
  return oldest;
}

/// No room for `task`. @return the one that begins instead, or NULL: the service waits for room.
static struct task* find_substitute(struct drive* drive, const struct task* task) {
  struct task* other = bus_holder_decides(drive) ? NULL : oldest_with_segment(drive);
  if (other != NULL && other->state == TASK_DORMANT) {
    task_set_pass_heads(&drive->tasks, other);
    if (other->state != TASK_ENABLED) return NULL;  // Enabled, it failed.
  }
  if (other != NULL && host_side_prepare(drive, other)) return other;
  drive->service.waiting_for_segment = true;
  trace_port_hal_event(TRACE_MEDIA_WAIT, index_of(drive, task));
  bus_holder_watch_room(drive);
  return NULL;
}

/// @return false when nothing can begin now.
static bool begin_next(struct drive* drive) {
  drive->service.waiting_for_segment = false;
  if (drive->tasks.enabled.count == 0 && task_set_forced(&drive->tasks) == NULL) {
    return false;
  }
  const time_tick now = timer_hal_now();
  if (now - drive->rotation.anchor_tick >= DRIVE_INDEX_TICKS) drive->index_is_due = true;
  struct head_state head = media_head_now(&drive->media, now);
  head.data_tick = now + HOST_SIDE_FETCH_TICKS;
  struct task* task = choose(drive, &head);
  if (task == NULL) return false;
  if (!host_side_prepare(drive, task)) {
    const uint32_t removals = drive->tasks.removals;
    task = find_substitute(drive, task);
    if (task == NULL) return drive->tasks.removals != removals;  // One that ended made room.
  }
  begin(drive, task, &head);
  return true;
}

/// A task that waits goes before blocks that no task has asked for.
static void stop_reading_ahead(struct drive* drive) {
  const bool wanted = drive->tasks.enabled.count > 0 || task_set_forced(&drive->tasks) != NULL ||
                      bus_holder_lets_resume(drive);
  if (!wanted) return;
  if (media_abort(&drive->media) == MEDIA_ENDED) cache_end_fill(drive);
}

/// Nobody is at the media, but for what they read ahead.
static __attribute__((noinline)) void kick_free_media(struct drive* drive) {
  struct service* service = &drive->service;
  if (service->kicking || service->thinks_until != 0) return;
  service->kicking = true;
  if (media_reads_ahead(&drive->media)) stop_reading_ahead(drive);
  while (service->current == NULL && media_is_idle(&drive->media) &&
         (resume(drive) || begin_next(drive) || read_on(drive))) {
  }
  service->kicking = false;
}

/// Most kicks come while a task is at the media.
void service_kick(struct drive* drive) {
  if (drive->service.current == NULL) kick_free_media(drive);
}

/// Chooses the next task while the last run of this one is under way.
static void plan_next(struct drive* drive) {
  const time_tick now = timer_hal_now();
  struct head_state head = media_head_when_free(&drive->media, now);
  head.data_tick = now + HOST_SIDE_FETCH_TICKS;
  trace_search(drive);
  scheduler_plan(&drive->scheduler, &head, now);
  struct candidate* planned = scheduler_planned(&drive->scheduler);
  trace_port_hal_event(TRACE_PLAN_END,
                       planned == NULL ? TASK_NONE : index_of(drive, task_of_candidate(planned)));
  if (planned != NULL) host_side_fetch_early(drive, task_of_candidate(planned), SEGMENT_FOR_PLAN);
}

/// Tasks that could not be served before: from the cache, or their data may be fetched now.
static void serve_waiting(struct drive* drive) {
  struct task_set* set = &drive->tasks;
  struct task* task = task_set_oldest(set);
  while (task != NULL) {
    const uint32_t removals = set->removals;
    if (task->state == TASK_ENABLED) {
      if (!cache_serve(drive, task, true)) {
        host_side_fetch_early(drive, task, SEGMENT_FOR_ARRIVAL);
      }
    }
    // What was asked for twice is asked for once: after a removal the walk begins again.
    task = set->removals == removals ? task_set_younger(set, task) : task_set_oldest(set);
  }
}

void service_take(struct drive* drive, struct task* task, bool announced) {
  task_set_choose(&drive->tasks, task);
  if (announced && is_listed(task)) scheduler_task_left(&drive->scheduler, &task->candidate);
}

void service_join(struct drive* drive, struct task* task) {
  drive->service.current = task;
  // It was not chosen by its place: nothing was predicted that it could be late for.
  drive->service.predicted_end = TIME_TICK_NEVER / 2;
  task->state = TASK_ACTIVE;
  trace_port_hal_event(TRACE_TASK_CHOSEN, index_of(drive, task));
}

void service_on_media(struct drive* drive, enum media_outcome outcome) {
  if (outcome == MEDIA_ENDED) {
    end_media(drive);
    service_kick(drive);
    return;
  }
  if (outcome == MEDIA_SERVED) {
    end_served(drive);
    serve_waiting(drive);
    service_kick(drive);
    return;
  }
  if (is_maintenance(drive->service.current)) return;
  // The host first: a search may take long, and the end of a run is progress, too.
  if (drive->service.current != NULL) host_side_deliver(drive, drive->service.current);
  if (outcome != MEDIA_RUN_STARTED) {
    bus_holder_on_media(drive);
    return;
  }
  if (media_is_last_run(&drive->media)) plan_next(drive);
}

void service_on_spindle(struct drive* drive, uint32_t seek_results) {
  struct task* task = drive->service.current;
  if (task == NULL) return;
  const bool started = task->operation == TASK_START && (seek_results & SEEK_RESULT_AT_SPEED) != 0;
  const bool stopped = task->operation == TASK_STOP && (seek_results & SEEK_RESULT_AT_REST) != 0;
  const bool failed =
      task->operation == TASK_START && (seek_results & SEEK_RESULT_SPINDLE_FAILED) != 0;
  if (!started && !stopped && !failed) return;
  service_finish_current(drive, failed ? STATUS_SPINDLE_FAILED : STATUS_OK, 0);
  service_kick(drive);
}

// ------------------------------------------------------------------ what firmware/scsi calls

/// The controller has this command to deal with, too.
static void think(struct drive* drive, const struct task* task) {
  struct service* service = &drive->service;
  if (!service->controller.thinks) return;
  const bool is_write = task->operation == TASK_WRITE;
  const bool is_hit =
      is_write ? cache_reports(&drive->cache, task) : cache_would_serve(drive, task);
  const uint32_t row = controller_row(is_write, service->wrote_last, is_hit);
  service->wrote_last = is_write;
  const uint32_t ticks = service->controller.ticks[row];
  if (ticks == 0) return;
  const time_tick now = timer_hal_now();
  const time_tick since = service->thinks_until > now ? service->thinks_until : now;
  service->thinks_until = since + ticks;
  alarm_set(&service->alarm, service->thinks_until);
}

void service_on_alarm(struct drive* drive) {
  struct service* service = &drive->service;
  if (service->thinks_until != 0 && timer_hal_now() < service->thinks_until) {
    alarm_set(&service->alarm, service->thinks_until);  // It was the one about room.
    return;
  }
  service->thinks_until = 0;
  serve_waiting(drive);
  service_kick(drive);
}

void core_task_arrived(struct drive* drive, struct task* task) {
  task->segment = SEGMENT_NONE;
  if (needs_media(task)) {
    const enum status placed = predictor_place(&drive->predictor, task->lba, task->blocks,
                                               task->operation == TASK_WRITE, &task->candidate);
    ASSERT(placed == STATUS_OK);  // firmware/scsi has checked the range.
  } else {
    // No place of its own: it costs no movement, wherever the heads are now.
    task->candidate.cylinder = (uint16_t)drive->seek.cylinder;
    task->candidate.head = (uint8_t)drive->seek.head;
  }
  trace_port_hal_event(TRACE_TASK_QUEUED, (uint32_t)task->tag << 16 | index_of(drive, task));
  think(drive, task);
}

static void on_enabled(void* context, struct task* task) {
  struct drive* drive = context;
  struct scheduler* scheduler = &drive->scheduler;
  const bool thinks = drive->service.thinks_until != 0;
  const bool needs_spindle = needs_media(task) || is_maintenance(task);
  // A spindle that comes back serves those that were there before it left its speed.
  const bool waits = drive->seek.spindle == SPINDLE_REGAINING;
  if (needs_spindle && drive->scsi.not_ready != SENSE_NONE && !waits) {
    service_take(drive, task, false);
    scsi_task_fail_not_ready(&drive->scsi, task);
    return;
  }
  if (!thinks && cache_serve(drive, task, false)) return;
  if (is_listed(task) && scheduler_is_planning(scheduler)) {
    scheduler_task_arrived(scheduler, &task->candidate, timer_hal_now() + HOST_SIDE_FETCH_TICKS);
  }
  if (thinks) return;  // service_on_alarm() goes on with it.
  const bool planned = scheduler_planned(scheduler) == &task->candidate;
  host_side_fetch_early(drive, task, planned ? SEGMENT_FOR_PLAN : SEGMENT_FOR_ARRIVAL);
  service_kick(drive);
}

void service_data_arrived(struct drive* drive, struct task* task) {
  if (is_listed(task)) scheduler_data_arrived(&drive->scheduler, &task->candidate);
}

static void on_withdrawn(void* context, struct task* task) {
  struct drive* drive = context;
  if (is_listed(task)) scheduler_task_left(&drive->scheduler, &task->candidate);
}

const struct task_set_listener service_listener = {on_enabled, on_withdrawn};

bool core_task_abort(struct drive* drive, struct task* task) {
  if (task->state == TASK_ENABLED) {
    // Out of the list at once: nothing may choose it any more.
    task_set_choose(&drive->tasks, task);
    if (is_listed(task)) scheduler_task_left(&drive->scheduler, &task->candidate);
  }
  if (task == drive->service.holder) bus_holder_set(drive, NULL);
  if (task == drive->service.suspended) drive->service.suspended = NULL;
  if (task != drive->service.current) return true;
  const bool has_media =
      needs_media(task) || (is_maintenance(task) && !media_is_idle(&drive->media));
  const bool sector_under_way = has_media && (drive->media.state == MEDIA_TRANSFERRING ||
                                              drive->media.state == MEDIA_ABORTING);
  const bool ended = has_media && media_abort(&drive->media) == MEDIA_ENDED;
  if (sector_under_way) return false;
  // The arm, or the spindle, goes where it goes; the task need not wait for it.
  drive->service.current = NULL;
  if (ended) cache_end_fill(drive);
  return true;
}

void core_task_ended(struct drive* drive, struct task* task) {
  ASSERT(task != drive->service.current && task != drive->service.suspended);
  if (task == drive->service.holder) bus_holder_set(drive, NULL);
  host_side_free_segment(drive, task);
  if (is_maintenance(task)) maintenance_on_ended(drive, task);
  trace_port_hal_event(TRACE_TASK_ENDED, index_of(drive, task));
  service_kick(drive);
}
