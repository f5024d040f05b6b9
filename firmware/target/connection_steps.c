// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/connection_steps.h"

#define FILE_ID FILE_ID_CONNECTION_STEPS
#include "firmware/device/nexus.h"
#include "firmware/device/task_management.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

void connection_start_fifo(struct target* target, enum connection_state state,
                           enum scsi_phase phase, uint32_t count) {
  ASSERT(count >= 1 && count <= SCSI_TARGET_FIFO_BYTES);
  target->connection.state = (uint8_t)state;
  target->connection.chunk = (uint8_t)count;
  const bool is_message = state == CONNECTION_MESSAGE_OUT || state == CONNECTION_MESSAGE_IN;
  if (!is_message) target->connection.sent_count = 0;
  if (!scsi_target_hal_reset_waits()) scsi_target_hal_start_transfer(phase, count, false);
}

void connection_start_whole(struct target* target, enum connection_state state,
                            enum scsi_phase phase) {
  target->connection.state = (uint8_t)state;
  target->connection.chunk = SCSI_TARGET_FIFO_BYTES;
  if (!scsi_target_hal_reset_waits()) scsi_target_hal_receive_whole(phase);
}

void connection_take_back(struct target* target) {
  struct connection* connection = &target->connection;
  if (connection->reports.code == SENSE_NONE) return;
  nexus_take_back(&target->device.nexus[connection->initiator], &connection->reports);
  connection->reports = sense_plain(SENSE_NONE);
}

void connection_leave(struct target* target) {
  connection_take_back(target);
  target->connection.state = CONNECTION_RELEASING;
  target->connection.task = NULL;
  if (!scsi_target_hal_reset_waits()) scsi_target_hal_release();
}

void connection_drop(struct target* target) {
  struct task* task = target->connection.task;
  connection_leave(target);
  if (task != NULL) task_abort(&target->device, task);
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

void connection_send_messages(struct target* target) {
  struct connection* connection = &target->connection;
  const uint32_t count = connection->reply_count;
  for (uint32_t i = 0; i < count; ++i) {
    connection->sent[i] = connection->reply[i];
    scsi_target_hal_push(connection->reply[i]);
  }
  connection->sent_count = (uint8_t)count;
  connection->reply_count = 0;
  if (connection->step != STEP_RELEASE) {
    connection_start_fifo(target, CONNECTION_MESSAGE_IN, SCSI_PHASE_MESSAGE_IN, count);
    return;
  }
  connection->state = CONNECTION_MESSAGE_IN;
  if (!scsi_target_hal_reset_waits()) scsi_target_hal_send_last(count);
}
