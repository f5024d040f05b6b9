/// @file
/// The arm and the spindle: one movement at a time, ended by servo events or by its time limit.
///
/// After every servo interrupt seek_on_events() says what came of it. A movement fails when the
/// servo refuses or loses it, or when seek_on_timeout() says that it has taken too long; whether it
/// is tried again is for the one who asked. What comes behind a movement that never ended begins
/// with a recalibration: the servo takes nothing else. The position before the first seek is the
/// one that the drive parks at: cylinder 0, head 0.
///
/// A spindle that leaves its speed by itself is started anew, and a movement waits for it. A start
/// that does not come to speed in time is given up, and begun again from rest, SEEK_SPIN_UPS times
/// in all. Then the spindle is stopped, and stays so until seek_spin_up().
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

/// Starts of the spindle before it is given up.
#define SEEK_SPIN_UPS 3U

/// A start may take twice as long as the design says, and this.
#define SEEK_SPIN_UP_SLACK_MS 100U

enum spindle_state {
  SPINDLE_AT_REST,
  SPINDLE_SPINNING_UP,
  SPINDLE_AT_SPEED,
  SPINDLE_SPINNING_DOWN,
  SPINDLE_REGAINING,  ///< It left its speed by itself, and is started anew.
};

/// What an event meant, bits.
enum seek_result {
  SEEK_RESULT_ARRIVED = 1U << 0,  ///< Settled on the track that was asked for, as it was asked for.
  SEEK_RESULT_FAILED = 1U << 1,   ///< The movement came to nothing: struct seek's status.
  SEEK_RESULT_AT_SPEED = 1U << 2,
  SEEK_RESULT_AT_REST = 1U << 3,
  SEEK_RESULT_SPEED_LOST = 1U << 4,      ///< By itself; SPINDLE_REGAINING.
  SEEK_RESULT_SPINDLE_FAILED = 1U << 5,  ///< Given up; it is on its way to rest.
};

struct seek {
  uint32_t cylinder;  ///< Of the track under the heads, or the one they move to.
  uint32_t head;
  time_tick spin_up_ticks;   ///< That a start may take.
  time_tick spin_up_due;     ///< When the start under way is too late; TIME_TICK_NEVER: none is.
  uint8_t spindle;           ///< enum spindle_state
  uint8_t spin_ups_left;     ///< Behind the start under way.
  uint8_t status;            ///< enum status: why the last movement failed.
  bool brakes;               ///< A start has failed: at rest the next one begins.
  bool moving;               ///< Somebody waits for SEEK_RESULT_ARRIVED.
  bool for_write;            ///< It needs the settling that writing needs.
  bool position_known;       ///< The heads have been sent somewhere since the spindle started.
  bool needs_recalibration;  ///< A movement never ended.
  bool recalibrates;         ///< The seek follows.
  bool follows;              ///< The formatter may have sent the heads on their way.
  bool redirects;            ///< They arrive there first: then they depart for the track wanted.
  bool has_patience;         ///< A movement may wait for the speed to come back.
};

void seek_init(struct seek* seek, const struct drive_design* design);

/// Starts or stops the spindle; nothing, when it is there or on its way. No movement may be under
/// way when it stops.
void seek_spin_up(struct seek* seek);
void seek_spin_down(struct seek* seek);

/// Whether the spindle is at speed in this moment, as far as the servo sees it.
bool seek_has_speed(void);

/// Goes to a track. `again`: even if the heads are on it, because they proved not to be.
///
/// @return STATUS_OK when the heads are there and settled already, STATUS_BUSY when
///         SEEK_RESULT_ARRIVED or SEEK_RESULT_FAILED will follow, STATUS_BECOMING_READY when the
///         speed is lost and there is no patience, STATUS_NOT_READY when the spindle is not to be
///         at speed. One movement at a time: a second one is a bug.
MUST_USE enum status seek_start(struct seek* seek, uint32_t cylinder, uint32_t head, bool for_write,
                                bool again);

/// The formatter has sent the heads to a track, the servo's target: they may still be on their way,
/// and are where it is told of (SEEK_RESULT_ARRIVED) to nobody.
void seek_follow(struct seek* seek, uint32_t cylinder, uint32_t head);

/// enum servo_event bits in, enum seek_result bits out.
uint32_t seek_on_events(struct seek* seek, uint32_t events);

/// The movement under way takes longer than any may. @return enum seek_result bits; none while the
/// speed is awaited.
uint32_t seek_on_timeout(struct seek* seek);

/// `spin_up_due` has come. @return enum seek_result bits.
uint32_t seek_on_late_spin_up(struct seek* seek);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_MOTION_SEEK_H
