// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/connection_message.h"

#include "firmware/device/task_management.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/target/agreement.h"
#include "firmware/target/connection_command.h"
#include "firmware/target/connection_steps.h"
#include "firmware/target/message.h"

#define FILE_ID FILE_ID_CONNECTION_MESSAGE
#include "firmware/kernel/assert.h"

/// The agreement for data phases with the connected initiator.
static struct scsi_agreement* agreement_of(struct target* target) {
  return &target->agreement[target->connection.initiator];
}

/// The exchange of messages makes the agreement (SCSI-2 6.6.21): it is in force once the answer is
/// sent. An initiator that leaves before has none.
void connection_messages_sent(struct target* target) {
  struct connection* connection = &target->connection;
  if (!connection->agreement_due) return;
  struct scsi_agreement* agreement = agreement_of(target);
  connection->agreement_due = false;
  *agreement = connection->agreement;
  scsi_target_hal_set_agreement(agreement);
}

// ---- receiving

/// Reads the next messages, up to one that may have to be rejected.
static void read_messages(struct target* target) {
  connection_start_whole(target, CONNECTION_MESSAGE_OUT, SCSI_PHASE_MESSAGE_OUT);
}

/// Reads bytes of a message that is longer than the FIFO, or bytes that cannot be cut into
/// messages.
static void read_message_bytes(struct target* target, uint32_t count) {
  if (count > SCSI_TARGET_FIFO_BYTES) count = SCSI_TARGET_FIFO_BYTES;
  connection_start_fifo(target, CONNECTION_MESSAGE_OUT, SCSI_PHASE_MESSAGE_OUT, count);
}

/// Notes the state that messages may change, as it is before they come.
static void set_mark(struct connection* connection) {
  connection->mark = (struct connection_mark){.urgency = connection->urgency,
                                              .tag = connection->tag,
                                              .lun = connection->lun,
                                              .attribute = connection->attribute,
                                              .reply_count = connection->reply_count,
                                              .negotiations = connection->negotiations,
                                              .greeted = connection->greeted,
                                              .identified = connection->identified,
                                              .may_disconnect = connection->may_disconnect,
                                              .long_tag = connection->long_tag,
                                              .urgency_known = connection->urgency_known,
                                              .agreement_due = connection->agreement_due};
}

static void return_to_mark(struct connection* connection) {
  const struct connection_mark* mark = &connection->mark;
  connection->urgency = mark->urgency;
  connection->tag = mark->tag;
  connection->lun = mark->lun;
  connection->attribute = mark->attribute;
  connection->reply_count = mark->reply_count;
  connection->negotiations = mark->negotiations;
  connection->greeted = mark->greeted;
  connection->identified = mark->identified;
  connection->may_disconnect = mark->may_disconnect;
  connection->long_tag = mark->long_tag;
  connection->urgency_known = mark->urgency_known;
  connection->agreement_due = mark->agreement_due;
}

/// No bytes of the phase have been handled yet.
static void forget_messages(struct connection* connection) {
  connection->message_count = 0;
  connection->message_damaged = false;
  connection->message_left = 0;
}

static void begin_messages(struct connection* connection) {
  connection->retries = 0;
  set_mark(connection);
  forget_messages(connection);
}

void connection_receive_messages(struct target* target) {
  begin_messages(&target->connection);
  read_messages(target);
}

/// Stores bytes of a message. Those of one too long to be the drive's are counted and dropped. No
/// more bytes are requested from the block than the message has, so that later ones stay outside.
static void store_message_bytes(struct target* target) {
  struct connection* connection = &target->connection;
  const uint32_t count = connection->chunk - scsi_target_hal_residue();
  if (connection->message_damaged || connection->message_left > 0) {
    for (uint32_t i = 0; i < count; ++i) (void)scsi_target_hal_pop();
    if (connection->message_damaged) return;
    ASSERT(count <= connection->message_left);
    connection->message_left = (uint16_t)(connection->message_left - count);
    return;
  }
  ASSERT(count <= CONNECTION_MESSAGE_BYTES - connection->message_count);
  uint8_t* to = connection->message + connection->message_count;
  for (uint32_t i = 0; i < count; ++i) to[i] = scsi_target_hal_pop();
  connection->message_count = (uint8_t)(connection->message_count + count);
}

/// ATN is negated after a parity error. Another REQ in MESSAGE OUT makes the initiator send all of
/// the phase's messages again (SCSI-2 6.1.9.2).
static void retry_messages(struct target* target) {
  struct connection* connection = &target->connection;
  if (++connection->retries > CONNECTION_RETRIES) {
    connection_drop(target);
    return;
  }
  return_to_mark(connection);
  forget_messages(connection);
  read_messages(target);
}

/// Skips bytes after one with bad parity: none of them counts, so they cannot be cut into messages.
/// Only ATN shows when they end (SCSI-2 6.1.5.1).
static void skip_damaged(struct target* target) {
  if (scsi_target_hal_attention()) {
    read_message_bytes(target, 1);
  } else {
    retry_messages(target);
  }
}

static bool handle_whole_messages(struct target* target);
static bool handle_long_message(struct target* target);

bool connection_message_bytes(struct target* target, bool damaged) {
  struct connection* connection = &target->connection;
  connection->state = CONNECTION_BUSY;
  const bool is_long = connection->message_left > 0;
  store_message_bytes(target);
  connection->message_damaged = connection->message_damaged || damaged;
  if (connection->message_damaged) {
    skip_damaged(target);
    return false;
  }
  return is_long ? handle_long_message(target) : handle_whole_messages(target);
}

// ---- handling

/// The result of a message.
enum outcome {
  GO_ON,
  REFUSE,  ///< MESSAGE REJECT
  LEAVE,   ///< Bus free
};

static enum outcome on_identify(struct target* target, uint8_t byte) {
  struct connection* connection = &target->connection;
  const uint8_t lun = byte & IDENTIFY_LUN;
  if ((byte & IDENTIFY_UNSUPPORTED) != 0) return REFUSE;
  // SCSI-2 6.6.7: a second IDENTIFY may change the privilege, not the logical unit.
  if (connection->identified && lun != connection->lun) return LEAVE;
  connection->identified = true;
  connection->lun = lun;
  // An initiator that did not give its id cannot be reselected (SCSI-2 6.1.3.1).
  const bool has_id = connection->initiator != target->device.unit.config->own_id;
  connection->may_disconnect = has_id && (byte & IDENTIFY_MAY_DISCONNECT) != 0;
  return GO_ON;
}

static enum outcome on_tag(struct connection* connection, const struct message* message) {
  if (!connection->identified || connection->command_known ||
      connection->attribute != TASK_UNTAGGED) {
    return REFUSE;
  }
  static const uint8_t attributes[] = {TASK_SIMPLE, TASK_HEAD_OF_QUEUE, TASK_ORDERED};
  connection->attribute = attributes[message->code - MESSAGE_SIMPLE_TAG];
  connection->tag = (uint16_t)message->value;
  connection->long_tag = message->kind == MESSAGE_KIND_LONG_TAG;
  return GO_ON;
}

/// Notes how urgent the next command is. Without the long form its stream is its initiator.
static enum outcome on_urgency(struct connection* connection, struct task_urgency urgency) {
  if (connection->command_known) return REFUSE;
  connection->urgency = urgency;
  connection->urgency_tick = timer_hal_now();
  connection->urgency_known = true;
  return GO_ON;
}

/// The agreement that the answer to a negotiation changes. It is in force once the answer is sent.
static struct scsi_agreement* due_agreement(struct target* target) {
  struct connection* connection = &target->connection;
  if (!connection->agreement_due) {
    connection->agreement = target->agreement[connection->initiator];
  }
  connection->agreement_due = true;
  return &connection->agreement;
}

/// Whether the connection may answer one more negotiation, and has room for the answer and a
/// rejection after it.
static bool may_negotiate(struct connection* connection) {
  if (++connection->negotiations > CONNECTION_NEGOTIATIONS) return false;
  return connection->reply_count + MESSAGE_BYTES_MAX < CONNECTION_REPLY_BYTES;
}

/// A negotiation that the drive rejects ends the agreement for both (SCSI-2 6.6.21): the data are
/// asynchronous.
static enum outcome on_synchronous(struct target* target, uint32_t value) {
  struct scsi_agreement* agreement = due_agreement(target);
  uint8_t period = (uint8_t)(value >> 8);
  uint8_t offset = (uint8_t)value;
  uint8_t answer[MESSAGE_BYTES_MAX];
  if (!may_negotiate(&target->connection)) {
    agreement->offset = 0;
    return REFUSE;
  }
  agreement_synchronous(&target->bus, agreement, &period, &offset);
  connection_say(&target->connection, answer, message_put_synchronous(answer, period, offset));
  return GO_ON;
}

/// WDTR, like SDTR: without an agreement, eight bits and asynchronous (SCSI-2 6.6.23).
static enum outcome on_wide(struct target* target, uint32_t value) {
  struct scsi_agreement* agreement = due_agreement(target);
  uint8_t exponent = (uint8_t)value;
  uint8_t answer[MESSAGE_BYTES_MAX];
  if (!may_negotiate(&target->connection)) {
    agreement->wide = false;
    agreement->offset = 0;
    return REFUSE;
  }
  agreement_wide(&target->bus, agreement, &exponent);
  connection_say(&target->connection, answer, message_put_wide(answer, exponent));
  return GO_ON;
}

/// Whether the last message sent was SDTR.
static bool ends_with_synchronous(const struct connection* connection) {
  uint8_t bytes[MESSAGE_BYTES_MAX];
  const uint32_t count = message_put_synchronous(bytes, 0, 0);
  if (connection->sent_count < count) return false;
  const uint8_t* last = connection->sent + connection->sent_count - count;
  return last[0] == bytes[0] && last[1] == bytes[1] && last[2] == bytes[2];
}

/// The initiator did not understand the last message. An SDTR or WDTR answer: there is no agreement
/// (SCSI-2 6.6.21). An IDENTIFY: the drive frees the bus. DISCONNECT, with or without SAVE DATA
/// POINTER: the drive stays connected.
static enum outcome on_reject(struct target* target) {
  struct connection* connection = &target->connection;
  struct scsi_agreement* agreement = agreement_of(target);
  if (connection->sent_count == 0) return GO_ON;
  const uint8_t first = connection->sent[0];
  const uint8_t last = connection->sent[connection->sent_count - 1U];
  const bool is_synchronous = ends_with_synchronous(connection);
  connection->sent_count = 0;  // One rejection for one phase of messages.
  if (first >= MESSAGE_IDENTIFY) return LEAVE;
  if (first == MESSAGE_EXTENDED && is_synchronous) {
    agreement->offset = 0;
    scsi_target_hal_set_agreement(agreement);
  } else if (first == MESSAGE_EXTENDED) {
    agreement_forget(agreement);
    scsi_target_hal_set_agreement(agreement);
  } else if (connection->step == STEP_RELEASE && last == MESSAGE_DISCONNECT) {
    connection->disconnect_refused = true;
    connection->step = STEP_SERVE;
  }
  return GO_ON;
}

/// The initiator received the last message with bad parity: sends all of its bytes again.
static enum outcome on_parity_error(struct connection* connection) {
  connection_say(connection, connection->sent, connection->sent_count);
  return GO_ON;
}

/// ABORT TAG, or ABORT for one untagged task: ends the task of this connection (SCSI-2 6.6.1,
/// 6.6.2).
static enum outcome on_abort_tag(struct target* target) {
  const struct connection* connection = &target->connection;
  struct task* task = connection->task;
  const bool is_tagged = connection->identified && connection->attribute != TASK_UNTAGGED;
  if (task == NULL && is_tagged && connection->lun == 0) {
    task = task_set_find(target->tasks, connection->initiator, false, connection->tag);
  }
  if (task != NULL) task_abort(&target->device, task);
  return LEAVE;
}

static enum outcome on_abort(struct target* target) {
  const struct connection* connection = &target->connection;
  if (connection->identified && connection->lun == 0) {
    task_abort_initiator(&target->device, connection->initiator, NULL);
    task_end_allegiance(&target->device, connection->initiator);
  }
  return LEAVE;
}

static enum outcome on_clear_queue(struct target* target) {
  const struct connection* connection = &target->connection;
  if (connection->identified && connection->lun == 0) {
    task_clear_queue(&target->device, connection->initiator, NULL);
    task_end_allegiance(&target->device, connection->initiator);
  }
  return LEAVE;
}

static enum outcome on_simple(struct target* target, uint8_t code) {
  switch (code) {
    case MESSAGE_NO_OPERATION: return GO_ON;
    case MESSAGE_REJECT: return on_reject(target);
    case MESSAGE_PARITY_ERROR: return on_parity_error(&target->connection);
    case MESSAGE_INITIATOR_DETECTED_ERROR:
      if (!target->connection.command_known || target->connection.step == STEP_RELEASE)
        return REFUSE;
      connection_fail(target, SENSE_INITIATOR_DETECTED_ERROR);
      return GO_ON;
    case MESSAGE_ABORT: return on_abort(target);
    case MESSAGE_ABORT_TAG: return on_abort_tag(target);
    case MESSAGE_CLEAR_QUEUE: return on_clear_queue(target);
    case MESSAGE_BUS_DEVICE_RESET:
      task_hard_reset(&target->device, SENSE_DEVICE_RESET);
      return LEAVE;
    default: return REFUSE;
  }
}

/// `bytes`: of the message on the wire.
static enum outcome handle_message(struct target* target, const struct message* message,
                                   const uint8_t* bytes) {
  struct connection* connection = &target->connection;
  switch ((enum message_kind)message->kind) {
    case MESSAGE_KIND_IDENTIFY: return on_identify(target, (uint8_t)message->value);
    case MESSAGE_KIND_TAG:
    case MESSAGE_KIND_LONG_TAG: return on_tag(connection, message);
    case MESSAGE_KIND_DEADLINE:
      return on_urgency(connection, (struct task_urgency){.due_us = message->value,
                                                          .service_class = CANDIDATE_REAL_TIME,
                                                          .stream = connection->initiator});
    case MESSAGE_KIND_URGENCY: return on_urgency(connection, message_urgency(bytes));
    case MESSAGE_KIND_SYNCHRONOUS: return on_synchronous(target, message->value);
    case MESSAGE_KIND_WIDE: return on_wide(target, message->value);
    case MESSAGE_KIND_SIMPLE: return on_simple(target, message->code);
    case MESSAGE_KIND_UNKNOWN:
    case MESSAGE_KIND_INCOMPLETE: return REFUSE;
    default: ASSERT_UNREACHABLE();
  }
}

/// SCSI-2 6.2.1: the first message after a selection is IDENTIFY, ABORT or BUS DEVICE RESET.
static bool is_first_allowed(const struct message* message) {
  if (message->kind == MESSAGE_KIND_IDENTIFY) return true;
  return message->kind == MESSAGE_KIND_SIMPLE &&
         (message->code == MESSAGE_ABORT || message->code == MESSAGE_BUS_DEVICE_RESET);
}

/// All whole messages have been handled. A rest may be the beginning of a message that lacks
/// `missing` bytes. One of more than CONNECTION_MESSAGE_BYTES is none of the drive's, and only its
/// length counts.
/// @return whether the connection goes on.
static bool read_on(struct target* target, uint32_t missing) {
  struct connection* connection = &target->connection;
  if (connection->message_count + missing > CONNECTION_MESSAGE_BYTES) {
    connection->message_left = (uint16_t)missing;
  }
  if (scsi_target_hal_attention()) {
    if (connection->message_count == 0) {
      read_messages(target);
    } else {
      read_message_bytes(target, missing);
    }
    return false;
  }
  // ATN was negated within a message.
  if (connection->message_count > 0) connection_say_code(connection, MESSAGE_REJECT);
  return true;
}

/// Keeps the bytes after the first `count`.
static void keep_rest(struct connection* connection, uint32_t count) {
  connection->message_count = (uint8_t)(connection->message_count - count);
  for (uint32_t i = 0; i < connection->message_count; ++i) {
    connection->message[i] = connection->message[count + i];
  }
}

/// Acts on a message by what handle_message() or the opening says of it.
/// @return whether the next message may be handled; otherwise another operation has begun.
static bool conclude_message(struct target* target, enum outcome outcome) {
  struct connection* connection = &target->connection;
  switch (outcome) {
    case GO_ON: return true;
    case REFUSE:
      connection->message_count = 0;
      connection_say_code(connection, MESSAGE_REJECT);
      connection_send_messages(target);
      return false;
    case LEAVE:
      connection->message_count = 0;
      connection_drop(target);
      return false;
    default: ASSERT_UNREACHABLE();
  }
}

/// Notes that a message has come. @return whether it opens the connection: the first since the
/// selection.
static bool note_message(struct connection* connection) {
  const bool opening = !connection->greeted && !connection->command_known;
  connection->greeted = true;
  return opening;
}

/// An IDENTIFY of another unit ends the connection, but the block does not stop after an IDENTIFY.
/// The initiator may have sent BUS DEVICE RESET after it. It then takes the BUS FREE phase for the
/// end of its reset (SCSI-2 6.6.3). All else is for a unit that does not exist.
static void take_reset_after(struct target* target, uint32_t handled) {
  const struct connection* connection = &target->connection;
  while (true) {
    const struct message message =
        message_next(connection->message + handled, connection->message_count - handled);
    if (message.kind == MESSAGE_KIND_INCOMPLETE) return;
    handled += message.size;
    if (message.kind == MESSAGE_KIND_SIMPLE && message.code == MESSAGE_BUS_DEVICE_RESET) {
      task_hard_reset(&target->device, SENSE_DEVICE_RESET);
      return;
    }
  }
}

/// Handles each message as soon as it is whole. A rejection is sent before the next byte is
/// requested. So it is clear to the initiator which message it refers to (SCSI-2 6.6.14). A message
/// that may be rejected is the last that the block has requested.
static bool handle_whole_messages(struct target* target) {
  struct connection* connection = &target->connection;
  uint32_t handled = 0;  // bytes
  while (true) {
    const uint8_t* bytes = connection->message + handled;
    const struct message message = message_next(bytes, connection->message_count - handled);
    if (message.kind == MESSAGE_KIND_INCOMPLETE) {
      keep_rest(connection, handled);
      return read_on(target, message.size);
    }
    handled += message.size;
    const bool refused = note_message(connection) && !is_first_allowed(&message);
    const enum outcome outcome = refused ? LEAVE : handle_message(target, &message, bytes);
    if (outcome == LEAVE && message.kind == MESSAGE_KIND_IDENTIFY)
      take_reset_after(target, handled);
    if (!conclude_message(target, outcome)) return false;
  }
}

/// Goes on with a message of which only the length counts. Once it is whole it is rejected, as any
/// other unknown one.
static bool handle_long_message(struct target* target) {
  struct connection* connection = &target->connection;
  if (connection->message_left == 0) {
    return conclude_message(target, note_message(connection) ? LEAVE : REFUSE);
  }
  return read_on(target, connection->message_left);
}

bool connection_taken_messages(struct target* target, bool damaged) {
  struct connection* connection = &target->connection;
  begin_messages(connection);
  connection->chunk = SCSI_TARGET_FIFO_BYTES;
  return connection_message_bytes(target, damaged);
}

void connection_take_nexus(struct target* target, uint32_t count) {
  if (count == 0) return;
  struct connection* connection = &target->connection;
  connection->greeted = true;
  const enum outcome identified = on_identify(target, scsi_target_hal_pop());
  ASSERT(identified == GO_ON);
  if (count == 1) return;
  const uint8_t code = scsi_target_hal_pop();
  const struct message tag = {scsi_target_hal_pop(), 2, MESSAGE_KIND_TAG, code};
  const enum outcome tagged = on_tag(connection, &tag);
  ASSERT(tagged == GO_ON);
}
