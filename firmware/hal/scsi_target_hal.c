// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/scsi_target_hal.h"

#define FILE_ID FILE_ID_HAL_SCSI_TARGET
#include "firmware/hal/mmio.h"
#include "firmware/kernel/assert.h"
#include "scsi_target_regs.h"

STATIC_ASSERT(SCSI_EVENT_SELECTED == SCSI_TARGET__INTR_STATE__SELECTED_bm, "bits of the block");
STATIC_ASSERT(SCSI_EVENT_RESELECTED == SCSI_TARGET__INTR_STATE__RESELECTED_bm, "bits of the block");
STATIC_ASSERT(SCSI_EVENT_ARBITRATION_LOST == SCSI_TARGET__INTR_STATE__ARBITRATION_LOST_bm,
              "bits of the block");
STATIC_ASSERT(SCSI_EVENT_RESELECT_TIMEOUT == SCSI_TARGET__INTR_STATE__RESELECT_TIMEOUT_bm,
              "bits of the block");
STATIC_ASSERT(SCSI_EVENT_TRANSFER_DONE == SCSI_TARGET__INTR_STATE__TRANSFER_DONE_bm,
              "bits of the block");
STATIC_ASSERT(SCSI_EVENT_PARITY_ERROR == SCSI_TARGET__INTR_STATE__PARITY_ERROR_bm,
              "bits of the block");
STATIC_ASSERT(SCSI_EVENT_ATTENTION == SCSI_TARGET__INTR_STATE__ATTENTION_bm, "bits of the block");
STATIC_ASSERT(SCSI_EVENT_BUS_RESET == SCSI_TARGET__INTR_STATE__BUS_RESET_bm, "bits of the block");
STATIC_ASSERT(SCSI_EVENT_DISCONNECTED == SCSI_TARGET__INTR_STATE__DISCONNECTED_bm,
              "bits of the block");

/// Values of COMMAND.op (op_e in hdl/regs/scsi_target.rdl).
enum scsi_target_op {
  SCSI_TARGET_OP_RESELECT = 1,
  SCSI_TARGET_OP_TRANSFER = 2,
  SCSI_TARGET_OP_RELEASE = 3,
  SCSI_TARGET_OP_ABORT = 4,
};

static void command(enum scsi_target_op op, uint8_t initiator) {
  hal_write32(REGISTER(SCSI_TARGET, scsi_target, COMMAND),
              FIELD_PUT(SCSI_TARGET__COMMAND__OP, op) |
                  FIELD_PUT(SCSI_TARGET__COMMAND__INITIATOR_ID, initiator));
}

static uint32_t status(void) { return hal_read32(REGISTER(SCSI_TARGET, scsi_target, STATUS)); }

void scsi_target_hal_enable(uint8_t own_id) {
  hal_write32(REGISTER(SCSI_TARGET, scsi_target, INTR_ENABLE),
              FIELD_PUT(SCSI_TARGET__INTR_ENABLE__MASK, SCSI_EVENT_ALL));
  hal_write32(REGISTER(SCSI_TARGET, scsi_target, CTRL),
              FIELD_PUT(SCSI_TARGET__CTRL__OWN_ID, own_id) |
                  FIELD_PUT(SCSI_TARGET__CTRL__PARITY_CHECK, 1U) |
                  FIELD_PUT(SCSI_TARGET__CTRL__TAKE_COMMAND, 1U) |
                  FIELD_PUT(SCSI_TARGET__CTRL__ENABLE, 1U));
}

uint32_t scsi_target_hal_take_events(void) {
  const uint32_t events = hal_read32(REGISTER(SCSI_TARGET, scsi_target, INTR_STATE));
  hal_write32(REGISTER(SCSI_TARGET, scsi_target, INTR_STATE), events);
  return events;
}

bool scsi_target_hal_reset_waits(void) {
  const uint32_t events = hal_read32(REGISTER(SCSI_TARGET, scsi_target, INTR_STATE));
  return (events & SCSI_EVENT_BUS_RESET) != 0;
}

/// `how`: further bits of TRANSFER.
static inline void start_transfer(enum scsi_phase phase, uint32_t count, uint32_t how) {
  hal_write32(REGISTER(SCSI_TARGET, scsi_target, TRANSFER),
              FIELD_PUT(SCSI_TARGET__TRANSFER__COUNT, count) |
                  FIELD_PUT(SCSI_TARGET__TRANSFER__PHASE, phase) | how);
  command(SCSI_TARGET_OP_TRANSFER, 0);
}

void scsi_target_hal_start_transfer(enum scsi_phase phase, uint32_t count, bool dma) {
  ASSERT(count >= 1 && count <= SCSI_TARGET_TRANSFER_BYTES_MAX);
  start_transfer(phase, count, FIELD_PUT(SCSI_TARGET__TRANSFER__DMA, dma ? 1U : 0U));
}

void scsi_target_hal_receive_whole(enum scsi_phase phase) {
  start_transfer(phase, SCSI_TARGET_FIFO_BYTES, SCSI_TARGET__TRANSFER__WHOLE_bm);
}

void scsi_target_hal_send_last(uint32_t count) {
  start_transfer(SCSI_PHASE_MESSAGE_IN, count, SCSI_TARGET__TRANSFER__THEN_RELEASE_bm);
}

bool scsi_target_hal_takes(void) { return (status() & SCSI_TARGET__STATUS__TAKES_bm) != 0; }

struct scsi_taken scsi_target_hal_taken(void) {
  const uint32_t word = status();
  return (struct scsi_taken){
      .has_command = FIELD_GET(SCSI_TARGET__STATUS__PHASE, word) == SCSI_PHASE_COMMAND,
      .messages = (uint8_t)FIELD_GET(SCSI_TARGET__STATUS__TAKEN_MESSAGES, word),
      .bytes = (uint8_t)FIELD_GET(SCSI_TARGET__STATUS__FIFO_LEVEL, word)};
}

void scsi_target_hal_send_status(uint8_t status, uint8_t message) {
  scsi_target_hal_push(status);
  scsi_target_hal_push(message);
  start_transfer(SCSI_PHASE_STATUS, 1, SCSI_TARGET__TRANSFER__THEN_MESSAGE_bm);
}

bool scsi_target_hal_sent_message(void) {
  return FIELD_GET(SCSI_TARGET__STATUS__PHASE, status()) == SCSI_PHASE_MESSAGE_IN;
}

uint32_t scsi_target_hal_residue(void) {
  return FIELD_GET(SCSI_TARGET__RESIDUE__COUNT,
                   hal_read32(REGISTER(SCSI_TARGET, scsi_target, RESIDUE)));
}

void scsi_target_hal_push(uint8_t byte) {
  hal_write32(REGISTER(SCSI_TARGET, scsi_target, FIFO), byte);
}

uint8_t scsi_target_hal_pop(void) {
  return (uint8_t)hal_read32(REGISTER(SCSI_TARGET, scsi_target, FIFO));
}

void scsi_target_hal_reselect(uint8_t initiator) {
  hal_write32(REGISTER(SCSI_TARGET, scsi_target, TRANSFER), SCSI_TARGET__TRANSFER__THEN_MESSAGE_bm);
  command(SCSI_TARGET_OP_RESELECT, initiator);
}

void scsi_target_hal_release(void) { command(SCSI_TARGET_OP_RELEASE, 0); }

void scsi_target_hal_abort(void) { command(SCSI_TARGET_OP_ABORT, 0); }

void scsi_target_hal_set_agreement(const struct scsi_agreement* agreement) {
  hal_write32(REGISTER(SCSI_TARGET, scsi_target, AGREEMENT),
              FIELD_PUT(SCSI_TARGET__AGREEMENT__PERIOD, agreement->period_clocks) |
                  FIELD_PUT(SCSI_TARGET__AGREEMENT__OFFSET, agreement->offset) |
                  FIELD_PUT(SCSI_TARGET__AGREEMENT__WIDE, agreement->wide ? 1U : 0U));
}

bool scsi_target_hal_attention(void) { return (status() & SCSI_TARGET__STATUS__ATN_bm) != 0; }

bool scsi_target_hal_selected_with_attention(void) {
  return (status() & SCSI_TARGET__STATUS__SELECTED_WITH_ATN_bm) != 0;
}

bool scsi_target_hal_connected(void) { return (status() & SCSI_TARGET__STATUS__CONNECTED_bm) != 0; }

uint8_t scsi_target_hal_initiator(void) {
  return (uint8_t)FIELD_GET(SCSI_TARGET__STATUS__INITIATOR_ID, status());
}
