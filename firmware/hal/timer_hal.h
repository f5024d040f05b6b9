// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the timer block: the time, and one alarm.
///
/// The timer's interrupt is the level "enabled and due": it falls when the alarm is stopped or set
/// to a later time. Time runs on while the SoC sleeps.
#ifndef FIRMWARE_HAL_TIMER_HAL_H
#define FIRMWARE_HAL_TIMER_HAL_H

#include "firmware/kernel/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Clock periods since power-on. It reads the high word, the low word and the high word again, so
/// that both words belong to one time.
time_tick timer_hal_now(void);

/// The low word alone, for differences below 107 s: one load.
uint32_t timer_hal_now32(void);

/// Interrupts at `due`, or at once if that has passed. One alarm at a time.
void timer_hal_start(time_tick due);

/// Stops the alarm, and acknowledges one that is due.
void timer_hal_stop(void);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_TIMER_HAL_H
