// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/connection_reply.h"

#include "firmware/device/command.h"
#include "firmware/device/command_rows.h"
#include "firmware/kernel/bytes.h"
#include "firmware/target/connection_queue.h"
#include "firmware/target/connection_steps.h"

#define FILE_ID FILE_ID_CONNECTION_REPLY
#include "firmware/kernel/assert.h"
#include "firmware/transfer/service_tasks.h"

STATIC_ASSERT(CONNECTION_CDB_BYTES >= 12, "the CDB of a reply fits");

// sense_information, from its highest byte: operation code, byte 1 and byte 2 of the CDB, pieces
// that have moved. No command whose data are longer than a piece depends on another byte.

static uint32_t pack(const struct connection* connection) {
  const uint32_t pieces = connection->data_done / DEVICE_DATA_BYTES;
  ASSERT(pieces <= UINT8_MAX);
  return (uint32_t)connection->cdb[0] << 24 | (uint32_t)connection->cdb[1] << 16 |
         (uint32_t)connection->cdb[2] << 8 | pieces;
}

/// Restores what the connection knew of the command.
static void unpack(struct connection* connection, const struct task* task) {
  const uint32_t packed = task->sense_information;
  bytes_fill(connection->cdb, 0, CONNECTION_CDB_BYTES);
  connection->cdb[0] = (uint8_t)(packed >> 24);
  connection->cdb[1] = (uint8_t)(packed >> 16);
  connection->cdb[2] = (uint8_t)(packed >> 8);
  connection->data_done = (uint16_t)((packed & UINT8_MAX) * DEVICE_DATA_BYTES);
  connection->data_count = (uint16_t)(connection->data_done + task->host_blocks_left);
  connection->fails = sense_plain((enum sense_code)task->sense);
  connection->status = task->sense == SENSE_NONE ? SCSI_STATUS_GOOD : SCSI_STATUS_CHECK_CONDITION;
}

/// The task of a command whose first piece has moved. NULL: there is none.
static struct task* make_task(struct target* target) {
  const struct connection* connection = &target->connection;
  struct task* task = task_set_allocate(target->tasks);
  if (task == NULL) return NULL;
  task->operation = TASK_REPLY;
  task->lba = UINT32_MAX;  // The task has no blocks, and overlaps no write.
  task->attribute = connection->attribute == TASK_UNTAGGED ? TASK_UNTAGGED : TASK_SIMPLE;
  task->tag = connection->tag;
  task->initiator = connection->initiator % TASK_INITIATORS_MAX;
  task->flags = TASK_FLAG_MAY_DISCONNECT;
  if (connection->attribute == TASK_UNTAGGED) task->flags |= TASK_FLAG_NO_TAG;
  if (connection->long_tag) task->flags |= TASK_FLAG_LONG_TAG;
  task_set_sense(task, connection->fails.code);
  service_tasks_reply_arrived(target->parts.service, task);
  task_set_insert_begun(target->tasks, task);
  return task;
}

static bool may_leave(const struct target* target) {
  const struct connection* connection = &target->connection;
  if (!connection->may_disconnect || connection->disconnect_refused) return false;
  return !connection->limited || target->limits.dtdc == MODE_DTDC_NONE;
}

void connection_reply_piece(struct target* target) {
  struct connection* connection = &target->connection;
  if (!may_leave(target)) return;
  if (connection->task == NULL) connection->task = make_task(target);
  struct task* task = connection->task;
  if (task == NULL) return;
  task->sense_information = pack(connection);
  task->host_blocks_left = (uint32_t)connection->data_count - connection->data_done;
  task->flags |= TASK_FLAG_MOVED_DATA;
  connection->step = STEP_SERVE;
}

bool connection_reply_serve(struct target* target, struct task* task) {
  struct connection* connection = &target->connection;
  if ((task->flags & TASK_FLAG_MOVED_DATA) != 0 && may_leave(target)) {
    connection_enqueue(target, task);
    connection_disconnect(target, task);
    return false;
  }
  unpack(connection, task);
  connection->step = STEP_DATA_IN;
  return true;
}
