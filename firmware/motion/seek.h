// SPDX-License-Identifier: Apache-2.0
/// @file
/// The arm and the spindle: one movement at a time, ended by servo events or by its time limit.
///
/// After every servo interrupt, seek_on_events() returns the result. A movement fails when the
/// servo refuses or loses it, or when seek_on_timeout() ends it because it takes too long. The
/// caller decides whether to try again. After a movement that never ended, the next one begins with
/// a recalibration: the servo accepts nothing else. Before the first seek, the heads are at the
/// parking position: cylinder 0, head 0.
///
/// A spindle that leaves its speed by itself is started again, and a movement waits for it. A start
/// that does not reach the speed in time is abandoned, and repeated from rest, with SEEK_SPIN_UPS
/// starts in all. Then the spindle is stopped until seek_spin_up().
#ifndef FIRMWARE_MOTION_SEEK_H
#define FIRMWARE_MOTION_SEEK_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/drive_design.h"
#include "firmware/kernel/status.h"
#include "firmware/kernel/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Failed starts after which the spindle counts as failed.
#define SEEK_SPIN_UPS 3U

/// A start may take twice the time that the design gives, plus this.
#define SEEK_SPIN_UP_SLACK_MS 100U

enum spindle_state {
  SPINDLE_AT_REST,
  SPINDLE_SPINNING_UP,
  SPINDLE_AT_SPEED,
  SPINDLE_SPINNING_DOWN,
  SPINDLE_REGAINING,  ///< The spindle left its speed by itself, and is started again.
};

/// What an event meant, bits.
enum seek_result {
  SEEK_RESULT_ARRIVED = 1U << 0,  ///< Settled on the requested track, for writing if so requested.
  SEEK_RESULT_FAILED = 1U << 1,   ///< The movement failed; `status` of struct seek says why.
  SEEK_RESULT_AT_SPEED = 1U << 2,
  SEEK_RESULT_AT_REST = 1U << 3,
  SEEK_RESULT_SPEED_LOST = 1U << 4,      ///< The spindle left its speed by itself;
                                         ///< SPINDLE_REGAINING.
  SEEK_RESULT_SPINDLE_FAILED = 1U << 5,  ///< The spindle failed in all its starts, and is on its
                                         ///< way to rest.
};

struct seek {
  uint32_t cylinder;  ///< Cylinder of the track under the heads, or of the one to which they move.
  uint32_t head;
  time_tick spin_up_ticks;   ///< Longest time of a start.
  time_tick spin_up_due;     ///< When the start under way has taken too long; TIME_TICK_NEVER: no
                             ///< start.
  uint8_t spindle;           ///< enum spindle_state
  uint8_t spin_ups_left;     ///< Starts left after the one under way.
  uint8_t status;            ///< enum status: why the last movement failed.
  bool brakes;               ///< A start has failed: the next one begins when the spindle is at
                             ///< rest.
  bool moving;               ///< The caller waits for SEEK_RESULT_ARRIVED.
  bool for_write;            ///< The movement includes the settling that writing needs.
  bool has_offset;           ///< The heads' two elements need positions of their own over a track.
  bool at_writer;            ///< The heads are, or will be, in the position of the writing element.
  bool position_known;       ///< The heads have been sent to a track since the spindle started.
  bool needs_recalibration;  ///< A movement never ended.
  bool recalibrates;         ///< A recalibration is under way; the seek follows.
  bool follows;              ///< The formatter may have started a movement.
  bool redirects;            ///< That movement ends first; then the one to the requested track
                             ///< begins.
  bool has_patience;         ///< A movement may wait until the spindle has its speed again.
};

void seek_init(struct seek* seek, const struct drive_design* design);

/// Starts or stops the spindle. Does nothing if the spindle is in that state or on its way to it.
/// No movement may be under way when it stops.
void seek_spin_up(struct seek* seek);
void seek_spin_down(struct seek* seek);

/// Whether the servo reports the spindle at speed at this moment.
bool seek_has_speed(void);

/// Moves the heads to a track. `again`: even if they should be on it already, because headers
/// showed that they are not.
///
/// @return STATUS_OK when the heads are there and settled already. STATUS_BUSY when
///         SEEK_RESULT_ARRIVED or SEEK_RESULT_FAILED will follow. STATUS_BECOMING_READY when the
///         speed is lost and `has_patience` is false. STATUS_NOT_READY when the spindle is not
///         started. Only one movement at a time: a second call is a bug.
MUST_USE enum status seek_start(struct seek* seek, uint32_t cylinder, uint32_t head, bool for_write,
                                bool again);

/// The formatter has sent the heads to a track, the servo's target. They may still be moving, and
/// no SEEK_RESULT_ARRIVED follows.
void seek_follow(struct seek* seek, uint32_t cylinder, uint32_t head);

/// Handles bits of enum servo_event. @return bits of enum seek_result.
uint32_t seek_on_events(struct seek* seek, uint32_t events);

/// The movement under way takes longer than any may. @return bits of enum seek_result; none while
/// the spindle regains its speed.
uint32_t seek_on_timeout(struct seek* seek);

/// Time `spin_up_due` is reached. @return bits of enum seek_result.
uint32_t seek_on_late_spin_up(struct seek* seek);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_SEEK_H
