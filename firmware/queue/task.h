/// @file
/// A task: one command that needs the media, from its arrival to its status.
///
/// The command layer (firmware/scsi) fills in what the initiator asked for, the core fills in where
/// that is on the media and moves the task on; firmware/queue/task_set.h owns its memory and its
/// links. Tasks name each other by index into the task set's array, so that a link takes two bytes.
#ifndef FIRMWARE_QUEUE_TASK_H
#define FIRMWARE_QUEUE_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "firmware/kernel/assert.h"
#include "firmware/queue/candidate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// No task, in a link.
#define TASK_NONE 0xFFFFU

enum task_operation {
  TASK_READ,
  TASK_WRITE,
  TASK_VERIFY,       ///< Read and check; no data moves to the host.
  TASK_SYNCHRONIZE,  ///< Bring what is cached of the range to the media.
  TASK_START,        ///< Spin up; ends when the drive is ready. `lba` and `blocks` are 0.
  TASK_STOP,         ///< Spin down; ends when the spindle is at rest. `lba` and `blocks` are 0.
};

/// SCSI-2 7.7: how a task may be ordered against others.
enum task_attribute {
  TASK_SIMPLE,
  TASK_ORDERED,
  TASK_HEAD_OF_QUEUE,
  TASK_UNTAGGED,  ///< Ordered as TASK_SIMPLE; has no tag.
};

enum task_state {
  TASK_FREE,          ///< Not in use.
  TASK_DORMANT,       ///< In the set, but may not be chosen yet: ordering, overlap or contingent
                      ///< allegiance.
  TASK_ENABLED,       ///< The scheduler may choose it.
  TASK_CHOSEN,        ///< The scheduler chose it; the media has not begun.
  TASK_ACTIVE,        ///< The media works for it.
  TASK_TRANSFERRING,  ///< The media is done with it, the host is not.
  TASK_ENDED,         ///< Finished: waits only for its status to reach the initiator.
};

enum task_flag {
  TASK_FLAG_FORCE_UNIT_ACCESS = 1U << 0,  ///< To or from the media, not from the cache.
  TASK_FLAG_DISABLE_PAGE_OUT = 1U << 1,   ///< Not worth keeping in the cache.
  TASK_FLAG_LONG_TAG = 1U << 2,           ///< The tag came in the 16-bit form and is answered so.
  TASK_FLAG_MAY_DISCONNECT = 1U << 3,     ///< IDENTIFY granted it.
  TASK_FLAG_SILENT =
      1U << 4,  ///< Its status was sent at once, or its initiator is gone: free it at its end.
  TASK_FLAG_ABORTED = 1U << 5,     ///< The core has been told to let go of it.
  TASK_FLAG_REQUESTED = 1U << 6,   ///< In the connection's queue of wanted reselections.
  TASK_FLAG_MOVED_DATA = 1U << 7,  ///< Data moved since the pointers were last saved.
  TASK_FLAG_NO_TAG = 1U << 8,      ///< Came untagged, however it is ordered.
};

struct task {
  uint64_t arrived_ticks;   ///< SoC clock periods since power-on, when the command was complete.
  uint32_t lba;             ///< First block.
  uint32_t blocks;          ///< Block count; 0 only where the operation has no range.
  uint32_t deadline_ticks;  ///< Latest end, in ticks after arrived_ticks; 0 for none.
  uint32_t sequence;        ///< Order of arrival; compare by signed difference.

  // The core's, set in core_task_arrived().
  struct candidate
      candidate;  ///< Where it begins and ends on the media; its links are the task set's.
  uint32_t media_blocks_left;  ///< Not yet read or written; starts as `blocks`.

  // The host's side: the connection's.
  uint32_t host_blocks_left;  ///< Not yet moved to or from the initiator; starts as `blocks`, or 0
                              ///< without data.
  uint32_t host_blocks_granted;  ///< Of these, how many the core allows to move now.
  uint32_t sense_information;    ///< LBA for the sense data when `sense` is not SENSE_NONE.
  uint16_t tag;

  // Links, by index; TASK_NONE ends a list.
  uint16_t older;  ///< All tasks, by arrival.
  uint16_t younger;
  uint16_t same_bucket;       ///< Lookup by tag.
  uint16_t request_previous;  ///< Wanted reselections, by age of the wish.
  uint16_t request_next;
  uint16_t blockers;  ///< Older tasks that overlap this one and must end first.
  uint16_t sector;    ///< First sector on its track: the core's.
  uint16_t flags;     ///< enum task_flag

  uint8_t operation;  ///< enum task_operation
  uint8_t attribute;  ///< enum task_attribute
  uint8_t state;      ///< enum task_state
  uint8_t initiator;  ///< SCSI id.
  uint8_t lun;
  uint8_t segment;            ///< Buffer segment: the core's.
  uint8_t sense;              ///< enum sense_code; SENSE_NONE means GOOD.
  uint8_t blocks_others;      ///< Some younger task counts this one among its blockers.
  uint8_t reselect_failures;  ///< Reselections that the initiator did not answer.
  uint8_t policy_flags;       ///< The policy's own.
};

/// Memory of the task set is this times its capacity: a change shows here.
STATIC_ASSERT(sizeof(struct task) == (sizeof(void*) == 4 ? 88 : 104), "size of a task");

/// The task that a candidate is part of.
static inline struct task* task_of_candidate(struct candidate* candidate) {
  return (struct task*)(void*)((char*)candidate - offsetof(struct task, candidate));
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_TASK_H
