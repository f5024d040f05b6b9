// SPDX-License-Identifier: Apache-2.0
/// @file
/// Alarms: any number of them on the one hardware timer.
///
/// A module that waits for a time has an alarm of its own, and adds it once to its drive's alarms.
/// The timer is set for the earliest alarm, or for an earlier time. Most alarms are cancelled
/// before they are due. Cancelling or postponing an alarm therefore leaves the timer as it is. The
/// timer's handler calls alarm_take() for each alarm, then alarms_set_timer(), and then acts.
#ifndef FIRMWARE_KERNEL_ALARM_H
#define FIRMWARE_KERNEL_ALARM_H

#include <stdbool.h>

#include "firmware/kernel/time.h"

#ifdef __cplusplus
extern "C" {
#endif

struct alarm {
  time_tick due;  ///< TIME_TICK_NEVER: not set. Read only for other modules.
  struct alarms* all;
  struct alarm* next;
};

struct alarms {
  time_tick timer_due;  ///< The time for which the timer is set.
  struct alarm* first;
};

/// Starts with no alarm, and does not set the timer.
void alarms_init(struct alarms* alarms);

/// Adds an alarm, which is not set.
void alarm_add(struct alarms* alarms, struct alarm* alarm);

/// Sets the alarm to `due`, whatever it was set to before. TIME_TICK_NEVER cancels it.
void alarm_set(struct alarm* alarm, time_tick due);

/// @return whether the alarm is due; then it is not set any more.
bool alarm_take(struct alarm* alarm, time_tick now);

/// Sets the timer for the alarm that is due first, after the timer's interrupt.
void alarms_set_timer(struct alarms* alarms);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_ALARM_H
