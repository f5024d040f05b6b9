// SPDX-License-Identifier: Apache-2.0
/// @file
/// The background medium scan (SBC-3): a client of the arm (arm.h) that verifies all blocks, one
/// after the other, when the drive is idle.
///
/// Page 1Ch/01h turns it on, and has its times. Blocks are tried as often as page 07h allows. A
/// block that could not be read, or only after failed attempts, is logged in page 15h. It stays as
/// it is: a host may write it, reassign it, or have it moved by a read with ARRE. The drive's own
/// work is never counted in pages 02h to 05h.
///
/// A scan goes on when no command for the media has come or ended for `idle_ms`. A task that could
/// begin ends the request under way after the present sector, or when the arm has arrived. The scan
/// goes on there later. A scan ends with the last block. The next one begins `interval_h` after its
/// own begin. A failure that is not a block's own halts the scan, until MODE SELECT turns it off
/// and on. While the spindle is not at speed, or a format was interrupted, the scan waits.
///
/// Place and results are in RAM alone: after power-on, a scan begins with block 0. FORMAT UNIT has
/// the same effect.
#ifndef FIRMWARE_TRANSFER_SCAN_H
#define FIRMWARE_TRANSFER_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/alarm.h"
#include "firmware/kernel/status.h"
#include "firmware/transfer/arm_state.h"
#include "firmware/transfer/media.h"
#include "firmware/unit/mode_page.h"
#include "firmware/unit/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Results that the log page has room for. The oldest gives way to another one.
#define SCAN_RESULTS_MAX 40U
/// Blocks of a request: some revolutions, so that the pause between two requests matters little.
#define SCAN_REQUEST_BLOCKS 1024U

/// Status of the scan, as page 15h reports it (SBC-3).
enum scan_status {
  SCAN_OFF = 0,
  SCAN_ACTIVE = 1,
  SCAN_HALTED = 3,  ///< A failure that is not a block's own has ended the scan.
  SCAN_WAITS = 8,   ///< The interval has not passed.
};

/// What became of a logged block (SBC-3, reassign status).
enum scan_reassign {
  SCAN_REASSIGN_REQUIRED = 1,  ///< The block needs REASSIGN BLOCKS, or a write.
  SCAN_REASSIGNED = 6,         ///< REASSIGN BLOCKS has moved the block, with its data.
  SCAN_REASSIGNED_EMPTY = 7,   ///< REASSIGN BLOCKS has moved the block. It is zeros now.
};

struct scan_result {
  uint32_t minutes;  ///< Minutes since power-on.
  uint32_t lba;
  uint8_t status;    ///< enum status of the attempts.
  uint8_t reassign;  ///< enum scan_reassign
};

struct scan {
  const struct drive_design* design;
  struct media* media;
  struct arm* arm;
  const struct unit* unit;
  struct alarm alarm;
  struct mode_background mode;
  time_tick begun;       ///< Begin of the latest scan.
  time_tick quiet_from;  ///< End of the latest use of the drive by a host.
  uint32_t next_lba;     ///< Next block of an active scan.
  uint16_t completed;    ///< Number of scans that came to the last block, at most UINT16_MAX.
  uint8_t status;        ///< enum scan_status
  uint8_t result_count;
  uint8_t oldest;  ///< Place of the oldest result, when the log is full.
  struct scan_result results[SCAN_RESULTS_MAX];
};

/// Begins with the scan off. The pointers must be set.
void scan_init(struct scan* scan, struct alarms* alarms);

/// Applies page 1Ch/01h. A scan that is turned on begins with block 0 as soon as the drive is idle.
void scan_set_mode(struct scan* scan, const struct mode_background* mode);

/// Notes that a host used the drive until this moment.
static inline void scan_note_host(struct scan* scan, time_tick now) { scan->quiet_from = now; }

/// FORMAT UNIT: forgets the results, and begins anew with block 0.
void scan_restart(struct scan* scan);

/// Notes that REASSIGN BLOCKS has moved a block.
void scan_note_reassigned(struct scan* scan, uint32_t lba, bool has_data);

/// Forgets all results.
void scan_clear_results(struct scan* scan);

/// How much of the active scan is done; 65,536 is the whole.
uint32_t scan_progress(const struct scan* scan);

/// Whole minutes since power-on, until now.
uint32_t scan_minutes(void);

// A client of the arm (arm.h).
enum arm_answer scan_plan(struct scan* scan, struct media_request* request);
enum arm_answer scan_outcome(struct scan* scan, enum media_outcome outcome,
                             struct media_request* request);
void scan_yield(struct scan* scan, bool may_begin);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_SCAN_H
