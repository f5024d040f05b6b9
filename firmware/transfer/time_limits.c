// SPDX-License-Identifier: Apache-2.0
#include "firmware/transfer/time_limits.h"

#define FILE_ID FILE_ID_TIME_LIMITS
#include "firmware/events.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"

STATIC_ASSERT(TIME_LIMITS_CAPACITY <= TASK_TIME_LIMITS_MAX, "a task can name its record");

void time_limits_init(struct time_limits* limits, struct target* target, struct unit* unit,
                      struct task_set* tasks, struct alarms* alarms) {
  limits->target = target;
  limits->unit = unit;
  limits->tasks = tasks;
  alarm_add(alarms, &limits->alarm);
  limits->count = 0;
  limits->first_free = 0;
  limits->untouched_first = 1;
}

// ------------------------------------------------------------------------------------------- heap

static struct time_limit* record_at(struct time_limits* limits, uint32_t place) {
  return &limits->record[limits->heap[place]];
}

static struct task* task_of(const struct time_limits* limits, const struct time_limit* record) {
  return &limits->tasks->task[record->task];
}

/// Ties go to the oldest task.
static bool is_before(const struct time_limits* limits, const struct time_limit* a,
                      const struct time_limit* b) {
  if (a->due != b->due) return a->due < b->due;
  return candidate_is_older(&task_of(limits, a)->candidate, &task_of(limits, b)->candidate);
}

static void put_at(struct time_limits* limits, uint32_t place, uint16_t number) {
  limits->heap[place] = number;
  limits->record[number].place = (uint16_t)place;
}

static void swap(struct time_limits* limits, uint32_t a, uint32_t b) {
  const uint16_t number = limits->heap[a];
  put_at(limits, a, limits->heap[b]);
  put_at(limits, b, number);
}

/// Moves the record at `place`, which has changed, to its place in the heap.
static void settle(struct time_limits* limits, uint32_t place) {
  while (place > 0 &&
         is_before(limits, record_at(limits, place), record_at(limits, (place - 1) / 2))) {
    swap(limits, place, (place - 1) / 2);
    place = (place - 1) / 2;
  }
  while (2 * place + 1 < limits->count) {
    uint32_t child = 2 * place + 1;
    if (child + 1 < limits->count &&
        is_before(limits, record_at(limits, child + 1), record_at(limits, child))) {
      ++child;
    }
    if (!is_before(limits, record_at(limits, child), record_at(limits, place))) return;
    swap(limits, place, child);
    place = child;
  }
}

static void set_alarm(struct time_limits* limits) {
  alarm_set(&limits->alarm, limits->count == 0 ? TIME_TICK_NEVER : record_at(limits, 0)->due);
}

// ------------------------------------------------------------------------------------------ counts

/// The descriptor that a count belongs to.
struct tally_key {
  uint8_t initiator;
  bool writes;
  uint8_t descriptor;
};

static struct tally_key key_of(const struct task* task, uint8_t descriptor) {
  return (struct tally_key){(uint8_t)task->initiator, task->operation == TASK_WRITE, descriptor};
}

static void tally(const struct time_limits* limits, struct tally_key key,
                  enum duration_tally what) {
  duration_counts_add(&limits->unit->duration_counts[key.initiator], key.writes, key.descriptor,
                      what);
}

static void tally_of_record(const struct time_limits* limits, const struct time_limit* record,
                            enum duration_tally what) {
  tally(limits, key_of(task_of(limits, record), record->limits.number), what);
}

static void tally_passed(const struct time_limits* limits, const struct time_limit* record,
                         enum duration which) {
  tally_of_record(limits, record, (enum duration_tally)which);
  if (which != DURATION_TOTAL || !record->recovered) return;
  tally_of_record(limits, record, TALLY_TOTAL_PASSED_RECOVERED);
}

/// Counts a limit without an action, if it has expired. It began to run at `since`.
static void tally_late(const struct time_limits* limits, const struct time_limit* record,
                       enum duration which, time_tick since, time_tick now) {
  const time_tick ticks = duration_ticks(&record->limits, which);
  if (ticks == 0 || record->limits.policy[which] != DURATION_COMPLETE_EARLIEST) return;
  if (since + ticks <= now) tally_passed(limits, record, which);
}

/// Counts the expired limits of a descriptor that is no longer in force.
static void tally_all_late(const struct time_limits* limits, const struct time_limit* record,
                           time_tick now) {
  const bool has_begun = record->begun != TIME_TICK_NEVER;
  if (has_begun) {
    tally_late(limits, record, DURATION_ACTIVE, record->begun, now);
  } else {
    tally_late(limits, record, DURATION_INACTIVE, record->arrived, now);
  }
  tally_late(limits, record, DURATION_TOTAL, record->arrived, now);
}

// ------------------------------------------------------------------------------------------ limits

/// When a limit with an action expires. TIME_TICK_NEVER: no such limit runs.
static time_tick due_of(const struct time_limit* record, enum duration which) {
  const struct duration_limits* limits = &record->limits;
  const time_tick ticks = duration_ticks(limits, which);
  if (ticks == 0 || limits->policy[which] == DURATION_COMPLETE_EARLIEST) return TIME_TICK_NEVER;
  const bool has_begun = record->begun != TIME_TICK_NEVER;
  switch (which) {
    case DURATION_INACTIVE: return has_begun ? TIME_TICK_NEVER : record->arrived + ticks;
    case DURATION_ACTIVE: return has_begun ? record->begun + ticks : TIME_TICK_NEVER;
    case DURATION_TOTAL: return record->arrived + ticks;
    case DURATION_COUNT:
    default: ASSERT_UNREACHABLE();
  }
}

/// The limit that expires first.
static enum duration first_of(const struct time_limit* record) {
  enum duration first = DURATION_INACTIVE;
  if (due_of(record, DURATION_ACTIVE) < due_of(record, first)) first = DURATION_ACTIVE;
  if (due_of(record, DURATION_TOTAL) < due_of(record, first)) first = DURATION_TOTAL;
  return first;
}

static void set_due(struct time_limits* limits, struct time_limit* record) {
  record->due = due_of(record, first_of(record));
  settle(limits, record->place);
}

bool time_limits_add(struct time_limits* limits, struct task* task,
                     const struct duration_limits* values, time_tick arrived) {
  if (limits->count >= TIME_LIMITS_CAPACITY / 2 && !duration_limits_act(values)) {
    tally(limits, key_of(task, values->number), TALLY_UNWATCHED);
    return true;
  }
  uint32_t number = limits->first_free;
  if (number != 0) {
    limits->first_free = limits->record[number].place;
  } else if (limits->untouched_first <= TIME_LIMITS_CAPACITY) {
    number = limits->untouched_first++;
  } else {
    return false;
  }
  struct time_limit* record = &limits->record[number];
  *record = (struct time_limit){.arrived = arrived,
                                .begun = TIME_TICK_NEVER,
                                .limits = *values,
                                .task = task_set_index(limits->tasks, task)};
  task->time_limit = number % (TASK_TIME_LIMITS_MAX + 1U);
  put_at(limits, limits->count++, (uint16_t)number);
  set_due(limits, record);
  set_alarm(limits);
  return true;
}

void time_limits_remove(struct time_limits* limits, struct task* task, time_tick now) {
  const uint32_t number = task->time_limit;
  ASSERT(number != 0);
  tally_all_late(limits, &limits->record[number], now);
  const uint32_t place = limits->record[number].place;
  task->time_limit = 0;
  put_at(limits, place, limits->heap[--limits->count]);
  if (place < limits->count) settle(limits, place);
  limits->record[number].place = (uint16_t)limits->first_free;
  limits->first_free = number;
  set_alarm(limits);
}

void time_limits_begun(struct time_limits* limits, const struct task* task, time_tick now) {
  struct time_limit* record = &limits->record[task->time_limit];
  if (due_of(record, DURATION_INACTIVE) <= now) return;
  tally_late(limits, record, DURATION_INACTIVE, record->arrived, now);
  record->begun = now;
  set_due(limits, record);
  set_alarm(limits);
}

// --------------------------------------------------------------------------------------- policies

/// The count for a task that ended with this status.
static enum duration_tally tally_of(enum status why) {
  switch (why) {
    case STATUS_TIMED_OUT_WAITING: return TALLY_ABORTED_WAITING;
    case STATUS_TIMED_OUT: return TALLY_ABORTED;
    case STATUS_TIMED_OUT_RECOVERING: return TALLY_ABORTED_RECOVERING;
    case STATUS_UNAVAILABLE: return TALLY_UNAVAILABLE;
    default: ASSERT_UNREACHABLE();
  }
}

/// Ends the task because of its limits, unless its end is under way already.
static void expire(struct time_limits* limits, struct task* task, enum status why, time_tick now) {
  const struct tally_key key = key_of(task, limits->record[task->time_limit].limits.number);
  time_limits_remove(limits, task, now);
  if (host_task_expired(limits->target, task, why)) tally(limits, key, tally_of(why));
}

/// Puts the limits of the next descriptor in force, or none if it has no limits. The initiator's
/// present page counts, not that of the task's arrival.
static void go_on_with_next(struct time_limits* limits, struct task* task,
                            struct time_limit* record, time_tick now) {
  const uint32_t next = record->limits.number + 1U;
  struct duration_limits values;
  tally_of_record(limits, record, TALLY_NEXT_LIMIT);
  if (next <= DURATION_DESCRIPTORS) {
    duration_pages_limits(&limits->unit->durations[task->initiator], task->operation == TASK_WRITE,
                          next, &values);
  }
  if (next > DURATION_DESCRIPTORS || !duration_limits_exist(&values)) {
    time_limits_remove(limits, task, now);
    return;
  }
  tally_all_late(limits, record, now);
  record->limits = values;
  set_due(limits, record);
}

static void go_on_without(struct time_limits* limits, struct task* task,
                          const struct time_limit* record, time_tick now) {
  tally_of_record(limits, record, TALLY_NO_LIMIT);
  time_limits_remove(limits, task, now);
}

static enum status reason(const struct time_limit* record, bool recovers) {
  if (record->begun == TIME_TICK_NEVER) return STATUS_TIMED_OUT_WAITING;
  return recovers ? STATUS_TIMED_OUT_RECOVERING : STATUS_TIMED_OUT;
}

/// Forbids the recovery of the task's errors. The limit itself is removed.
static void forbid_recovery(struct time_limits* limits, struct time_limit* record) {
  record->no_recovery = true;
  record->limits.value[DURATION_ACTIVE] = 0;
  set_due(limits, record);
}

static void act_on(struct time_limits* limits, struct time_limit* record, bool recovers,
                   time_tick now) {
  struct task* task = task_of(limits, record);
  const enum duration which = first_of(record);
  const uint32_t policy = record->limits.policy[which];
  trace_port_hal_event(TRACE_LIMIT_PASSED, which << 20 | policy << 16 | record->task);
  tally_passed(limits, record, which);
  switch ((enum duration_policy)policy) {
    case DURATION_NEXT_LIMIT: go_on_with_next(limits, task, record, now); return;
    case DURATION_NO_LIMIT: go_on_without(limits, task, record, now); return;
    case DURATION_COMPLETE_UNAVAILABLE: expire(limits, task, STATUS_UNAVAILABLE, now); return;
    case DURATION_ABORT_RECOVERY:
      forbid_recovery(limits, record);
      if (recovers) expire(limits, task, STATUS_TIMED_OUT_RECOVERING, now);
      return;
    case DURATION_ABORT: expire(limits, task, reason(record, recovers), now); return;
    case DURATION_COMPLETE_EARLIEST:
    default: ASSERT_UNREACHABLE();
  }
}

void time_limits_act(struct time_limits* limits, time_tick now, const struct task* recovering) {
  while (limits->count > 0 && record_at(limits, 0)->due <= now) {
    struct time_limit* record = record_at(limits, 0);
    act_on(limits, record, task_of(limits, record) == recovering, now);
  }
  set_alarm(limits);
}

void time_limits_recovering(struct time_limits* limits, struct task* task, time_tick now) {
  struct time_limit* record = &limits->record[task->time_limit];
  record->recovered = true;
  if (record->no_recovery) expire(limits, task, STATUS_TIMED_OUT_RECOVERING, now);
}
