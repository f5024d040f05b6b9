// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the scsi_target block: one bus operation at a time, each ended by an event.
///
/// None of the functions waits. The caller decides when an operation may start
/// (firmware/target/connection.h). While the block is busy, it ignores every start but an abort.
#ifndef FIRMWARE_HAL_SCSI_TARGET_HAL_H
#define FIRMWARE_HAL_SCSI_TARGET_HAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that the FIFO holds.
#define SCSI_TARGET_FIFO_BYTES 16U
/// Most bytes that one transfer can move: TRANSFER.count has 24 bits.
#define SCSI_TARGET_TRANSFER_BYTES_MAX 0xFFFFFFU

/// Information transfer phases: MSG, C/D, I/O (SCSI-2 table 8); the values of TRANSFER.phase.
enum scsi_phase {
  SCSI_PHASE_DATA_OUT = 0,
  SCSI_PHASE_DATA_IN = 1,
  SCSI_PHASE_COMMAND = 2,
  SCSI_PHASE_STATUS = 3,
  SCSI_PHASE_MESSAGE_OUT = 6,
  SCSI_PHASE_MESSAGE_IN = 7,
};

/// Events, the bits of INTR_STATE.
enum scsi_target_event {
  SCSI_EVENT_SELECTED = 1U << 0,
  SCSI_EVENT_RESELECTED = 1U << 1,
  SCSI_EVENT_ARBITRATION_LOST = 1U << 2,
  SCSI_EVENT_RESELECT_TIMEOUT = 1U << 3,
  SCSI_EVENT_TRANSFER_DONE = 1U << 4,
  SCSI_EVENT_PARITY_ERROR = 1U << 5,
  SCSI_EVENT_ATTENTION = 1U << 6,
  SCSI_EVENT_BUS_RESET = 1U << 7,
  SCSI_EVENT_DISCONNECTED = 1U << 8,
  SCSI_EVENT_ALL = 0x1FF,
};

/// The transfer agreement with an initiator, for its data phases.
struct scsi_agreement {
  uint8_t period_clocks;  ///< SoC clocks per synchronous transfer, 4 or more.
  uint8_t offset;         ///< REQ/ACK offset; 0 is asynchronous.
  bool wide;              ///< 16 data bits.
};

/// What the block has received by itself after a selection. It is in the FIFO.
struct scsi_taken {
  bool has_command;  ///< The CDB follows the messages, or as much of it as the FIFO had room
                     ///< for.
  uint8_t messages;  ///< Bytes of IDENTIFY and the tag: 0, 1 or 3; valid with `has_command`.
  uint8_t bytes;     ///< Number of all bytes received.
};

/// Takes `own_id`, checks parity, enables every event as an interrupt, and starts to answer
/// selection. Then the block receives the messages and the CDB by itself: scsi_target_hal_takes().
void scsi_target_hal_enable(uint8_t own_id);

/// Returns the events since the last call and acknowledges them.
uint32_t scsi_target_hal_take_events(void);

/// Whether RST was asserted since the last scsi_target_hal_take_events().
bool scsi_target_hal_reset_waits(void);

/// Moves `count` bytes, 1 .. SCSI_TARGET_TRANSFER_BYTES_MAX, in `phase`: with `dma` between bus and
/// buffer manager, otherwise through the FIFO. Ends with TRANSFER_DONE, or with PARITY_ERROR after
/// the byte in error.
void scsi_target_hal_start_transfer(enum scsi_phase phase, uint32_t count, bool dma);

/// Receives into the FIFO what the initiator sends in MESSAGE OUT or COMMAND, and ends with the
/// same events. COMMAND: one whole command. MESSAGE OUT: up to the first message that is not a
/// plain IDENTIFY. The target must be able to reject that message before it requests another
/// (SCSI-2 6.6.14).
void scsi_target_hal_receive_whole(enum scsi_phase phase);

/// Sends `count` message bytes from the FIFO, then releases the bus. Ends with DISCONNECTED. If the
/// initiator asserts ATN to answer, the target stays connected, and the end is TRANSFER_DONE.
void scsi_target_hal_send_last(uint32_t count);

/// Whether the block has received, by itself, what the initiator sent after the selection.
/// SELECTED then came once all of it was there. False if a bus reset was pending at that time.
bool scsi_target_hal_takes(void);

struct scsi_taken scsi_target_hal_taken(void);

/// Sends a status, then one message, and releases the bus. Ends with DISCONNECTED. If the initiator
/// asserts ATN, the end is TRANSFER_DONE: after the message if scsi_target_hal_sent_message(),
/// else after the status. In the second case the message is still in the FIFO.
void scsi_target_hal_send_status(uint8_t status, uint8_t message);

/// Whether the phase of the last transfer is MESSAGE IN.
bool scsi_target_hal_sent_message(void);

/// Bytes that the last transfer did not move.
uint32_t scsi_target_hal_residue(void);

/// Puts a byte into the FIFO, for a transfer to the initiator that is about to start.
void scsi_target_hal_push(uint8_t byte);

/// Takes a byte from the FIFO, after a transfer from the initiator.
uint8_t scsi_target_hal_pop(void);

/// Arbitrates, reselects, and sends the messages that are in the FIFO. Ends with RESELECTED and
/// TRANSFER_DONE together, or with ARBITRATION_LOST or RESELECT_TIMEOUT, and the FIFO is empty. If
/// the initiator answers in spite of an abort, TRANSFER_DONE comes without a message.
void scsi_target_hal_reselect(uint8_t initiator);

/// Releases the bus. Ends with DISCONNECTED.
void scsi_target_hal_release(void);

/// Stops the transfer under way and empties the FIFO. Ends with TRANSFER_DONE.
void scsi_target_hal_abort(void);

/// Sets the agreement for the data phases that follow.
void scsi_target_hal_set_agreement(const struct scsi_agreement* agreement);

/// The level of ATN, as last sampled.
bool scsi_target_hal_attention(void);

/// Whether the initiator asserted ATN during selection: then a message comes first.
bool scsi_target_hal_selected_with_attention(void);

/// Whether the drive is connected: from selection or reselection to the release of the bus.
bool scsi_target_hal_connected(void);

/// SCSI id of the connected initiator.
uint8_t scsi_target_hal_initiator(void);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_SCSI_TARGET_HAL_H
