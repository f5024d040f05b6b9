// SPDX-License-Identifier: Apache-2.0
/// @file
/// The state of the connection to an initiator (connection.h), and its limits.
#ifndef FIRMWARE_TARGET_CONNECTION_STATE_H
#define FIRMWARE_TARGET_CONNECTION_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/hal/scsi_target_hal.h"
#include "firmware/kernel/time.h"
#include "firmware/queue/task.h"
#include "firmware/unit/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CONNECTION_RETRIES 3U
/// Most bytes of one message; of a longer one the bytes are counted, and it is rejected.
#define CONNECTION_MESSAGE_BYTES 32U
/// Most negotiations that one connection answers. An initiator that takes each answer for a request
/// would go on for ever.
#define CONNECTION_NEGOTIATIONS 8U
/// The longest message is IDENTIFY with a long tag, 7 bytes. A rejection and two negotiations fit
/// after it.
#define CONNECTION_REPLY_BYTES 16U
#define CONNECTION_CDB_BYTES 16U

enum connection_state {
  CONNECTION_FREE,         ///< The drive is not connected.
  CONNECTION_BUSY,         ///< An event is being handled, between two operations.
  CONNECTION_TAKING,       ///< The drive is selected; the block takes the messages and the CDB by
                           ///< itself.
  CONNECTION_MESSAGE_OUT,  ///< An operation of the named phase is under way.
  CONNECTION_MESSAGE_IN,
  CONNECTION_COMMAND,
  CONNECTION_DATA_IN,
  CONNECTION_DATA_OUT,
  CONNECTION_DATA_DMA,
  CONNECTION_STATUS,
  CONNECTION_WAITING,    ///< The drive is connected, and waits for the core or ATN.
  CONNECTION_PREPARING,  ///< The drive is not connected; the controller spends time before a
                         ///< reselection.
  CONNECTION_PAUSING,    ///< The drive is connected; the controller spends time before a status, or
                         ///< checks at times whether the buffer is ready (tenancy.h).
  CONNECTION_RESELECTING,
  CONNECTION_RELEASING,
};

/// The step after the messages.
enum connection_step {
  STEP_COMMAND,
  STEP_DATA_IN,
  STEP_DATA_OUT,
  STEP_SERVE,  ///< The connected task's next need: data, status, disconnection or waiting.
  STEP_STATUS,
  STEP_COMPLETE,  ///< COMMAND COMPLETE. It follows the status by itself, unless ATN is true.
  STEP_RELEASE,
};

/// The state of a connection that messages change. When the initiator sends a MESSAGE OUT phase
/// again, the phase begins with this state.
struct connection_mark {
  struct task_urgency urgency;
  uint16_t tag;
  uint8_t lun;
  uint8_t attribute;
  uint8_t reply_count;
  uint8_t negotiations;
  bool greeted;
  bool identified;
  bool may_disconnect;
  bool long_tag;
  bool urgency_known;
  bool agreement_due;
};

struct connection {
  struct task* task;            ///< Task that is connected, or being reselected; NULL before a task
                                ///< exists.
  struct task_urgency urgency;  ///< Urgency of the next command, if it is known.
  time_tick urgency_tick;       ///< Time at which the urgency came.
  time_tick received_tick;      ///< Time at which the whole command was there, data that came with
                                ///< it included.
  uint32_t transfer_blocks;     ///< Blocks of the data phase under way.
  uint16_t request_first;       ///< First task that requests the bus.
  uint16_t request_last;        ///< Last task that requests the bus.
  uint16_t tag;
  uint16_t data_count;  ///< Data of a command without media.
  uint16_t data_done;
  uint8_t state;  ///< enum connection_state
  uint8_t step;   ///< enum connection_step
  uint8_t initiator;
  uint8_t lun;
  uint8_t attribute;        ///< enum task_attribute
  uint8_t status;           ///< Status to send in STEP_STATUS.
  uint8_t retries;          ///< Retries in this MESSAGE OUT phase.
  uint8_t command_retries;  ///< Retries in the COMMAND phase.
  uint8_t cdb_count;        ///< Bytes of the CDB that have come.
  uint8_t chunk;            ///< Bytes of the FIFO operation under way.
  bool greeted;             ///< The first message since the selection has come.
  bool identified;          ///< IDENTIFY was received or sent.
  bool command_known;       ///< The CDB is complete: the nexus can no longer change.
  bool may_disconnect;
  bool disconnect_refused;  ///< The initiator rejected DISCONNECT.
  bool limited;             ///< Page 02h has limits (tenancy.h). It outlives connections.
  bool long_tag;
  bool urgency_known;     ///< A message gave `urgency`; else it is best effort, in the initiator's
                          ///< stream.
  bool message_damaged;   ///< A byte of this MESSAGE OUT phase had a parity error.
  uint8_t message_count;  ///< Bytes of the message that has not been handled yet.
  uint16_t message_left;  ///< Bytes that are still to come of a message that is too long to keep.
  uint8_t reply_count;    ///< Messages to send.
  uint8_t sent_count;    ///< Bytes sent in the phase just before: MESSAGE REJECT and MESSAGE PARITY
                         ///< ERROR refer to them.
  uint8_t negotiations;  ///< Negotiations answered.
  bool agreement_due;    ///< `reply` has an answer: `agreement` is in force once it is sent.
  struct scsi_agreement agreement;  ///< The new agreement.
  struct connection_mark mark;      ///< The state before this MESSAGE OUT phase.
  struct sense fails;               ///< Sense data of the CHECK CONDITION, from the time it is
                                    ///< sent.
  struct sense reports;             ///< Unit attention or deferred error, pending again unless the
                                    ///< status is sent.
  uint8_t message[CONNECTION_MESSAGE_BYTES];
  uint8_t reply[CONNECTION_REPLY_BYTES];
  uint8_t sent[CONNECTION_REPLY_BYTES];
  uint8_t cdb[CONNECTION_CDB_BYTES];
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TARGET_CONNECTION_STATE_H
