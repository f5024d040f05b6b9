// SPDX-License-Identifier: Apache-2.0
/// @file
/// The active limits of commands' durations, and what happens when one expires
/// (unit/duration_page.h).
///
/// A task with limits has a record, from its arrival to its end. The records are in a heap by the
/// limit that expires next, and one alarm is set for the first. A limit expires at its tick. While
/// other events are served, it expires right after them. A task without limits costs one test of
/// its record's number. Limits without an action set no alarm. They are counted
/// (unit/duration_counts.h) when their time is over. A task that finds half of the records in use
/// does not count them at all.
///
/// Processing begins when the task is chosen for the media, or the cache serves it; a write's data
/// may have been fetched by then. It ends when the status is being sent; until then an abort stops
/// the task. An abort cuts a data phase short, as any other error does. A sector under way is
/// finished, so each block on the media is either old or new.
///
/// The scheduler's deadline stays that of the descriptor which the command named.
#ifndef FIRMWARE_TRANSFER_TIME_LIMITS_H
#define FIRMWARE_TRANSFER_TIME_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/kernel/time.h"
#include "firmware/queue/task_set.h"
#include "firmware/transfer/host_events.h"
#include "firmware/unit/duration_page.h"
#include "firmware/unit/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The number of commands that may have limits at a time. A further command whose limits act is
/// refused.
#ifndef TIME_LIMITS_CAPACITY
#define TIME_LIMITS_CAPACITY 1023U
#endif

struct time_limit {
  time_tick arrived;
  time_tick begun;  ///< Begin of processing; TIME_TICK_NEVER: it has not begun.
  time_tick due;    ///< Time at which the next limit that acts expires.
  struct duration_limits limits;
  uint16_t task;
  uint16_t place;    ///< Place in the heap; of a free record: the next free one.
  bool no_recovery;  ///< DURATION_ABORT_RECOVERY has expired.
  bool recovered;    ///< The media have had an error to recover for the task.
};

/// Records are numbered from 1 on.
struct time_limits {
  struct target* target;
  struct unit* unit;
  struct task_set* tasks;
  struct alarm alarm;                   ///< Alarm of time_limits_act().
  uint32_t count;                       ///< Number of records in the heap.
  uint32_t first_free;                  ///< 0: no record has been freed.
  uint32_t untouched_first;             ///< First of the records that were never in use.
  uint16_t heap[TIME_LIMITS_CAPACITY];  ///< Records sorted as a heap: none is due before the one at
                                        ///< half its place.
  struct time_limit record[TIME_LIMITS_CAPACITY + 1];
};

/// Begins without limits. Records and heap may have any content.
void time_limits_init(struct time_limits* limits, struct target* target, struct unit* unit,
                      struct task_set* tasks, struct alarms* alarms);

/// Adds the limits of a task that arrived at `arrived`. @return false when they act, and there is
/// no free record.
MUST_USE bool time_limits_add(struct time_limits* limits, struct task* task,
                              const struct duration_limits* values, time_tick arrived);

/// Notes that processing of a task with a record has begun. Does nothing if the limit on its start
/// has expired.
void time_limits_begun(struct time_limits* limits, const struct task* task, time_tick now);

/// Frees the record of a task that ends.
void time_limits_remove(struct time_limits* limits, struct task* task, time_tick now);

/// Acts on all limits that have expired.
///
/// @param recovering  The task for which the media are recovering an error, or NULL.
void time_limits_act(struct time_limits* limits, time_tick now, const struct task* recovering);

/// Notes that the media have begun to recover an error of this task, which has a record.
void time_limits_recovering(struct time_limits* limits, struct task* task, time_tick now);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_TIME_LIMITS_H
