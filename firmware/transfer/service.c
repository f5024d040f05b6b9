// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_SERVICE
#include "firmware/transfer/service.h"

#include "firmware/hal/timer_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"
#include "firmware/transfer/free_blocks.h"
#include "firmware/transfer/remap.h"
#include "firmware/transfer/scan.h"
#include "firmware/transfer/write_frames.h"

static uint32_t index_of(const struct service* service, const struct task* task) {
  return task_set_index(service->tasks, task);
}

void service_init(struct service* service, struct alarms* alarms) {
  service->current = NULL;
  service->joined_count = service->joined_blocks = 0;
  service->waiting_for_segment = false;
  service->choice_waits = false;
  service->holds = false;
  service->wrote_last = false;
  service->write_end = 0;
  service->busy_undo->task = NULL;
  alarm_add(alarms, &service->alarm);
}

// ------------------------------------------------------------------------------------------- end

void service_finish_current(struct service* service, enum status status, uint32_t lba) {
  struct task* task = service->current;
  service->current = NULL;
  task->state = TASK_TRANSFERRING;
  // A read's segment still holds data that the host has not fetched. Some segments are freed when
  // firmware/target has finished with the bus: those of failed and aborted tasks, and of a task in
  // its data phase.
  const bool has_segment = task->operation != TASK_READ && task != service->host->on_bus;
  if (has_segment && task->operation == TASK_WRITE && status_is_done(status)) {
    host_side_end_write(service->host, task);
  } else if (has_segment) {
    host_side_free_segment(service->host, task);
  }
  write_frames_release(service->tasks, task);
  host_task_finished(service->target, task, status, lba);
  write_frames_admit(service->tasks, service->host);
}

RARE void service_note_idle_from(const struct service* service, uint32_t media_ticks) {
  const time_tick now = timer_hal_now();
  if (remap_wants(service->remap)) remap_note_host(service->remap, now, media_ticks);
  if (arm_is_wanted_by(service->arm, ARM_SCAN)) scan_note_host(service->arm->scan, now);
}

/// Ends the current task's work at the media. A sector counts as late from half a revolution after
/// its predicted time on.
static void note_end(struct service* service) {
  const uint32_t period_tick = service->rotation->period_tick64 / 64;
  const time_tick now = timer_hal_now();
  if (service->is_timed) {
    const uint32_t ticks = (uint32_t)now - service->begun_tick;
    service_times_add(service->times, service->current, ticks);
    service_note_host(service, ticks);
  }
  const time_tick limit = service->predicted_end + period_tick / 2;
  if (now < limit) return;
  trace_port_hal_event(TRACE_MISSED_REVOLUTION, (uint32_t)(now - limit) / period_tick + 1);
}

/// Whether the media have just written the task's blocks and are to verify them next.
static bool is_to_be_verified(const struct service* service, const struct task* task) {
  return task != NULL && task->verifies && service->media->request.operation == FORMATTER_WRITE;
}

/// WRITE AND VERIFY: the media read all that they have written, and check it (SCSI-2 9.2.23). The
/// rules of page 07h hold. An error that was recovered in the writing is reported at the end.
static RARE void verify_written(struct service* service, const struct task* task,
                                struct media_request* request) {
  uint32_t recovered_lba = 0;
  const enum status recovered = media_recovered(service->media, &recovered_lba);
  *request = (struct media_request){.operation = FORMATTER_VERIFY,
                                    .lba = task->lba,
                                    .block_count = task->blocks,
                                    .recovery = media_recovery(service->media, FORMATTER_VERIFY),
                                    .recovered = recovered,
                                    .recovered_lba = recovered_lba,
                                    .task = index_of(service, task),
                                    .detour = MEDIA_NO_DETOUR};
  service->resumed_blocks = 0;
  service->predicted_end = TIME_TICK_NEVER / 2;
  service->begins_quietly = true;
}

/// Reports to the target how the request for the task ended. A recovered error is reported when all
/// data have come.
static void finish_media(struct service* service, struct task* task, enum status status) {
  const uint32_t failed_lba = service->media->request.lba + media_blocks_done(service->media);
  if (!status_is_done(status)) {
    if (!service->media->brought_bad) {
      service_finish_current(service, status, failed_lba);
      return;
    }
    host_side_deliver_up_to(service->host, task, failed_lba + 1);
    service->current = NULL;
    task->state = TASK_TRANSFERRING;
    host_task_failed(service->target, task, status, failed_lba);
    return;
  }
  note_end(service);
  uint32_t lba = 0;
  const enum status recovered = media_recovered(service->media, &lba);
  if (recovered == STATUS_OK) {
    host_side_deliver_all(service->host, task);
  } else {
    host_side_deliver_up_to(service->host, task, failed_lba);
  }
  service_finish_current(service, recovered, lba);
}

/// Makes the next joined write the current one: the media are done with the first.
static struct task* take_joined(struct service* service) {
  struct task* task = &service->tasks->task[service->joined[0]];
  --service->joined_count;
  service->joined_blocks -= task->blocks;
  for (uint32_t i = 0; i < service->joined_count; ++i) {
    service->joined[i] = service->joined[i + 1];
  }
  service->current = task;
  return task;
}

/// Returns joined writes that the media have not reached to the queue.
static void return_joined(struct service* service) {
  while (service->joined_count > 0) {
    struct task* task = take_joined(service);
    task_set_return(service->tasks, task);
    arm_want(service->arm, ARM_HOST);
    if (scheduler_is_planning(service->scheduler)) {
      scheduler_task_arrived(service->scheduler, &task->candidate, timer_hal_now());
    }
  }
  service->current = NULL;
}

/// The request for the current task and its joined writes has ended. Writes whose blocks are all
/// done end well, the next one gets the error, and the rest wait again. Nothing begins here.
static RARE void finish_joined(struct service* service, enum status status) {
  const struct media* media = service->media;
  uint32_t done = media_blocks_done(media);
  uint32_t recovered_lba = 0;
  const enum status recovered = media_recovered(media, &recovered_lba);
  const uint8_t is_offered = service->arm->blocked & ARM_IS_OFFERED;
  service->arm->blocked |= ARM_IS_OFFERED;
  if (status_is_done(status)) note_end(service);
  struct task* task = service->current;
  while (task != NULL && done >= task->blocks) {
    const bool is_its = recovered != STATUS_OK && recovered_lba - task->lba < task->blocks;
    done -= task->blocks;
    service_finish_current(service, is_its ? recovered : STATUS_OK, is_its ? recovered_lba : 0);
    task = service->joined_count > 0 ? take_joined(service) : NULL;
  }
  if (task != NULL) {
    service_finish_current(service, status, task->lba + done);
    return_joined(service);
  }
  if (is_offered == 0) service->arm->blocked &= (uint8_t)~ARM_IS_OFFERED;
}

/// The request for the current task has ended. A write may have to be verified next.
static enum arm_answer end_media(struct service* service, struct media_request* request) {
  struct task* task = service->current;
  const enum status status = media_status(service->media);
  cache_end_fill(service->cache);
  if (service->joined_count > 0) {
    finish_joined(service, status);
  } else if (status_is_done(status) && is_to_be_verified(service, task)) {
    verify_written(service, task, request);
    return ARM_REQUEST;
  } else {
    finish_media(service, task, status);
  }
  return ARM_PASSES;
}

/// Reports the task's blocks as complete. The media go on and read ahead.
static void end_served(struct service* service) {
  cache_note_fill(service->cache);
  note_end(service);
  host_side_deliver_all(service->host, service->current);
  uint32_t lba = 0;
  const enum status recovered = media_recovered(service->media, &lba);
  service_finish_current(service, recovered, lba);
}

// ----------------------------------------------------------------------------------------- choose

static void trace_search(const struct service* service) {
  trace_port_hal_event(TRACE_PLAN_BEGIN,
                       service->scheduler->policy->number << 16 | service->tasks->enabled.count);
}

/// The planned task, or the best of all that wait now. NULL: the heads wait for the choice.
static struct task* take_next(struct service* service, struct head_state* head) {
  struct candidate* planned = scheduler_take_planned(service->scheduler, head);
  if (planned != NULL) {
    // The difference wraps to a huge value if the heads are sooner than the plan assumed.
    const time_tick late = head->at_tick - service->scheduler->planned_from.at_tick;
    if (late <= SCHEDULER_PLAN_TOLERANCE_TICKS) service->late_ticks = (uint16_t)late;
    return task_of_candidate(planned);
  }
  if (!scheduler_is_due(service->scheduler)) trace_search(service);
  service->choice_waits = scheduler_must_wait(service->scheduler, head);
  if (service->choice_waits) return NULL;
  return task_of_candidate(scheduler_take_best(service->scheduler, head));
}

/// Chooses the next task; at least one waits. @return NULL: no task may begin now.
static struct task* choose(struct service* service, struct head_state* head) {
  if (bus_holder_decides(service->bus)) return bus_holder_next(service->bus);
  struct task* task = task_set_forced(service->tasks);
  if (task == NULL) task = bus_holder_obstacle(service->bus);
  if (task == NULL) task = task_set_awaited_write(service->tasks);
  return task != NULL ? task : take_next(service, head);
}

STATIC_ASSERT(POLICY_NO_DETOUR == MEDIA_NO_DETOUR, "one word for no detour");

/// When the access of `task` will end, by the prediction that chose it. The heads are at `head`
/// now. What the firmware has done since the plan's moment is within the margin, so that it does
/// not count twice.
static time_tick predict_end(const struct service* service, const struct task* task,
                             const struct head_state* head, uint32_t detour) {
  const struct predictor* predictor = service->predictor;
  struct head_state from = *head;
  from.at_tick -= service->late_ticks;
  from.angle_turn32 -= rotation_turn24(service->rotation, service->late_ticks) << 8;
  if (detour != MEDIA_NO_DETOUR) from = predictor_move(predictor, &from, detour);
  return predictor_access_end(predictor, &from, &task->candidate);
}

/// How many blocks the media may read ahead after the task's. 0 when another task waits.
static uint32_t blocks_ahead(const struct service* service, const struct task* task) {
  const struct cache* cache = service->cache;
  if (cache->filling == NULL || task_set_waiting_count(service->tasks) > 0) return 0;
  return cache_ahead(cache, task);
}

/// How many blocks must be in the task's segment before a read's data leave or a write begins
/// (pages 02h and 21h). `done` of them have been there already, and the segment still holds them.
static uint32_t share_of(const struct service* service, const struct task* task, uint32_t done) {
  const struct mode_disconnect* mode = &service->disconnect;
  const bool is_write = task->operation == TASK_WRITE;
  const bool by_run = is_write ? mode->write_ratio == 0 : mode->full_ratio == MODE_RATIO_HALF_RUN;
  if (by_run || task->operation == TASK_VERIFY) return 0;
  const uint32_t room = segments_length(service->segments, task->segment);
  if (!is_write && task->blocks > room) return 0;  // A full ring would cost a revolution.
  const uint32_t wanted = is_write ? mode_write_start_blocks(mode, task->blocks)
                                   : mode_ratio_blocks(mode->full_ratio, task->blocks);
  const uint32_t share = wanted < room ? wanted : room;
  return share > done ? share - done : 1;
}

void service_set_alarm(struct service* service) {
  const struct media* media = service->media;
  time_tick due = service_is_busy(service) ? service->controller_busy_until : TIME_TICK_NEVER;
  // The time may have ended since the media checked it. Then only the alarm wakes them.
  const bool is_held = media->state == MEDIA_HELD || media->state == MEDIA_PREPARING ||
                       (!media_is_idle(media) && media->request.hold_ticks > 0 &&
                        timer_hal_now() < media->held_until);
  if (is_held && media->held_until < due) due = media->held_until;
  if (due != TIME_TICK_NEVER) alarm_set(&service->alarm, due);
}

/// Makes the request for the rest of the task after its first `done` blocks. `resumed`: the task's
/// state when it was suspended; NULL: it was not.
static void make_request(struct service* service, const struct task* task, uint32_t done,
                         const struct bus_holder_suspended* resumed, uint32_t detour,
                         struct media_request* request) {
  service->cache->hit = NULL;  // The heads do not return to the blocks after the hit.
  if (task->operation == TASK_WRITE) {
    cache_drop(service->cache, task->lba, task->blocks);
    if (service->remap->batch > 0) remap_note_write(service->remap, task->lba, task->blocks);
  }
  static const enum formatter_operation operations[] = {
      [TASK_READ] = FORMATTER_READ,
      [TASK_WRITE] = FORMATTER_WRITE,
      [TASK_VERIFY] = FORMATTER_VERIFY,
  };
  const bool buffered = task->operation != TASK_VERIFY;
  const uint32_t room = buffered ? segments_length(service->segments, task->segment) : 0;
  const bool is_write = task->operation == TASK_WRITE;
  // Members are assigned one by one, because the compiler would clear a whole structure first.
  request->operation = operations[task->operation];
  request->lba = task->lba + done;
  request->block_count = task->blocks - done + service->joined_blocks;
  request->ahead = blocks_ahead(service, task);
  request->one_track = cache_ahead_one_track(service->cache);
  request->only_moves = false;
  request->takes_free = done == 0 && cache_takes_free(service->cache, task);
  request->recovery = resumed != NULL ? resumed->recovery
                                      : media_recovery(service->media, operations[task->operation]);
  request->ring = host_side_ring(service->host, task);
  request->ring_sectors = room + service->joined_blocks;
  request->ring_next = buffered ? cache_place(service->cache, task, done) : 0;
  request->share_blocks = share_of(service, task, done);
  request->hold_ticks = is_write ? service->controller.write_hold_ticks : 0;
  request->access_ticks = service->controller.access_ticks;
  request->byte = 0;
  request->task = index_of(service, task);
  request->detour = detour;
  request->purpose = MEDIA_FOR_HOST;
  request->recovered = resumed != NULL ? resumed->recovered : STATUS_OK;
  request->recovered_lba = resumed != NULL ? resumed->recovered_lba : 0;
  service->resumed_blocks = done;
  bus_holder_set_patience(service->bus, task);
}

/// When the arm will be at the candidate, if it moves as soon as the controller permits.
static time_tick arrival(const struct service* service, const struct head_state* head,
                         const struct candidate* candidate) {
  return head->at_tick + service->controller.access_ticks +
         predictor_arrival_ticks(service->predictor, head, candidate);
}

/// Begins to prepare the next search, because it is known now where and when the heads will be
/// free.
static __attribute__((noinline)) void prepare_next(struct service* service, const struct task* task,
                                                   const struct head_state* head) {
  const struct candidate* candidate = &task->candidate;
  const struct rotation* rotation = service->rotation;
  const struct head_state behind = {
      .at_tick = service->predicted_end,
      .cylinder = candidate->end_cylinder,
      .head = candidate->end_head,
      .at_writer = candidate->kind != CANDIDATE_READ,
      .angle_turn32 = candidate->angle_turn32 + (candidate->span_turn24 << 8),
      // The plan requests the data while the sectors pass.
      .data_tick = service->predicted_end - rotation_ticks(rotation, candidate->span_turn24) +
                   HOST_SIDE_FETCH_TICKS};
  service->arrives_tick = arrival(service, head, candidate);
  service->plan_waits = false;
  scheduler_prepare(service->scheduler, &behind);
}

/// Whether it is a reported write, all of whose data are in its segment. They came before the
/// report.
static bool is_whole(const struct service* service, const struct task* task) {
  return task_is_reported(task) && task->segment != SEGMENT_NONE &&
         segments_length(service->segments, task->segment) == task->blocks;
}

/// The write that the media could go on with after the first `blocks` blocks from `task` on, or
/// NULL.
static struct task* find_next_write(const struct service* service, const struct task* task,
                                    uint32_t blocks) {
  struct task_set* set = service->tasks;
  const uint32_t oldest = task_set_oldest(set)->candidate.sequence;
  struct task* next = task_set_next_in(set, task->lba + blocks, 1, oldest - 1U);
  const bool fits = next != NULL && task_is_listed(next) && is_whole(service, next) &&
                    segments_follow(service->segments, task->segment, blocks, next->segment);
  return fits ? next : NULL;
}

/// Takes reported writes that follow `task` out of the queue. Its ring then has their data, too.
static RARE void join_writes(struct service* service, const struct task* task) {
  if (!is_whole(service, task) || write_buffer_is_in_force(&service->tasks->writes)) return;
  struct task* next = NULL;
  while (service->joined_count < SERVICE_JOINED_MAX &&
         (next = find_next_write(service, task, task->blocks + service->joined_blocks)) != NULL) {
    service_take(service, next, true);
    if (service->learn->on) learn_access(service->learn, next->lba, next->blocks);
    cache_drop(service->cache, next->lba, next->blocks);
    if (service->remap->batch > 0) remap_note_write(service->remap, next->lba, next->blocks);
    service->joined[service->joined_count++] = (uint16_t)index_of(service, next);
    service->joined_blocks += next->blocks;
  }
  if (service->joined_count > 0) {
    segments_stretch(service->host->segments, task->segment, task->blocks + service->joined_blocks);
  }
}

/// Delivers the blocks of a partial hit that the cache has.
static RARE void deliver_part(struct service* service, struct task* task, uint32_t had) {
  trace_port_hal_event(TRACE_CACHE_PART, had << 16 | index_of(service, task));
  host_side_deliver_up_to(service->host, task, task->lba + had);
}

/// The look at what passes takes some time on the track. A read whose first sector comes soon would
/// lose a revolution by it. The arm is on its way to the read.
static RARE void weigh_free_blocks(struct service* service, const struct task* task,
                                   const struct head_state* head) {
  const struct candidate* candidate = &task->candidate;
  const time_tick first =
      service->predicted_end - rotation_ticks(service->rotation, candidate->span_turn24);
  service->media->request.takes_free =
      first > arrival(service, head, candidate) + 2U * FREE_BLOCKS_MARGIN_TICKS;
}

/// Makes the request for the chosen task.
static void plan_access(struct service* service, struct task* task, uint32_t detour,
                        struct media_request* request) {
  if (service->learn->on) learn_access(service->learn, task->lba, task->blocks);
  if (service->controller.joins) join_writes(service, task);
  make_request(service, task, cache_had(service->cache, task), NULL, detour, request);
  service->begun_detour = detour;
  service->begins_quietly = false;
}

/// The media have begun with the chosen task. The heads are moving now, so nothing here delays
/// them.
static void begin_access(struct service* service) {
  struct task* task = service->current;
  const struct head_state* head = &service->begun_head;
  if (service->joined_count == 0) {
    service->predicted_end = predict_end(service, task, head, service->begun_detour);
    if (service->media->request.takes_free) weigh_free_blocks(service, task, head);
    const bool ends_there = task->verifies == 0;
    if (ends_there && scheduler_can_prepare(service->scheduler)) prepare_next(service, task, head);
  } else {
    service->predicted_end = TIME_TICK_NEVER / 2;  // The last one has no prediction.
  }
  host_side_fetch_all(service->host, task);
  if (service->resumed_blocks > 0) deliver_part(service, task, service->resumed_blocks);
}

/// Moves the arm to the task's cylinder. Its movement has no part in the times of services.
static void plan_seek(struct service* service, const struct task* task,
                      struct media_request* request) {
  service->cache->hit = NULL;
  service->resumed_blocks = 0;
  service->is_timed = false;
  service->predicted_end = TIME_TICK_NEVER / 2;
  *request = (struct media_request){.operation = FORMATTER_VERIFY,
                                    .lba = task->lba,
                                    .block_count = task->blocks,
                                    .only_moves = true,
                                    .access_ticks = service->controller.access_ticks,
                                    .task = index_of(service, task),
                                    .detour = MEDIA_NO_DETOUR};
  bus_holder_set_patience(service->bus, task);
  service->begins_quietly = true;
}

bool suspended_task_wants(const struct service* service) {
  return bus_holder_can_resume(service->bus);
}

enum arm_answer suspended_task_plan(struct service* service, struct media_request* request) {
  if (service->bus->suspended_count == 0) arm_do_without(service->arm, ARM_SUSPENDED);
  const uint32_t index = bus_holder_find_resumable(service->bus);
  if (index == BUS_HOLDER_SUSPENDED_MAX) return ARM_PASSES;
  const struct bus_holder_suspended resumed = bus_holder_resume(service->bus, index);
  struct task* task = resumed.task;
  service->current = task;
  service->is_timed = false;
  service->predicted_end = TIME_TICK_NEVER / 2;  // Nothing was predicted for the rest.
  trace_port_hal_event(TRACE_TASK_CHOSEN, index_of(service, task));
  make_request(service, task, resumed.blocks, &resumed, MEDIA_NO_DETOUR, request);
  return ARM_REQUEST;
}

/// Begins the drive's work on the task.
static void note_begun(struct service* service, const struct task* task) {
  if (task->time_limit == 0) return;
  time_limits_begun(service->limits, task, timer_hal_now());
}

/// Takes the chosen task out of the queue and begins its work.
static enum arm_answer begin(struct service* service, struct task* task,
                             const struct head_state* head, struct media_request* request) {
  const uint32_t detour = task_is_listed(task)
                              ? scheduler_detour(service->scheduler, &task->candidate, head)
                              : MEDIA_NO_DETOUR;
  task_set_choose(service->tasks, task);
  if (task_is_listed(task)) scheduler_task_served(service->scheduler, &task->candidate, head);
  note_begun(service, task);
  service->current = task;
  service->begun_tick = (uint32_t)head->at_tick;
  service->is_timed = true;
  task->state = TASK_ACTIVE;
  trace_port_hal_event(TRACE_TASK_CHOSEN, index_of(service, task));
  const enum spindle_state spindle = (enum spindle_state)service->seek->spindle;
  switch (task->operation) {
    case TASK_READ:
    case TASK_WRITE:
    case TASK_VERIFY: plan_access(service, task, detour, request); return ARM_REQUEST;
    case TASK_SEEK: plan_seek(service, task, request); return ARM_REQUEST;
    case TASK_SYNCHRONIZE: service_finish_current(service, STATUS_OK, 0); return ARM_DONE;
    case TASK_START:
      seek_spin_up(service->seek);
      if (spindle == SPINDLE_AT_SPEED) {
        service_finish_current(service, STATUS_OK, 0);
      } else {
        service->arm->owner = ARM_HOST;  // service_on_spindle() follows.
        host_medium_ready(service->target, SENSE_BECOMING_READY);
      }
      return ARM_DONE;
    case TASK_STOP:
      seek_spin_down(service->seek);
      host_medium_ready(service->target, SENSE_START_REQUIRED);
      if (spindle == SPINDLE_AT_REST) {
        service_finish_current(service, STATUS_OK, 0);
      } else {
        service->arm->owner = ARM_HOST;
      }
      return ARM_DONE;
    case TASK_MAINTENANCE:
      remap_drop(service->remap);
      maintenance_begin(service->maintenance, task);
      arm_want(service->arm, ARM_MAINTENANCE);
      return ARM_DONE;
    case TASK_REPLY: break;  // Such a task is never enabled.
  }
  ASSERT_UNREACHABLE();
}

static bool may_make_room(struct task_set* set, const struct task* task) {
  return task->state == TASK_ENABLED || task_set_waits_for_heads(set, task);
}

/// Finds the task that makes room when the next task has none and none will become free by itself.
/// That is the oldest one with data in the buffer. NULL: there is none, or data on their way out
/// will make room in the policy's order.
///
/// A HEAD OF QUEUE task may hold back the owner, which got its room while tasks had more of the
/// buffer. The owner has begun to move its data, so it is finished first.
///
/// Data of a nexus that a contingent allegiance suspends are not on their way.
static struct task* oldest_with_segment(struct service* service) {
  struct task_set* set = service->tasks;
  struct task* oldest = NULL;
  for (struct task* task = task_set_oldest(set); task != NULL; task = task_set_younger(set, task)) {
    if (task->segment == SEGMENT_NONE) continue;
    if (task->state > TASK_ENABLED && task_set_suspends(set, task)) continue;
    if (task->state > TASK_ENABLED) return NULL;
    if (oldest == NULL && may_make_room(set, task)) oldest = task;
  }
  return oldest;
}

/// Notes that a task waits for room. The alarm wakes the service when the drive stops keeping room.
static void watch_room(struct service* service) {
  if (!bus_holder_is_waited_for(service->bus) || service_is_busy(service)) return;
  alarm_set(&service->alarm, service->bus->room_until);
}

/// Whether a task that is to begin has the room that it needs.
static bool prepare(struct service* service, struct task* task) {
  if (task->operation == TASK_MAINTENANCE) return maintenance_prepare(service->maintenance);
  return host_side_prepare(service->host, task);
}

/// Finds a task that begins instead of `task`, which has no room. NULL: the service waits for room.
static struct task* find_substitute(struct service* service, const struct task* task) {
  struct task* other = bus_holder_decides(service->bus) ? NULL : oldest_with_segment(service);
  if (other != NULL && other->state == TASK_DORMANT) {
    task_set_pass_heads(service->tasks, other);
    if (other->state != TASK_ENABLED) return NULL;  // The task became enabled, and failed.
  }
  if (other != NULL && prepare(service, other)) return other;
  service->waiting_for_segment = true;
  trace_port_hal_event(TRACE_MEDIA_WAIT, index_of(service, task));
  watch_room(service);
  return NULL;
}

bool host_task_wants(struct service* service) {
  const struct task_set* set = service->tasks;
  if (task_set_waiting_count(set) > 0 || set->head_of_queue_count > 0) return true;
  arm_do_without(service->arm, ARM_HOST);
  service->waiting_for_segment = service->choice_waits = false;
  return false;
}

enum arm_answer host_task_plan(struct service* service, struct media_request* request) {
  if (!host_task_wants(service)) return ARM_PASSES;
  service->waiting_for_segment = false;
  service->choice_waits = false;
  service->late_ticks = 0;
  const time_tick now = timer_hal_now();
  rotation_check_age(service->rotation, now);
  struct head_state* head = &service->begun_head;
  *head = media_head_now(service->media, now);
  head->data_tick = now + HOST_SIDE_FETCH_TICKS;
  struct task* task = choose(service, head);
  if (task == NULL) return service->choice_waits ? ARM_WAITS : ARM_PASSES;
  if (!prepare(service, task)) {
    const uint32_t removals = service->tasks->removals;
    task = find_substitute(service, task);
    service->late_ticks = 0;
    if (task == NULL && service->remap->segment != SEGMENT_NONE) {
      remap_release(service->remap);
      return ARM_DONE;
    }
    if (task == NULL) {  // A task that ended may have made room.
      return service->tasks->removals != removals ? ARM_DONE : ARM_WAITS;
    }
  }
  return begin(service, task, head, request);
}

/// Time between the formatter's start and plan_prepared(), some 180 ticks, with a margin. A sector
/// that began before is caught as long as its header has not come.
#define RUN_STARTED_TICKS 250U

/// Whether the run's first sector has come since the formatter's start, but before this plan. Its
/// present angle alone would put it a turn later.
static bool is_just_caught(const struct service* service, time_tick free_tick, time_tick now) {
  const struct task* task = service->current;
  const struct media* media = service->media;
  if (task == NULL || media->chained_runs != 0 || media->run_count != task->blocks) return false;
  const uint32_t turn_ticks = service->rotation->period_tick64 / 64;
  const time_tick start_tick =
      service->predicted_end - rotation_ticks(service->rotation, task->candidate.span_turn24);
  return free_tick - service->predicted_end - turn_ticks / 2 < turn_ticks &&
         now - start_tick < RUN_STARTED_TICKS;
}

static void end_plan(struct service* service) {
  struct candidate* planned = scheduler_planned(service->scheduler);
  trace_port_hal_event(TRACE_PLAN_END,
                       planned == NULL ? TASK_NONE : index_of(service, task_of_candidate(planned)));
  if (planned == NULL) return;
  struct task* task = task_of_candidate(planned);
  service_fetch_early(service, task, SEGMENT_FOR_PLAN);
  predictor_expect(service->predictor, task->lba);
}

static void plan_from(struct service* service, struct head_state* head, time_tick now) {
  head->data_tick = now + HOST_SIDE_FETCH_TICKS;
  trace_search(service);
  scheduler_plan(service->scheduler, head, now);
  end_plan(service);
}

/// Chooses the next task while the last run of this one is under way.
static void plan_next(struct service* service) {
  const time_tick now = timer_hal_now();
  struct head_state head = media_head_when_free(service->media, now);
  plan_from(service, &head, now);
}

/// Whether there is time for another step before the choice must be made.
static bool may_wait_for_steps(const struct service* service, time_tick now) {
  return scheduler_prepares(service->scheduler) &&
         now + 3U * SCHEDULER_STEP_TICKS < service->predicted_end;
}

static struct head_state head_when_run_ends(const struct service* service, time_tick now) {
  struct head_state head = media_head_when_free(service->media, now);
  if (is_just_caught(service, head.at_tick, now)) {
    head.at_tick -= service->rotation->period_tick64 / 64;
  }
  return head;
}

/// Whether the steps of a policy whose plan waits for them have been made. When the run begins, it
/// is known best where the heads will be free.
static RARE bool steps_are_made(struct service* service, time_tick now) {
  if (!service->plan_waits) {
    const struct head_state head = head_when_run_ends(service, now);
    scheduler_expect(service->scheduler, &head);
  }
  service->plan_waits = scheduler_prepares(service->scheduler);
  return !service->plan_waits;
}

/// Whether the choice has been prepared. If not, the plan waits, or is made without a preparation.
static bool is_prepared(struct service* service, time_tick now) {
  service->plan_waits = may_wait_for_steps(service, now);
  if (service->plan_waits) return false;
  struct head_state head = head_when_run_ends(service, now);
  if (scheduler_is_prepared(service->scheduler, &head, now)) return true;
  plan_from(service, &head, now);
  return false;
}

/// Plans from what has been prepared. If that is not complete, the plan is made later.
static __attribute__((noinline)) void plan_prepared(struct service* service) {
  const time_tick now = timer_hal_now();
  const bool may_plan = scheduler_plans_behind_steps(service->scheduler)
                            ? steps_are_made(service, now)
                            : is_prepared(service, now);
  if (!may_plan) return;
  trace_search(service);
  scheduler_plan_prepared(service->scheduler);
  end_plan(service);
}

bool service_prepare_step(struct service* service) {
  if (media_is_seeking(service->media) &&
      timer_hal_now() + SCHEDULER_STEP_TICKS >= service->arrives_tick) {
    return false;  // The run must begin as soon as the arm is there.
  }
  scheduler_prepare_step(service->scheduler);
  if (service->plan_waits && media_is_last_run(service->media)) plan_prepared(service);
  return true;
}

void service_fetch_early(struct service* service, struct task* task, enum segment_reserve reserve) {
  if (write_frames_keep_out(service->tasks, service->host, task)) return;
  host_side_fetch_early(service->host, task, reserve);
}

void service_take(struct service* service, struct task* task, bool announced) {
  task_set_choose(service->tasks, task);
  if (announced && task_is_listed(task)) scheduler_task_left(service->scheduler, &task->candidate);
}

/// Makes a task the current one whose blocks the media are already reading.
static void join(struct service* service, struct task* task) {
  service->current = task;
  service->arm->owner = ARM_HOST;
  service->is_timed = false;
  // It was not chosen by its place, so there is no predicted end that it could miss.
  service->predicted_end = TIME_TICK_NEVER / 2;
  task->state = TASK_ACTIVE;
  trace_port_hal_event(TRACE_TASK_CHOSEN, index_of(service, task));
  cache_join(service->cache, task);
}

bool service_from_cache(struct service* service, struct task* task, bool announced) {
  struct cache_segment* segment = NULL;
  const enum cache_answer answer = cache_find(service->cache, task, &segment);
  if (answer == CACHE_MISS) return false;
  service_take(service, task, announced);
  task->flags |= TASK_FLAG_HIT;
  note_begun(service, task);
  if (answer == CACHE_UNDER_WAY) {
    join(service, task);
    return true;
  }
  cache_serve(service->cache, segment, task);
  task->state = TASK_TRANSFERRING;
  host_side_deliver_all(service->host, task);
  host_task_finished(service->target, task, STATUS_OK, 0);
  return true;
}

void service_held(struct service* service) {
  if (!service->holds) return;
  service->holds = false;
  struct task_set* set = service->tasks;
  struct task* task = task_set_oldest(set);
  while (task != NULL) {
    const uint32_t removals = set->removals;
    const bool was_held = task->candidate.sequence - service->held_from < UINT32_MAX / 2;
    if (task->state == TASK_ENABLED && was_held) {
      if (!service_from_cache(service, task, true)) {
        service_fetch_early(service, task, SEGMENT_FOR_ARRIVAL);
      }
    }
    // The walk begins again after a removal. Repeating a request has no effect.
    task = set->removals == removals ? task_set_younger(set, task) : task_set_oldest(set);
  }
}

/// Serves tasks that wait for blocks of the read-ahead, the oldest first. The media have begun to
/// read ahead.
static void serve_read_ahead(struct service* service) {
  uint32_t lba = 0;
  const uint32_t blocks = cache_fill_range(service->cache, &lba);
  const struct task* oldest = task_set_oldest(service->tasks);
  if (blocks == 0 || oldest == NULL || bus_holder_can_resume(service->bus)) return;
  uint32_t sequence = oldest->candidate.sequence - 1U;
  struct task* task = NULL;
  while ((task = task_set_next_in(service->tasks, lba, blocks, sequence)) != NULL) {
    sequence = task->candidate.sequence;
    (void)service_from_cache(service, task, true);
  }
}

/// Whether the task cannot go on without the bus. A reported write can, and so can a task that
/// waits for the spindle.
static bool is_stuck(const struct service* service, const struct task* task) {
  return media_waits(service->media) && task != service->bus->task && !task_is_reported(task);
}

/// Takes `current` from the media. Blocks that it has done stay done. A data phase must not wait
/// for media that work for another task. So the grant is cut to what the ring has, or has room for.
static RARE void suspend(struct service* service) {
  struct bus_holder_suspended suspended = {.task = service->current,
                                           .recovery = service->media->request.recovery};
  service->current = NULL;
  arm_release(service->arm);
  arm_want(service->arm, ARM_SUSPENDED);
  const enum media_outcome outcome = media_abort(service->media);
  ASSERT(outcome == MEDIA_ENDED);  // No sector was under way.
  suspended.blocks = service->resumed_blocks + media_blocks_done(service->media);
  suspended.recovered = media_recovered(service->media, &suspended.recovered_lba);
  suspended.task->host_blocks_granted = host_side_ready(service->host, suspended.task);
  bus_holder_suspend(service->bus, &suspended);
}

bool service_suspend_stuck(struct service* service) {
  const struct task* task = service->current;
  if (task == NULL || !is_stuck(service, task)) return false;
  if (!bus_holder_decides(service->bus) && !task_set_suspends(service->tasks, task)) return false;
  suspend(service);
  return true;
}

/// The task for which the media recover an error, or NULL.
static struct task* find_recovering(const struct service* service) {
  return service->current != NULL && media_is_recovering(service->media) ? service->current : NULL;
}

void service_on_time_limits(struct service* service, time_tick now) {
  time_limits_act(service->limits, now, find_recovering(service));
}

/// Notes in the limits that the media recover an error of the current task, which may be forbidden.
static void look_after_limits(struct service* service) {
  if (service->current == NULL || service->current->time_limit == 0) return;
  struct task* task = find_recovering(service);
  if (task != NULL) time_limits_recovering(service->limits, task, timer_hal_now());
}

void service_on_progress(struct service* service, enum media_outcome outcome) {
  if (outcome != MEDIA_RUN_STARTED) return;
  if (service->media->start_moved) cache_follow_start(service->cache);
  if (!media_is_last_run(service->media) || is_to_be_verified(service, service->current)) return;
  if (scheduler_has_prepared(service->scheduler)) {
    plan_prepared(service);
  } else if (!scheduler_waits(service->scheduler)) {
    plan_next(service);
  }
}

/// Continues with the task at the media after any outcome but MEDIA_ENDED.
static enum arm_answer continue_task(struct service* service, enum media_outcome outcome) {
  if (outcome == MEDIA_SERVED) {
    end_served(service);
    serve_read_ahead(service);
    return ARM_PASSES;
  }
  look_after_limits(service);
  // The host comes first, because a search may take long. The end of a run is progress, too.
  host_side_deliver(service->host, service->current, service->resumed_blocks);
  if (outcome != MEDIA_RUN_STARTED) {
    if (!media_waits(service->media)) return ARM_PASSES;
    return service_suspend_stuck(service) ? ARM_DONE : ARM_PASSES;
  }
  service_on_progress(service, outcome);
  return ARM_PASSES;
}

enum arm_answer host_task_outcome(struct service* service, enum media_outcome outcome,
                                  struct media_request* request) {
  return outcome == MEDIA_ENDED ? end_media(service, request) : continue_task(service, outcome);
}

enum arm_answer suspended_task_outcome(struct service* service, enum media_outcome outcome,
                                       struct media_request* request) {
  return host_task_outcome(service, outcome, request);
}

/// The media may have to wait before the request, or with it.
static inline void set_media_alarm(struct service* service) {
  const struct media_request* request = &service->media->request;
  if ((request->access_ticks | request->hold_ticks) > 0) service_set_alarm(service);
}

void host_task_begun(struct service* service, enum media_outcome outcome) {
  set_media_alarm(service);
  if (service->begins_quietly) return;
  begin_access(service);
  (void)continue_task(service, outcome);
}

void suspended_task_begun(struct service* service, enum media_outcome outcome) {
  set_media_alarm(service);
  host_side_fetch_all(service->host, service->current);
  (void)continue_task(service, outcome);
}

void service_on_spindle(struct service* service, uint32_t seek_results) {
  struct task* task = service->current;
  if (task == NULL) return;
  const bool started = task->operation == TASK_START && (seek_results & SEEK_RESULT_AT_SPEED) != 0;
  const bool stopped = task->operation == TASK_STOP && (seek_results & SEEK_RESULT_AT_REST) != 0;
  const bool failed =
      task->operation == TASK_START && (seek_results & SEEK_RESULT_SPINDLE_FAILED) != 0;
  if (!started && !stopped && !failed) return;
  arm_release(service->arm);
  service_finish_current(service, failed ? STATUS_SPINDLE_FAILED : STATUS_OK, 0);
}
