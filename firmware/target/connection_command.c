// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/connection_command.h"

#include "firmware/device/command.h"
#include "firmware/device/command_rows.h"
#include "firmware/device/command_table.h"
#include "firmware/device/mode_change.h"
#include "firmware/device/task_management.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/kernel/alarm.h"
#include "firmware/target/connection_queue.h"
#include "firmware/target/connection_reply.h"
#include "firmware/target/connection_steps.h"
#include "firmware/target/message.h"
#include "firmware/target/tenancy.h"

#define FILE_ID FILE_ID_CONNECTION_COMMAND
#include "firmware/events.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/rare.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/host_side.h"
#include "firmware/transfer/service_tasks.h"

// ---- command

void connection_start_command(struct target* target) {
  target->connection.sent_count = 0;
  target->connection.cdb_count = 0;
  connection_start_whole(target, CONNECTION_COMMAND, SCSI_PHASE_COMMAND);
}

static void check(struct target* target, const struct sense* sense) {
  target->connection.status = SCSI_STATUS_CHECK_CONDITION;
  target->connection.step = STEP_STATUS;
  // A logical unit that does not exist keeps no sense data and has no tasks. REQUEST SENSE itself
  // reports it.
  if (target->connection.lun != 0) return;
  target->connection.fails = *sense;
  trace_port_hal_event(TRACE_SENSE_SET, sense_number((enum sense_code)sense->code));
}

static void answer(struct target* target, enum scsi_status status) {
  target->connection.status = (uint8_t)status;
  target->connection.step = STEP_STATUS;
}

/// Sets the next step by the result of a command.
static void take_result(struct target* target, const struct command* command,
                        enum command_result result) {
  struct connection* connection = &target->connection;
  connection->data_count = (uint16_t)command->data_count;
  connection->data_done = 0;
  connection->reports = command->reports;
  switch (result) {
    case COMMAND_DONE:
      if (command->sense.code == SENSE_NONE) {
        answer(target, SCSI_STATUS_GOOD);
      } else {
        check(target, &command->sense);
      }
      if (command->data_count > 0) connection->step = STEP_DATA_IN;
      break;
    case COMMAND_NEEDS_DATA: connection->step = STEP_DATA_OUT; break;
    case COMMAND_TASK:
      connection->task = command->task;
      connection->step = STEP_SERVE;
      break;
    case COMMAND_CHECK: check(target, &command->sense); break;
    case COMMAND_BUSY: answer(target, SCSI_STATUS_BUSY); break;
    case COMMAND_QUEUE_FULL: answer(target, SCSI_STATUS_QUEUE_FULL); break;
    case COMMAND_RESERVED: answer(target, SCSI_STATUS_RESERVATION_CONFLICT); break;
    default: ASSERT_UNREACHABLE();
  }
}

static struct command make_command(struct target* target) {
  struct connection* connection = &target->connection;
  struct command command;
  command.cdb = connection->cdb;
  command.initiator = connection->initiator;
  command.lun = connection->lun;
  command.attribute = connection->attribute;
  command.tag = connection->tag;
  command.urgency = connection->urgency_known
                        ? connection->urgency
                        : (struct task_urgency){.service_class = CANDIDATE_BEST_EFFORT,
                                                .stream = connection->initiator};
  command.urgency_known = connection->urgency_known;
  command.urgency_tick = connection->urgency_tick;
  command.data = target->device.data;
  command.received_tick = connection->received_tick;
  command.flags = connection->may_disconnect ? TASK_FLAG_MAY_DISCONNECT : 0;
  if (connection->long_tag) command.flags |= TASK_FLAG_LONG_TAG;
  command.data_count = command.data_done = 0;
  command.sense = command.reports = sense_plain(SENSE_NONE);
  command.task = NULL;
  command.limits = NULL;
  return command;
}

/// Bits 7-5 of byte 1 of a SCSI-2 CDB: the logical unit, if no IDENTIFY named one (SCSI-2 7.2.2).
static void execute(struct target* target) {
  struct connection* connection = &target->connection;
  connection->command_known = true;
  if (!connection->identified && target->device.unit.config->scsi_version == UNIT_VERSION_2) {
    connection->lun = connection->cdb[1] >> 5;
  }
  struct command command = make_command(target);
  trace_port_hal_event(TRACE_COMMAND_RECEIVED, (uint32_t)command.cdb[0] << 24 |
                                                   (uint32_t)command.initiator << 16 | command.tag);
  take_result(target, &command, command_execute(&target->device, &command));
}

/// RESTORE POINTERS makes the initiator send the command again (SCSI-2 6.6.19).
static void retry_command(struct target* target) {
  struct connection* connection = &target->connection;
  if (++connection->command_retries <= CONNECTION_RETRIES) {
    connection_say_code(connection, MESSAGE_RESTORE_POINTERS);
    connection->step = STEP_COMMAND;
  } else {
    connection->command_known = true;
    const struct sense sense = sense_plain(SENSE_PARITY);
    check(target, &sense);
  }
}

bool connection_command_bytes(struct target* target, uint32_t count, bool damaged) {
  struct connection* connection = &target->connection;
  connection->received_tick = timer_hal_now();
  connection->state = CONNECTION_BUSY;
  const uint32_t here = connection->cdb_count + count;
  ASSERT(here <= CONNECTION_CDB_BYTES);
  for (uint32_t i = connection->cdb_count; i < here; ++i)
    connection->cdb[i] = scsi_target_hal_pop();
  connection->cdb_count = (uint8_t)here;
  if (damaged) {
    retry_command(target);
    return true;
  }
  if (here == 0) {  // Given up before it began.
    connection_start_command(target);
    return false;
  }
  const uint32_t whole = command_cdb_bytes(connection->cdb[0]);
  if (here < whole) {  // The FIFO had no room for it beside the messages.
    connection_start_fifo(target, CONNECTION_COMMAND, SCSI_PHASE_COMMAND, whole - here);
    return false;
  }
  execute(target);
  return true;
}

// ---- data without media

/// Puts the next piece of data that exceed the buffer there when the one before has been sent.
static void refill(struct target* target) {
  const struct connection* connection = &target->connection;
  if (connection->data_done == 0 || connection->data_done % DEVICE_DATA_BYTES != 0) return;
  struct command command = make_command(target);
  command.data_count = connection->data_count;
  command.data_done = connection->data_done;
  command.sense = connection->fails;
  command_continue(&target->device, &command);
}

void connection_start_data(struct target* target) {
  struct connection* connection = &target->connection;
  const uint32_t left = (uint32_t)connection->data_count - connection->data_done;
  const uint32_t count = left < SCSI_TARGET_FIFO_BYTES ? left : SCSI_TARGET_FIFO_BYTES;
  if (connection->step == STEP_DATA_OUT) {
    connection_start_fifo(target, CONNECTION_DATA_OUT, SCSI_PHASE_DATA_OUT, count);
    return;
  }
  refill(target);
  const uint8_t* data = target->device.data + connection->data_done % DEVICE_DATA_BYTES;
  for (uint32_t i = 0; i < count; ++i) scsi_target_hal_push(data[i]);
  connection_start_fifo(target, CONNECTION_DATA_IN, SCSI_PHASE_DATA_IN, count);
}

/// All data has moved. An odd byte on a wide bus needs a word (SCSI-2 6.6.8).
static void end_data(struct target* target) {
  struct connection* connection = &target->connection;
  static const uint8_t residue[] = {MESSAGE_IGNORE_WIDE_RESIDUE, 1};
  if (connection->step == STEP_DATA_OUT) {
    struct command command = make_command(target);
    command.data_count = connection->data_count;
    const enum command_result result = command_finish(&target->device, &command);
    if (result != COMMAND_NEEDS_DATA) command.data_count = 0;
    take_result(target, &command, result);
    return;
  }
  if (target->agreement[connection->initiator].wide && connection->data_count % 2 != 0) {
    connection_say(connection, residue, sizeof(residue));
  }
  connection->step = STEP_STATUS;
}

void connection_data_bytes(struct target* target, bool damaged) {
  struct connection* connection = &target->connection;
  const uint32_t count = connection->chunk - scsi_target_hal_residue();
  if (connection->state == CONNECTION_DATA_OUT) {
    connection->received_tick = timer_hal_now();
    for (uint32_t i = 0; i < count; ++i) {
      target->device.data[connection->data_done + i] = scsi_target_hal_pop();
    }
  }
  connection->state = CONNECTION_BUSY;
  connection->data_done = (uint16_t)(connection->data_done + count);
  if (damaged) {
    const struct sense sense = sense_plain(SENSE_PARITY);
    check(target, &sense);
  } else if (connection->data_done == connection->data_count) {
    end_data(target);
  } else if (connection->data_done % DEVICE_DATA_BYTES == 0 && connection->step == STEP_DATA_IN) {
    connection_reply_piece(target);
  }
}

// ---- tasks

/// This many blocks fit into a transfer whatever their size, which has 16 bits. So no division is
/// needed.
#define BLOCKS_ALWAYS_FIT (SCSI_TARGET_TRANSFER_BYTES_MAX >> 16)

static uint32_t blocks_that_fit(uint32_t blocks, uint32_t block_bytes) {
  if (blocks <= BLOCKS_ALWAYS_FIT) return blocks;
  const uint32_t most = SCSI_TARGET_TRANSFER_BYTES_MAX / block_bytes;
  return blocks < most ? blocks : most;
}

/// Starts a data phase of `blocks` of the granted blocks.
static void start_dma(struct target* target, struct task* task, uint32_t blocks) {
  struct connection* connection = &target->connection;
  const uint32_t block_bytes = target->device.unit.config->block_bytes;
  const enum scsi_phase phase =
      task->operation == TASK_WRITE ? SCSI_PHASE_DATA_OUT : SCSI_PHASE_DATA_IN;
  connection->transfer_blocks = blocks_that_fit(blocks, block_bytes);
  task->flags |= TASK_FLAG_MOVED_DATA;
  connection->sent_count = 0;
  host_side_begin_transfer(target->parts.host_side, task, connection->transfer_blocks);
  connection->state = CONNECTION_DATA_DMA;
  if (!scsi_target_hal_reset_waits()) {
    scsi_target_hal_start_transfer(phase, connection->transfer_blocks * block_bytes, true);
  }
}

/// The sense data with which a task ends, and the block that they name.
static struct sense sense_of(const struct target* target, const struct task* task) {
  const enum sense_code code = (enum sense_code)task->sense;
  const bool has_block = task->operation != TASK_START && task->operation != TASK_STOP;
  const enum sense_key key = sense_key_of(code);
  const bool names_block = has_block && key != SENSE_KEY_ABORTED_COMMAND &&
                           key != SENSE_KEY_COMPLETED && code != SENSE_SELF_TEST_FAILED &&
                           code != SENSE_ROUNDED_PARAMETER;
  struct sense sense =
      names_block ? sense_at_lba(code, task->sense_information) : sense_plain(code);
  const bool reassigns = target->device.unit.maintenance.task == task &&
                         target->device.unit.maintenance.kind == MAINTENANCE_REASSIGN;
  if (names_block && reassigns) sense.detail = SENSE_DETAIL_STOPPED_AT;
  return sense;
}

/// Status of a task that has ended.
static void conclude(struct target* target, struct task* task) {
  if (task->sense == SENSE_NONE) {
    answer(target, SCSI_STATUS_GOOD);
  } else {
    const struct sense sense = sense_of(target, task);
    check(target, &sense);
    if (sense_key_of((enum sense_code)sense.code) == SENSE_KEY_COMPLETED) {
      target->connection.status = SCSI_STATUS_GOOD;
    }
  }
}

/// The data of a cached write are in the buffer: its status is sent now, and the nexus ends.
static void report(struct target* target, struct task* task) {
  trace_port_hal_event(TRACE_WRITE_REPORTED, task_set_index(target->tasks, task));
  task_set_report(target->tasks, task);
  target->connection.task = NULL;
  service_tasks_release_bus(target->parts.service);
  answer(target, SCSI_STATUS_GOOD);
}

/// The sense data of a task that goes on without its nexus. They say what the unit is doing: it
/// becomes ready, it stops and will need a START UNIT, or it formats.
static struct sense sense_of_going_on(const struct target* target, const struct task* task) {
  if (task->operation == TASK_MAINTENANCE) return command_format_sense(&target->device);
  return sense_plain(task->operation == TASK_START ? SENSE_BECOMING_READY : SENSE_START_REQUIRED);
}

/// BUSY, or QUEUE FULL for a tagged task: nothing of it has happened, and the initiator repeats the
/// command (SCSI-2 7.3). A task that goes on has happened in part: CHECK CONDITION.
static void answer_not_served(struct target* target, const struct task* task, enum bus_hold hold) {
  if (hold == BUS_HOLD_GOES_ON) {
    const struct sense sense = sense_of_going_on(target, task);
    check(target, &sense);
    return;
  }
  const bool is_tagged = (task->flags & TASK_FLAG_NO_TAG) == 0;
  answer(target, is_tagged ? SCSI_STATUS_QUEUE_FULL : SCSI_STATUS_BUSY);
}

/// The task cannot disconnect. It waits here if the core serves it before all others, otherwise its
/// command is refused.
/// @return whether the connection goes on: also when the core has called back already.
static bool stay(struct target* target, struct task* task) {
  struct connection* connection = &target->connection;
  const enum bus_hold hold = service_tasks_hold_bus(target->parts.service, task);
  if (hold == BUS_HOLD_SERVED) {
    if (connection_is_queued(task)) return true;
    connection->state = CONNECTION_WAITING;
    return false;
  }
  connection->task = NULL;
  if (target->device.change.task == task) mode_change_undo(&target->device);
  answer_not_served(target, task, hold);
  if (hold == BUS_HOLD_GOES_ON) {
    connection_dequeue(target, task);
    task_set_detach(target->tasks, task);
  } else {
    task_abort(&target->device, task);
  }
  return true;
}

/// A task that a contingent allegiance has made dormant may not be reported. Other tasks wait for a
/// reported write, and must be able to count on its service.
static ALWAYS_INLINE bool may_report(const struct target* target, const struct task* task) {
  if (task->operation != TASK_WRITE || task->host_blocks_left > 0) return false;
  if (task->state == TASK_DORMANT) return false;
  return (task->flags & TASK_FLAG_ABORTED) == 0 && cache_reports(target->parts.cache, task);
}

/// Whether the controller spends time before the status, after a read's data. connection_on_alarm()
/// then goes on.
static RARE bool pause_for_status(struct target* target, const struct task* task) {
  const uint32_t ticks = target->stages.ticks[MODE_STAGE_READ_STATUS];
  if (task->operation != TASK_READ || ticks == 0) return false;
  if (tenancy_binds(target) && tenancy_pauses_apart(target, task)) return false;
  target->connection.state = CONNECTION_PAUSING;
  alarm_set(&target->alarm, timer_hal_now() + ticks);
  return true;
}

/// Results of serve_within_limits() beside a number of blocks: those of connection_serve().
#define SERVE_GOES_ON UINT32_MAX
#define SERVE_HAS_BEGUN (UINT32_MAX - 1U)

/// The limits of page 02h. @return how many of the granted blocks may move now, or what has been
/// done instead. With 0 blocks the task is served as without limits.
static RARE uint32_t serve_within_limits(struct target* target, struct task* task) {
  uint32_t blocks = 0;
  if (!tenancy_binds(target)) return task->host_blocks_granted;
  switch (tenancy_next(target, task, &blocks)) {
    case TENANCY_AS_EVER: return 0;
    case TENANCY_MOVES: return blocks;
    case TENANCY_WAITS: return SERVE_HAS_BEGUN;
    case TENANCY_LEAVES:
      connection_enqueue(target, task);
      connection_disconnect(target, task);
      return SERVE_HAS_BEGUN;
    case TENANCY_STAYS:
      if (may_report(target, task)) return 0;
      return stay(target, task) ? SERVE_GOES_ON : SERVE_HAS_BEGUN;
    default: ASSERT_UNREACHABLE();
  }
}

bool connection_serve(struct target* target) {
  struct connection* connection = &target->connection;
  struct task* task = connection->task;
  ASSERT(task != NULL);
  connection_dequeue(target, task);
  if (task->operation == TASK_REPLY && task->state != TASK_ENDED) {
    return connection_reply_serve(target, task);
  }
  uint32_t blocks = task->host_blocks_granted;
  if (connection->limited) {
    blocks = serve_within_limits(target, task);
    if (blocks >= SERVE_HAS_BEGUN) return blocks == SERVE_GOES_ON;
  }
  if (blocks > 0) {
    start_dma(target, task, blocks);
    return false;
  }
  if (task->state == TASK_ENDED) {
    conclude(target, task);
    return !target->stages.any || !pause_for_status(target, task);
  }
  if (may_report(target, task)) {
    report(target, task);
    return true;
  }
  if (!connection->may_disconnect || connection->disconnect_refused) return stay(target, task);
  connection_disconnect(target, task);
  return false;
}

void connection_dma_done(struct target* target, bool damaged) {
  struct connection* connection = &target->connection;
  struct task* task = connection->task;
  const uint32_t block_bytes = target->device.unit.config->block_bytes;
  const uint32_t residue = scsi_target_hal_residue();
  connection->state = CONNECTION_BUSY;
  connection->step = STEP_SERVE;
  // A block counts only when all of it has moved. After an error there is no grant any more.
  const uint32_t left = residue == 0 ? 0 : (residue + block_bytes - 1U) / block_bytes;
  const uint32_t moved = connection->transfer_blocks - left;
  task->host_blocks_left -= moved;
  task->host_blocks_granted -=
      moved < task->host_blocks_granted ? moved : task->host_blocks_granted;
  service_tasks_transfer_end(target->parts.service, task);
  if (damaged) connection_fail(target, SENSE_PARITY);
}

void connection_fail(struct target* target, enum sense_code code) {
  struct connection* connection = &target->connection;
  struct task* task = connection->task;
  if (task == NULL) {
    const struct sense sense = sense_plain(code);
    check(target, &sense);
    return;
  }
  task_set_sense(task, code);
  task->host_blocks_granted = 0;
  connection->step = STEP_SERVE;
  if (task->state == TASK_ENDED || (task->flags & TASK_FLAG_ABORTED) != 0) return;
  task->flags |= TASK_FLAG_ABORTED;
  if (service_tasks_abort(target->parts.service, task)) task_set_end(target->tasks, task);
}

void connection_send_status(struct target* target) {
  struct connection* connection = &target->connection;
  const uint32_t index =
      connection->task == NULL ? TASK_NONE : task_set_index(target->tasks, connection->task);
  connection->step = STEP_COMPLETE;
  if (target->device.change.task != NULL) mode_change_take_effect(&target->device);
  trace_port_hal_event(TRACE_STATUS_SENT, (uint32_t)connection->status << 16 | index);
  connection->state = CONNECTION_STATUS;
  connection->sent_count = 0;
  if (!scsi_target_hal_reset_waits()) {
    scsi_target_hal_send_status(connection->status, MESSAGE_COMMAND_COMPLETE);
  }
}
