/// @file
/// The state of the connection to an initiator (connection.h), and how much one may be.
#ifndef FIRMWARE_SCSI_CONNECTION_STATE_H
#define FIRMWARE_SCSI_CONNECTION_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/hal/scsi_target_hal.h"
#include "firmware/kernel/time.h"
#include "firmware/queue/task.h"
#include "firmware/scsi/sense.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CONNECTION_RETRIES 3U
/// Most data of a command that needs no media, at a time: MODE SENSE(10) of all pages and subpages,
/// REPORT SUPPORTED OPERATION CODES. Longer ones move piece by piece. A power of two, no smaller
/// than the FIFO.
#define CONNECTION_DATA_BYTES 1024U
/// Most bytes of one message; a longer one is read and rejected.
#define CONNECTION_MESSAGE_BYTES 32U
/// Most negotiations that one connection answers: an initiator that takes each answer for a
/// question would go on for ever.
#define CONNECTION_NEGOTIATIONS 8U
/// IDENTIFY with a long tag is the longest, 7 bytes; a rejection and two negotiations fit behind.
#define CONNECTION_REPLY_BYTES 16U
#define CONNECTION_CDB_BYTES 16U

enum connection_state {
  CONNECTION_FREE,         ///< Not connected.
  CONNECTION_BUSY,         ///< Between two operations, inside one event.
  CONNECTION_MESSAGE_OUT,  ///< An operation is under way: the phase.
  CONNECTION_MESSAGE_IN,
  CONNECTION_COMMAND,
  CONNECTION_DATA_IN,
  CONNECTION_DATA_OUT,
  CONNECTION_DATA_DMA,
  CONNECTION_STATUS,
  CONNECTION_WAITING,    ///< Connected, nothing to do until the core or ATN says so.
  CONNECTION_PREPARING,  ///< Not connected; the controller takes its time before a reselection.
  CONNECTION_PAUSING,    ///< Connected; likewise, before a status.
  CONNECTION_RESELECTING,
  CONNECTION_RELEASING,
};

/// What comes after the messages.
enum connection_step {
  STEP_COMMAND,
  STEP_DATA_IN,
  STEP_DATA_OUT,
  STEP_SERVE,  ///< What the connected task needs: data, status, disconnection, patience.
  STEP_STATUS,
  STEP_COMPLETE,  ///< COMMAND COMPLETE.
  STEP_RELEASE,
};

/// What messages change in a connection. A MESSAGE OUT phase that the initiator sends again begins
/// with what stood before it.
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
  struct task* task;            ///< Connected, or being reselected; NULL before a task exists.
  struct task_urgency urgency;  ///< Of the command to come, if it is known,
  time_tick urgency_tick;       ///< and since when.
  uint32_t transfer_blocks;     ///< Of the data phase under way.
  uint16_t request_first;       ///< Tasks that want the bus.
  uint16_t request_last;
  uint16_t tag;
  uint16_t data_count;  ///< Data of a command without media.
  uint16_t data_done;
  uint8_t state;  ///< enum connection_state
  uint8_t step;   ///< enum connection_step
  uint8_t initiator;
  uint8_t lun;
  uint8_t attribute;        ///< enum task_attribute
  uint8_t status;           ///< For STEP_STATUS.
  uint8_t retries;          ///< Of this MESSAGE OUT phase.
  uint8_t command_retries;  ///< Of the COMMAND phase.
  uint8_t chunk;            ///< Bytes of the FIFO operation under way.
  bool greeted;             ///< The first message since the selection has come.
  bool identified;          ///< IDENTIFY came, or was sent.
  bool command_known;       ///< The CDB is complete: the nexus can no longer change.
  bool may_disconnect;
  bool disconnect_refused;  ///< The initiator rejected DISCONNECT.
  bool long_tag;
  bool urgency_known;    ///< A deadline message came; else best effort, in its initiator's stream.
  bool message_damaged;  ///< Parity error in this MESSAGE OUT phase.
  bool message_overflow;
  uint8_t message_count;  ///< Bytes of the message that has not been handled yet.
  uint8_t reply_count;    ///< Messages to send.
  uint8_t sent_count;  ///< Messages sent in the phase just before: what MESSAGE REJECT and MESSAGE
                       ///< PARITY ERROR mean.
  uint8_t negotiations;             ///< Answered.
  bool agreement_due;               ///< An answer is among the messages to send: when it is out,
  struct scsi_agreement agreement;  ///< this is in force.
  struct connection_mark mark;      ///< Before this MESSAGE OUT phase.
  struct sense fails;               ///< Sense data of CHECK CONDITION, from when that is out.
  struct sense tells;               ///< Is pending again, unless the status goes out.
  uint8_t message[CONNECTION_MESSAGE_BYTES];
  uint8_t reply[CONNECTION_REPLY_BYTES];
  uint8_t sent[CONNECTION_REPLY_BYTES];
  uint8_t cdb[CONNECTION_CDB_BYTES];
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_CONNECTION_STATE_H
