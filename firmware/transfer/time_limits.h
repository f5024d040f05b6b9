/// @file
/// The limits of commands' durations that are under way, and what happens when one passes
/// (scsi/duration_page.h).
///
/// A task with limits has a record, from its arrival to its end. The records are in a heap by the
/// limit that passes next, and one alarm stands for the first. A limit passes at its tick, or,
/// where other events are served at that time, right behind them. A task without limits costs a
/// look at its number of record. Limits that do nothing when they pass set no alarm: they are
/// counted (scsi/duration_counts.h) when their time is over, and not at all of a task that finds
/// half of the records in use.
///
/// Processing begins when the task is chosen for the media, or the cache serves it; a write's data
/// may have been fetched by then. It ends when the status is on its way: until then an abort stops
/// what there is. A data phase ends in its midst, as by any other error; a sector under way is
/// finished, and so is each block on the media either old or new.
///
/// The deadline that the scheduler knows stays that of the descriptor which the command named.
#ifndef FIRMWARE_TRANSFER_TIME_LIMITS_H
#define FIRMWARE_TRANSFER_TIME_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/alarm.h"
#include "firmware/kernel/time.h"
#include "firmware/queue/task_set.h"
#include "firmware/scsi/duration_page.h"
#include "firmware/scsi/scsi.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Commands with limits at a time; one more whose limits act is turned away.
#ifndef TIME_LIMITS_CAPACITY
#define TIME_LIMITS_CAPACITY 1023U
#endif

struct time_limit {
  time_tick arrived;
  time_tick begun;  ///< TIME_TICK_NEVER: its processing has not.
  time_tick due;    ///< When the next of its limits passes that acts.
  struct duration_limits limits;
  uint16_t task;
  uint16_t place;    ///< In the heap; of a free record: the next free one.
  bool no_recovery;  ///< DURATION_ABORT_RECOVERY has passed.
  bool recovered;    ///< The media have had an error of it to recover.
};

/// Records are numbered from 1 on.
struct time_limits {
  struct scsi* scsi;
  struct task_set* tasks;
  struct alarm alarm;                   ///< For time_limits_act().
  uint32_t count;                       ///< In the heap.
  uint32_t first_free;                  ///< 0: none has been given back.
  uint32_t untouched_first;             ///< From here on none was ever in use.
  uint16_t heap[TIME_LIMITS_CAPACITY];  ///< Records: none is due before the one at half its place.
  struct time_limit record[TIME_LIMITS_CAPACITY + 1];
};

/// None. Records and heap may be of any content.
void time_limits_init(struct time_limits* limits, struct scsi* scsi, struct task_set* tasks,
                      struct alarms* alarms);

/// The task arrived at `arrived` with limits. @return false: they act, and there is no record.
MUST_USE bool time_limits_add(struct time_limits* limits, struct task* task,
                              const struct duration_limits* values, time_tick arrived);

/// Processing of a task with a record has begun. Not, if its limit for that has passed.
void time_limits_begun(struct time_limits* limits, const struct task* task, time_tick now);

/// The task, which has a record, ends: that is free.
void time_limits_remove(struct time_limits* limits, struct task* task, time_tick now);

/// Acts on all limits that have passed.
///
/// @param recovering  The task for which the media are recovering an error, or NULL.
void time_limits_act(struct time_limits* limits, time_tick now, const struct task* recovering);

/// The media have begun to recover an error of this task, which has a record.
void time_limits_recovering(struct time_limits* limits, struct task* task, time_tick now);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_TIME_LIMITS_H
