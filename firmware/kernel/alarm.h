/// @file
/// Alarms: any number of them on the one hardware timer.
///
/// A module that waits for a time has an alarm of its own, and adds it once to its drive's alarms.
/// The timer is set to the first alarm that is due, or sooner. Most alarms are taken back before
/// they are due: taking one back, or putting it off, leaves the timer as it is. The timer's handler
/// asks each alarm by alarm_take(), calls alarms_set_timer(), and then acts.
#ifndef FIRMWARE_KERNEL_ALARM_H
#define FIRMWARE_KERNEL_ALARM_H

#include <stdbool.h>

#include "firmware/kernel/time.h"

#ifdef __cplusplus
extern "C" {
#endif

struct alarm {
  time_tick due;  ///< TIME_TICK_NEVER: it is not set. Read only.
  struct alarms* all;
  struct alarm* next;
};

struct alarms {
  time_tick timer_due;  ///< What the timer is set for.
  struct alarm* first;
};

/// None, and the timer is not set.
void alarms_init(struct alarms* alarms);

/// One more, which is not set.
void alarm_add(struct alarms* alarms, struct alarm* alarm);

/// Replaces what the alarm was set for. TIME_TICK_NEVER: takes it back.
void alarm_set(struct alarm* alarm, time_tick due);

/// @return whether the alarm is due; then it is not set any more.
bool alarm_take(struct alarm* alarm, time_tick now);

/// The timer has come: sets it to the alarm that is due first now.
void alarms_set_timer(struct alarms* alarms);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_ALARM_H
