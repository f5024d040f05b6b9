// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/servo_hal.h"

#include "firmware/hal/mmio.h"
#include "firmware/kernel/assert.h"
#include "servo_regs.h"

STATIC_ASSERT(SERVO_EVENT_ON_TRACK == SERVO__INTR_STATE__ON_TRACK_bm, "bits of the block");
STATIC_ASSERT(SERVO_EVENT_WRITE_READY == SERVO__INTR_STATE__WRITE_READY_bm, "bits of the block");
STATIC_ASSERT(SERVO_EVENT_AT_SPEED == SERVO__INTR_STATE__AT_SPEED_bm, "bits of the block");
STATIC_ASSERT(SERVO_EVENT_AT_REST == SERVO__INTR_STATE__AT_REST_bm, "bits of the block");
STATIC_ASSERT(SERVO_EVENT_INDEX == SERVO__INTR_STATE__INDEX_bm, "bits of the block");
STATIC_ASSERT(SERVO_EVENT_SEEK_ERROR == SERVO__INTR_STATE__SEEK_ERROR_bm, "bits of the block");
STATIC_ASSERT(SERVO_EVENT_SPEED_LOST == SERVO__INTR_STATE__SPEED_LOST_bm, "bits of the block");

/// Values of COMMAND.op (op_e in hdl/regs/servo.rdl).
enum servo_op {
  SERVO_OP_SEEK = 1,
  SERVO_OP_SPIN_UP = 2,
  SERVO_OP_SPIN_DOWN = 3,
  SERVO_OP_RECALIBRATE = 4,
};

static void command(enum servo_op op) {
  hal_write32(REGISTER(SERVO, servo, COMMAND), FIELD_PUT(SERVO__COMMAND__OP, op));
}

static bool status_bit(uint32_t mask) {
  return (hal_read32(REGISTER(SERVO, servo, STATUS)) & mask) != 0;
}

void servo_hal_enable(uint32_t events) {
  hal_write32(REGISTER(SERVO, servo, INTR_ENABLE), FIELD_PUT(SERVO__INTR_ENABLE__MASK, events));
}

uint32_t servo_hal_take_events(void) {
  const uint32_t events = hal_read32(REGISTER(SERVO, servo, INTR_STATE));
  hal_write32(REGISTER(SERVO, servo, INTR_STATE), events);
  return events;
}

void servo_hal_set_target(uint32_t cylinder, uint32_t head, bool for_write) {
  hal_write32(REGISTER(SERVO, servo, TARGET),
              FIELD_PUT(SERVO__TARGET__CYLINDER, cylinder) |
                  FIELD_PUT(SERVO__TARGET__FOR_WRITE, for_write ? 1U : 0U) |
                  FIELD_PUT(SERVO__TARGET__HEAD, head));
}

void servo_hal_seek(uint32_t cylinder, uint32_t head, bool for_write) {
  servo_hal_set_target(cylinder, head, for_write);
  command(SERVO_OP_SEEK);
}

void servo_hal_recalibrate(void) { command(SERVO_OP_RECALIBRATE); }

void servo_hal_spin_up(void) { command(SERVO_OP_SPIN_UP); }

void servo_hal_spin_down(void) { command(SERVO_OP_SPIN_DOWN); }

bool servo_hal_on_track(void) { return status_bit(SERVO__STATUS__ON_TRACK_bm); }

bool servo_hal_write_ready(void) { return status_bit(SERVO__STATUS__WRITE_READY_bm); }

bool servo_hal_seeking(void) { return status_bit(SERVO__STATUS__SEEKING_bm); }

bool servo_hal_at_speed(void) { return status_bit(SERVO__STATUS__AT_SPEED_bm); }

void servo_hal_capture_index(bool enable) {
  hal_write32(REGISTER(SERVO, servo, INDEX_CAPTURE),
              FIELD_PUT(SERVO__INDEX_CAPTURE__ENABLE, enable ? 1U : 0U));
}

struct servo_index servo_hal_index(void) {
  // A pulse between the loads changes the count: read again. Pulses are a revolution apart.
  struct servo_index index;
  do {
    index.count = hal_read32(REGISTER(SERVO, servo, INDEX_COUNT));
    index.tick = (time_tick)hal_read32(REGISTER(SERVO, servo, INDEX_TIME_HI)) << 32;
    index.tick |= hal_read32(REGISTER(SERVO, servo, INDEX_TIME_LO));
  } while (index.count != hal_read32(REGISTER(SERVO, servo, INDEX_COUNT)));
  return index;
}
