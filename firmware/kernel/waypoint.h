/// @file
/// WAYPOINT(NAME): a place in the firmware's code that tells a watcher which way it took.
///
/// On the drive's core a waypoint is one instruction without effect, `slti x0, x0, number`, from
/// the hints that the RISC-V unprivileged ISA leaves to custom use: one cycle. On the fast platform
/// it puts the way so far on the core's bill: instructions cost there what they were measured to
/// cost between two register accesses or waypoints (sim/tlm/cost_table.hpp), so a waypoint stands
/// wherever the way from one access to the next parts: in the body of a loop, at a branch that is
/// dear on one side, where the ways of policies part. Other native builds leave them out.
#ifndef FIRMWARE_KERNEL_WAYPOINT_H
#define FIRMWARE_KERNEL_WAYPOINT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Every waypoint once; a name says what has just been decided, or what is done once more.
#define WAYPOINTS(POINT)        \
  POINT(SERVE_SCSI)             \
  POINT(SERVE_BUFFER)           \
  POINT(SERVE_FORMATTER)        \
  POINT(SERVE_SERVO)            \
  POINT(SERVE_TIMER)            \
  POINT(NOTHING_TO_SERVE)       \
  POINT(ZONE_HALVED)            \
  POINT(EXTENT_HALVED)          \
  POINT(SLIPS_HALVED)           \
  POINT(SLIPS_SOUGHT)           \
  POINT(TRACK_SPANNED)          \
  POINT(CONFLICT_SOUGHT)        \
  POINT(LONG_CONFLICT_SOUGHT)   \
  POINT(OVERLAP_SOUGHT)         \
  POINT(OVERLAP_BELOW_SOUGHT)   \
  POINT(CONFLICT_FOUND)         \
  POINT(BLOCKED_SOUGHT)         \
  POINT(CHAIN_SOUGHT)           \
  POINT(READER_MET)             \
  POINT(BLOCKED_RELEASED)       \
  POINT(GATE_PASSED)            \
  POINT(DORMANT_MET)            \
  POINT(ENABLED_PASSED)         \
  POINT(BUCKET_PASSED)          \
  POINT(TAG_SOUGHT)             \
  POINT(TASK_REUSED)            \
  POINT(CHAIN_PASSED)           \
  POINT(CELL_TOGGLED)           \
  POINT(CELL_PASSED)            \
  POINT(LAST_CELL_PASSED)       \
  POINT(CELLS_PASSED)           \
  POINT(RING_PASSED)            \
  POINT(PLAN_RECONSIDERED)      \
  POINT(FCFS_JUDGED)            \
  POINT(SSTF_JUDGED)            \
  POINT(STF_JUDGED)             \
  POINT(SCAN_JUDGED)            \
  POINT(SCAN_SERVED)            \
  POINT(CSCAN_JUDGED)           \
  POINT(FSCAN_JUDGED)           \
  POINT(FSCAN_SERVED)           \
  POINT(VR_JUDGED)              \
  POINT(VR_SERVED)              \
  POINT(WSCAN_JUDGED)           \
  POINT(WSCAN_SERVED)           \
  POINT(ESCHENBACH_JUDGED)      \
  POINT(GSTF_JUDGED)            \
  POINT(GSTF_SERVED)            \
  POINT(WSTF_JUDGED)            \
  POINT(WSTF_SERVED)            \
  POINT(PLAN_JUDGED)            \
  POINT(POLICY_TOLD)            \
  POINT(DETOUR_ASKED)           \
  POINT(SEARCH_WEIGHED)         \
  POINT(PLAN_DELAYED)           \
  POINT(PLAN_WEIGHED)           \
  POINT(DATA_AWAITED)           \
  POINT(TRACK_SHARED)           \
  POINT(SEGMENT_SOUGHT)         \
  POINT(FETCH_POSSIBLE)         \
  POINT(HALF_DELIVERED)         \
  POINT(BEHIND_ANOTHER)         \
  POINT(BEFORE_ANOTHER)         \
  POINT(MESSAGES_CONTINUED)     \
  POINT(ARRIVAL_TAKEN)          \
  POINT(HURRY_WANTED)           \
  POINT(STF_OTHER_JUDGED)       \
  POINT(FCFS_SEARCHES)          \
  POINT(SSTF_SEARCHES)          \
  POINT(STF_SEARCHES)           \
  POINT(SCAN_SEARCHES)          \
  POINT(CSCAN_SEARCHES)         \
  POINT(FSCAN_SEARCHES)         \
  POINT(VR_SEARCHES)            \
  POINT(WSCAN_SEARCHES)         \
  POINT(ESCHENBACH_SEARCHES)    \
  POINT(GSTF_SEARCHES)          \
  POINT(WSTF_SEARCHES)          \
  POINT(STATUS_SAID)            \
  POINT(DATA_STARTED)           \
  POINT(HURRIED)                \
  POINT(BUS_TO_WIN)             \
  POINT(ALARM_SET)              \
  POINT(STF_PRICED)             \
  POINT(SSTF_COMPARED)          \
  POINT(CANDIDATE_PRICED)       \
  POINT(CANDIDATE_COMPARED)     \
  POINT(WSTF_PRICED)            \
  POINT(FROZEN_COUNTED)         \
  POINT(SCOPE_MISSED)           \
  POINT(M_RENEWED)              \
  POINT(WRITE_PRICED)           \
  POINT(BAND_PASSED)            \
  POINT(BAND_EMPTIED)           \
  POINT(BAND_WORD_PASSED)       \
  POINT(BAND_ABOVE)             \
  POINT(BAND_BELOW)             \
  POINT(PLAN_MISSED)            \
  POINT(POLICY_SELECTED)        \
  POINT(MEDIA_KICKED)           \
  POINT(NOTHING_WAITS)          \
  POINT(PLAN_FETCHES)           \
  POINT(SEARCH_DONE)            \
  POINT(TASK_REMOVED)           \
  POINT(RESELECTION_WANTED)     \
  POINT(CONNECTION_TAKEN)       \
  POINT(COMMAND_ROW_PASSED)     \
  POINT(TASKS_LIVE)             \
  POINT(COMMAND_NOT_OVERLAPPED) \
  POINT(TEST_UNIT_READY)        \
  POINT(REQUEST_SENSE)          \
  POINT(INQUIRY)                \
  POINT(READ_CAPACITY)          \
  POINT(MODE_SENSE)             \
  POINT(MODE_SELECT)            \
  POINT(MODE_SELECT_DATA)       \
  POINT(READ_OR_WRITE)          \
  POINT(ALL_FETCHED)            \
  POINT(FETCH_CONSIDERED)       \
  POINT(MESSAGE_HANDLED)        \
  POINT(EXTENDED_PARSED)        \
  POINT(SYNCHRONOUS_AGREED)     \
  POINT(WIDE_AGREED)            \
  POINT(SPEED_MEASURED)         \
  POINT(MEDIA_BEGUN)            \
  POINT(DELIVERED)              \
  POINT(DATA_PARKED)            \
  POINT(SEGMENT_FREED)          \
  POINT(ENQUEUED)               \
  POINT(TASK_SERVED)            \
  POINT(COMMAND_ASKED)          \
  POINT(MESSAGES_ASKED)         \
  POINT(MESSAGES_SENT)          \
  POINT(MESSAGE_MEASURED)       \
  POINT(MESSAGE_MISSES)         \
  POINT(SECTORS_COUNTED)        \
  POINT(PROCEEDING)             \
  POINT(KICKED)                 \
  POINT(TAG_SAID)               \
  POINT(LONG_TAG_SAID)          \
  POINT(SYNCHRONOUS_PARSED)     \
  POINT(WIDE_PARSED)            \
  POINT(MESSAGE_BYTES_IN)       \
  POINT(COMMAND_BYTES_IN)       \
  POINT(DATA_MOVED)             \
  POINT(CONNECTION_LEFT)        \
  POINT(NOT_IN_QUEUE)           \
  POINT(FIRST_DEQUEUED)         \
  POINT(LAST_DEQUEUED)          \
  POINT(POINTERS_SAVED)         \
  POINT(HOST_TOLD)              \
  POINT(RUN_STARTED)            \
  POINT(REST_DELIVERED)         \
  POINT(ZONE_ABOVE)             \
  POINT(EXTENT_ABOVE)           \
  POINT(OLDEST_MET)             \
  POINT(WRITER_LEAVES)          \
  POINT(WRITER_ENTERS)          \
  POINT(NOTHING_MOVES)          \
  POINT(ROOM_SOUGHT)            \
  POINT(POSTED_AGAIN)           \
  POINT(SEEK_SERVED)            \
  POINT(TASK_BEGUN)             \
  POINT(CHEAPER_FOUND)          \
  POINT(REQUEST_SERVED)         \
  POINT(CACHE_SEGMENT_PASSED)   \
  POINT(CACHE_SEGMENT_ADDED)    \
  POINT(CACHE_SEGMENT_SOUGHT)   \
  POINT(CACHE_SEGMENT_CHECKED)  \
  POINT(CACHE_SOUGHT)           \
  POINT(CACHE_HIT)              \
  POINT(CACHE_HIT_AHEAD)        \
  POINT(CACHE_READ_ON)          \
  POINT(PART_OPENED)            \
  POINT(AHEAD_ALLOWED)          \
  POINT(AHEAD_STOPPED)          \
  POINT(READS_AHEAD)            \
  POINT(WAITING_MET)            \
  POINT(CONTROLLER_THINKS)      \
  POINT(CONTROLLER_DONE)        \
  POINT(WRITE_REPORTED)         \
  POINT(CACHE_ROW_PASSED)       \
  POINT(CACHE_TAKEN)            \
  POINT(FILL_ENDED)             \
  POINT(ALL_DELIVERED)          \
  POINT(REPORT_CONSIDERED)      \
  POINT(TAG_FREED)              \
  POINT(DISCONNECTING)          \
  POINT(TRANSFER_ENDED)         \
  POINT(WRITE_BEGUN)            \
  POINT(SLOT_CELL_PASSED)       \
  POINT(CACHE_SLOT_PASSED)      \
  POINT(TASK_SUSPENDED)         \
  POINT(TASK_RESUMED)           \
  POINT(SEGMENT_OWNER_SOUGHT)   \
  POINT(REPORT_SOUGHT)          \
  POINT(OBSTACLE_SOUGHT)        \
  POINT(ORDERED_SOUGHT)         \
  POINT(TURNED_AWAY)            \
  POINT(NOT_HELD)               \
  POINT(ZONE_PASSED)            \
  POINT(DEFECTS_HALVED)         \
  POINT(BLOCK_MOVED)            \
  POINT(DEFECT_SHIFTED)         \
  POINT(DEFECT_PASSED)          \
  POINT(SPARES_SOUGHT)          \
  POINT(RETRY_BEGUN)            \
  POINT(BLOCK_RECOVERED)        \
  POINT(SPARE_TRIED)            \
  POINT(SPARE_SOUGHT)           \
  POINT(BLOCK_RELOCATED)        \
  POINT(SERVE_MAINTENANCE)      \
  POINT(PATTERN_FILLED)         \
  POINT(MAINTENANCE_REQUESTED)  \
  POINT(DEFECT_ENTERED)         \
  POINT(TRACK_MEASURED)         \
  POINT(PLACE_CONSIDERED)       \
  POINT(DEFECT_RUN_PASSED)      \
  POINT(RECOVERY_TOLD)          \
  POINT(SPEED_IS_LOST)          \
  POINT(SEEK_RESUMED)           \
  POINT(MOVEMENT_FAILED)        \
  POINT(RECALIBRATED)           \
  POINT(MOTION_WATCHED)         \
  POINT(TOLD_NOBODY)

enum waypoint {
#define WAYPOINT_ENUMERATOR(name) WAYPOINT_##name,
  WAYPOINTS(WAYPOINT_ENUMERATOR)
#undef WAYPOINT_ENUMERATOR
      WAYPOINT_COUNT
};

#ifndef __riscv
/// What the fast platform charges a core for, in rows of CPU_BILL_PLACES: a row for each point, and
/// more for points whose costs hang on how they were reached. Waypoint n is point n
/// (sim/tlm/cost_table.hpp).
#define CPU_BILL_PLACES 352U
struct cpu_charge {
  uint32_t cost;  ///< In 1/256 cycle.
  uint32_t next;  ///< Where the row begins from which to go on, in charges.
};
struct cpu_bill {
  const struct cpu_charge* rows;
  const struct cpu_charge* row;  ///< Of the point passed last: what it costs from there to others.
  uint64_t owed;                 ///< Charged, and not yet gone by.
};

/// Of the core whose firmware runs.
extern struct cpu_bill* current_cpu_bill;

static inline void cpu_pass_point(struct cpu_bill* bill, uint32_t place) {
  const struct cpu_charge* charge = &bill->row[place];
  bill->owed += charge->cost;
  bill->row = bill->rows + charge->next;
}
static inline void cpu_pass_waypoint(uint32_t number) { cpu_pass_point(current_cpu_bill, number); }
#endif

#if defined(__riscv) && __riscv_xlen == 32
#define WAYPOINT(name) __asm__ volatile("slti x0, x0, %0" : : "i"(WAYPOINT_##name))
#elif defined(HEADSTACK_WAYPOINTS)
#define WAYPOINT(name) cpu_pass_waypoint(WAYPOINT_##name)
#else
#define WAYPOINT(name) ((void)0)
#endif

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_WAYPOINT_H
