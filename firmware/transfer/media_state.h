// SPDX-License-Identifier: Apache-2.0
/// @file
/// The state of a request at the media (media.h), which its moving of blocks (relocation.h) shares.
#ifndef FIRMWARE_TRANSFER_MEDIA_STATE_H
#define FIRMWARE_TRANSFER_MEDIA_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/hal/formatter_hal.h"
#include "firmware/kernel/status.h"
#include "firmware/motion/block_map.h"
#include "firmware/motion/defect_list.h"
#include "firmware/motion/geometry.h"
#include "firmware/motion/predictor.h"
#include "firmware/motion/rotation.h"
#include "firmware/motion/seek.h"
#include "firmware/transfer/defect_log.h"
#include "firmware/unit/error_counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Index pulses without a sector found before the formatter gives up: one whole revolution.
#define MEDIA_SEARCH_REVOLUTIONS 2U

/// Revolutions that a run may take, each twice: one to its first sector, one for all of them, and
/// one in search of a sector.
#define MEDIA_RUN_REVOLUTIONS_MAX 8U

/// MEDIA_NO_DETOUR: the arm goes straight to the first block.
#define MEDIA_NO_DETOUR UINT32_MAX

/// MEDIA_NO_TASK: no task wants the data.
#define MEDIA_NO_TASK 0xFFFFU

/// Bits of the media's error recovery, set for each operation.
enum media_recovery {
  MEDIA_REALLOCATES = 1U << 0,    ///< A defective block moves to a spare: AWRE, ARRE.
  MEDIA_REPORTS = 1U << 1,        ///< Recovered errors are reported: PER.
  MEDIA_STOPS = 1U << 2,          ///< A read or verification ends after a recovered error: DTE.
  MEDIA_TRANSFERS_BAD = 1U << 3,  ///< A block that was not recovered is in the ring, too: TB.
};

/// The purpose of a request.
enum media_purpose {
  MEDIA_FOR_HOST,
  MEDIA_FOR_DRIVE,    ///< The drive's own data: nothing is counted, and no block moves by itself.
                      ///< The same is true of the purposes below.
  MEDIA_FOR_SCAN,     ///< The drive's own scan: its `recovery` counts, as a host's does.
  MEDIA_TO_SLOT,      ///< `lba` counts physical blocks (block_map.h), as it does for the next three
                      ///< purposes.
  MEDIA_TO_FORMAT,    ///< The ring holds one pattern: written sectors may be written again.
  MEDIA_TO_CERTIFY,   ///< Bad check bytes are final at once.
  MEDIA_TO_RELOCATE,  ///< The one block, which lies at `byte` of the buffer, moves to a spare.
  MEDIA_FOR_STORE,    ///< `lba` counts the sectors of the store (store.h), from its first.
};

struct media_request {
  enum formatter_operation operation;
  uint32_t lba;
  uint32_t block_count;  ///< Number of blocks, which exist. 0: no task waits for any, only `ahead`
                         ///< is read.
  uint32_t ahead;        ///< Number of blocks read after these; they exist, and the ring has room.
  bool one_track;        ///< `ahead` ends with the track of the first block that was not asked for.
                         ///< It ends with the next track if the request began on an earlier one, or
                         ///< no task waits for any of it.
  bool only_moves;       ///< The request ends with the heads on its first block's track.
  bool takes_free;       ///< Blocks that pass before a read's first one are read, too
                         ///< (free_blocks.h).
  uint8_t recovery;      ///< enum media_recovery, as the modes were when its task began.
  uint32_t ring;         ///< Ring of the buffer; unused by FORMATTER_VERIFY.
  uint32_t ring_sectors;
  uint32_t ring_next;  ///< The sector of the ring that the first block goes to, or comes from.
  /// Blocks that must be in the ring, which has room for them. A read's data may then leave; 0:
  /// after half of each run. A write then begins at the media; 0: after one block.
  uint32_t share_blocks;
  uint32_t hold_ticks;    ///< Least time between a write's start and its begin on the media.
                          ///< media_on_alarm() must be called after it.
  uint32_t access_ticks;  ///< Time until the arm may move, or until the media may begin where the
                          ///< heads are. media_on_alarm() must be called after it.
  uint32_t byte;          ///< Byte of the buffer where the data are; MEDIA_TO_RELOCATE only.
  uint32_t task;          ///< Task for trace events; MEDIA_NO_TASK.
  uint32_t detour;        ///< Cylinder that the arm goes to first, or MEDIA_NO_DETOUR.
  enum media_purpose purpose;
  enum status recovered;   ///< First value of media_recovered().
  uint32_t recovered_lba;  ///< Block of `recovered`.
};

/// The order matters: media_waits(), media_is_seeking(), media_is_in_step().
enum media_state {
  MEDIA_IDLE,
  MEDIA_WAITING,    ///< The heads are on track; the segment has no room or no data.
  MEDIA_HELD,       ///< A write has its data, and the heads are on track: it waits for held_until.
  MEDIA_PREPARING,  ///< The heads rest: the request waits for held_until.
  MEDIA_ON_DETOUR,  ///< The heads are on their way to the detour's cylinder.
  MEDIA_SEEKING,    ///< The heads are on their way to the run's track.
  MEDIA_TRANSFERRING,  ///< The formatter works on the run.
  MEDIA_ABORTING,      ///< The formatter was asked to stop, because the request is aborted.
  MEDIA_GIVING_UP,     ///< The formatter was asked to stop, because the run takes too long.
};

/// The purpose of the media's work at this moment.
enum media_aim {
  MEDIA_SERVES,        ///< A task, or another client of the arm, waits for blocks.
  MEDIA_BRINGS_HEADS,  ///< A task waits for the heads to be on their track.
  MEDIA_READS_AHEAD,   ///< The media go on reading, but no task waits for the blocks.
  MEDIA_PARKS,         ///< The arm goes to a cylinder, and no task waits for that.
};

/// The result of an event.
enum media_outcome {
  MEDIA_NOTHING,      ///< Nothing to decide; sectors may be done.
  MEDIA_RUN_STARTED,  ///< The formatter began with a run; media_is_last_run() says which.
  MEDIA_SERVED,       ///< The requested blocks are in the buffer; the media read ahead after them.
  MEDIA_ENDED,        ///< The request is over: media_status(), media_blocks_done().
};

/// A block on its way to a spare: relocation.h.
struct relocation {
  uint32_t block;    ///< Number of the block, as the request counts.
  uint32_t lba;      ///< Number of the physical block.
  uint32_t spare;    ///< Sector of the spare.
  uint32_t ring;     ///< Ring of its data.
  uint32_t byte;     ///< Byte of its data, if the ring is the media's own.
  uint8_t step;      ///< enum relocation_step
  uint8_t spares;    ///< Spares that may still be tried.
  uint8_t retries;   ///< Attempts left at the present spare.
  uint8_t status;    ///< enum status with which the request ends.
  uint8_t cell;      ///< Cell of the store for the record; RELOCATION_RECORDS.
  uint8_t copy;      ///< Copy of the cell that is being written.
  bool is_recorded;  ///< The first copy is written: the second one is next.
};

struct media {
  const struct drive_design* design;
  const struct predictor* predictor;
  const struct rotation* rotation;
  struct defect_list* defects;
  const struct block_map* map;  ///< Map of blocks, over `defects`.
  struct defect_log* log;       ///< Log in which the store keeps the defects.
  struct seek* seek;
  struct media_request request;
  struct place run_place;
  uint32_t run_count;           ///< Sectors of the run.
  uint32_t run_done;            ///< Sectors of the run that are counted in blocks_done.
  struct place next_place;      ///< The run that was named to the formatter as the next.
  uint32_t next_count;          ///< Sectors of the next run; 0: none was named.
  time_tick held_until;         ///< End of access_ticks, and then of hold_ticks.
  uint32_t first_track;         ///< Track of the request's first block; for one_track.
  uint32_t last_track;          ///< Track of the block after the last requested one; for one_track.
  uint32_t chained_sectors;     ///< Sectors of the operation's earlier runs.
  uint32_t chained_runs;        ///< Number of the operation's earlier runs.
  uint32_t recovered_lba;       ///< Block of media_recovered().
  uint32_t chained_turn32;      ///< Angle at which the last earlier run ended.
  uint64_t chained_gap_turn32;  ///< Angle from there to the begin of this run.
  uint32_t blocks_done;         ///< Blocks done before this run, plus those of the run that were
                                ///< counted.
  uint32_t retries_left;
  uint32_t retry_errors;  ///< enum formatter_error bits of the attempts at the next block so far.
  uint32_t retries[4];    ///< Retries allowed, by enum formatter_operation.
  uint32_t step;          ///< Number of the movement or run under way.
  uint32_t limit_ticks;   ///< Limit of a step.
  uint8_t recovery[4];    ///< enum media_recovery, by enum formatter_operation.
  struct error_counters counters[4];  ///< Counters of errors, by enum formatter_operation.
  struct relocation relocation;
  uint16_t free_blocks;    ///< Blocks before the request's that go into its ring (free_blocks.h).
  uint16_t free_left;      ///< Number of free blocks that are not counted as done.
  uint16_t run_free;       ///< Sectors of the run before the request's blocks: 0 or free_blocks.
  uint8_t recovered;       ///< enum status
  uint8_t state;           ///< enum media_state
  uint8_t aim;             ///< enum media_aim
  bool reports_half;       ///< The buffer manager reports when half of the run is there.
  bool reports_sectors;    ///< The formatter reports each sector, not only the end.
  uint8_t status;          ///< enum status of a request that is over.
  bool first_sector_seen;  ///< The trace has the event of the run's first sector.
  bool run_is_new;         ///< The formatter has gone on to the run, which is not reported yet.
  bool recovers;           ///< An attempt at the next block has failed, or a movement to it.
  bool aborted;
  bool start_moved;  ///< free_blocks has changed.
  bool stops;        ///< MEDIA_STOPS: the request ends with the block recovered.
  bool brought_bad;  ///< MEDIA_TRANSFERS_BAD: a bad block follows those done.
};

/// A bit besides those of enum formatter_error: the run did not stop by itself.
#define MEDIA_ERROR_NO_END (1U << 15)

/// Whether an attempt failed, with these errors, because the spindle had lost its speed.
static inline bool media_was_slow(uint32_t errors) {
  return (errors & FORMATTER_ERROR_OFF_TRACK) != 0 && !seek_has_speed();
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MEDIA_STATE_H
