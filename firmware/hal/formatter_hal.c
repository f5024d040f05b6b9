// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_HAL_FORMATTER
#include "firmware/hal/formatter_hal.h"

#include "firmware/hal/mmio.h"
#include "firmware/kernel/assert.h"
#include "formatter_regs.h"

STATIC_ASSERT(FORMATTER_EVENT_DONE == FORMATTER__INTR_STATE__DONE_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_EVENT_ERROR == FORMATTER__INTR_STATE__ERROR_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_EVENT_SECTOR == FORMATTER__INTR_STATE__SECTOR_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_EVENT_CHAINED == FORMATTER__INTR_STATE__CHAINED_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_ERROR_NOT_FOUND == FORMATTER__ERROR__NOT_FOUND_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_ERROR_CHECK == FORMATTER__ERROR__CHECK_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_ERROR_OVERRUN == FORMATTER__ERROR__OVERRUN_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_ERROR_UNDERRUN == FORMATTER__ERROR__UNDERRUN_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_ERROR_HEADER == FORMATTER__ERROR__HEADER_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_ERROR_OFF_TRACK == FORMATTER__ERROR__OFF_TRACK_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_ERROR_WRITE_FAULT == FORMATTER__ERROR__WRITE_FAULT_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_ERROR_OTHER_TRACK == FORMATTER__ERROR__OTHER_TRACK_bm, "bits of the block");
STATIC_ASSERT(FORMATTER_ERROR_NO_SYNC == FORMATTER__ERROR__NO_SYNC_bm, "bits of the block");

/// COMMAND.op (op_e in hdl/regs/formatter.rdl); the others are enum formatter_operation.
#define OP_ABORT 4U
#define OP_CHAIN 5U

#define ERROR_CAUSES 0x1FFU

void formatter_hal_configure(uint32_t preamble_bytes, uint32_t data_bytes, uint32_t revolutions) {
  hal_write32(REGISTER(FORMATTER, formatter, FORMAT),
              FIELD_PUT(FORMATTER__FORMAT__PREAMBLE, preamble_bytes) |
                  FIELD_PUT(FORMATTER__FORMAT__DATA, data_bytes));
  hal_write32(REGISTER(FORMATTER, formatter, LIMIT),
              FIELD_PUT(FORMATTER__LIMIT__REVOLUTIONS, revolutions));
}

void formatter_hal_enable(uint32_t events) {
  hal_write32(REGISTER(FORMATTER, formatter, INTR_ENABLE),
              FIELD_PUT(FORMATTER__INTR_ENABLE__MASK, events));
}

uint32_t formatter_hal_take_events(void) {
  const uint32_t events = hal_read32(REGISTER(FORMATTER, formatter, INTR_STATE));
  hal_write32(REGISTER(FORMATTER, formatter, INTR_STATE), events);
  return events;
}

void formatter_hal_forget(uint32_t events) {
  hal_write32(REGISTER(FORMATTER, formatter, INTR_STATE), events);
}

STATIC_ASSERT(FORMATTER__NEXT_TRACK__CYLINDER_bm == FORMATTER__TRACK__CYLINDER_bm, "as TRACK");
STATIC_ASSERT(FORMATTER__NEXT_TRACK__HEAD_bm == FORMATTER__TRACK__HEAD_bm, "as TRACK");
STATIC_ASSERT(FORMATTER__NEXT_START__SECTOR_bm == FORMATTER__START__SECTOR_bm, "as START");
STATIC_ASSERT(FORMATTER__NEXT_START__COUNT_bm == FORMATTER__START__COUNT_bm, "as START");

/// Writes a run into TRACK and START, or into NEXT_TRACK and NEXT_START.
static inline void put_run(uint32_t track, uint32_t start, const struct formatter_run* run) {
  hal_write32(track, FIELD_PUT(FORMATTER__TRACK__CYLINDER, run->cylinder) |
                         FIELD_PUT(FORMATTER__TRACK__HEAD, run->head));
  hal_write32(start, FIELD_PUT(FORMATTER__START__SECTOR, run->sector) |
                         FIELD_PUT(FORMATTER__START__COUNT, run->count));
}

void formatter_hal_start(enum formatter_operation operation, const struct formatter_run* run) {
  ASSERT(run->count >= 1 && run->count <= FORMATTER_COUNT_MAX);
  put_run(REGISTER(FORMATTER, formatter, TRACK), REGISTER(FORMATTER, formatter, START), run);
  hal_write32(REGISTER(FORMATTER, formatter, COMMAND),
              FIELD_PUT(FORMATTER__COMMAND__OP, operation));
}

void formatter_hal_chain(const struct formatter_run* run) {
  put_run(REGISTER(FORMATTER, formatter, NEXT_TRACK), REGISTER(FORMATTER, formatter, NEXT_START),
          run);
  hal_write32(REGISTER(FORMATTER, formatter, COMMAND), FIELD_PUT(FORMATTER__COMMAND__OP, OP_CHAIN));
}

void formatter_hal_abort(void) {
  hal_write32(REGISTER(FORMATTER, formatter, COMMAND), FIELD_PUT(FORMATTER__COMMAND__OP, OP_ABORT));
}

bool formatter_hal_busy(void) {
  return (hal_read32(REGISTER(FORMATTER, formatter, STATUS)) & FORMATTER__STATUS__BUSY_bm) != 0;
}

struct formatter_progress formatter_hal_progress(void) {
  const uint32_t word = hal_read32(REGISTER(FORMATTER, formatter, PROGRESS));
  return (struct formatter_progress){FIELD_GET(FORMATTER__PROGRESS__DONE, word),
                                     FIELD_GET(FORMATTER__PROGRESS__RUNS, word)};
}

uint32_t formatter_hal_errors(void) {
  return hal_read32(REGISTER(FORMATTER, formatter, ERROR)) & ERROR_CAUSES;
}
