// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_SEEK
#include "firmware/motion/seek.h"

#include "firmware/hal/servo_hal.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"

static uint32_t track_word(const struct seek* seek) { return seek->cylinder << 8 | seek->head; }

static void set_spindle(struct seek* seek, enum spindle_state state) {
  seek->spindle = (uint8_t)state;
  trace_port_hal_event(TRACE_SPINDLE, (uint32_t)state);
}

void seek_init(struct seek* seek, const struct drive_design* design) {
  const time_tick spin_up_ms = 2 * (time_tick)design->spin_up_ms + SEEK_SPIN_UP_SLACK_MS;
  *seek = (struct seek){.spin_up_ticks = spin_up_ms * TIME_TICKS_PER_MILLISECOND,
                        .spin_up_due = TIME_TICK_NEVER,
                        .spindle = SPINDLE_AT_REST,
                        .has_offset = design->write_offset_part != 0,
                        .has_patience = true};
  servo_hal_enable(SERVO_EVENT_ALL);
}

/// Drops the movement under way, if there is one.
static uint32_t fail(struct seek* seek, enum status status) {
  if (!seek->moving) return 0;
  seek->moving = seek->recalibrates = seek->redirects = seek->position_known = false;
  seek->status = (uint8_t)status;
  return SEEK_RESULT_FAILED;
}

// ---------------------------------------------------------------------------------------- spindle

static bool is_on_its_way_up(const struct seek* seek) {
  return seek->spindle == SPINDLE_SPINNING_UP || seek->spindle == SPINDLE_REGAINING;
}

static void begin_spin_up(struct seek* seek) {
  seek->brakes = false;
  seek->spin_up_due = timer_hal_now() + seek->spin_up_ticks;
  servo_hal_spin_up();
}

static void begin_spin_down(struct seek* seek) {
  seek->spin_up_due = TIME_TICK_NEVER;
  servo_hal_spin_down();
}

void seek_spin_up(struct seek* seek) {
  if (seek->spindle == SPINDLE_AT_SPEED || is_on_its_way_up(seek)) return;
  seek->spin_ups_left = SEEK_SPIN_UPS - 1;
  set_spindle(seek, SPINDLE_SPINNING_UP);
  begin_spin_up(seek);
}

void seek_spin_down(struct seek* seek) {
  if (seek->spindle == SPINDLE_AT_REST || seek->spindle == SPINDLE_SPINNING_DOWN) return;
  ASSERT(!seek->moving);
  seek->position_known = false;
  seek->brakes = false;
  set_spindle(seek, SPINDLE_SPINNING_DOWN);
  begin_spin_down(seek);
}

bool seek_has_speed(void) { return servo_hal_at_speed(); }

/// Discards the heads' position: the spindle has lost its speed by itself.
static uint32_t lose_speed(struct seek* seek) {
  seek->position_known = seek->recalibrates = false;
  seek->spin_ups_left = SEEK_SPIN_UPS - 1;
  set_spindle(seek, SPINDLE_REGAINING);
  begin_spin_up(seek);
  return SEEK_RESULT_SPEED_LOST | (seek->has_patience ? 0 : fail(seek, STATUS_BECOMING_READY));
}

static uint32_t come_to_rest(struct seek* seek) {
  if (seek->spindle == SPINDLE_SPINNING_DOWN) {
    set_spindle(seek, SPINDLE_AT_REST);
    return SEEK_RESULT_AT_REST;
  }
  if (seek->brakes) begin_spin_up(seek);
  return 0;
}

static uint32_t spindle_on_events(struct seek* seek, uint32_t events) {
  uint32_t results = 0;
  const bool is_lost = (events & SERVO_EVENT_SPEED_LOST) != 0;
  if (is_lost && seek->spindle == SPINDLE_AT_SPEED) results |= lose_speed(seek);
  const bool comes = (events & SERVO_EVENT_AT_SPEED) != 0 && is_on_its_way_up(seek);
  // Either of the two events may be the later one.
  if (comes && !seek->brakes && (!is_lost || seek_has_speed())) {
    seek->spin_up_due = TIME_TICK_NEVER;
    set_spindle(seek, SPINDLE_AT_SPEED);
    results |= SEEK_RESULT_AT_SPEED;
  }
  if ((events & SERVO_EVENT_AT_REST) != 0) results |= come_to_rest(seek);
  return results;
}

uint32_t seek_on_late_spin_up(struct seek* seek) {
  begin_spin_down(seek);
  if (seek->spin_ups_left > 0) {
    --seek->spin_ups_left;
    seek->brakes = true;
    return 0;
  }
  seek->brakes = false;
  set_spindle(seek, SPINDLE_SPINNING_DOWN);
  return SEEK_RESULT_SPINDLE_FAILED | fail(seek, STATUS_SPINDLE_FAILED);
}

// -------------------------------------------------------------------------------------------- arm

static bool settled(const struct seek* seek) {
  return seek->for_write ? servo_hal_write_ready() : servo_hal_on_track();
}

/// Starts a movement; the spindle is at speed.
static void depart(struct seek* seek) {
  seek->position_known = true;
  seek->follows = seek->redirects = false;
  trace_port_hal_event(TRACE_SEEK_START, track_word(seek));
  if (seek->needs_recalibration) {
    seek->recalibrates = true;
    servo_hal_recalibrate();
  } else {
    servo_hal_seek(seek->cylinder, seek->head, seek->at_writer);
  }
}

enum status seek_start(struct seek* seek, uint32_t cylinder, uint32_t head, bool for_write,
                       bool again) {
  ASSERT(!seek->moving);
  const bool waits = seek->spindle == SPINDLE_REGAINING;
  if (waits && !seek->has_patience) return STATUS_BECOMING_READY;
  if (!waits && seek->spindle != SPINDLE_AT_SPEED) return STATUS_NOT_READY;
  const bool at_writer = seek->has_offset && for_write;
  const bool there = seek->position_known && !again && seek->cylinder == cylinder &&
                     seek->head == head && seek->at_writer == at_writer;
  seek->for_write = for_write;
  if (there && settled(seek)) return STATUS_OK;
  seek->moving = true;
  if (there) return STATUS_BUSY;  // The settling for writing is still to come, or the arrival.
  seek->cylinder = cylinder;
  seek->head = head;
  seek->at_writer = at_writer;
  // The servo takes no seek while it is at one.
  seek->redirects = seek->follows && !seek->needs_recalibration && servo_hal_seeking();
  if (!waits && !seek->redirects) depart(seek);
  return STATUS_BUSY;
}

void seek_follow(struct seek* seek, uint32_t cylinder, uint32_t head) {
  seek->cylinder = cylinder;
  seek->head = head;
  seek->follows = true;
}

/// The arm is at its stop: from here it finds every track.
static void end_recalibration(struct seek* seek) {
  seek->recalibrates = seek->needs_recalibration = false;
  servo_hal_seek(seek->cylinder, seek->head, seek->at_writer);
}

static uint32_t arm_on_events(struct seek* seek, uint32_t events) {
  if ((events & SERVO_EVENT_SEEK_ERROR) != 0) return fail(seek, STATUS_SEEK_ERROR);
  // The levels decide: an event may be that of the movement before.
  if (seek->redirects) {
    if ((events & SERVO_EVENT_ON_TRACK) != 0 && servo_hal_on_track()) depart(seek);
    return 0;
  }
  if (seek->recalibrates) {
    if ((events & SERVO_EVENT_ON_TRACK) != 0 && servo_hal_on_track()) end_recalibration(seek);
    return 0;
  }
  const uint32_t awaited = seek->for_write ? SERVO_EVENT_WRITE_READY : SERVO_EVENT_ON_TRACK;
  if ((events & awaited) == 0 || !settled(seek)) return 0;
  seek->moving = false;
  trace_port_hal_event(TRACE_ON_TRACK, track_word(seek));
  return SEEK_RESULT_ARRIVED;
}

uint32_t seek_on_events(struct seek* seek, uint32_t events) {
  const bool was_at_speed = seek->spindle == SPINDLE_AT_SPEED;
  const uint32_t results = spindle_on_events(seek, events);
  if (!seek->moving) return results;
  if (seek->spindle != SPINDLE_AT_SPEED) return results;
  // A seek that went with the speed, or was refused without it, begins anew.
  if (!was_at_speed || (results & SEEK_RESULT_AT_SPEED) != 0) {
    depart(seek);
    return results;
  }
  return results | arm_on_events(seek, events);
}

uint32_t seek_on_timeout(struct seek* seek) {
  if (seek->spindle != SPINDLE_AT_SPEED) return 0;
  seek->needs_recalibration = true;
  return fail(seek, seek->recalibrates ? STATUS_NO_REFERENCE : STATUS_NO_SEEK_COMPLETE);
}
