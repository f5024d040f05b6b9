// SPDX-License-Identifier: Apache-2.0
#include "firmware/scsi/connection_steps.h"

#define FILE_ID FILE_ID_CONNECTION_STEPS
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/scsi/nexus.h"
#include "firmware/scsi/task_management.h"

void connection_start_fifo(struct scsi* scsi, enum connection_state state, enum scsi_phase phase,
                           uint32_t count) {
  ASSERT(count >= 1 && count <= SCSI_TARGET_FIFO_BYTES);
  scsi->connection.state = (uint8_t)state;
  scsi->connection.chunk = (uint8_t)count;
  const bool is_message = state == CONNECTION_MESSAGE_OUT || state == CONNECTION_MESSAGE_IN;
  if (!is_message) scsi->connection.sent_count = 0;
  if (!scsi_target_hal_reset_waits()) scsi_target_hal_start_transfer(phase, count, false);
}

void connection_start_whole(struct scsi* scsi, enum connection_state state, enum scsi_phase phase) {
  scsi->connection.state = (uint8_t)state;
  scsi->connection.chunk = SCSI_TARGET_FIFO_BYTES;
  if (!scsi_target_hal_reset_waits()) scsi_target_hal_receive_whole(phase);
}

void connection_take_back(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  if (connection->reports.code == SENSE_NONE) return;
  nexus_take_back(&scsi->nexus[connection->initiator], &connection->reports);
  connection->reports = sense_plain(SENSE_NONE);
}

void connection_leave(struct scsi* scsi) {
  connection_take_back(scsi);
  scsi->connection.state = CONNECTION_RELEASING;
  scsi->connection.task = NULL;
  if (!scsi_target_hal_reset_waits()) scsi_target_hal_release();
}

void connection_drop(struct scsi* scsi) {
  struct task* task = scsi->connection.task;
  connection_leave(scsi);
  if (task != NULL) task_abort(scsi, task);
}

void connection_say(struct connection* connection, const uint8_t* bytes, uint32_t count) {
  if (connection->reply_count + count > CONNECTION_REPLY_BYTES)
    return;  // An initiator that never stops would fill it.
  bytes_copy(connection->reply + connection->reply_count, bytes, count);
  connection->reply_count = (uint8_t)(connection->reply_count + count);
}

void connection_say_code(struct connection* connection, uint8_t code) {
  connection_say(connection, &code, 1);
}

void connection_send_messages(struct scsi* scsi) {
  struct connection* connection = &scsi->connection;
  const uint32_t count = connection->reply_count;
  for (uint32_t i = 0; i < count; ++i) {
    connection->sent[i] = connection->reply[i];
    scsi_target_hal_push(connection->reply[i]);
  }
  connection->sent_count = (uint8_t)count;
  connection->reply_count = 0;
  if (connection->step != STEP_RELEASE) {
    connection_start_fifo(scsi, CONNECTION_MESSAGE_IN, SCSI_PHASE_MESSAGE_IN, count);
    return;
  }
  connection->state = CONNECTION_MESSAGE_IN;
  if (!scsi_target_hal_reset_waits()) scsi_target_hal_send_last(count);
}
