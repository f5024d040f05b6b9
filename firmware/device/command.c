// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/command.h"

#include "firmware/device/command_rows.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/service_tasks.h"
#include "firmware/transfer/time_limits.h"

enum command_result command_fail(struct command* command, struct sense sense) {
  command->sense = sense;
  return COMMAND_CHECK;
}

enum command_result command_reply(struct command* command, uint32_t count,
                                  uint32_t allocation_bytes) {
  command->data_count = count < allocation_bytes ? count : allocation_bytes;
  return COMMAND_DONE;
}

struct sense command_format_sense(const struct device* device) {
  struct sense sense = sense_plain(SENSE_FORMAT_IN_PROGRESS);
  sense.detail = SENSE_DETAIL_PROGRESS;
  sense.value = service_tasks_progress(device->parts.service);
  return sense;
}

enum command_result command_refuse(const struct command* command) {
  return command->attribute == TASK_UNTAGGED ? COMMAND_BUSY : COMMAND_QUEUE_FULL;
}

/// Sets the candidate's part of its command's urgency.
static void set_urgency(struct candidate* candidate, const struct command* command) {
  const struct task_urgency* urgency = &command->urgency;
  candidate->arrived_64ticks = (uint32_t)(command->received_tick / TASK_ARRIVED_TICKS);
  candidate->service_class = urgency->service_class;
  candidate->stream = urgency->stream;
  candidate->priority = urgency->priority;
  candidate->deadline_64ticks = 0;
  if (urgency->service_class != CANDIDATE_REAL_TIME) return;
  const time_tick longest = (time_tick)CANDIDATE_SLACK_MAX_64TICKS * TASK_ARRIVED_TICKS;
  const time_tick asked = (time_tick)urgency->due_us * TIME_TICKS_PER_MICROSECOND;
  const time_tick from = command->urgency_known ? command->urgency_tick : command->received_tick;
  const time_tick due = from + (asked < longest ? asked : longest);
  candidate->deadline_64ticks = (uint32_t)(due / TASK_ARRIVED_TICKS);
}

/// Whether the policy keeps the remaining room for real time. Writes that only keep a deferred
/// error do not count: the host may never read it.
static bool is_too_many(const struct device* device, const struct command* command,
                        enum task_operation operation) {
  return task_set_busy_count(device->tasks) > device->parts.scheduler->best_effort_most &&
         command->urgency.service_class == CANDIDATE_BEST_EFFORT && task_needs_media(operation);
}

bool command_may_queue(const struct device* device, const struct command* command,
                       enum task_operation operation) {
  const bool may_disconnect = (command->flags & TASK_FLAG_MAY_DISCONNECT) != 0;
  if (may_disconnect && bus_holder_is_waited_for(device->parts.bus_holder)) return false;
  return !is_too_many(device, command, operation) && !task_set_is_full(device->tasks);
}

enum command_result command_queue_task(struct device* device, struct command* command,
                                       enum task_operation operation,
                                       const struct block_range* range, bool immediate) {
  const bool may_disconnect = (command->flags & TASK_FLAG_MAY_DISCONNECT) != 0;
  if (may_disconnect && bus_holder_is_waited_for(device->parts.bus_holder))
    return command_refuse(command);
  if (is_too_many(device, command, operation)) return command_refuse(command);
  struct task* task = task_set_allocate(device->tasks);
  if (task == NULL) return command_refuse(command);
  const bool moves_data = operation == TASK_READ || operation == TASK_WRITE;
  const time_tick received = command->received_tick;
  set_urgency(&task->candidate, command);
  task->lba = (uint32_t)range->lba;
  task->blocks = range->blocks;
  task->host_blocks_left = moves_data ? range->blocks : 0;
  task->operation = operation;
  task->attribute = (enum task_attribute)command->attribute;
  if (task_is_barrier(operation)) task->attribute = TASK_ORDERED;
  task->tag = command->tag;
  task->initiator = command->initiator % TASK_INITIATORS_MAX;
  task->flags = command->flags;
  if (command->attribute == TASK_UNTAGGED) task->flags |= TASK_FLAG_NO_TAG;
  if (command->limits != NULL &&
      !time_limits_add(device->parts.time_limits, task, command->limits, received)) {
    task_set_remove(device->tasks, task);
    return command_refuse(command);
  }
  if (command->cdb[0] == OPCODE_WRITE_AND_VERIFY_10) task->verifies = 1;
  if (operation == TASK_MAINTENANCE) device->unit.maintenance.task = task;
  if (immediate) {
    task->flags |= TASK_FLAG_SILENT;
    if (operation == TASK_STOP) device->stopping = task;
  } else {
    command->task = task;
  }
  service_tasks_arrived(device->parts.service, task, received);
  task_set_insert(device->tasks, task);
  return immediate ? COMMAND_DONE : COMMAND_TASK;
}

enum command_result command_queue_barrier(struct device* device, struct command* command,
                                          enum task_operation operation, bool immediate) {
  const struct block_range nothing = {0, 0};
  return command_queue_task(device, command, operation, &nothing, immediate);
}
