// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/alarm.h"

#include <stddef.h>

#include "firmware/hal/timer_hal.h"

void alarms_init(struct alarms* alarms) {
  alarms->timer_due = TIME_TICK_NEVER;
  alarms->first = NULL;
}

void alarm_add(struct alarms* alarms, struct alarm* alarm) {
  alarm->due = TIME_TICK_NEVER;
  alarm->all = alarms;
  alarm->next = alarms->first;
  alarms->first = alarm;
}

void alarms_set_timer(struct alarms* alarms) {
  time_tick due = TIME_TICK_NEVER;
  for (const struct alarm* alarm = alarms->first; alarm != NULL; alarm = alarm->next) {
    if (alarm->due < due) due = alarm->due;
  }
  alarms->timer_due = due;
  if (due == TIME_TICK_NEVER) {
    timer_hal_stop();
  } else {
    timer_hal_start(due);
  }
}

/// The timer is set for no later time than any alarm. So one that is earlier is the earliest.
void alarm_set(struct alarm* alarm, time_tick due) {
  alarm->due = due;
  if (due >= alarm->all->timer_due) return;
  alarm->all->timer_due = due;
  timer_hal_start(due);
}

bool alarm_take(struct alarm* alarm, time_tick now) {
  if (alarm->due > now) return false;
  alarm->due = TIME_TICK_NEVER;
  return true;
}
