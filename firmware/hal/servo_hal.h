// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the servo block: movements, the spindle, and the times of index pulses.
#ifndef FIRMWARE_HAL_SERVO_HAL_H
#define FIRMWARE_HAL_SERVO_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Events, the bits of INTR_STATE.
enum servo_event {
  SERVO_EVENT_ON_TRACK = 1U << 0,
  SERVO_EVENT_WRITE_READY = 1U << 1,
  SERVO_EVENT_AT_SPEED = 1U << 2,
  SERVO_EVENT_AT_REST = 1U << 3,
  SERVO_EVENT_INDEX = 1U << 4,
  SERVO_EVENT_SEEK_ERROR = 1U << 5,
  SERVO_EVENT_SPEED_LOST = 1U << 6,
  SERVO_EVENT_ALL = 0x7F,
};

/// A captured index pulse.
struct servo_index {
  time_tick tick;  ///< The timer's time at the pulse.
  uint32_t count;  ///< Pulses since reset.
};

/// Enables exactly these events as interrupts.
void servo_hal_enable(uint32_t events);

/// Returns the events since the last call and acknowledges them.
uint32_t servo_hal_take_events(void);

/// Starts a movement. The events on_track and write_ready follow, in either order. A refused
/// movement raises seek_error. Heads whose elements need positions of their own
/// (drive_design.h: write_offset_part) stop where the writing element writes if `for_write`.
/// Without that, no write_ready follows.
void servo_hal_seek(uint32_t cylinder, uint32_t head, bool for_write);

/// Sets the track to which the formatter sends the heads for its next run.
void servo_hal_set_target(uint32_t cylinder, uint32_t head, bool for_write);

/// Drives the arm to cylinder 0, head 0, from any state. Nothing else ends a movement that does not
/// arrive. Ends with the events of a movement.
void servo_hal_recalibrate(void);

void servo_hal_spin_up(void);    ///< Ends with at_speed.
void servo_hal_spin_down(void);  ///< Ends with at_rest.

/// Levels of the servo's inputs at this moment.
bool servo_hal_on_track(void);
bool servo_hal_write_ready(void);
bool servo_hal_at_speed(void);
bool servo_hal_seeking(void);

/// Turns the capture of index pulses on or off: each captured pulse wakes the SoC for a few cycles.
void servo_hal_capture_index(bool enable);

/// The last captured pulse.
struct servo_index servo_hal_index(void);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_SERVO_HAL_H
