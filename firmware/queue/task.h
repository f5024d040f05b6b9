// SPDX-License-Identifier: Apache-2.0
/// @file
/// A task: one command that needs the media, from its arrival to its status.
///
/// The device server (firmware/device) fills in what the initiator asked for. firmware/transfer
/// fills in where that is on the media, and takes the task through its states.
/// firmware/queue/task_set.h owns its memory and its links. Tasks refer to each other by index into
/// the task set's array, so that a link takes two bytes.
#ifndef FIRMWARE_QUEUE_TASK_H
#define FIRMWARE_QUEUE_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "firmware/kernel/assert.h"
#include "firmware/motion/candidate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// TASK_NONE as a link: there is no task.
#define TASK_NONE 0xFFFFU
/// TASK_UNLINKED as a link: the task is not in that list.
#define TASK_UNLINKED 0xFFFEU

/// Limits of struct task's narrow fields.
#define TASK_INITIATORS_MAX 16U
#define TASK_SENSE_CODES_MAX 64U
#define TASK_BLOCKERS_MAX 8191U
#define TASK_TIME_LIMITS_MAX 2047U

/// Clock periods in the unit of the candidate's arrived_64ticks.
#define TASK_ARRIVED_TICKS 64U

enum task_operation {
  // Operations on blocks of the media (task_needs_media()):
  TASK_READ,
  TASK_WRITE,
  TASK_VERIFY,  ///< Read and check; no data moves to the host.
  TASK_SEEK,    ///< Move the arm to the cylinder of block `lba`; `blocks` is 1.
  // Other operations:
  TASK_SYNCHRONIZE,  ///< Bring cached data of the range to the media.
  TASK_START,        ///< Spin up; ends when the drive is ready. `lba` and `blocks` are 0.
  TASK_STOP,         ///< Spin down; ends when the spindle is at rest. `lba` and `blocks` are 0.
  TASK_MAINTENANCE,  ///< struct maintenance_order. `lba` and `blocks` are 0.
  TASK_REPLY,        ///< Data of a command without media, piece by piece (connection_reply.h).
};

/// SCSI-2 7.8: how a task may be ordered against others.
enum task_attribute {
  TASK_SIMPLE,
  TASK_ORDERED,
  TASK_HEAD_OF_QUEUE,
  TASK_UNTAGGED,  ///< Ordered as TASK_SIMPLE; has no tag.
};

enum task_state {
  TASK_FREE,          ///< Not in use.
  TASK_DORMANT,       ///< The task waits in the set: ordering, overlap or contingent allegiance
                      ///< keeps it.
  TASK_ENABLED,       ///< The scheduler may choose it.
  TASK_CHOSEN,        ///< The scheduler has chosen it; the media have not begun.
  TASK_ACTIVE,        ///< The media work for it.
  TASK_TRANSFERRING,  ///< The media have finished with it, the host has not.
  TASK_ENDED,         ///< Finished: waits only for its status to reach the initiator.
};

enum task_flag {
  TASK_FLAG_FORCE_UNIT_ACCESS = 1U << 0,  ///< Data move to or from the media, not the cache.
  TASK_FLAG_DISABLE_PAGE_OUT = 1U << 1,   ///< The data are not worth keeping in the cache.
  TASK_FLAG_LONG_TAG = 1U << 2,           ///< The tag has the 16-bit form, in answers, too.
  TASK_FLAG_MAY_DISCONNECT = 1U << 3,     ///< IDENTIFY granted it.
  TASK_FLAG_SILENT = 1U << 4,   ///< No status is owed (sent, or initiator gone): the task is freed
                                ///< at its end.
  TASK_FLAG_ABORTED = 1U << 5,  ///< The core was asked to end the task.
  TASK_FLAG_MOVED_DATA = 1U << 6,   ///< Data moved since the pointers were last saved.
  TASK_FLAG_NO_TAG = 1U << 7,       ///< The task came untagged, whatever its ordering.
  TASK_FLAG_REPORTED = 1U << 8,     ///< A write whose GOOD status went out before its end.
  TASK_FLAG_IN_ORDER = 1U << 9,     ///< The task came under restricted reordering: no task that
                                    ///< overlaps it may pass it or be passed by it.
  TASK_FLAG_BUFFERED = 1U << 10,    ///< The task is a write of the write buffer (write_buffer.h).
  TASK_FLAG_HAS_FRAMES = 1U << 11,  ///< A buffered write has its frames; its data may be fetched.
  TASK_FLAG_IS_OTHER = 1U << 12,  ///< A real-time write counts as best effort while it is buffered.
  TASK_FLAG_HIT = 1U << 13,       ///< A read that the cache serves.
  TASK_FLAG_FAR_WRITE = 1U << 14,  ///< MODE_STAGE_FAR_WRITE of firmware/unit/mode_page.h.
  TASK_FLAG_BY_SHARE = 1U << 15,   ///< A read whose data leave before the media have all of them.
};

/// The command's demands on the drive's time: deadline, class, stream and priority.
struct task_urgency {
  uint32_t due_us;        ///< CANDIDATE_REAL_TIME: latest end, in microseconds after the message
                          ///< with it, or after the arrival. 0: the task is due at once.
  uint8_t service_class;  ///< enum candidate_class
  uint8_t stream;         ///< 0 .. 255
  uint8_t priority;       ///< 0 .. 15
};

/// Highest number of a priority.
#define TASK_PRIORITY_MAX 15U

/// Whether all earlier tasks must end before the operation, and all later ones begin after it.
static inline bool task_is_barrier(enum task_operation operation) {
  return operation == TASK_START || operation == TASK_STOP || operation == TASK_MAINTENANCE;
}

/// Whether the operation works on blocks of the media. The task then has a place there.
static inline bool task_needs_media(enum task_operation operation) {
  return operation <= TASK_SEEK;
}

/// Thousands of tasks fill most of the RAM: fields are as narrow as their contents.
struct task {
  struct candidate candidate;    ///< Place on the media, filled in by the core. Links and number
                                 ///< belong to the task set.
  uint32_t lba;                  ///< First block.
  uint32_t blocks;               ///< Block count; 0 only where the operation has no range.
  uint32_t host_blocks_left;     ///< Blocks not yet moved to or from the initiator. It starts as
                                 ///< `blocks`, or 0 without data.
  uint32_t host_blocks_granted;  ///< Blocks that the core allows to move at present.
  uint32_t sense_information;    ///< LBA for the sense data, once `sense` is not SENSE_NONE.
  uint16_t tag;

  // Links, by index; TASK_NONE ends a list.
  uint16_t older;  ///< Neighbour in the list of all tasks, by arrival.
  uint16_t younger;
  uint16_t same_bucket;       ///< Next task of the same tag hash.
  uint16_t same_region;       ///< Next task of the same region, to find overlaps.
  uint16_t region_previous;   ///< The task before it in the same region.
  uint16_t request_previous;  ///< Requested reselections, in the order of the requests.
  uint16_t request_next;      ///< TASK_UNLINKED: none is wanted.

  uint16_t flags;    ///< enum task_flag
  uint16_t segment;  ///< Buffer segment of the core, or SEGMENT_NONE.
  enum task_operation operation : 4;
  enum task_attribute attribute : 2;
  enum task_state state : 3;
  uint32_t initiator : 4;          ///< SCSI id.
  uint32_t waits_for_buffer : 1;   ///< The task left the bus because its buffer was empty or full
                                   ///< (firmware/target/tenancy.h).
  uint32_t verifies : 1;           ///< WRITE AND VERIFY: the blocks are verified before the task
                                   ///< ends.
  uint32_t sense : 6;              ///< enum sense_code; SENSE_NONE means GOOD.
  uint32_t reselect_failures : 2;  ///< Reselections that the initiator did not answer.
  uint32_t blockers : 13;          ///< Older tasks that overlap this one and must end first.
  uint32_t time_limit : 11;        ///< Number of its record in transfer/time_limits.h; 0: none.
};

/// The size for which the memory map is laid out: the task set's capacity times this.
STATIC_ASSERT(sizeof(void*) != 4 || sizeof(struct task) <= 96, "size of a task on the core");

/// A write whose GOOD status went out before its data were on the media.
static inline bool task_is_reported(const struct task* task) {
  return (task->flags & TASK_FLAG_REPORTED) != 0;
}

/// A write of the write buffer (write_buffer.h), and whether it has its frames.
static inline bool task_is_buffered(const struct task* task) {
  return (task->flags & TASK_FLAG_BUFFERED) != 0;
}
static inline bool task_has_frames(const struct task* task) {
  return (task->flags & TASK_FLAG_HAS_FRAMES) != 0;
}

/// Whether policies choose the task: a HEAD OF QUEUE task is chosen before all of them.
static inline bool task_is_listed(const struct task* task) {
  return task->attribute != TASK_HEAD_OF_QUEUE;
}

/// Marks the task as failed: `code` is of enum sense_code.
static inline void task_set_sense(struct task* task, uint32_t code) {
  task->sense = code % TASK_SENSE_CODES_MAX;
}

/// The task that a candidate is part of.
static inline struct task* task_of_candidate(struct candidate* candidate) {
  return (struct task*)(void*)((char*)candidate - offsetof(struct task, candidate));
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_TASK_H
