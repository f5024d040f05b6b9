// SPDX-License-Identifier: Apache-2.0
/// @file
/// Serving tasks: the choice of the next one, its work at the media, and its end.
///
/// One task at a time is at the media. While its last run is under way the next task is planned
/// (queue/scheduler.h); when the heads are free it begins. The states of a task are:
///
///     enabled > chosen > at the media > its data to or from the host > its status > gone
///
/// A reported write may take followers into its request (page 21h). They are reported writes, too.
/// Their blocks continue its blocks, and their data continue its data in the buffer.
///
/// A read that the cache serves (cache.h) goes from enabled to its data at once. While no task
/// waits the media may read ahead; the next task ends the read-ahead.
///
/// service_tasks.h takes what the command layer reports of tasks.
#ifndef FIRMWARE_TRANSFER_SERVICE_H
#define FIRMWARE_TRANSFER_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/kernel/time.h"
#include "firmware/motion/predictor.h"
#include "firmware/motion/rotation.h"
#include "firmware/motion/seek.h"
#include "firmware/queue/scheduler.h"
#include "firmware/queue/task_set.h"
#include "firmware/remap/learn.h"
#include "firmware/transfer/arm_state.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/host_events.h"
#include "firmware/transfer/host_side.h"
#include "firmware/transfer/maintenance.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/remap.h"
#include "firmware/transfer/segments.h"
#include "firmware/transfer/service_times.h"
#include "firmware/transfer/time_limits.h"
#include "firmware/unit/mode_page.h"
#include "firmware/unit/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most writes that go to the media with the current one.
#define SERVICE_JOINED_MAX 31U

/// Undo record of the controller's time for the last command: the state before it was added.
struct service_busy_undo {
  const struct task* task;  ///< Task of the last command; NULL: it has ended, or none has come.
  time_tick until;          ///< controller_busy_until before the command.
  uint32_t write_end;       ///< write_end before the command.
  bool wrote_last;          ///< wrote_last before the command.
};

struct service {
  // Parts of the drive that the service works for; filled in before service_init().
  struct media* media;
  struct task_set* tasks;
  struct scheduler* scheduler;
  struct host_side* host;
  struct bus_holder* bus;
  struct cache* cache;
  struct target* target;
  const struct unit* unit;
  struct seek* seek;
  struct rotation* rotation;
  const struct predictor* predictor;
  const struct segments* segments;
  struct maintenance* maintenance;
  struct time_limits* limits;
  struct remap* remap;
  struct learn* learn;
  struct service_times* times;
  struct service_busy_undo* busy_undo;
  struct arm* arm;

  struct task* current;     ///< Task at the media, or waiting for the spindle; NULL: none.
  uint32_t begun_tick;      ///< Time at which `current` was chosen, the low word, if it is_timed.
  time_tick predicted_end;  ///< End of `current` as predicted when it was planned, or else chosen.
  time_tick arrives_tick;   ///< Arrival of the arm for `current`, used while a search is prepared.
  uint32_t joined_count;    ///< Number of reported writes that the media write in the request of
                            ///< `current`, whose blocks they continue.
  uint32_t joined_blocks;   ///< Total blocks of the joined writes.
  uint16_t joined[SERVICE_JOINED_MAX];  ///< The joined writes in order of blocks; they are
                                        ///< TASK_CHOSEN.
  uint32_t resumed_blocks;  ///< Blocks of `current` that precede the media's present work for it.
  bool is_timed;      ///< `current` was chosen by the scheduler: its time counts as a service.
  bool plan_waits;    ///< The plan waits for the preparation of the next search.
  bool choice_waits;  ///< The choice waits for the preparation, and the heads for the
                      ///< choice.
  bool waiting_for_segment;  ///< The next task needs a segment, and none is free.
  bool begins_quietly;       ///< The request that begins is a movement or a verification: nothing
                             ///< is fetched or planned for it.
  uint32_t begun_detour;     ///< Detour of the access that begins.
  struct head_state begun_head;     ///< The heads at the last choice of a task.
  struct alarm alarm;               ///< Alarm of service_tasks_on_alarm().
  time_tick controller_busy_until;  ///< The controller is busy with commands until then, if
                                    ///< service_is_busy() (service_tasks.h).
  bool holds;  ///< Tasks wait for the end of the controller's time: service_held() continues with
               ///< them.
  uint16_t late_ticks;  ///< Ticks from the plan's moment to the choice of `current`; 0 without a
                        ///< plan.
  uint32_t held_from;   ///< Number (struct candidate's `sequence`) of the first task held for the
                        ///< controller.
  bool wrote_last;      ///< The last command that came was a write.
  uint32_t write_end;   ///< The block after the last write that came.
  struct mode_controller controller;
  struct mode_disconnect disconnect;
};

/// Begins without a task to serve. The pointers to the drive's parts must be set.
void service_init(struct service* service, struct alarms* alarms);

/// Whether the time that an older controller takes for a command is not over. No client gets the
/// arm before that.
static inline bool service_is_busy(const struct service* service) {
  return (service->arm->blocked & ARM_CONTROLLER_BUSY) != 0;
}

/// Takes `current` away from the media, and reports its result to the target.
void service_finish_current(struct service* service, enum status status, uint32_t lba);

/// Notes that a command came, ended, or was served by the media, which took `media_ticks`. Clients
/// that wait for an idle drive count from this moment on.
void service_note_idle_from(const struct service* service, uint32_t media_ticks);
static inline void service_note_host(const struct service* service, uint32_t media_ticks) {
  const uint32_t waiting = ARM_BIT(ARM_MOVES) | ARM_BIT(ARM_SCAN);
  if ((service->arm->wants & waiting) != 0) service_note_idle_from(service, media_ticks);
}

// Clients of the arm (arm.h): tasks that begin, and tasks that go on after they were suspended.

bool host_task_wants(struct service* service);
enum arm_answer host_task_plan(struct service* service, struct media_request* request);
enum arm_answer host_task_outcome(struct service* service, enum media_outcome outcome,
                                  struct media_request* request);
void host_task_begun(struct service* service, enum media_outcome outcome);
bool suspended_task_wants(const struct service* service);
enum arm_answer suspended_task_plan(struct service* service, struct media_request* request);
enum arm_answer suspended_task_outcome(struct service* service, enum media_outcome outcome,
                                       struct media_request* request);
void suspended_task_begun(struct service* service, enum media_outcome outcome);

/// Plans the next task when the last run of the media's work begins, for whomever that work is.
void service_on_progress(struct service* service, enum media_outcome outcome);

/// Acts on the spindle's coming to speed or to rest. arm_dispatch() must follow.
void service_on_spindle(struct service* service, uint32_t seek_results);

/// Acts on limits of commands' durations that have expired. arm_dispatch() must follow.
void service_on_time_limits(struct service* service, time_tick now);

/// Whether the next search can be prepared by a step: service_prepare_step().
static inline bool service_prepares(const struct service* service) {
  return scheduler_prepares(service->scheduler);
}

/// Called when nothing else has to be done. @return false, and nothing has been done, when an event
/// is near that must not wait.
bool service_prepare_step(struct service* service);

/// Whether the heads wait for a choice that can be made now: arm_dispatch() makes it.
static inline bool service_can_choose(const struct service* service) {
  return service->choice_waits && !scheduler_prepares(service->scheduler);
}

/// Takes an enabled task out of the queue, because the scheduler need not choose it any more.
///
/// @param announced  The scheduler knows of the task.
void service_take(struct service* service, struct task* task, bool announced);

/// Serves an enabled read from the buffer, if its blocks are in the cache or will be.
///
/// @param announced  The scheduler knows of the task.
/// @return whether it has been taken out of the queue.
bool service_from_cache(struct service* service, struct task* task, bool announced);

/// Sets the alarm for the end of the controller's time, or for that of a write's hold, whichever is
/// earlier. With neither under way the alarm stays as it is.
void service_set_alarm(struct service* service);

/// Fetches a write's data early, as far as the buffer allows, and its frames.
void service_fetch_early(struct service* service, struct task* task, enum segment_reserve reserve);

/// Continues with tasks that were held while the controller was busy. They are served from the
/// cache, or their data are fetched. Tasks before held_from were considered when they came:
/// repeating that for 256 of them would keep the arm waiting.
void service_held(struct service* service);

/// Suspends the task at the media if it waits for the bus and cannot have it (bus_holder.h).
/// Another task may hold the bus, or the initiator may owe a REQUEST SENSE. @return whether it was
/// suspended; arm_dispatch() must follow.
bool service_suspend_stuck(struct service* service);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SERVICE_H
