// SPDX-License-Identifier: Apache-2.0
/// @file
/// The task set: all tasks of the drive, and which of them may be chosen now.
///
/// It owns the memory and the links of tasks, and does not depend on policies. Tasks become enabled
/// by these rules (SCSI-2 7.8, SAM-2 7.6):
///  - HEAD OF QUEUE: at once, and chosen before all others, the newest first.
///  - ORDERED: when every older task has ended, and no HEAD OF QUEUE task is left.
///  - SIMPLE, untagged: when every older ORDERED task and every HEAD OF QUEUE task has ended. With
///    restricted reordering every older task that overlaps it must have ended, too, if one of the
///    two writes.
///  - None of these before an older write that overlaps it and has been reported. Its initiator
///    relies on its data, whatever mode parameters and tags say.
///  - No task whose initiator is suspended by a contingent allegiance.
/// An enabled task stays enabled when a HEAD OF QUEUE task arrives, which is then chosen first.
#ifndef FIRMWARE_QUEUE_TASK_SET_H
#define FIRMWARE_QUEUE_TASK_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"
#include "firmware/queue/candidate_set.h"
#include "firmware/queue/task.h"
#include "firmware/queue/write_buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most tasks in the drive's memory; the limit may be set lower at run time.
#ifndef TASK_SET_CAPACITY
#define TASK_SET_CAPACITY 5120U
#endif

/// Chains for the lookup by tag: a power of two.
#ifndef TASK_SET_BUCKETS
#define TASK_SET_BUCKETS 2048U
#endif

/// Chains for the lookup by place: a power of two. A region is 2^TASK_SET_REGION_SHIFT blocks. A
/// longer task is in a separate chain for long tasks.
#ifndef TASK_SET_REGIONS
#define TASK_SET_REGIONS 2048U
#endif
#define TASK_SET_REGION_SHIFT 8U

#define TASK_SET_INITIATORS TASK_INITIATORS_MAX

/// The listener is called when a task may be chosen, and when it may not be chosen any more. Its
/// functions may choose, end and remove tasks.
struct task_set_listener {
  void (*enabled)(void* context, struct task* task);
  void (*withdrawn)(void* context, struct task* task);
  /// The rules have not been applied to all tasks: task_set_go_on() must be called until it returns
  /// false. `withdraws`: no task may be chosen until then.
  void (*goes_on)(void* context, bool withdraws);
};

/// The walk that applies the rules to all tasks, oldest first, in slices.
struct task_walk {
  struct task* next;    ///< The task that comes next; NULL: the walk has ended.
  bool ordered_passed;  ///< Some ORDERED task is older than `next`.
  bool withdraws;       ///< An initiator has been suspended, and may still have enabled tasks.
  bool is_in_slice;     ///< A slice is being made.
};

struct task_set {
  const struct task_set_listener* listener;
  void* context;
  uint32_t next_sequence;    ///< Number of the next arrival.
  uint16_t limit;            ///< Most tasks; 0 while none can be allocated (task_set_close()).
  uint16_t open_limit;       ///< The limit at other times.
  uint16_t count;            ///< Tasks not TASK_FREE.
  uint16_t retired_count;    ///< Tasks of `count` that have retired.
  uint16_t free_first;       ///< First of the tasks that were used and are free.
  uint16_t untouched_first;  ///< First of the tasks that were never used: all from here on.
  uint16_t oldest;
  uint16_t youngest;
  uint16_t dormant_count;
  uint16_t ordered_count;        ///< ORDERED tasks not ended.
  uint16_t head_of_queue_count;  ///< HEAD OF QUEUE tasks not ended.
  uint16_t writer_count;         ///< TASK_WRITE tasks not ended.
  uint16_t suspended;            ///< One bit per initiator.
  uint16_t reported_count;       ///< Reported writes not ended.
  uint32_t removals;             ///< Number of tasks that have left the set; wraps. A walk
                                 ///< begins again when it changes.
  bool restricted;               ///< Restricted reordering.
  struct task_walk walk;
  uint16_t live_of[TASK_SET_INITIATORS];  ///< Tasks that still owe a status, by initiator.
  /// The candidates of TASK_ENABLED tasks, oldest first, without HEAD OF QUEUE ones: the candidates
  /// for policies. The task set alone links and unlinks them, before it informs the listener.
  struct candidate_set enabled;
  uint16_t bucket[TASK_SET_BUCKETS];
  uint16_t region[TASK_SET_REGIONS + 1];  ///< Chains by place, newest first; the last chain is that
                                          ///< of long tasks.
  /// The write buffer. Its lists hold the enabled buffered writes if its threshold sets them apart.
  struct write_buffer writes;
  struct task task[TASK_SET_CAPACITY];
};

/// How many enabled tasks wait to be chosen, without HEAD OF QUEUE ones.
static inline uint32_t task_set_waiting_count(const struct task_set* set) {
  return set->enabled.count + set->writes.reported.count + set->writes.arriving.count;
}

/// Whether one of these candidates is older than the task.
static inline bool task_set_has_older(const struct candidate_set* set, const struct task* task) {
  const struct candidate* oldest = set->first;
  return oldest != NULL && oldest->sequence - task->candidate.sequence > UINT32_MAX / 2;
}

/// Whether no older task waits to be chosen, and no HEAD OF QUEUE task has come.
static inline bool task_set_is_first(const struct task_set* set, const struct task* task) {
  return set->head_of_queue_count == 0 && !task_set_has_older(&set->enabled, task) &&
         !task_set_has_older(&set->writes.reported, task) &&
         !task_set_has_older(&set->writes.arriving, task);
}

/// Whether the contingent allegiance of its initiator suspends the task. One that owes no status is
/// not part of the nexus any more.
static inline bool task_set_suspends(const struct task_set* set, const struct task* task) {
  if ((task->flags & TASK_FLAG_SILENT) != 0) return false;
  return (set->suspended >> task->initiator & 1U) != 0;
}

/// @param limit       Number of tasks, 1 .. TASK_SET_CAPACITY.
/// @param band_shift  Band size, as the drive's design gives it.
void task_set_init(struct task_set* set, uint16_t limit, uint32_t band_shift,
                   const struct task_set_listener* listener, void* context);

/// Whether no task can be allocated.
static inline bool task_set_is_full(const struct task_set* set) { return set->count >= set->limit; }

/// While the set is closed, no task can be allocated, and none is enabled when another one leaves.
/// task_set_open() must follow task_set_reopen().
static inline void task_set_close(struct task_set* set) { set->limit = 0; }
static inline void task_set_reopen(struct task_set* set) { set->limit = set->open_limit; }
static inline bool task_set_is_closed(const struct task_set* set) { return set->limit == 0; }

/// How many tasks still have something to do. Tasks that only keep a deferred error do not count.
static inline uint32_t task_set_busy_count(const struct task_set* set) {
  return (uint32_t)set->count - set->retired_count;
}

/// Takes a free task: zeroed, links empty, TASK_DORMANT, not in the set yet.
/// @return NULL when the set is full: QUEUE FULL or BUSY.
MUST_USE struct task* task_set_allocate(struct task_set* set);

/// Puts a filled-in task into the set as its youngest, and enables it if the rules allow.
void task_set_insert(struct task_set* set, struct task* task);

/// The same for a task that no rule keeps waiting, because its command has been executed already:
/// it is TASK_TRANSFERRING. Only ORDERED tasks wait for its end.
void task_set_insert_begun(struct task_set* set, struct task* task);

/// Ends a task that no other module works for: it is TASK_ENDED. Its status is next.
void task_set_end(struct task_set* set, struct task* task);

/// Removes an ended task: tasks that waited for it may become enabled, and its memory is free. It
/// may also be a task of task_set_allocate() that was never inserted.
void task_set_remove(struct task_set* set, struct task* task);

/// Removes an ended task, but keeps its memory until task_set_release(), for a module that still
/// uses it.
void task_set_retire(struct task_set* set, struct task* task);
void task_set_release(struct task_set* set, struct task* task);

/// Clears the debt of a status: the task's tag may be used again, but its place in the order stays.
void task_set_detach(struct task_set* set, struct task* task);

/// Marks a write as reported before its end: as task_set_detach(). Afterwards no overlapping task
/// that is not enabled yet may pass it. Not allowed while the write is dormant: tasks that wait for
/// it would wait for its initiator's contingent allegiance.
void task_set_report(struct task_set* set, struct task* task);

/// Whether task_set_promote() would succeed.
bool task_set_may_promote(const struct task_set* set, const struct task* task);

/// Makes a task that is not chosen yet a HEAD OF QUEUE one. @return false, and nothing has changed,
/// when an older task that owes a status must end first. That is so when it overlaps, or when one
/// of the two starts or stops the unit. It is so, too, when their common initiator has ordered
/// them.
bool task_set_promote(struct task_set* set, struct task* task);

// The write buffer (write_buffer.h). Its caller decides which writes are in it.

/// Puts a threshold in force, or none. No task is buffered.
void task_set_set_writes(struct task_set* set, const struct write_buffer_setup* setup);

/// Adds a write to the write buffer, where it waits for frames or has them until
/// task_set_unbuffer().
void task_set_buffer(struct task_set* set, struct task* task);
void task_set_unbuffer(struct task_set* set, struct task* task);

/// Gives a buffered write its frames, although there may be too few: its data have come already.
void task_set_give_frames(struct task_set* set, struct task* task);

void task_set_take_frames(struct task_set* set, struct task* task);

/// The oldest enabled write that waits without frames, if there are enough for it; or NULL.
struct task* task_set_next_for_frames(struct task_set* set);

/// The oldest reported write that is set apart and that a dormant task waits for, or NULL. It goes
/// before any threshold.
struct task* task_set_awaited_write(struct task_set* set);

/// Whether two tasks have a block in common that one of them writes.
bool task_set_conflict(const struct task* a, const struct task* b);

/// Finds a task that owes a status. An untagged one (TASK_FLAG_NO_TAG) has tag 0.
/// @return NULL when there is none.
struct task* task_set_find(struct task_set* set, uint8_t initiator, bool untagged, uint16_t tag);

/// Tasks of `initiator` that still owe a status.
uint16_t task_set_live_of(const struct task_set* set, uint8_t initiator);

/// While an initiator is suspended, none of its tasks is enabled; those that are get withdrawn.
void task_set_suspend(struct task_set* set, uint8_t initiator);
void task_set_resume(struct task_set* set, uint8_t initiator);

/// Enables tasks after the caller has changed `suspended`.
void task_set_open(struct task_set* set);

/// Goes on with applying the rules, after the listener's goes_on(). @return whether more is left.
bool task_set_go_on(struct task_set* set);

/// Sets whether later arrivals that overlap keep their order.
void task_set_restrict(struct task_set* set, bool restricted);

// Functions for the scheduler, besides the list `enabled`.

/// Whether a dormant task waits for HEAD OF QUEUE tasks, and for nothing else.
bool task_set_waits_for_heads(struct task_set* set, const struct task* task);

/// Enables a task of task_set_waits_for_heads() ahead of the HEAD OF QUEUE tasks.
void task_set_pass_heads(struct task_set* set, struct task* task);

/// The HEAD OF QUEUE task to choose before all others, or a reported write that one of them waits
/// for, or NULL.
struct task* task_set_forced(struct task_set* set);
/// The oldest reported write that a dormant task waits for and that may be chosen; NULL: none.
struct task* task_set_blocking_report(struct task_set* set, const struct task* task);
/// The oldest TASK_ENABLED task that begins in these blocks and came after the arrival with this
/// number (struct candidate's `sequence`); NULL: none.
struct task* task_set_next_in(struct task_set* set, uint32_t lba, uint32_t blocks,
                              uint32_t behind_sequence);
/// TASK_ENABLED -> TASK_CHOSEN, and out of `enabled`.
void task_set_choose(struct task_set* set, struct task* task);
/// TASK_CHOSEN -> TASK_ENABLED: a better task came before the media began. The listener is not
/// informed.
void task_set_return(struct task_set* set, struct task* task);

// All tasks, oldest first.
struct task* task_set_oldest(struct task_set* set);
struct task* task_set_younger(struct task_set* set, const struct task* task);
struct task* task_set_youngest(struct task_set* set);
struct task* task_set_older(struct task_set* set, const struct task* task);

static inline uint16_t task_set_index(const struct task_set* set, const struct task* task) {
  return (uint16_t)(task - set->task);
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_TASK_SET_H
