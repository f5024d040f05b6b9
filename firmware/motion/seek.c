#define FILE_ID FILE_ID_SEEK
#include "firmware/motion/seek.h"

#include "firmware/hal/servo_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/waypoint.h"

static uint32_t track_word(const struct seek* seek) { return seek->cylinder << 8 | seek->head; }

static void set_spindle(struct seek* seek, enum spindle_state state) {
  seek->spindle = (uint8_t)state;
  trace_port_hal_event(TRACE_SPINDLE, (uint32_t)state);
}

void seek_init(struct seek* seek) {
  *seek = (struct seek){.spindle = SPINDLE_AT_REST};
  servo_hal_enable(SERVO_EVENT_ALL);
}

void seek_spin_up(struct seek* seek) {
  if (seek->spindle == SPINDLE_AT_SPEED || seek->spindle == SPINDLE_SPINNING_UP) return;
  set_spindle(seek, SPINDLE_SPINNING_UP);
  servo_hal_spin_up();
}

void seek_spin_down(struct seek* seek) {
  if (seek->spindle == SPINDLE_AT_REST || seek->spindle == SPINDLE_SPINNING_DOWN) return;
  ASSERT(!seek->moving);
  seek->position_known = false;
  set_spindle(seek, SPINDLE_SPINNING_DOWN);
  servo_hal_spin_down();
}

static bool settled(const struct seek* seek) {
  return seek->for_write ? servo_hal_write_ready() : servo_hal_on_track();
}

enum status seek_start(struct seek* seek, uint32_t cylinder, uint32_t head, bool for_write,
                       bool again) {
  ASSERT(!seek->moving);
  if (seek->spindle != SPINDLE_AT_SPEED) return STATUS_NOT_READY;
  const bool there =
      seek->position_known && !again && seek->cylinder == cylinder && seek->head == head;
  seek->for_write = for_write;
  if (there && settled(seek)) return STATUS_OK;
  seek->moving = true;
  seek->retries = SEEK_RETRIES;
  if (there) return STATUS_BUSY;  // The settling for writing is still to come.
  seek->cylinder = cylinder;
  seek->head = head;
  seek->position_known = true;
  trace_port_hal_event(TRACE_SEEK_START, track_word(seek));
  servo_hal_seek(cylinder, head);
  return STATUS_BUSY;
}

/// A refused seek: once more, unless it was refused too often.
static uint32_t retry(struct seek* seek) {
  if (seek->retries == 0) {
    seek->moving = false;
    seek->position_known = false;
    return SEEK_RESULT_FAILED;
  }
  --seek->retries;
  servo_hal_seek(seek->cylinder, seek->head);
  return 0;
}

uint32_t seek_on_events(struct seek* seek, uint32_t events) {
  uint32_t results = 0;
  if ((events & SERVO_EVENT_AT_SPEED) != 0 && seek->spindle == SPINDLE_SPINNING_UP) {
    set_spindle(seek, SPINDLE_AT_SPEED);
    results |= SEEK_RESULT_AT_SPEED;
  }
  if ((events & SERVO_EVENT_AT_REST) != 0 && seek->spindle == SPINDLE_SPINNING_DOWN) {
    set_spindle(seek, SPINDLE_AT_REST);
    results |= SEEK_RESULT_AT_REST;
  }
  if (!seek->moving) {
    WAYPOINT(NOTHING_MOVES);
    return results;
  }
  if ((events & SERVO_EVENT_SEEK_ERROR) != 0) return results | retry(seek);
  const uint32_t awaited = seek->for_write ? SERVO_EVENT_WRITE_READY : SERVO_EVENT_ON_TRACK;
  // The level decides: an event may be that of the movement before.
  if ((events & awaited) != 0 && settled(seek)) {
    seek->moving = false;
    trace_port_hal_event(TRACE_ON_TRACK, track_word(seek));
    results |= SEEK_RESULT_ARRIVED;
  }
  return results;
}
