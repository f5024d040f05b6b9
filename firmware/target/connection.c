// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/connection.h"

#define FILE_ID FILE_ID_CONNECTION
#include "firmware/device/command.h"
#include "firmware/device/mode_change.h"
#include "firmware/device/task_management.h"
#include "firmware/events.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/time.h"
#include "firmware/target/connection_command.h"
#include "firmware/target/connection_message.h"
#include "firmware/target/connection_queue.h"
#include "firmware/target/connection_steps.h"
#include "firmware/target/message.h"
#include "firmware/target/tenancy.h"
#include "firmware/transfer/service_tasks.h"

static void forget_nexus(struct connection* connection) {
  connection->task = NULL;
  connection->tag = 0;
  connection->lun = 0;
  connection->attribute = TASK_UNTAGGED;
  connection->retries = 0;
  connection->command_retries = 0;
  connection->cdb_count = 0;
  connection->greeted = false;
  connection->identified = false;
  connection->command_known = false;
  connection->may_disconnect = false;
  connection->disconnect_refused = false;
  connection->long_tag = false;
  connection->urgency_known = false;
  connection->message_count = 0;
  connection->reply_count = 0;
  connection->sent_count = 0;
  connection->negotiations = 0;
  connection->agreement_due = false;
  connection->fails = connection->reports = sense_plain(SENSE_NONE);
}

void connection_reset(struct connection* connection) {
  connection->state = CONNECTION_FREE;
  connection->step = STEP_RELEASE;
  forget_nexus(connection);
}

void connection_init(struct connection* connection) {
  connection->request_first = TASK_NONE;
  connection->request_last = TASK_NONE;
  connection_reset(connection);
}

/// The status has been sent, and the task leaves. Contingent allegiance follows CHECK CONDITION,
/// and does not precede it (SCSI-2 7.6). An initiator that aborts the command instead must not lose
/// others to QErr. Sense data with GOOD wait for a REQUEST SENSE, and hold up nothing.
static void end_command(struct target* target) {
  struct connection* connection = &target->connection;
  struct task* task = connection->task;
  if (connection->fails.code == SENSE_NONE) {
    // No sense data to report.
  } else if (connection->status == SCSI_STATUS_GOOD) {
    target->device.nexus[connection->initiator].sense = connection->fails;
  } else {
    task_check_condition(&target->device, connection->initiator, &connection->fails, task);
  }
  connection->step = STEP_RELEASE;
  connection->task = NULL;
  connection->reports = sense_plain(SENSE_NONE);
  if (task != NULL) task_end(&target->device, task);
}

/// ATN has delayed COMMAND COMPLETE.
static void complete(struct target* target) {
  end_command(target);
  connection_say_code(&target->connection, MESSAGE_COMMAND_COMPLETE);
  connection_send_messages(target);
}

/// The bus is not free after a status, because the initiator has asserted ATN.
static void on_status_held(struct target* target) {
  struct connection* connection = &target->connection;
  if (!scsi_target_hal_sent_message()) {
    scsi_target_hal_abort();  // Empties the FIFO: the initiator's messages come first.
    return;
  }
  end_command(target);
  connection->sent[0] = MESSAGE_COMMAND_COMPLETE;
  connection->sent_count = 1;
}

/// Called when an operation has ended: answers ATN, sends pending messages, or takes the next step.
/// Each begins an operation or frees the bus. STEP_SERVE may also lead to the next step at once.
static void proceed(struct target* target) {
  struct connection* connection = &target->connection;
  connection->state = CONNECTION_BUSY;
  while (true) {
    if (scsi_target_hal_attention()) {
      connection_receive_messages(target);
      return;
    }
    if (connection->reply_count > 0) {
      connection_send_messages(target);
      return;
    }
    switch ((enum connection_step)connection->step) {
      case STEP_COMMAND: connection_start_command(target); return;
      case STEP_DATA_IN:
      case STEP_DATA_OUT: connection_start_data(target); return;
      case STEP_SERVE:
        if (!connection_serve(target)) return;
        break;
      case STEP_STATUS: connection_send_status(target); return;
      case STEP_COMPLETE: complete(target); return;
      case STEP_RELEASE: connection_leave(target); return;
      default: ASSERT_UNREACHABLE();
    }
  }
}

/// Takes what the block has received from the FIFO. @return whether the connection goes on.
static bool on_taken(struct target* target, bool damaged) {
  const struct scsi_taken taken = scsi_target_hal_taken();
  if (!taken.has_command) return connection_taken_messages(target, damaged);
  connection_take_nexus(target, taken.messages);
  return connection_command_bytes(target, (uint32_t)taken.bytes - taken.messages, damaged);
}

static void on_transfer_end(struct target* target, bool damaged) {
  switch ((enum connection_state)target->connection.state) {
    case CONNECTION_MESSAGE_OUT:
      if (!connection_message_bytes(target, damaged)) return;
      break;
    case CONNECTION_TAKING:
      if (!on_taken(target, damaged)) return;
      break;
    case CONNECTION_COMMAND:
      if (!connection_command_bytes(target, target->connection.chunk - scsi_target_hal_residue(),
                                    damaged)) {
        return;
      }
      break;
    case CONNECTION_DATA_IN:
    case CONNECTION_DATA_OUT: connection_data_bytes(target, damaged); break;
    case CONNECTION_DATA_DMA: connection_dma_done(target, damaged); break;
    case CONNECTION_MESSAGE_IN:
      if (target->connection.sent_count == 0) {  // IDENTIFY is missing (on_reselected()).
        connection_send_messages(target);
        return;
      }
      connection_messages_sent(target);
      break;
    case CONNECTION_STATUS: on_status_held(target); break;
    case CONNECTION_FREE:
    case CONNECTION_BUSY:
    case CONNECTION_WAITING:
    case CONNECTION_PREPARING:
    case CONNECTION_PAUSING:
    case CONNECTION_RESELECTING:
    case CONNECTION_RELEASING: return;  // ended by a reset
    default: ASSERT_UNREACHABLE();
  }
  proceed(target);
}

/// Begins a connection. If ATN is not asserted, there are no messages and no disconnection, and the
/// CDB names the logical unit. The block's bytes are there already, or come with an event.
static void on_selected(struct target* target) {
  struct connection* connection = &target->connection;
  forget_nexus(connection);
  connection->initiator = scsi_target_hal_initiator() % UNIT_INITIATORS;
  connection->step = STEP_COMMAND;
  connection->state = CONNECTION_BUSY;
  trace_port_hal_event(TRACE_SELECTED, connection->initiator);
  if (connection->limited) tenancy_begin(target, false);
  scsi_target_hal_set_agreement(&target->agreement[connection->initiator]);
  if (scsi_target_hal_takes()) {
    connection->state = CONNECTION_TAKING;
  } else if (scsi_target_hal_selected_with_attention()) {
    connection_receive_messages(target);
  } else {
    proceed(target);
  }
}

/// The block sends IDENTIFY and, for a tagged task, its tag; the task's next step follows. The
/// messages are missing if the drive gave up before the answer came. Then they go out at this
/// point, even if ATN is asserted already: the initiator needs IDENTIFY for the logical unit.
static void on_reselected(struct target* target) {
  struct connection* connection = &target->connection;
  struct task* task = connection->task;
  ASSERT(task != NULL);
  const uint8_t sent_count = connection->sent_count;
  forget_nexus(connection);
  connection->sent_count = sent_count;
  connection->state = CONNECTION_MESSAGE_IN;
  connection->task = task;
  task->reselect_failures = 0;
  connection->initiator = task->initiator;
  connection->greeted = true;
  connection->identified = true;
  connection->command_known = true;
  connection->may_disconnect = (task->flags & TASK_FLAG_MAY_DISCONNECT) != 0;
  connection->step = STEP_SERVE;
  trace_port_hal_event(TRACE_RESELECTED, (uint32_t)task->initiator << 16 | task->tag);
  if (connection->limited) tenancy_begin(target, true);
  scsi_target_hal_set_agreement(&target->agreement[connection->initiator]);
  if (sent_count > 0) return;
  uint8_t bytes[MESSAGE_BYTES_MAX];
  connection_say(connection, bytes, connection_nexus_messages(task, bytes));
}

/// Other tasks go first, then the drive tries again. If the initiator still does not answer, it
/// loses the task (SCSI-2 6.1.4.2).
static void on_reselect_failed(struct target* target) {
  struct connection* connection = &target->connection;
  struct task* task = connection->task;
  connection->state = CONNECTION_FREE;
  connection->task = NULL;
  connection_dequeue(target, task);
  if (++task->reselect_failures >= CONNECTION_RETRIES) {
    task_abort(&target->device, task);
  } else {
    connection_enqueue(target, task);
  }
}

/// An earlier selection is one way to lose the arbitration. The task stays in the queue.
static void on_reselection_end(struct target* target, uint32_t events) {
  struct connection* connection = &target->connection;
  const uint32_t ends = SCSI_EVENT_RESELECTED | SCSI_EVENT_RESELECT_TIMEOUT |
                        SCSI_EVENT_ARBITRATION_LOST | SCSI_EVENT_SELECTED;
  if ((events & ends) == 0) return;
  alarm_set(&target->alarm, TIME_TICK_NEVER);
  if ((events & SCSI_EVENT_RESELECTED) != 0) {
    on_reselected(target);
    return;
  }
  if ((events & SCSI_EVENT_RESELECT_TIMEOUT) != 0) {
    on_reselect_failed(target);
  } else {
    connection->state = CONNECTION_FREE;
    connection->task = NULL;
  }
}

void connection_on_alarm(struct target* target) {
  switch ((enum connection_state)target->connection.state) {
    case CONNECTION_RESELECTING:
      target->connection.sent_count = 0;
      scsi_target_hal_abort();
      break;
    case CONNECTION_PREPARING: connection_prepared(target); break;
    case CONNECTION_PAUSING: proceed(target); break;
    case CONNECTION_FREE: connection_dispatch(target); break;  // A limit has expired (tenancy.h).
    default: break;                                            // A selection or a reset came first.
  }
}

static bool is_connected(const struct connection* connection) {
  return connection->state != CONNECTION_FREE && connection->state != CONNECTION_PREPARING &&
         connection->state != CONNECTION_RESELECTING && connection->state != CONNECTION_RELEASING;
}

/// Ends the connection: the drive has freed the bus, or the block did so after the last messages.
static void on_disconnected(struct target* target) {
  struct connection* connection = &target->connection;
  if (connection->state == CONNECTION_STATUS) {
    end_command(target);
  } else if (connection->state == CONNECTION_MESSAGE_IN) {
    connection_messages_sent(target);
    connection_take_back(target);
    connection->task = NULL;
  } else if (connection->state != CONNECTION_RELEASING) {
    return;
  }
  connection->state = CONNECTION_FREE;
  if (target->device.change.task != NULL) mode_change_take_effect(&target->device);
  trace_port_hal_event(TRACE_BUS_FREE, connection->initiator);
  if (connection->limited) tenancy_end(target);
}

void connection_on_events(struct target* target, uint32_t events) {
  struct connection* connection = &target->connection;
  // This is the order in which they occur. After bus free the block may take the next command.
  if (connection->state == CONNECTION_RESELECTING) on_reselection_end(target, events);
  if ((events & SCSI_EVENT_DISCONNECTED) != 0) on_disconnected(target);
  if ((events & SCSI_EVENT_SELECTED) != 0 && !is_connected(connection)) on_selected(target);
  if ((events & (SCSI_EVENT_TRANSFER_DONE | SCSI_EVENT_PARITY_ERROR)) != 0) {
    on_transfer_end(target, (events & SCSI_EVENT_PARITY_ERROR) != 0);
  }
  if ((events & SCSI_EVENT_ATTENTION) != 0 &&
      (connection->state == CONNECTION_WAITING || connection->state == CONNECTION_PAUSING)) {
    proceed(target);
  }
  connection_dispatch(target);
}

void connection_request(struct target* target, struct task* task) {
  connection_enqueue(target, task);
  if (target->connection.state == CONNECTION_WAITING && target->connection.task == task) {
    proceed(target);
  } else {
    connection_dispatch(target);
  }
}

void connection_bus_reset(struct target* target) {
  struct connection* connection = &target->connection;
  struct task* task = connection->task;
  const bool moving = connection->state == CONNECTION_DATA_DMA;
  connection_take_back(target);
  if (connection->state == CONNECTION_RESELECTING) alarm_set(&target->alarm, TIME_TICK_NEVER);
  connection->state = CONNECTION_BUSY;  // no reselection may start until the tasks have ended
  // Empties the FIFO: no operation is under way, unless the drive has been selected meanwhile and
  // takes what follows. Then the block has emptied the FIFO before that.
  if (!scsi_target_hal_takes()) scsi_target_hal_abort();
  forget_nexus(connection);
  if (moving && task != NULL) service_tasks_transfer_end(target->parts.service, task);
}

void connection_stop_data(struct target* target, const struct task* task) {
  if (target->connection.state == CONNECTION_DATA_DMA && target->connection.task == task) {
    scsi_target_hal_abort();
  }
}
