// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/connection.h"

#define FILE_ID FILE_ID_CONNECTION
#include "firmware/events.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/time.h"
#include "firmware/scsi/command.h"
#include "firmware/scsi/connection_command.h"
#include "firmware/scsi/connection_message.h"
#include "firmware/scsi/connection_queue.h"
#include "firmware/scsi/connection_steps.h"
#include "firmware/scsi/message.h"
#include "firmware/scsi/mode_change.h"
#include "firmware/scsi/scsi_core.h"
#include "firmware/scsi/task_management.h"
#include "firmware/scsi/tenancy.h"

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

void connection_init(struct connection* connection) {
  connection->state = CONNECTION_FREE;
  connection->step = STEP_RELEASE;
  connection->request_first = TASK_NONE;
  connection->request_last = TASK_NONE;
  forget_nexus(connection);
}

/// The status has been sent, and the task leaves. Contingent allegiance follows CHECK CONDITION,
/// and does not precede it (SCSI-2 7.6). An initiator that aborts the command instead must not lose
/// others to QErr. Sense data with GOOD wait for a REQUEST SENSE, and hold up nothing.
static void end_command(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  struct task* task = connection->task;
  if (connection->fails.code == SENSE_NONE) {
    // No sense data to report.
  } else if (connection->status == SCSI_STATUS_GOOD) {
    scsi->nexus[connection->initiator].sense = connection->fails;
  } else {
    task_check_condition(scsi, connection->initiator, &connection->fails, task);
  }
  connection->step = STEP_RELEASE;
  connection->task = NULL;
  connection->reports = sense_plain(SENSE_NONE);
  if (task != NULL) task_end(scsi, task);
}

/// ATN has delayed COMMAND COMPLETE.
static void complete(struct scsi* scsi) {
  end_command(scsi);
  connection_say_code(&scsi->connection, MESSAGE_COMMAND_COMPLETE);
  connection_send_messages(scsi);
}

/// The bus is not free after a status, because the initiator has asserted ATN.
static void on_status_held(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  if (!scsi_target_hal_sent_message()) {
    scsi_target_hal_abort();  // Empties the FIFO: the initiator's messages come first.
    return;
  }
  end_command(scsi);
  connection->sent[0] = MESSAGE_COMMAND_COMPLETE;
  connection->sent_count = 1;
}

/// Called when an operation has ended: answers ATN, sends pending messages, or takes the next step.
/// Each begins an operation or frees the bus. STEP_SERVE may also lead to the next step at once.
static void proceed(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  connection->state = CONNECTION_BUSY;
  while (true) {
    if (scsi_target_hal_attention()) {
      connection_receive_messages(scsi);
      return;
    }
    if (connection->reply_count > 0) {
      connection_send_messages(scsi);
      return;
    }
    switch ((enum connection_step)connection->step) {
      case STEP_COMMAND: connection_start_command(scsi); return;
      case STEP_DATA_IN:
      case STEP_DATA_OUT: connection_start_data(scsi); return;
      case STEP_SERVE:
        if (!connection_serve(scsi)) return;
        break;
      case STEP_STATUS: connection_send_status(scsi); return;
      case STEP_COMPLETE: complete(scsi); return;
      case STEP_RELEASE: connection_leave(scsi); return;
      default: ASSERT_UNREACHABLE();
    }
  }
}

/// Takes what the block has received from the FIFO. @return whether the connection goes on.
static bool on_taken(struct scsi* scsi, bool damaged) {
  const struct scsi_taken taken = scsi_target_hal_taken();
  if (!taken.has_command) return connection_taken_messages(scsi, damaged);
  connection_take_nexus(scsi, taken.messages);
  return connection_command_bytes(scsi, (uint32_t)taken.bytes - taken.messages, damaged);
}

static void on_transfer_end(struct scsi* scsi, bool damaged) {
  switch ((enum connection_state)scsi->connection.state) {
    case CONNECTION_MESSAGE_OUT:
      if (!connection_message_bytes(scsi, damaged)) return;
      break;
    case CONNECTION_TAKING:
      if (!on_taken(scsi, damaged)) return;
      break;
    case CONNECTION_COMMAND:
      if (!connection_command_bytes(scsi, scsi->connection.chunk - scsi_target_hal_residue(),
                                    damaged)) {
        return;
      }
      break;
    case CONNECTION_DATA_IN:
    case CONNECTION_DATA_OUT: connection_data_bytes(scsi, damaged); break;
    case CONNECTION_DATA_DMA: connection_dma_done(scsi, damaged); break;
    case CONNECTION_MESSAGE_IN:
      if (scsi->connection.sent_count == 0) {  // IDENTIFY is missing (on_reselected()).
        connection_send_messages(scsi);
        return;
      }
      connection_messages_sent(scsi);
      break;
    case CONNECTION_STATUS: on_status_held(scsi); break;
    case CONNECTION_FREE:
    case CONNECTION_BUSY:
    case CONNECTION_WAITING:
    case CONNECTION_PREPARING:
    case CONNECTION_PAUSING:
    case CONNECTION_RESELECTING:
    case CONNECTION_RELEASING: return;  // ended by a reset
    default: ASSERT_UNREACHABLE();
  }
  proceed(scsi);
}

/// Begins a connection. If ATN is not asserted, there are no messages and no disconnection, and the
/// CDB names the logical unit. The block's bytes are there already, or come with an event.
static void on_selected(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  forget_nexus(connection);
  connection->initiator = scsi_target_hal_initiator() % SCSI_INITIATORS;
  connection->step = STEP_COMMAND;
  connection->state = CONNECTION_BUSY;
  trace_port_hal_event(TRACE_SELECTED, connection->initiator);
  if (connection->limited) tenancy_begin(scsi, false);
  scsi_target_hal_set_agreement(&scsi->nexus[connection->initiator].agreement);
  if (scsi_target_hal_takes()) {
    connection->state = CONNECTION_TAKING;
  } else if (scsi_target_hal_selected_with_attention()) {
    connection_receive_messages(scsi);
  } else {
    proceed(scsi);
  }
}

/// The block sends IDENTIFY and, for a tagged task, its tag; the task's next step follows. The
/// messages are missing if the drive gave up before the answer came. Then they go out at this
/// point, even if ATN is asserted already: the initiator needs IDENTIFY for the logical unit.
static void on_reselected(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
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
  if (connection->limited) tenancy_begin(scsi, true);
  scsi_target_hal_set_agreement(&scsi->nexus[connection->initiator].agreement);
  if (sent_count > 0) return;
  uint8_t bytes[MESSAGE_BYTES_MAX];
  connection_say(connection, bytes, connection_nexus_messages(task, bytes));
}

/// Other tasks go first, then the drive tries again. If the initiator still does not answer, it
/// loses the task (SCSI-2 6.1.4.2).
static void on_reselect_failed(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  struct task* task = connection->task;
  connection->state = CONNECTION_FREE;
  connection->task = NULL;
  connection_dequeue(scsi, task);
  if (++task->reselect_failures >= CONNECTION_RETRIES) {
    task_abort(scsi, task);
  } else {
    connection_enqueue(scsi, task);
  }
}

/// An earlier selection is one way to lose the arbitration. The task stays in the queue.
static void on_reselection_end(struct scsi* scsi, uint32_t events) {
  struct connection* connection = &scsi->connection;
  const uint32_t ends = SCSI_EVENT_RESELECTED | SCSI_EVENT_RESELECT_TIMEOUT |
                        SCSI_EVENT_ARBITRATION_LOST | SCSI_EVENT_SELECTED;
  if ((events & ends) == 0) return;
  alarm_set(&scsi->alarm, TIME_TICK_NEVER);
  if ((events & SCSI_EVENT_RESELECTED) != 0) {
    on_reselected(scsi);
    return;
  }
  if ((events & SCSI_EVENT_RESELECT_TIMEOUT) != 0) {
    on_reselect_failed(scsi);
  } else {
    connection->state = CONNECTION_FREE;
    connection->task = NULL;
  }
}

void connection_on_alarm(struct scsi* scsi) {
  switch ((enum connection_state)scsi->connection.state) {
    case CONNECTION_RESELECTING:
      scsi->connection.sent_count = 0;
      scsi_target_hal_abort();
      break;
    case CONNECTION_PREPARING: connection_prepared(scsi); break;
    case CONNECTION_PAUSING: proceed(scsi); break;
    case CONNECTION_FREE: connection_dispatch(scsi); break;  // A limit has expired (tenancy.h).
    default: break;                                          // A selection or a reset came first.
  }
}

static bool is_connected(const struct connection* connection) {
  return connection->state != CONNECTION_FREE && connection->state != CONNECTION_PREPARING &&
         connection->state != CONNECTION_RESELECTING && connection->state != CONNECTION_RELEASING;
}

/// Ends the connection: the drive has freed the bus, or the block did so after the last messages.
static void on_disconnected(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  if (connection->state == CONNECTION_STATUS) {
    end_command(scsi);
  } else if (connection->state == CONNECTION_MESSAGE_IN) {
    connection_messages_sent(scsi);
    connection_take_back(scsi);
    connection->task = NULL;
  } else if (connection->state != CONNECTION_RELEASING) {
    return;
  }
  connection->state = CONNECTION_FREE;
  if (scsi->change.task != NULL) mode_change_take_effect(scsi);
  trace_port_hal_event(TRACE_BUS_FREE, connection->initiator);
  if (connection->limited) tenancy_end(scsi);
}

void connection_on_events(struct scsi* scsi, uint32_t events) {
  struct connection* connection = &scsi->connection;
  // This is the order in which they occur. After bus free the block may take the next command.
  if (connection->state == CONNECTION_RESELECTING) on_reselection_end(scsi, events);
  if ((events & SCSI_EVENT_DISCONNECTED) != 0) on_disconnected(scsi);
  if ((events & SCSI_EVENT_SELECTED) != 0 && !is_connected(connection)) on_selected(scsi);
  if ((events & (SCSI_EVENT_TRANSFER_DONE | SCSI_EVENT_PARITY_ERROR)) != 0) {
    on_transfer_end(scsi, (events & SCSI_EVENT_PARITY_ERROR) != 0);
  }
  if ((events & SCSI_EVENT_ATTENTION) != 0 &&
      (connection->state == CONNECTION_WAITING || connection->state == CONNECTION_PAUSING)) {
    proceed(scsi);
  }
  connection_dispatch(scsi);
}

void connection_request(struct scsi* scsi, struct task* task) {
  connection_enqueue(scsi, task);
  if (scsi->connection.state == CONNECTION_WAITING && scsi->connection.task == task) {
    proceed(scsi);
  } else {
    connection_dispatch(scsi);
  }
}

void connection_bus_reset(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  struct task* task = connection->task;
  const bool moving = connection->state == CONNECTION_DATA_DMA;
  connection_take_back(scsi);
  if (connection->state == CONNECTION_RESELECTING) alarm_set(&scsi->alarm, TIME_TICK_NEVER);
  connection->state = CONNECTION_BUSY;  // no reselection may start until the tasks have ended
  // Empties the FIFO: no operation is under way, unless the drive has been selected meanwhile and
  // takes what follows. Then the block has emptied the FIFO before that.
  if (!scsi_target_hal_takes()) scsi_target_hal_abort();
  forget_nexus(connection);
  if (moving && task != NULL) core_host_transfer_end(scsi->drive, task, 0);
}

void connection_stop_data(struct scsi* scsi, const struct task* task) {
  if (scsi->connection.state == CONNECTION_DATA_DMA && scsi->connection.task == task) {
    scsi_target_hal_abort();
  }
}
