// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/tenancy.h"

#include "firmware/hal/timer_hal.h"
#include "firmware/kernel/alarm.h"
#include "firmware/kernel/rare.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/host_side.h"
#include "firmware/transfer/service.h"

RARE void tenancy_begin(struct target* target, bool is_reselected) {
  const time_tick now = timer_hal_now();
  target->tenancy = (struct tenancy){.begin_tick = now,
                                     .active_tick = now,
                                     .not_before = target->tenancy.not_before,
                                     .is_reselected = is_reselected};
}

RARE void tenancy_end(struct target* target) {
  target->tenancy.not_before = timer_hal_now() + target->limits.disconnect_ticks;
}

// ------------------------------------------------------------------------------------ on the bus

/// Counts what the data phase that has just ended has moved.
static void note_moved(struct tenancy* tenancy, const struct task* task, time_tick now) {
  if (!tenancy->moves) return;
  tenancy->moves = false;
  const uint32_t blocks = tenancy->blocks_before - task->host_blocks_left;
  if (blocks == 0) return;
  tenancy->moved_blocks += blocks;
  tenancy->block_ticks = time_since32(tenancy->active_tick, now) / blocks + 1;
  tenancy->active_tick = now;
}

/// Whether the command has begun to transfer data.
static bool has_begun(const struct task* task) {
  const bool has_data = task->operation == TASK_READ || task->operation == TASK_WRITE;
  return has_data && task->host_blocks_left < task->blocks;
}

/// Whether DTDC forbids to leave the bus.
static bool must_stay(const struct mode_tenancy* limits, const struct task* task) {
  if (limits->dtdc == MODE_DTDC_NONE || !has_begun(task)) return false;
  return limits->dtdc == MODE_DTDC_COMMAND || task->host_blocks_left > 0;
}

/// Whether the task's data may begin. With DTDC it must then stay until its end.
static bool may_begin_data(const struct target* target, const struct task* task) {
  const struct target_parts* parts = &target->parts;
  if (target->limits.dtdc == MODE_DTDC_NONE) return true;
  return bus_holder_may_begin_data(parts->bus_holder, task,
                                   host_side_brings_all(parts->host_side, task));
}

/// The buffer is not ready.
static enum tenancy_step wait(struct target* target, struct task* task, time_tick now,
                              time_tick connected_until) {
  const uint32_t inactivity_ticks = target->limits.inactivity_ticks;
  time_tick until = connected_until;
  if (inactivity_ticks != 0 && target->tenancy.active_tick + inactivity_ticks < until) {
    until = target->tenancy.active_tick + inactivity_ticks;
  }
  if (now + TENANCY_LOOK_TICKS >= until) {
    task->waits_for_buffer = true;
    return TENANCY_LEAVES;
  }
  target->connection.state = CONNECTION_PAUSING;
  alarm_set(&target->alarm, now + TENANCY_LOOK_TICKS);
  return TENANCY_WAITS;
}

/// How many blocks fit into the time that is left. Before the first block that is not known: one.
static uint32_t blocks_until(const struct tenancy* tenancy, time_tick now, time_tick until) {
  if (now >= until) return 0;
  if (tenancy->block_ticks == 0) return 1;
  return time_since32(now, until) / tenancy->block_ticks;
}

static uint32_t least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

/// Some blocks are granted, and there is no DTDC.
static enum tenancy_step next_data(struct target* target, struct task* task, time_tick now,
                                   uint32_t* blocks) {
  const struct mode_tenancy* limits = &target->limits;
  struct tenancy* tenancy = &target->tenancy;
  uint32_t most = task->host_blocks_granted;
  if (limits->burst_blocks != 0) {
    if (tenancy->moved_blocks >= limits->burst_blocks) return TENANCY_LEAVES;
    most = least_of(most, limits->burst_blocks - tenancy->moved_blocks);
  }
  time_tick until = TIME_TICK_NEVER;
  if (limits->connect_ticks != 0) {
    until = tenancy->begin_tick + limits->connect_ticks;
    const uint32_t fit = blocks_until(tenancy, now, until);
    // A reconnection without data would be followed by another one, for ever.
    const bool has_to = tenancy->is_reselected && tenancy->moved_blocks == 0;
    if (fit == 0 && !has_to) return TENANCY_LEAVES;
    most = least_of(most, fit == 0 ? 1 : fit);
  }
  if (limits->connect_ticks != 0 || limits->inactivity_ticks != 0) {
    const uint32_t ready = host_side_ready(target->parts.host_side, task);
    if (ready == 0) return wait(target, task, now, until);
    most = least_of(most, ready);
  }
  *blocks = most;
  return TENANCY_MOVES;
}

RARE enum tenancy_step tenancy_next(struct target* target, struct task* task, uint32_t* blocks) {
  struct tenancy* tenancy = &target->tenancy;
  const struct mode_tenancy* limits = &target->limits;
  const time_tick now = timer_hal_now();
  note_moved(tenancy, task, now);
  if (task->host_blocks_granted == 0) {
    if (task->state != TASK_ENDED) return must_stay(limits, task) ? TENANCY_STAYS : TENANCY_AS_EVER;
    const bool is_paused = tenancy->is_reselected && tenancy->moved_blocks == 0;
    return tenancy_pauses_apart(target, task) && !is_paused ? TENANCY_LEAVES : TENANCY_AS_EVER;
  }
  if (limits->dimm && !tenancy->is_reselected) return TENANCY_LEAVES;
  if (!has_begun(task) && !may_begin_data(target, task)) return TENANCY_LEAVES;
  enum tenancy_step step = TENANCY_MOVES;
  if (limits->dtdc != MODE_DTDC_NONE) {
    *blocks = task->host_blocks_granted;
  } else {
    step = next_data(target, task, now, blocks);
  }
  if (step != TENANCY_MOVES) return step;
  tenancy->moves = true;
  tenancy->active_tick = now;
  tenancy->blocks_before = task->host_blocks_left;
  task->waits_for_buffer = false;
  return TENANCY_MOVES;
}

bool tenancy_pauses_apart(const struct target* target, const struct task* task) {
  const struct mode_tenancy* limits = &target->limits;
  if (limits->inactivity_ticks == 0 || task->operation != TASK_READ) return false;
  return limits->dtdc != MODE_DTDC_COMMAND &&
         target->stages.ticks[MODE_STAGE_READ_STATUS] > limits->inactivity_ticks;
}

// ------------------------------------------------------------------------------------ reselection

/// Whether the task has something to do on the bus.
static bool may_return(const struct target* target, const struct task* task) {
  if (target->device.nexus[task->initiator].is_held) return false;
  if (task->host_blocks_granted > 0 && !may_begin_data(target, task)) return false;
  if (!task->waits_for_buffer || task->host_blocks_granted == 0) return true;
  return host_side_may_return(target->parts.host_side, task, &target->parts.service->disconnect);
}

RARE struct task* tenancy_choose(struct target* target) {
  const time_tick now = timer_hal_now();
  if (now < target->tenancy.not_before) {
    alarm_set(&target->alarm, target->tenancy.not_before);
    return NULL;
  }
  for (uint32_t index = target->connection.request_first; index != TASK_NONE;) {
    struct task* task = &target->tasks->task[index];
    if (may_return(target, task)) return task;
    index = task->request_next;
  }
  alarm_set(&target->alarm, now + TENANCY_LOOK_TICKS);
  return NULL;
}
