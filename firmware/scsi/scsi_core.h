// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the SCSI layer requires of the drive's core: functions that the core implements.
///
/// Event handlers call them, and none may wait. The core answers by calling scsi_task_grant(),
/// scsi_task_prioritize() and scsi_task_finish() (scsi.h), from inside one of these calls or later.
#ifndef FIRMWARE_SCSI_SCSI_CORE_H
#define FIRMWARE_SCSI_SCSI_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/time.h"
#include "firmware/motion/defect_data.h"
#include "firmware/queue/task.h"
#include "firmware/scsi/error_counters.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;
struct duration_limits;
struct mode_remap;
struct mode_scheduler;

/// A command has become a task, and its block range is valid. The core fills in the placement; the
/// task is not enabled yet. A read or write of the cache, or a write with a free segment, may be
/// granted here. An older controller's time for the command counts from `received` (page 21h): when
/// all of the command was there. What the firmware does for it meanwhile takes none of its own.
void core_task_arrived(struct drive* drive, struct task* task, time_tick received);

/// A TASK_REPLY begins: the core keeps nothing for it, and has no work for it.
void core_reply_arrived(struct drive* drive, struct task* task);

/// A command that arrived at `arrived` has limits of duration. core_task_arrived() follows. The
/// limits act, and are counted, until core_task_ended(). @return false: no more limits can be
/// watched, and the task is refused.
bool core_task_limit(struct drive* drive, struct task* task, const struct duration_limits* limits,
                     time_tick arrived);

/// Stops work for the task, in any state but TASK_FREE. It was aborted (message, reset, clear
/// queue), or its data phase failed on the bus. The function is called at most once for a task.
/// @return true when the core has ended its work for good; core_task_ended() still comes. false
/// when it still needs the task, because a sector is under way. Then it calls scsi_task_finish() as
/// soon as it can, with any status.
bool core_task_abort(struct drive* drive, struct task* task);

/// The decision on a task whose initiator does not allow it to disconnect.
enum core_hold {
  CORE_HOLD_SERVED,       ///< The task is served before all others and keeps the bus meanwhile.
  CORE_HOLD_TURNED_AWAY,  ///< The task would wait for tasks that need the bus: BUSY or QUEUE FULL.
  CORE_HOLD_GOES_ON,      ///< The spindle or a format takes its time. The task goes on. Its
                          ///< nexus ends with CHECK CONDITION: 2/04/01 for START UNIT,
                          ///< 2/04/02 for STOP UNIT, 2/04/04 for a format.
};

/// The connected task has to wait and may not disconnect. Repeated calls are allowed. With
/// CORE_HOLD_SERVED the task may have been granted data, or be finished, when this returns.
enum core_hold core_hold_bus(struct drive* drive, struct task* task);

/// Whether the task may begin its data although it must not leave the bus after them (DTDC). It may
/// if the rest of it then waits for no task that needs the bus. The oldest task always may. Any
/// other stays off the bus until the media have begun with it.
bool core_may_begin_data(const struct drive* drive, const struct task* task);

/// The task that held the bus goes on without it: it has disconnected after all, or been reported.
void core_release_bus(struct drive* drive);

/// A contingent allegiance has begun: the initiator's tasks move no data until it is over. The
/// media may wait for one of them, and must not keep other initiators waiting.
void core_tasks_suspended(struct drive* drive);

/// The contingent allegiance of an initiator is over: its tasks may go on. One may not be enabled
/// yet, because it waits for other tasks. A task that holds the bus may wait for these.
void core_tasks_resumed(struct drive* drive);

/// Whether a command that may disconnect is refused now. The reason is an earlier refusal of one
/// that may not disconnect.
bool core_turns_away(const struct drive* drive);

/// Limit of tasks above which a read, write or verify of best effort is refused.
uint32_t core_best_effort_most(const struct drive* drive);

/// A data phase for `blocks` of the task's host_blocks_left is about to start. The core sets the
/// buffer's host channel to the task's segment and direction, at the block where the last data
/// phase ended.
void core_host_transfer_begin(struct drive* drive, struct task* task, uint32_t blocks);

/// The data phase is over; `blocks` whole blocks moved (already subtracted from host_blocks_left
/// and host_blocks_granted). The core stops the buffer's host channel. If it grants more here, or
/// finishes the task, the connection stays. It is called once for every begin, also after
/// scsi_task_finish() with an error.
void core_host_transfer_end(struct drive* drive, struct task* task, uint32_t blocks);

/// How many of the task's granted blocks a data phase can move now without waiting for the media.
uint32_t core_host_ready(const struct drive* drive, const struct task* task);

/// Whether a task that has left the bus for an empty or full buffer may come back, according to the
/// ratios of page 02h.
bool core_host_may_return(const struct drive* drive, const struct task* task);

/// All of a task's data have moved. Whether its status may be sent although the media have not
/// finished with it. If so, it is TASK_FLAG_SILENT from now on, and a failure becomes a deferred
/// error.
bool core_may_report(const struct drive* drive, const struct task* task);

/// The initiator has the task's status, or will never get it. The task is freed when this returns.
void core_task_ended(struct drive* drive, struct task* task);

/// MODE SELECT or a reset changed mode parameters. The core reads mode_pages_scheduler(),
/// mode_retry_count(), ... again.
void core_modes_changed(struct drive* drive);

/// The most blocks that each of so many cache segments can have; 0: the buffer has no room for
/// them.
uint32_t core_cache_segment_limit(const struct drive* drive, uint32_t segments);

/// The last block on the cylinder of a block that exists, as the blocks lie by design.
uint32_t core_last_of_cylinder(const struct drive* drive, uint32_t lba);

// ---- defects, formats, counters

/// The progress of the ordered format, of 65,536.
uint32_t core_maintenance_progress(const struct drive* drive);

/// defect_data_sectors() (motion/defect_data.h) on the drive's design.
uint32_t core_defect_sectors(const struct drive* drive, enum defect_format format,
                             const uint8_t* descriptor, uint32_t* first, uint32_t* count);

/// The maker's list and the grown one, by number.
uint32_t core_primary_defect_count(const struct drive* drive);
/// Defect `index` of the list. `cursor`: that of the last entry read, or all zero
/// (defect_data_primary()).
void core_primary_defect(const struct drive* drive, struct defect_cursor* cursor, uint32_t index,
                         struct defect_place* defect);
uint32_t core_grown_defect_count(const struct drive* drive);
void core_grown_defect(const struct drive* drive, uint32_t index, struct defect_place* defect);

/// Log pages of error counters (SCSI-2 8.3.2.2).
enum core_counters { CORE_COUNTERS_WRITE, CORE_COUNTERS_READ, CORE_COUNTERS_VERIFY };
const struct error_counters* core_error_counters(const struct drive* drive,
                                                 enum core_counters which);
void core_clear_error_counters(struct drive* drive, enum core_counters which);

/// The policy in force, and its counters (queue/policy.h).
struct policy_counts {
  uint32_t policy;  ///< Number of the policy.
  uint32_t count;
  const uint32_t* value;
};
struct policy_counts core_policy_counts(const struct drive* drive);
void core_clear_policy_counts(struct drive* drive);

/// Service times (transfer/service_times.h): row by row, bin by bin.
struct core_histogram {
  uint32_t rows;
  uint32_t bins;
  const uint32_t* value;
};
struct core_histogram core_service_times(const struct drive* drive);
void core_clear_service_times(struct drive* drive);

/// Whether this content of the scheduler's mode page is possible.
/// @return 0, or the byte of the page that is wrong.
uint32_t core_scheduler_fault(const struct drive* drive, const struct mode_scheduler* wanted);

// ---- the map (transfer/remap.h)

/// Whether this content of mode page 23h is possible at this moment.
/// @return 0, or the byte of the page that is wrong.
uint32_t core_remap_fault(const struct drive* drive, const struct mode_remap* wanted);

/// Counters of log page 33h: rows of one. Page 34h: waits for moves, and the host's gaps.
struct core_histogram core_remap_counts(const struct drive* drive);
void core_clear_remap_counts(struct drive* drive);
struct core_histogram core_remap_waits(const struct drive* drive);
struct core_histogram core_host_gaps(const struct drive* drive);
void core_clear_remap_times(struct drive* drive);

/// The buffers of WRITE BUFFER and READ BUFFER (SPC-2 7.13, 7.26), by buffer id.
enum core_buffer {
  CORE_BUFFER_MAP_1 = 0x01,  ///< Slots of units, two bytes each: written, in order.
  CORE_BUFFER_MAP_2 = 0x02,
  CORE_BUFFER_LOCATIONS = 0x10,  ///< Present places of units, two bytes each: read.
  CORE_BUFFER_VISITS = 0x11,     ///< Accesses by group, two bytes each.
  CORE_BUFFER_PAIRS = 0x12,      ///< Triples of two bytes each: from, to, count; count 0: nothing.
};

/// Bytes that a buffer has; 0: there is no such buffer.
uint32_t core_buffer_bytes(const struct drive* drive, uint32_t id);
/// `offset` and `count` are inside the buffer; both are multiples of 2.
void core_buffer_read(const struct drive* drive, uint32_t id, uint32_t offset, uint8_t* bytes,
                      uint32_t count);

/// The result of writing a part of a map.
enum core_buffer_written {
  CORE_BUFFER_TAKEN,
  CORE_BUFFER_NO_SUCH,     ///< There is no such buffer to be written.
  CORE_BUFFER_BUSY,        ///< An earlier map is being saved.
  CORE_BUFFER_BAD_OFFSET,  ///< The part does not continue where the last one ended.
  CORE_BUFFER_BAD_BYTES,   ///< Byte `*bad` of the data is wrong.
};
enum core_buffer_written core_buffer_write(struct drive* drive, uint32_t id, uint32_t offset,
                                           const uint8_t* bytes, uint32_t count, uint32_t* bad);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_SCSI_CORE_H
